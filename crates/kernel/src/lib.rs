//! Time, order, random numbers and queues: the basis of all models of the simulator.
//!
//! A run has two queues. The [`Agenda`] holds events at a known time that are never cancelled: an
//! arrival, the end of a service. The [`Alarms`] hold one instant per component, the earliest at
//! which it could act as far as is known now; they may be moved while they wait. The driver of a
//! run takes the earlier of the two. At equal times the agenda goes first, so that an alarm sees
//! all events of its instant.

mod agenda;
mod alarms;
mod arena;
mod calendar;
mod fingerprint;
mod id;
mod load;
mod random;
mod stage;
mod station;
mod time;

pub use agenda::Agenda;
pub use alarms::Alarms;
pub use arena::{Arena, slot_of};
pub use fingerprint::Fingerprint;
pub use id::{Id, IdVec, MaybeId};
pub use load::Load;
pub use random::{RandomStream, Zipf};
pub use stage::{STAGE_COUNT, Stage, Timeline};
pub use station::{Service, Station, StationTotals};
pub use time::{Instant, Rate, Span, share_of};
