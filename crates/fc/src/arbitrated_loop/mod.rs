//! FC-AL: arbitration, circuits, and the delay of a word on a loop.
//!
//! A loop moves words, not frames: every port repeats what it receives one word at a time, and the
//! rules (INCITS 332, FC-AL-2) speak of words. Simulating them one by one would cost millions of
//! events for one read. But between two tenancies nothing happens that cannot be computed from the
//! positions of the ports and the instants of their requests, and that is what [`Arbitration`] does:
//! the next winner and the instant of its win, in closed form. `tests/loop_words.rs` runs the rules
//! word by word beside it.

mod arbitration;
mod circuit;
mod circuit_credit;
mod ranks;
mod ring;

pub use arbitration::{Arbitration, LoopAccess, Win};
pub use circuit::{Circuit, CircuitPath, FrameTimes, Lane, LoopBuffers};
use circuit_credit::CircuitCredit;
pub use ring::{LoopPlace, Ring};
