//! What a SCSI command was issued for.

use sanlab_scsi::Command;

/// Kind of a command, by its issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issuer {
    /// A request of a host.
    Host,
    /// A copy that an array makes of a write.
    Mirror,
    /// An operation of an array on one of its disks.
    BackEnd,
}

/// Name of a command at its issuer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) issuer: Issuer,
    /// Request of a host or transfer of an array, as the issuer says.
    pub(crate) request: u32,
}

/// A command with the name it has at its issuer.
pub(crate) type IssuedCommand = Command<Tag>;
