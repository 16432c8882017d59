//! The disk operations of a write: what is read first, what is written then.

use super::group::{Group, Operation, push};
use super::mapping::Level;
use super::strategy::WriteStrategy;

/// What is read before a row is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    OldDataAndParity,
    OtherData,
    Survivors,
}

/// A part of a row that is written.
#[derive(Clone, Copy, Debug)]
struct RowPart {
    row: u64,
    from: u64,
    to: u64,
    /// First byte and end of what changes in the parity units.
    low: u64,
    high: u64,
}

impl Group {
    /// The reads that come first are added to `out`; `None` if the rows can be written at once.
    /// Returns bytes that go through the parity engine.
    pub fn plan_write_reads(&mut self, address: u64, bytes: u64, out: &mut Vec<Operation>) -> u64 {
        self.counters.writes += 1;
        let mut parity_bytes = 0;
        for (row, from, to) in self.pieces(address, bytes) {
            let part = self.part(row, from, to);
            let before = self.choose(part);
            let reads = self.read_before(part, before, out);
            if self.parity_alive(row) > 0 {
                let touched = self.extents(from, to).count() as u64;
                parity_bytes += (part.high - part.low) * (reads + touched);
            }
            let counters = &mut self.counters;
            match before {
                Before::Nothing => counters.full_rows += 1,
                Before::OldDataAndParity => counters.modified_rows += 1,
                Before::OtherData => counters.reconstructed_rows += 1,
                Before::Survivors => counters.recovered_rows += 1,
            }
        }
        parity_bytes
    }

    /// The writes are added to `out`. What is lost is left out: a rebuild brings it back.
    pub fn plan_writes(&mut self, address: u64, bytes: u64, out: &mut Vec<Operation>) {
        let unit = self.mapping.unit;
        for (row, from, to) in self.pieces(address, bytes) {
            let part = self.part(row, from, to);
            let is_whole = self.mapping.level == Level::Raid3;
            let (from, to) = if is_whole {
                (0, self.mapping.row_bytes())
            } else {
                (from, to)
            };
            for (number, x, y) in self.extents(from, to) {
                for slot in self.mapping.slots_of(row, number) {
                    if let Some(disk) = self.disk_at(slot, row) {
                        push(out, disk, row * unit + x, y - x, false);
                    }
                }
            }
            for slot in self.mapping.parity_slots(row) {
                if let Some(disk) = self.disk_at(slot, row) {
                    push(
                        out,
                        disk,
                        row * unit + part.low,
                        part.high - part.low,
                        false,
                    );
                }
            }
        }
    }

    fn part(&self, row: u64, from: u64, to: u64) -> RowPart {
        let hull = self
            .extents(from, to)
            .fold((u64::MAX, 0), |(low, high), (_, x, y)| {
                (low.min(x), high.max(y))
            });
        let is_whole = self.mapping.level == Level::Raid3;
        let (low, high) = if is_whole {
            (0, self.mapping.unit)
        } else {
            hull
        };
        RowPart {
            row,
            from,
            to,
            low,
            high,
        }
    }

    fn parity_alive(&self, row: u64) -> usize {
        let slots = self.mapping.parity_slots(row);
        slots
            .filter(|&slot| self.disk_at(slot, row).is_some())
            .count()
    }

    fn is_lost(&self, row: u64, unit: u32) -> bool {
        self.disk_at(self.mapping.slot_of(row, unit), row).is_none()
    }

    /// Data units of a row that are not written from `low` to `high`.
    fn others(&self, part: RowPart) -> impl Iterator<Item = u32> + '_ {
        let units = self.mapping.level.data_units(self.mapping.drives);
        (0..units).filter(move |&unit| {
            let mut written = self.extents(part.from, part.to);
            !written.any(|(number, x, y)| number == unit && x <= part.low && y >= part.high)
        })
    }

    fn choose(&self, part: RowPart) -> Before {
        let parity = self.parity_alive(part.row);
        // RAID 3 writes whole rows even where it has lost its parity.
        if parity == 0 && self.mapping.level != Level::Raid3 {
            return Before::Nothing;
        }
        let others = self.others(part).count();
        if others == 0 {
            return Before::Nothing;
        }
        let touched = self.extents(part.from, part.to).count();
        let may_modify = self.mapping.level != Level::Raid3
            && self
                .extents(part.from, part.to)
                .all(|(unit, ..)| !self.is_lost(part.row, unit));
        let may_reconstruct = self.others(part).all(|unit| !self.is_lost(part.row, unit));
        match (may_modify, may_reconstruct, self.strategy) {
            (false, false, _) => Before::Survivors,
            (true, true, WriteStrategy::FewerOperations) if touched + parity < others => {
                Before::OldDataAndParity
            }
            (true, true, WriteStrategy::ReadModifyWrite) | (true, false, _) => {
                Before::OldDataAndParity
            }
            (_, true, _) => Before::OtherData,
        }
    }

    /// Returns the number of units read.
    fn read_before(&mut self, part: RowPart, before: Before, out: &mut Vec<Operation>) -> u64 {
        let RowPart {
            row,
            from,
            to,
            low,
            high,
        } = part;
        let start = row * self.mapping.unit;
        match before {
            Before::Nothing => 0,
            Before::OldDataAndParity => {
                let mut reads = 0;
                for (unit, x, y) in self.extents(from, to) {
                    let slot = self.mapping.slot_of(row, unit);
                    if let Some(disk) = self.disk_at(slot, row) {
                        push(out, disk, start + x, y - x, true);
                        reads += 1;
                    }
                }
                for slot in self.mapping.parity_slots(row) {
                    if let Some(disk) = self.disk_at(slot, row) {
                        push(out, disk, start + low, high - low, true);
                        reads += 1;
                    }
                }
                reads
            }
            Before::OtherData => {
                let others: Vec<u32> = self.others(part).collect();
                for &unit in &others {
                    let slot = self.mapping.slot_of(row, unit);
                    if let Some(disk) = self.disk_at(slot, row) {
                        push(out, disk, start + low, high - low, true);
                    }
                }
                others.len() as u64
            }
            Before::Survivors => {
                self.read_survivors(row, low, high, out);
                u64::from(self.mapping.level.data_units(self.mapping.drives))
            }
        }
    }
}
