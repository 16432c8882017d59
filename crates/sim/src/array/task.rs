//! Work of an array on blocks.

use sanlab_fc::{Exchange, NPort};
use sanlab_kernel::{Id, Instant, MaybeId};
use sanlab_storage::{Array, Group, Lun, MirroredWrite, Rebuild, RebuildStep};

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
    Rebuild(Id<Group>, Id<Rebuild>),
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
    /// The command; none for a destage.
    pub(crate) exchange: MaybeId<Exchange>,
    /// Whose turn it is at equal times: the front-end port of the command, the array's first for all others.
    pub(crate) component: Id<NPort>,
    pub(crate) array: Id<Array>,
    pub(crate) lun: Id<Lun>,
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
    pub(crate) came_at: Instant,
    /// The blocks are where a write leaves them.
    pub(crate) is_stored: bool,
    /// The copy, if there is one, lets the write be acknowledged.
    pub(crate) is_copied: bool,
    /// Its record at the mirror of the LUN.
    pub(crate) mirrored: MaybeId<MirroredWrite>,
}

impl Task {
    /// A task that has not come to the media yet.
    pub(crate) fn new(purpose: Purpose, array: Id<Array>, component: Id<NPort>) -> Self {
        Self {
            exchange: MaybeId::NONE,
            component,
            array,
            lun: Id::new(0),
            is_read: false,
            address: 0,
            bytes: 0,
            pieces: 0,
            purpose,
            phase: GroupPhase::Last,
            parity_bytes: 0,
            came_at: Instant::START,
            is_stored: false,
            is_copied: true,
            mirrored: MaybeId::NONE,
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
