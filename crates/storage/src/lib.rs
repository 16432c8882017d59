//! What answers behind a LUN.
//!
//! An [`Array`] owns its controllers, cache, disks and LUNs. It knows no frames: whoever receives a
//! command asks it for leave ([`Array::admit`]), for processor time, and for the blocks.

mod array;
mod cache;
mod disk;
mod lun;
mod mirror;
mod raid;

pub use array::{Array, Refusal};
pub use cache::{Cache, CacheWrite};
pub use disk::*;
pub use lun::{Lun, Media, Piece, Stripe};
pub use mirror::Mirror;
pub use raid::{
    Failing, Group, GroupCounters, Level, Operation, RaidMapping, Reading, Rebuild, RebuildStep,
    Role, Spot, StripeLocks, WriteStrategy,
};
