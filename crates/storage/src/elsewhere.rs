//! Parts that belong to other crates; only their ids are known here.

/// An N_Port of the network.
#[derive(Debug)]
pub enum Port {}

/// What frames are counted under.
#[derive(Debug)]
pub enum Flow {}

/// A piece of work of an array, which the simulator keeps.
#[derive(Debug)]
pub enum Task {}

/// An exchange: a command of a host, or one with a disk on a loop.
#[derive(Debug)]
pub enum Exchange {}

/// A SCSI target device: the array that a mirror copies to.
#[derive(Debug)]
pub enum Device {}
