//! All fibres and switches together: built, then moved by the start of one transmission after another.

mod acceleration;
mod builder;
mod buses;
mod faults;
mod fl_port;
mod laws;
mod loop_faults;
mod loops;
mod patience;
mod policies;
mod state;
mod transmit;

pub use builder::NetworkBuilder;
pub use laws::BrokenLaw;
pub use state::Network;
