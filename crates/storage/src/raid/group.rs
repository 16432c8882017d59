//! A RAID group: its disks, which of them are lost, and the disk operations of a read.

use sanlab_kernel::{Id, IdVec, Instant};

use crate::disk::Disk;

use super::lock::StripeLocks;
use super::mapping::{Level, RaidMapping, Slot};
use super::rebuild::{Rebuild, RebuildStep};
use super::strategy::WriteStrategy;

/// What one disk is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The disk.
    pub disk: Id<Disk>,
    /// First byte.
    pub address: u64,
    /// Length.
    pub bytes: u64,
    /// A read; else a write.
    pub is_read: bool,
}

/// How a read gets its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bytes that go through the parity engine: 0 where no disk is missed.
    pub parity_bytes: u64,
}

/// A disk that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Its place in the group.
    pub slot: Id<Slot>,
    /// When.
    pub at: Instant,
}

/// What a group has done, by rows of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounters {
    /// Reads of the group.
    pub reads: u64,
    /// Of them, those that computed lost data.
    pub degraded_reads: u64,
    /// Writes of the group.
    pub writes: u64,
    /// Rows written whole, or without parity: nothing is read before.
    pub full_rows: u64,
    /// Rows whose old data and parity were read.
    pub modified_rows: u64,
    /// Rows whose other data were read.
    pub reconstructed_rows: u64,
    /// Rows whose surviving units were all read, because a lost disk held a part that stays.
    pub recovered_rows: u64,
    /// Disk operations.
    pub disk_reads: u64,
    /// Disk operations.
    pub disk_writes: u64,
    /// Their bytes.
    pub disk_read_bytes: u64,
    /// Their bytes.
    pub disk_write_bytes: u64,
}

/// What is in a slot.
#[derive(Clone, Copy, Debug)]
struct Place {
    disk: Id<Disk>,
    is_lost: bool,
    spare: Option<Id<Disk>>,
    /// Rows below this one are on the spare.
    rebuilt_rows: u64,
}

/// Drives that hold data together.
#[derive(Clone, Debug)]
pub struct Group {
    /// Where blocks lie.
    pub mapping: RaidMapping,
    /// How parity is brought up to date.
    pub strategy: WriteStrategy,
    slots: IdVec<Slot, Place>,
    /// Drives that will fail, the next one first.
    pub failing: Vec<Failing>,
    /// Rows in use by writes.
    pub locks: StripeLocks,
    /// Reconstruction on spares, one after the other.
    pub rebuilds: IdVec<Rebuild>,
    /// What it has done.
    pub counters: GroupCounters,
}

impl Group {
    /// A group of these disks. The level takes as many.
    pub fn new(mapping: RaidMapping, disks: &[Id<Disk>], strategy: WriteStrategy) -> Self {
        debug_assert!(mapping.level.takes(mapping.drives));
        debug_assert_eq!(mapping.drives as usize, disks.len());
        let slot = |&disk: &Id<Disk>| Place {
            disk,
            is_lost: false,
            spare: None,
            rebuilt_rows: 0,
        };
        Self {
            mapping,
            strategy,
            slots: disks.iter().map(slot).collect(),
            failing: Vec::new(),
            locks: StripeLocks::default(),
            rebuilds: IdVec::new(),
            counters: GroupCounters::default(),
        }
    }

    /// A disk is lost.
    pub fn fail(&mut self, slot: Id<Slot>) {
        self.slots[slot].is_lost = true;
    }

    /// Reconstruction of a lost disk begins on a spare.
    pub fn begin_rebuild(&mut self, now: Instant, rebuild: Id<Rebuild>) {
        let rebuild = &mut self.rebuilds[rebuild];
        rebuild.begin(now);
        self.slots[rebuild.slot].spare = Some(rebuild.spare);
    }

    /// Rows of a step are on the spare.
    pub fn on_rebuilt(&mut self, now: Instant, rebuild: Id<Rebuild>, step: RebuildStep) {
        let rebuild = &mut self.rebuilds[rebuild];
        rebuild.done(now, step);
        self.slots[rebuild.slot].rebuilt_rows = rebuild.rebuilt_rows();
    }

    /// Drives that are lost and not yet rebuilt.
    pub fn missing(&self) -> usize {
        let rows = self.mapping.rows;
        let is_missing = |slot: &&Place| slot.is_lost && slot.rebuilt_rows < rows;
        self.slots.iter().filter(is_missing).count()
    }

    /// The disk that holds a place's unit of a row; `None` if it is lost.
    pub fn disk_at(&self, slot: Id<Slot>, row: u64) -> Option<Id<Disk>> {
        let slot = &self.slots[slot];
        if !slot.is_lost {
            return Some(slot.disk);
        }
        slot.spare.filter(|_| row < slot.rebuilt_rows)
    }

    /// A write must hold its rows: it reads before it writes, or a rebuild copies them meanwhile.
    pub fn locks_writes(&self) -> bool {
        self.mapping.level.has_parity() || self.is_rebuilding()
    }

    /// A rebuild is on its way.
    pub fn is_rebuilding(&self) -> bool {
        self.rebuilds.iter().any(Rebuild::is_running)
    }

    /// A read computes lost data, so no write may change the row meanwhile.
    pub fn locks_reads(&self) -> bool {
        self.mapping.level.has_parity() && self.missing() > 0
    }

    /// Data units that a part of a row touches, each with its first byte and its end in the unit.
    pub(super) fn extents(
        &self,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u32, u64, u64)> + use<> {
        let unit = self.mapping.unit;
        (from / unit..=(to - 1) / unit).map(move |number| {
            let start = number * unit;
            let end = (start + unit).min(to);
            (
                u32::try_from(number).expect("a unit of a row"),
                from.max(start) - start,
                end - start,
            )
        })
    }

    /// The rows of a request, each with the first byte and the end in it.
    pub(super) fn pieces(
        &self,
        address: u64,
        bytes: u64,
    ) -> impl Iterator<Item = (u64, u64, u64)> + use<> {
        let width = self.mapping.row_bytes();
        let end = address + bytes;
        let (first, last) = self.mapping.rows_of(address, bytes);
        (first..=last).map(move |row| {
            let start = row * width;
            (
                row,
                address.max(start) - start,
                end.min(start + width) - start,
            )
        })
    }

    /// The operations of a read are added to `out`. `open` says how many operations each disk of the
    /// array has: of copies the one with fewer is read, in turn where they are alike.
    pub fn plan_read(
        &mut self,
        address: u64,
        bytes: u64,
        open: &IdVec<Disk, u32>,
        out: &mut Vec<Operation>,
    ) -> Reading {
        let mut reading = Reading::default();
        let unit = self.mapping.unit;
        for (row, from, to) in self.pieces(address, bytes) {
            let is_whole = self.mapping.level == Level::Raid3;
            let (from, to) = if is_whole {
                (0, self.mapping.row_bytes())
            } else {
                (from, to)
            };
            let mut lost: Option<(u64, u64)> = None;
            for (number, x, y) in self.extents(from, to) {
                match self.source(row, number, open) {
                    Some(disk) => push(out, disk, row * unit + x, y - x, true),
                    None => lost = Some(lost.map_or((x, y), |(a, b)| (a.min(x), b.max(y)))),
                }
            }
            if let Some((x, y)) = lost {
                self.read_survivors(row, x, y, out);
                let units = self.mapping.level.data_units(self.mapping.drives);
                reading.parity_bytes += (y - x) * u64::from(units);
            }
        }
        self.counters.reads += 1;
        self.counters.degraded_reads += u64::from(reading.parity_bytes > 0);
        reading
    }

    /// The disk a data unit is read from.
    fn source(&self, row: u64, unit: u32, open: &IdVec<Disk, u32>) -> Option<Id<Disk>> {
        let copies = self.mapping.copies();
        // Alike: in turn by unit, so that one stream of reads uses every copy.
        let turn = row.wrapping_mul(u64::from(
            self.mapping.level.data_units(self.mapping.drives),
        )) + u64::from(unit);
        let slots = self.mapping.slots_of(row, unit);
        let disks = (0_u64..).zip(slots).filter_map(|(copy, slot)| {
            let disk = self.disk_at(slot, row)?;
            let rank = (copy + turn) % u64::from(copies);
            Some((open.get(disk).copied().unwrap_or(0), rank, disk))
        });
        disks.min().map(|(_, _, disk)| disk)
    }

    /// Read a part of so many units of a row, data first, that everything in it can be computed.
    pub(super) fn read_survivors(&mut self, row: u64, x: u64, y: u64, out: &mut Vec<Operation>) {
        let (level, drives) = (self.mapping.level, self.mapping.drives);
        let need = level.data_units(drives);
        let data = (0..need).map(|unit| self.mapping.slot_of(row, unit));
        let alive = data
            .chain(self.mapping.parity_slots(row))
            .filter_map(|slot| self.disk_at(slot, row));
        let disks: Vec<Id<Disk>> = alive.take(need as usize).collect();
        debug_assert_eq!(
            disks.len(),
            need as usize,
            "more drives are lost than the level survives"
        );
        for disk in disks {
            push(out, disk, row * self.mapping.unit + x, y - x, true);
        }
    }

    /// Count operations that are sent to disks.
    pub fn count(&mut self, operations: &[Operation]) {
        for op in operations {
            if op.is_read {
                self.counters.disk_reads += 1;
                self.counters.disk_read_bytes += op.bytes;
            } else {
                self.counters.disk_writes += 1;
                self.counters.disk_write_bytes += op.bytes;
            }
        }
    }

    /// What a step of a rebuild reads.
    pub fn plan_rebuild_read(
        &mut self,
        rebuild: Id<Rebuild>,
        step: RebuildStep,
        open: &IdVec<Disk, u32>,
        out: &mut Vec<Operation>,
    ) -> Reading {
        let (slot, unit) = (self.rebuilds[rebuild].slot, self.mapping.unit);
        let need = self.mapping.level.data_units(self.mapping.drives) as usize;
        let (level, drives) = (self.mapping.level, self.mapping.drives);
        let bytes = (step.last - step.first + 1) * unit;
        let alive = |other: Id<Slot>| {
            if other == slot {
                None
            } else {
                self.disk_at(other, step.first)
            }
        };
        let busy = |disk: &Id<Disk>| open.get(*disk).copied().unwrap_or(0);
        let disks: Vec<Id<Disk>> = match level {
            Level::Raid10 => alive(self.mapping.other_of_pair(slot))
                .into_iter()
                .collect(),
            Level::Raid1 => (self.mapping.slots())
                .filter_map(alive)
                .min_by_key(busy)
                .into_iter()
                .collect(),
            _ => {
                // Where there are more survivors than are needed they take turns at rest.
                let shift = usize::try_from(step.first % u64::from(drives)).unwrap_or(0);
                let turn = (self.mapping.slots().cycle().skip(shift)).take(drives as usize);
                turn.filter_map(alive).take(need).collect()
            }
        };
        for &disk in &disks {
            push(out, disk, step.first * unit, bytes, true);
        }
        Reading {
            parity_bytes: if level.has_parity() {
                bytes * disks.len() as u64
            } else {
                0
            },
        }
    }

    /// What a step of a rebuild writes.
    pub fn plan_rebuild_write(
        &mut self,
        rebuild: Id<Rebuild>,
        step: RebuildStep,
        out: &mut Vec<Operation>,
    ) {
        let unit = self.mapping.unit;
        let spare = self.rebuilds[rebuild].spare;
        push(
            out,
            spare,
            step.first * unit,
            (step.last - step.first + 1) * unit,
            false,
        );
    }
}

/// Adds an operation; merges it with one on the same disk that ends where it starts.
pub(super) fn push(
    out: &mut Vec<Operation>,
    disk: Id<Disk>,
    address: u64,
    bytes: u64,
    is_read: bool,
) {
    let end = address + bytes;
    let touches = |op: &&mut Operation| {
        op.disk == disk
            && op.is_read == is_read
            && address <= op.address + op.bytes
            && op.address <= end
    };
    if let Some(op) = out.iter_mut().find(touches) {
        let op_end = end.max(op.address + op.bytes);
        op.address = op.address.min(address);
        op.bytes = op_end - op.address;
    } else {
        out.push(Operation {
            disk,
            address,
            bytes,
            is_read,
        });
    }
}
