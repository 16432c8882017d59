//! Exchanges between N_Ports, as the handlers of both sides use them.

pub(crate) mod state;
pub(crate) mod steps;
