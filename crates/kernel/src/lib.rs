//! Time, order, chance and queues: what every model of the simulator stands on.
//!
//! A run lives in two queues. The [`Agenda`] holds what will happen at a known time and is never
//! taken back: an arrival, the end of a service. The [`Alarms`] hold one instant per component, the
//! earliest at which it could act as far as is known now, and may be moved while they wait. Whoever
//! drives a run takes the earlier of the two; at equal times the agenda goes first, so that an alarm
//! that rings sees everything that belongs to its instant.

mod agenda;
mod alarms;
mod arena;
mod fingerprint;
mod random;
mod stage;
mod station;
mod time;

pub use agenda::Agenda;
pub use alarms::Alarms;
pub use arena::{Arena, NONE, id_of, slot_of};
pub use fingerprint::Fingerprint;
pub use random::{RandomStream, Zipf};
pub use stage::{STAGE_COUNT, Stage, Timeline};
pub use station::{Service, Station, StationTotals};
pub use time::{NEVER, Picoseconds, Rate, share_of};
