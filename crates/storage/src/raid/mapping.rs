//! Where the blocks of a RAID group lie on its disks, and back.
//!
//! A group is a table of rows. Each row has one unit on each disk; `data_units` of them hold data, the
//! others copies or parity. Addresses run through the data units of a row, then of the next row.
//!
//! | level | data units of n disks | where |
//! |---|---|---|
//! | 0 | n | unit k on disk k |
//! | 1 | 1 | on every disk |
//! | 3 | n - 1 | unit k on disk k, parity on the last; a request uses whole rows |
//! | 5 | n - 1 | left-symmetric: P of row r on disk n - 1 - r mod n, data from the disk behind it on |
//! | 6 | n - 2 | the same, Q on the disk behind P, data behind Q |
//! | 10 | n / 2 | unit k on disks 2k and 2k + 1 |
//!
//! Left-symmetric is the default of Linux md ("ALGORITHM_LEFT_SYMMETRIC", drivers/md/raid5.c).

use sanlab_kernel::Id;

/// A place for a drive in a group.
#[derive(Debug)]
pub enum Slot {}

/// How a group stores its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Striping without redundancy.
    Raid0,
    /// Every disk is a copy.
    Raid1,
    /// Parity on a disk of its own, whole rows, spindles in lock step.
    Raid3,
    /// Rotating parity.
    Raid5,
    /// Two rotating parities.
    Raid6,
    /// Striping over pairs of copies.
    Raid10,
}

impl Level {
    /// A group of this many disks can be made.
    pub fn takes(self, drives: u32) -> bool {
        match self {
            Self::Raid0 => drives >= 1,
            Self::Raid1 => drives >= 2,
            Self::Raid3 | Self::Raid5 => drives >= 3,
            Self::Raid6 => drives >= 4,
            Self::Raid10 => drives >= 2 && drives.is_multiple_of(2),
        }
    }

    /// Units of a row that hold data.
    pub fn data_units(self, drives: u32) -> u32 {
        match self {
            Self::Raid0 => drives,
            Self::Raid1 => 1,
            Self::Raid3 | Self::Raid5 => drives - 1,
            Self::Raid6 => drives - 2,
            Self::Raid10 => drives / 2,
        }
    }

    /// Parity units of a row.
    pub fn parity_units(self) -> u32 {
        match self {
            Self::Raid0 | Self::Raid1 | Self::Raid10 => 0,
            Self::Raid3 | Self::Raid5 => 1,
            Self::Raid6 => 2,
        }
    }

    /// It has parity.
    pub fn has_parity(self) -> bool {
        self.parity_units() > 0
    }

    /// Data survive the loss of these disks of a group.
    pub fn survives(self, drives: u32, lost: &[Id<Slot>]) -> bool {
        let is_lost = |drive: u32| lost.contains(&Id::new(drive));
        let count = (0..drives).filter(|&drive| is_lost(drive)).count();
        match self {
            Self::Raid0 => count == 0,
            Self::Raid1 => count < drives as usize,
            Self::Raid3 | Self::Raid5 => count <= 1,
            Self::Raid6 => count <= 2,
            Self::Raid10 => {
                (0..drives / 2).all(|pair| !is_lost(2 * pair) || !is_lost(2 * pair + 1))
            }
        }
    }
}

/// What a unit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Data unit of its row, or a copy of it.
    Data(u32),
    /// Parity.
    P,
    /// Second parity.
    Q,
}

/// A byte on a disk of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Place of the disk in the group.
    pub slot: Id<Slot>,
    /// Byte on it.
    pub offset: u64,
}

/// The table of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaidMapping {
    /// Level.
    pub level: Level,
    /// Drives.
    pub drives: u32,
    /// Bytes of a unit.
    pub unit: u64,
    /// Rows.
    pub rows: u64,
}

impl RaidMapping {
    /// Bytes of data in a row.
    pub fn row_bytes(&self) -> u64 {
        self.unit * u64::from(self.level.data_units(self.drives))
    }

    /// Bytes that are best written one after another and not at once: a row has one parity, and a unit is on
    /// one disk.
    pub fn together_bytes(&self) -> u64 {
        match self.level {
            Level::Raid3 | Level::Raid5 | Level::Raid6 => self.row_bytes(),
            Level::Raid0 | Level::Raid1 | Level::Raid10 => self.unit,
        }
    }

    /// Bytes of data in the group.
    pub fn bytes(&self) -> u64 {
        self.row_bytes() * self.rows
    }

    /// Rows that a request touches, the last one included.
    pub fn rows_of(&self, address: u64, bytes: u64) -> (u64, u64) {
        let row = self.row_bytes();
        (address / row, (address + bytes.max(1) - 1) / row)
    }

    /// The disk of a data unit; the first of its copies.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "below the number of drives"
    )]
    pub fn slot_of(&self, row: u64, unit: u32) -> Id<Slot> {
        let n = u64::from(self.drives);
        let p = n - 1 - row % n;
        Id::new(match self.level {
            Level::Raid0 | Level::Raid3 => unit,
            Level::Raid1 => 0,
            Level::Raid10 => 2 * unit,
            Level::Raid5 => ((p + 1 + u64::from(unit)) % n) as u32,
            Level::Raid6 => ((p + 2 + u64::from(unit)) % n) as u32,
        })
    }

    /// Copies of a data unit, on adjacent disks.
    pub fn copies(&self) -> u32 {
        match self.level {
            Level::Raid1 => self.drives,
            Level::Raid10 => 2,
            _ => 1,
        }
    }

    /// The disks of all copies of a data unit.
    pub fn slots_of(&self, row: u64, unit: u32) -> impl ExactSizeIterator<Item = Id<Slot>> + use<> {
        let first = self.slot_of(row, unit).number();
        (first..first + self.copies()).map(Id::new)
    }

    /// The disk with the other copy, where copies come in pairs.
    pub fn other_of_pair(&self, slot: Id<Slot>) -> Id<Slot> {
        Id::new(slot.number() ^ 1)
    }

    /// All disks.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Id<Slot>> + Clone + use<> {
        (0..self.drives).map(Id::new)
    }

    /// Drives of the parity of a row: P, then Q.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "below the number of drives"
    )]
    pub fn parity_slots(&self, row: u64) -> impl Iterator<Item = Id<Slot>> + use<> {
        let n = u64::from(self.drives);
        let p = match self.level {
            Level::Raid3 => n - 1,
            _ => n - 1 - row % n,
        };
        let count = u64::from(self.level.parity_units());
        (0..count).map(move |which| Id::new(((p + which) % n) as u32))
    }

    /// What a disk holds in a row.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "below the number of drives"
    )]
    pub fn role(&self, row: u64, slot: Id<Slot>) -> Role {
        let (n, slot) = (u64::from(self.drives), u64::from(slot.number()));
        let p = n - 1 - row % n;
        let behind = |first: u64| (slot + n - first % n) % n;
        match self.level {
            Level::Raid1 => Role::Data(0),
            Level::Raid10 => Role::Data(slot as u32 / 2),
            Level::Raid3 if slot == n - 1 => Role::P,
            Level::Raid0 | Level::Raid3 => Role::Data(slot as u32),
            Level::Raid5 | Level::Raid6 if slot == p => Role::P,
            Level::Raid5 => Role::Data(behind(p + 1) as u32),
            Level::Raid6 if slot == (p + 1) % n => Role::Q,
            Level::Raid6 => Role::Data(behind(p + 2) as u32),
        }
    }

    /// Where a byte of data lies; the first copy.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "below the number of drives"
    )]
    pub fn spot(&self, address: u64) -> Spot {
        let (row, inside) = (address / self.row_bytes(), address % self.row_bytes());
        Spot {
            slot: self.slot_of(row, (inside / self.unit) as u32),
            offset: row * self.unit + inside % self.unit,
        }
    }

    /// The address of the data at a spot; `None` if there is parity.
    pub fn address_at(&self, spot: Spot) -> Option<u64> {
        let row = spot.offset / self.unit;
        match self.role(row, spot.slot) {
            Role::Data(unit) => {
                Some(row * self.row_bytes() + u64::from(unit) * self.unit + spot.offset % self.unit)
            }
            Role::P | Role::Q => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: [Level; 6] = [
        Level::Raid0,
        Level::Raid1,
        Level::Raid3,
        Level::Raid5,
        Level::Raid6,
        Level::Raid10,
    ];

    /// Every byte has one data place, comes back from it, and no place is left over or used twice.
    #[test]
    fn every_block_has_one_place_and_comes_back_from_it() {
        for level in LEVELS {
            for drives in (1..=9).filter(|&drives| level.takes(drives)) {
                let mapping = RaidMapping {
                    level,
                    drives,
                    unit: 3,
                    rows: 2 * u64::from(drives) + 1,
                };
                let mut used = std::collections::BTreeSet::new();
                for address in 0..mapping.bytes() {
                    let spot = mapping.spot(address);
                    assert_eq!(mapping.address_at(spot), Some(address), "{mapping:?}");
                    let first = spot.slot.number();
                    for slot in (first..first + mapping.copies()).map(Id::new) {
                        let copy = Spot { slot, ..spot };
                        assert_eq!(mapping.address_at(copy), Some(address));
                        let place = (copy.slot.number(), copy.offset);
                        assert!(used.insert(place), "{mapping:?}");
                    }
                }
                let parity = u64::from(level.parity_units()) * 3 * mapping.rows;
                let all = u64::from(drives) * 3 * mapping.rows;
                assert_eq!(used.len() as u64 + parity, all, "{mapping:?}");
                for row in 0..mapping.rows {
                    let roles = mapping
                        .parity_slots(row)
                        .map(|slot| mapping.role(row, slot));
                    let expected = [Role::P, Role::Q].into_iter();
                    assert!(roles.eq(expected.take(level.parity_units() as usize)));
                }
            }
        }
    }

    /// Rotating parity spends every disk alike.
    #[test]
    fn parity_goes_round_all_drives() {
        for (level, each) in [(Level::Raid5, 1), (Level::Raid6, 2)] {
            let mapping = RaidMapping {
                level,
                drives: 5,
                unit: 1,
                rows: 5,
            };
            let mut count = [0; 5];
            for slot in (0..5).flat_map(|row| mapping.parity_slots(row)) {
                count[slot.place()] += 1;
            }
            assert_eq!(count, [each; 5]);
        }
    }

    /// The published picture of left-symmetric on five disks: data go on behind the parity.
    #[test]
    fn left_symmetric_reads_every_drive_in_turn() {
        let mapping = RaidMapping {
            level: Level::Raid5,
            drives: 5,
            unit: 1,
            rows: 10,
        };
        let slots: Vec<_> = (0..10)
            .map(|address| mapping.spot(address).slot.number())
            .collect();
        assert_eq!(slots, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    }
}
