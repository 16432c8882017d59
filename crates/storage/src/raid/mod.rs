//! RAID groups: where blocks lie, which disk operations a request takes, what goes on when disks
//! are lost.
//!
//! Nothing here knows time but [`Rebuild`]. A [`Group`] gives the operations of a request, and its caller
//! sends them to the disks: first the reads of a write, then its writes.

mod group;
mod lock;
mod mapping;
mod rebuild;
mod strategy;
mod write;

pub use group::{Failing, Group, GroupCounters, Operation, Reading};
pub use lock::StripeLocks;
pub use mapping::{Level, RaidMapping, Role, Slot, Spot};
pub use rebuild::{Rebuild, RebuildStep};
pub use strategy::WriteStrategy;

#[cfg(test)]
mod tests;
