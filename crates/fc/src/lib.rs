//! Fibre Channel from the frame to the exchange.
//!
//! Nothing here knows a switch, a disk or a host: a [`Frame`] is what travels, [`BbCredit`] what a
//! transmitter may still send, an [`NPort`] turns sequences into frames, an [`Exchange`] is one SCSI
//! command in the words of FCP, and [`encode`] writes a frame as its bits would be on the fibre.

mod arbitrated_loop;
mod bb_credit;
pub mod encode;
mod exchange;
mod frame;
mod generator;
mod information_unit;
mod io_bus;
pub mod link_services;
mod n_port;
mod prefetch;
mod sequence;
mod sequence_ids;

pub use arbitrated_loop::{
    Arbitration, Circuit, CircuitPath, FrameTimes, Lane, LoopAccess, LoopBuffers, Ring, Win,
};
pub use bb_credit::BbCredit;
pub use exchange::{Exchange, ExchangeIds, Owner, Phase, RxIdKnown, ScsiStatus};
pub use frame::{Frame, FrameKind};
pub use generator::Generator;
pub use information_unit::{
    FCP_CMND_BYTES, FCP_RSP_BYTES, FCP_XFER_RDY_BYTES, FRAME_OVERHEAD_BYTES, HEADER_IN_BYTES,
    PRIMITIVE_BYTES, wire_bytes,
};
pub use io_bus::{BusModel, IoBus, RING_ENTRY_BYTES};
pub use n_port::{Interleave, NPort, NextFrame};
pub use sequence::Sequence;
