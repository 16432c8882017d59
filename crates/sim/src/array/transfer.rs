//! What an array asks of other targets.

use sanlab_kernel::{Id, Instant, Timeline};
use sanlab_storage::{Array, BackEndPath, Disk, Lun, MirroredWrite};

use super::task::Task;

/// A command that an array sends: the copy of a write, or an operation on a disk behind loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) array: Id<Array>,
    pub(crate) purpose: TransferPurpose,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) timeline: Timeline,
}

/// What a transfer is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TransferPurpose {
    /// The copy of a write to this LUN.
    Copy {
        lun: Id<Lun>,
        write: Id<MirroredWrite>,
    },
    /// The operation of a task on a disk, by one of the paths to it.
    Disk {
        disk: Id<Disk>,
        path: Id<BackEndPath>,
        task: Id<Task>,
    },
}

impl Transfer {
    /// A write that begins now.
    pub(crate) fn begin(array: Id<Array>, purpose: TransferPurpose, now: Instant) -> Self {
        Self {
            array,
            purpose,
            is_read: false,
            address: 0,
            bytes: 0,
            timeline: Timeline::begin(now),
        }
    }
}
