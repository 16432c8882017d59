//! Frames from N_Port to N_Port: transmitters, fibres, switches and their routes.
//!
//! The life of a frame at one hop is one event, the *start* of its transmission. A transmitter knows
//! when it is free, when each credit comes back and when each waiting frame is ready; the earliest
//! instant at which all three hold is its alarm. When the alarm rings everything that could have
//! happened before is known, because whatever reaches a transmitter was announced by another start
//! that came earlier. So the start decides with the knowledge of its instant, and announces in its
//! turn: the frame to the next hop, the freed buffer to the hop before.

mod ahead;
mod bit_errors;
mod bus;
mod counters;
mod credit_loss;
mod features;
mod fibre;
mod fspf;
mod loops;
mod network;
mod parts;
mod patience;
mod policy;
mod probe;
mod qos;
mod reference;
mod routing;
mod switch;
mod topology;
mod transmission;
mod trunk;
mod voq;

pub use bit_errors::BitErrors;
pub use bus::{BusPort, Buses};
pub use counters::FibreCounters;
pub use credit_loss::CreditLoss;
pub use features::LinkFeatures;
pub use fibre::{Fibre, Link, Sink, Source, fibres_of, way_back};
pub use fspf::{Hop, shortest_paths};
pub use loops::{
    Crossbar, Loop, LoopCounters, LoopFault, LoopPort, LoopPortSettings, LoopString, Loops, Medium,
    SharedLoop, StringCounters, SwitchedLoop,
};
pub use network::{BrokenLaw, Network, NetworkBuilder};
pub use parts::{FlPort, Switch, SwitchPort};
pub use patience::{Impatience, Patience, PatienceCounters};
pub use policy::{Policy, PolicyChange};
pub use probe::{Fate, NoProbe, Probe};
pub use qos::{Class, Discipline, Limit, Pair, PairCounters, VirtualChannel};
pub use routing::RoutePolicy;
pub use switch::{Forwarding, SwitchModel};
pub use transmission::{LOST, TAKEN, Transmission};
pub use trunk::{Trunk, TrunkMember};
