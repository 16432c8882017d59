//! SCSI commands, and FCP, which maps them onto Fibre Channel.
//!
//! A [`Command`] is what an initiator asks a logical unit for, and how far it is. FCP carries it in an
//! exchange: each information unit (FCP_CMND, FCP_XFER_RDY, FCP_DATA, FCP_RSP) is a sequence of frames.
//! [`Exchanges`] keeps the two side by side, and [`encode`] writes a frame of such an exchange as its
//! bits would be on the fibre. Nothing here knows a host, an array or a switch.

mod command;
pub mod encode;
mod exchanges;
mod information_unit;

pub use command::{Command, Device, FirstBurst, LogicalUnit, Room, Status};
pub use exchanges::Exchanges;
pub use information_unit::{FCP_CMND_BYTES, FCP_RSP_BYTES, FCP_XFER_RDY_BYTES};
