//! The host's side of a request: file system, pieces, paths, adapter.

pub(crate) mod file_system;
mod initiator;
pub(crate) mod paths;
mod pieces;
