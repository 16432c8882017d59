//! Groups with content: drives hold bytes, parity is computed only from what was read.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use sanlab_kernel::{Id, IdVec, Instant, RandomStream, Span};

use super::*;
use crate::disk::Disk;

/// Product in GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1, as RAID 6 uses.
fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ if a & 0x80 == 0 { 0 } else { 0x1d };
        b >>= 1;
    }
    product
}

fn power(exponent: u32) -> u8 {
    (0..exponent).fold(1, |value, _| times(value, 2))
}

fn inverse(value: u8) -> u8 {
    (1..=255)
        .find(|&other| times(value, other) == 1)
        .expect("not zero")
}

fn p_of(data: &[u8]) -> u8 {
    data.iter().fold(0, |sum, byte| sum ^ byte)
}

fn q_of(data: &[u8]) -> u8 {
    let terms = data.iter().zip(0u32..);
    terms.fold(0, |sum, (&byte, k)| sum ^ times(power(k), byte))
}

/// The data bytes of one offset of a row, some of them unknown, with the known parity.
fn solve(data: &[Option<u8>], p: Option<u8>, q: Option<u8>) -> Option<Vec<u8>> {
    let unknown: Vec<usize> = (0..data.len()).filter(|&k| data[k].is_none()).collect();
    let mut solved: Vec<u8> = data.iter().map(|byte| byte.unwrap_or(0)).collect();
    match (unknown.as_slice(), p, q) {
        ([], ..) => {}
        (&[k], Some(p), _) => solved[k] = p ^ p_of(&solved),
        (&[k], None, Some(q)) => {
            solved[k] = times(q ^ q_of(&solved), inverse(power(k as u32)));
        }
        (&[j, k], Some(p), Some(q)) => {
            let (p, q) = (p ^ p_of(&solved), q ^ q_of(&solved));
            let (gj, gk) = (power(j as u32), power(k as u32));
            solved[j] = times(q ^ times(gk, p), inverse(gj ^ gk));
            solved[k] = p ^ solved[j];
        }
        _ => return None,
    }
    Some(solved)
}

/// A group whose drives hold bytes.
struct Store {
    group: Group,
    drives: IdVec<Disk, Vec<u8>>,
    /// What was read in this request, by drive and byte.
    seen: IdVec<Disk, Vec<Option<u8>>>,
    /// What ought to be there.
    content: Vec<u8>,
    operations: u64,
}

impl Store {
    fn new(level: Level, drives: u32, unit: u64, rows: u64, spares: u32) -> Self {
        let mapping = RaidMapping {
            level,
            drives,
            unit,
            rows,
        };
        let disks: Vec<Id<Disk>> = (0..drives).map(Id::new).collect();
        let size = (unit * rows) as usize;
        let all = (drives + spares) as usize;
        Self {
            group: Group::new(mapping, &disks, WriteStrategy::FewerOperations),
            drives: IdVec::filled(vec![0; size], all),
            seen: IdVec::filled(vec![None; size], all),
            content: vec![0; mapping.bytes() as usize],
            operations: 0,
        }
    }

    fn read_operations(&mut self, operations: &[Operation]) {
        self.seen.iter_mut().for_each(|drive| drive.fill(None));
        for op in operations {
            assert!(op.is_read);
            self.operations += 1;
            for byte in op.address..op.address + op.bytes {
                let value = self.drives[op.disk][byte as usize];
                self.seen[op.disk][byte as usize] = Some(value);
            }
        }
    }

    fn seen(&self, slot: Id<Slot>, row: u64, offset: u64) -> Option<u8> {
        let disk = self.group.disk_at(slot, row)?;
        self.seen[disk][offset as usize]
    }

    /// Data of one offset of a row from what was seen; `None` if that is not enough.
    fn row(&self, row: u64, inside: u64) -> Option<Vec<u8>> {
        let mapping = self.group.mapping;
        let offset = row * mapping.unit + inside;
        let data: Vec<_> = (0..mapping.level.data_units(mapping.drives))
            .map(|unit| {
                let mut slots = mapping.slots_of(row, unit);
                slots.find_map(|slot| self.seen(slot, row, offset))
            })
            .collect();
        let mut parity = mapping
            .parity_slots(row)
            .map(|slot| self.seen(slot, row, offset));
        solve(&data, parity.next().flatten(), parity.next().flatten())
    }

    fn read(&mut self, address: u64, bytes: u64) {
        let mut operations = Vec::new();
        self.group
            .plan_read(address, bytes, &IdVec::new(), &mut operations);
        self.read_operations(&operations);
        let mapping = self.group.mapping;
        for byte in address..address + bytes {
            let (row, inside) = (byte / mapping.row_bytes(), byte % mapping.row_bytes());
            let (unit, at) = (inside / mapping.unit, inside % mapping.unit);
            let offset = row * mapping.unit + at;
            let direct = mapping
                .slots_of(row, unit as u32)
                .find_map(|slot| self.seen(slot, row, offset));
            let got = direct
                .unwrap_or_else(|| self.row(row, at).expect("enough was read")[unit as usize]);
            assert_eq!(
                got, self.content[byte as usize],
                "byte {byte} of {mapping:?}"
            );
        }
    }

    fn write(&mut self, address: u64, data: &[u8]) {
        let mapping = self.group.mapping;
        let bytes = data.len() as u64;
        let mut reads = Vec::new();
        self.group.plan_write_reads(address, bytes, &mut reads);
        self.read_operations(&reads);
        let mut writes = Vec::new();
        self.group.plan_writes(address, bytes, &mut writes);
        self.operations += writes.len() as u64;
        let before = self.content.clone();
        self.content[address as usize..(address + bytes) as usize].copy_from_slice(data);
        for op in writes {
            assert!(!op.is_read);
            for offset in op.address..op.address + op.bytes {
                let value = self.written(address, data, &before, op.disk, offset);
                self.drives[op.disk][offset as usize] = value;
            }
        }
        assert!(mapping.bytes() >= address + bytes);
    }

    /// What a write leaves at a byte of a disk, computed from the new data and from what was read.
    fn written(&self, address: u64, data: &[u8], before: &[u8], disk: Id<Disk>, offset: u64) -> u8 {
        let mapping = self.group.mapping;
        let row = offset / mapping.unit;
        let slot = (mapping.slots())
            .find(|&slot| self.group.disk_at(slot, row) == Some(disk))
            .expect("a disk of the group");
        let end = address + data.len() as u64;
        let new = |byte_address: u64| {
            (address..end)
                .contains(&byte_address)
                .then(|| data[(byte_address - address) as usize])
        };
        if let Some(byte_address) = mapping.address_at(Spot { slot, offset }) {
            // Of RAID 3 data that do not change are written too: they must have been read.
            return new(byte_address).unwrap_or_else(|| {
                let seen = self
                    .row(row, offset % mapping.unit)
                    .or_else(|| self.merged(row, offset, &new));
                let value = seen.expect("enough was read");
                let Role::Data(unit) = mapping.role(row, slot) else {
                    unreachable!()
                };
                assert_eq!(value[unit as usize], before[byte_address as usize]);
                value[unit as usize]
            });
        }
        let role = mapping.role(row, slot);
        let units = mapping.level.data_units(mapping.drives);
        let at = |unit: u32| {
            row * mapping.row_bytes() + u64::from(unit) * mapping.unit + offset % mapping.unit
        };
        if let Some(merged) = self.merged(row, offset, &new) {
            return if role == Role::P {
                p_of(&merged)
            } else {
                q_of(&merged)
            };
        }
        // Read-modify-write: old parity and the old data of what changes.
        let mut parity = self.seen(slot, row, offset).expect("old parity was read");
        for unit in 0..units {
            if let Some(value) = new(at(unit)) {
                let old = self
                    .seen(mapping.slot_of(row, unit), row, offset)
                    .expect("old data were read");
                let change = if role == Role::P { 1 } else { power(unit) };
                parity ^= times(change, old ^ value);
            }
        }
        parity
    }

    /// All data of one offset of a row, new where they are, if what was read is enough.
    fn merged(&self, row: u64, offset: u64, new: &impl Fn(u64) -> Option<u8>) -> Option<Vec<u8>> {
        let mapping = self.group.mapping;
        let units = mapping.level.data_units(mapping.drives);
        let at = |unit: u32| {
            row * mapping.row_bytes() + u64::from(unit) * mapping.unit + offset % mapping.unit
        };
        let old = self.row(row, offset % mapping.unit);
        (0..units)
            .map(|unit| {
                let seen = self.seen(mapping.slot_of(row, unit), row, offset);
                new(at(unit))
                    .or(seen)
                    .or_else(|| old.as_ref().map(|old| old[unit as usize]))
            })
            .collect()
    }

    fn rebuild_step(&mut self, rebuild: Id<Rebuild>) {
        let step = self.group.rebuilds[rebuild].take_step();
        let slot = self.group.rebuilds[rebuild].slot;
        let mut reads = Vec::new();
        self.group
            .plan_rebuild_read(rebuild, step, &IdVec::new(), &mut reads);
        self.read_operations(&reads);
        let mut writes = Vec::new();
        self.group.plan_rebuild_write(rebuild, step, &mut writes);
        let mapping = self.group.mapping;
        for op in writes {
            for offset in op.address..op.address + op.bytes {
                let row = offset / mapping.unit;
                let data = self.row(row, offset % mapping.unit);
                let value = match mapping.role(row, slot) {
                    Role::Data(unit) => data.map(|data| data[unit as usize]),
                    Role::P => data.map(|data| p_of(&data)),
                    Role::Q => data.map(|data| q_of(&data)),
                };
                // A pair of RAID 10 sees only its own unit.
                let value = value.or_else(|| self.seen(mapping.other_of_pair(slot), row, offset));
                self.drives[op.disk][offset as usize] = value.expect("enough was read");
            }
        }
        self.group.on_rebuilt(Instant::START, rebuild, step);
    }
}

const CASES: [(Level, u32, u32); 10] = [
    (Level::Raid0, 4, 0),
    (Level::Raid1, 2, 1),
    (Level::Raid1, 3, 2),
    (Level::Raid3, 5, 1),
    (Level::Raid5, 3, 1),
    (Level::Raid5, 6, 1),
    (Level::Raid6, 4, 2),
    (Level::Raid6, 7, 2),
    (Level::Raid10, 6, 1),
    (Level::Raid10, 4, 1),
];

fn scribble(store: &mut Store, draws: &mut RandomStream, times: usize) {
    for _ in 0..times {
        let all = store.content.len() as u64;
        let bytes = 1 + draws.below(all.min(60));
        let address = draws.below(all - bytes + 1);
        if draws.below(2) == 0 {
            let data: Vec<u8> = (0..bytes).map(|_| draws.next_u64() as u8).collect();
            store.write(address, &data);
        }
        store.read(address, bytes);
    }
}

/// Whatever was written is read again: whole, with one and two drives lost, and while each lost
/// drive comes back on a spare.
#[test]
fn what_was_written_is_read_in_every_state() {
    let mut draws = RandomStream::new(7, "raid content");
    for (level, drives, losses) in CASES {
        for case in 0..60 {
            let unit = 1 + draws.below(8);
            let mut store = Store::new(level, drives, unit, 7, losses);
            store.group.strategy = [
                WriteStrategy::FewerOperations,
                WriteStrategy::ReadModifyWrite,
                WriteStrategy::ReconstructWrite,
            ][case % 3];
            scribble(&mut store, &mut draws, 10);
            for loss in 0..losses {
                let slot = Id::new(draws.below(u64::from(drives)) as u32);
                if store.group.disk_at(slot, 0).is_none() {
                    continue;
                }
                store.group.fail(slot);
                store.drives[slot.same()].fill(0xEE);
                let spare = Id::new(drives + loss);
                let rebuild = Rebuild::new(slot, spare, (7, unit), Span::ZERO);
                let rebuild = rebuild.paced(1, 2 * unit, 1);
                store.group.rebuilds.push(rebuild);
                scribble(&mut store, &mut draws, 10);
            }
            for rebuild in store.group.rebuilds.ids() {
                store.group.begin_rebuild(Instant::START, rebuild);
                while store.group.rebuilds[rebuild].is_running() {
                    store.rebuild_step(rebuild);
                    scribble(&mut store, &mut draws, 4);
                }
            }
            assert_eq!(store.group.missing(), 0);
            scribble(&mut store, &mut draws, 10);
        }
    }
}

/// Disk operations of one write of part of a unit.
fn small_write(level: Level, drives: u32) -> u64 {
    let mut store = Store::new(level, drives, 8, 10, 0);
    store.write(3, &[1, 2]);
    store.operations
}

/// The published penalties (Patterson, Gibson and Katz): 1, 2, 4 and 6 operations.
#[test]
fn small_writes_cost_1_2_4_and_6() {
    assert_eq!(small_write(Level::Raid0, 5), 1);
    assert_eq!(small_write(Level::Raid1, 2), 2);
    assert_eq!(small_write(Level::Raid10, 8), 2);
    for drives in 4..12 {
        assert_eq!(small_write(Level::Raid5, drives), 4);
    }
    for drives in 6..12 {
        assert_eq!(small_write(Level::Raid6, drives), 6);
    }
    // Of so few drives the other data are fewer than the old ones and the parity.
    assert_eq!(small_write(Level::Raid5, 3), 3);
    assert_eq!(small_write(Level::Raid6, 5), 5);
}

/// A whole row is written without a read; its share of data is (n - 1) / n, (n - 2) / n and 1 / 2.
#[test]
fn full_stripes_write_data_and_parity_only() {
    for (level, drives, parity) in [
        (Level::Raid5, 5, 1),
        (Level::Raid3, 9, 1),
        (Level::Raid6, 8, 2),
        (Level::Raid10, 6, 3),
    ] {
        let mut store = Store::new(level, drives, 8, 12, 0);
        let row = store.group.mapping.row_bytes();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        store.group.plan_write_reads(2 * row, 3 * row, &mut reads);
        store.group.plan_writes(2 * row, 3 * row, &mut writes);
        assert!(reads.is_empty());
        let written: u64 = writes.iter().map(|op| op.bytes).sum();
        assert_eq!(
            3 * row * u64::from(drives),
            written * u64::from(drives - parity)
        );
        assert_eq!(
            writes.len(),
            drives as usize,
            "rows that follow are one operation on each drive"
        );
    }
}

/// Reads of one unit: one operation, with a lost drive as many as there are survivors.
#[test]
fn a_degraded_read_takes_the_others() {
    let mut group = Store::new(Level::Raid5, 5, 8, 10, 0).group;
    let reads = |group: &mut Group, address| {
        let mut out = Vec::new();
        group.plan_read(address, 4, &IdVec::new(), &mut out);
        out.len()
    };
    assert_eq!(reads(&mut group, 0), 1);
    group.fail(Id::new(0));
    assert_eq!(reads(&mut group, 0), 4);
    assert_eq!(reads(&mut group, 8), 1);
    assert_eq!(group.counters.degraded_reads, 1);
}

/// Of two copies the one with the shorter queue is read, in turn where they are alike.
#[test]
fn copies_share_the_reads() {
    let mut group = Store::new(Level::Raid1, 2, 8, 100, 0).group;
    let mut count = [0; 2];
    for row in 0..100 {
        let mut out = Vec::new();
        group.plan_read(8 * row, 8, &IdVec::from(vec![0, 0]), &mut out);
        count[out[0].disk.place()] += 1;
    }
    assert_eq!(count, [50, 50]);
    let mut out = Vec::new();
    group.plan_read(0, 8, &IdVec::from(vec![3, 2]), &mut out);
    assert_eq!(out[0].disk, Id::new(1));
}
