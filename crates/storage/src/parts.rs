//! Kinds of parts that are named below their models.

/// A logical unit of an array.
#[derive(Debug)]
pub enum Lun {}

/// A front-end port of an array, among its own.
#[derive(Debug)]
pub enum FrontEndPort {}
