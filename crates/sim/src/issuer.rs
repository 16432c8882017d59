//! What a SCSI command was issued for.

use sanlab_kernel::Id;
use sanlab_scsi::Command;

use crate::array::transfer::Transfer;
use crate::host::request::OpenRequest;

/// Name of a command at its issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// A request of a host.
    Host(Id<OpenRequest>),
    /// A copy that an array makes of a write.
    Mirror(Id<Transfer>),
    /// An operation of an array on one of its disks.
    BackEnd(Id<Transfer>),
}

/// A command with the name it has at its issuer.
pub(crate) type IssuedCommand = Command<Tag>;
