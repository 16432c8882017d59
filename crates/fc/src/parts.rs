//! Kinds of parts that frames name by their ids.

/// A port of a node.
pub enum NPort {}

/// A record of frames: what they are counted under.
pub enum Flow {}

/// One direction of a link; a frame knows only its id.
pub enum Wire {}

/// A port behind an I/O bus, among all that are.
pub enum BusPlace {}
