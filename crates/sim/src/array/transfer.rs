//! What an array asks of other targets.

use sanlab_kernel::{Picoseconds, Timeline};

/// A command that an array sends: the copy of a write, or an operation on a disk behind loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) array: u32,
    pub(crate) purpose: TransferPurpose,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) timeline: Timeline,
}

/// What a transfer is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TransferPurpose {
    /// The copy of a write to this LUN. The task waits for its end, unless it is
    /// [`sanlab_kernel::NONE`].
    Copy { lun: u32, task: u32 },
    /// The operation of a task on a disk, by one of the paths to it.
    Disk { disk: u32, path: u32, task: u32 },
}

impl Transfer {
    /// A write that begins now.
    pub(crate) fn begin(array: u32, purpose: TransferPurpose, now: Picoseconds) -> Self {
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
