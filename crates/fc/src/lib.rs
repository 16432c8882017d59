//! Fibre Channel from the frame to the exchange.
//!
//! Nothing here knows a switch, a disk, a host or the protocol above: a [`Frame`] is what travels,
//! [`FlowControl`] what a transmitter may still send, [`Fc2`] turns information units into sequences
//! of frames, an [`Exchange`] is the sequences of one operation, and [`encode`] writes a frame as its
//! bits would be on the fibre.

mod arbitrated_loop;
mod bb_credit;
pub mod encode;
mod exchange;
mod flow_control;
mod frame;
mod frame_kind;
mod frame_size;
mod generator;
mod io_bus;
pub mod link_services;
mod n_port;
mod parts;
mod prefetch;
mod sequence;
mod sequence_ids;

pub use arbitrated_loop::{
    Arbitration, Circuit, CircuitPath, FrameTimes, Lane, LoopAccess, LoopBuffers, LoopPlace, Ring,
    Win,
};
pub use bb_credit::BbCredit;
pub use exchange::{AnyExchange, Exchange, ExchangeIds, ExchangeState, RxIdKnown};
pub use flow_control::FlowControl;
pub use frame::{Frame, NextFrame};
pub use frame_kind::FrameKind;
pub use frame_size::{FRAME_OVERHEAD_BYTES, HEADER_IN_BYTES, PRIMITIVE_BYTES, wire_bytes};
pub use generator::{Generator, RateCurve};
pub use io_bus::{BusModel, IoBus, RING_ENTRY_BYTES};
pub use n_port::{Fc2, Interleave};
pub use parts::{BusPlace, Flow, NPort, Wire};
pub use sequence::Sequence;
