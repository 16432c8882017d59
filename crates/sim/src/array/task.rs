//! Work of an array on blocks.

use sanlab_kernel::{NONE, Picoseconds};
use sanlab_storage::RebuildStep;

/// What a task is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A command.
    Command,
    /// A write that the simple cache has answered.
    Destage,
    /// Dirty pages.
    PageDestage,
    /// Reading ahead.
    Prefetch,
    /// A step of a rebuild: group and rebuild; `address` and `bytes` are its first and last row.
    Rebuild(u32, u32),
}

/// Where a task is on a RAID group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupPhase {
    /// Reads, of a write or a rebuild.
    Reads,
    /// All it has: of a read its reads, else its writes.
    Last,
}

/// Work of an array on the blocks of one command, or on those its cache destages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The command; [`sanlab_kernel::NONE`] for a destage.
    pub(crate) exchange: u32,
    /// Whose turn it is at equal times: the front-end port of the command, the array's first for all others.
    pub(crate) component: u32,
    pub(crate) array: u32,
    pub(crate) lun: u32,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Disk operations under way.
    pub(crate) pieces: u32,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// Where it is, on a RAID group.
    pub(crate) phase: GroupPhase,
    /// Bytes of parity to be computed before the next phase.
    pub(crate) parity_bytes: u64,
    /// It came to the media.
    pub(crate) came_at: Picoseconds,
    /// The blocks are where a write leaves them.
    pub(crate) is_stored: bool,
    /// The copy, if there is one, lets the write be acknowledged.
    pub(crate) is_copied: bool,
}

impl Task {
    /// A task that has not come to the media yet.
    pub(crate) fn new(purpose: Purpose, array: u32, component: u32) -> Self {
        Self {
            exchange: NONE,
            component,
            array,
            lun: 0,
            is_read: false,
            address: 0,
            bytes: 0,
            pieces: 0,
            purpose,
            phase: GroupPhase::Last,
            parity_bytes: 0,
            came_at: 0,
            is_stored: false,
            is_copied: true,
        }
    }

    /// Rows of a rebuild's step.
    pub(crate) fn step(&self) -> RebuildStep {
        RebuildStep {
            first: self.address,
            last: self.bytes,
        }
    }
}
