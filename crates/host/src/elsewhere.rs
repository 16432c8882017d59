//! Parts that belong to other crates; only their ids are known here.

/// An N_Port of the network.
#[derive(Debug)]
pub enum Port {}

/// An array.
#[derive(Debug)]
pub enum Array {}

/// A LUN of an array.
#[derive(Debug)]
pub enum Lun {}
