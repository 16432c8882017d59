//! Links whose ends accelerate writes.
//!
//! The near end answers the command of a write with an XFER_RDY for all of its data while the command goes on
//! to the target. The far end keeps the data, takes out the XFER_RDYs of the target and passes on what they
//! ask for. The status comes from the target.

pub(crate) mod state;
mod steps;
