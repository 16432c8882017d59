//! What a SCSI command was issued for.

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
    /// The request of that issuer.
    pub(crate) request: u32,
}
