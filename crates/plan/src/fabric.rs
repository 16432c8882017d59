//! Ports, switches and links.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::faults::{MemberOutagePlan, OutagePlan};
use crate::qos::{ClassPlan, VirtualChannelPlan};
use crate::rate::{ArrivalsPlan, LoadPlan};

/// A port of a host or an array.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NPortPlan {
    /// Name, such as `host1.hba0.p0` or `dev1.p3`.
    pub name: String,
    /// Host or array it belongs to.
    pub node: String,
    /// 24-bit address.
    pub fc_id: u32,
    /// World-wide port name.
    pub wwpn: u64,
    /// Frames FC-2 may hold ready ahead of the fibre, the frame being sent included.
    pub tx_buffers: u32,
    /// Class-3 sequences this port may have open at once as their initiator.
    pub class3_sequences: u32,
    /// How frames of open sequences take turns.
    pub interleave: Interleave,
    /// Time from the last bit of a frame until its buffer is free again.
    pub rx_hold_ps: u64,
    /// Rate at which the port empties its receive buffers. Without it, they empty at once.
    pub drain_bytes_per_s: Option<NonZeroU64>,
    /// N_Port whose link this virtual port shares.
    pub shares: Option<u32>,
}

/// How frames of the sequences open at an N_Port take turns.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Interleave {
    /// One sequence to its end, then the next.
    Sequence,
    /// One frame of each open sequence in turn.
    Frame,
    /// Data sequence after data sequence. Commands, XFER_RDYs and responses go between their frames;
    /// control frames and data take turns where there are many of both.
    Control,
}

/// A switch.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SwitchPlan {
    /// Name.
    pub name: String,
    /// Domain id, 1..=239.
    pub domain: u32,
    /// Time from the header (or the tail) of a frame to its first bit at the output.
    pub forwarding_ps: u64,
    /// Forward on the header where the output is not faster than the input, else on the tail.
    pub cut_through: bool,
    /// Choice among paths of equal cost.
    pub routing: RoutePolicy,
    /// Number of ports.
    pub ports: u32,
    /// Classes that its outputs tell apart. Without them, all frames are in one class.
    pub classes: Option<ClassesPlan>,
    /// Time after which a frame that waits for a port with an N_Port is discarded. Without it, none is.
    pub edge_hold_ps: Option<NonZeroU64>,
    /// The same for ports to other switches.
    pub core_hold_ps: Option<NonZeroU64>,
    /// Time without credit after which a port with an N_Port discards what it has to send, until credit
    /// is back. Without it, frames wait for the hold time.
    pub no_credit_drop_ps: Option<NonZeroU64>,
}

/// Classes of frames at the outputs of a switch.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassesPlan {
    /// The classes.
    pub classes: Vec<ClassPlan>,
    /// Class of frames that no policy names.
    pub shared: u32,
}

/// How a switch chooses among paths of equal cost.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RoutePolicy {
    /// All frames to one destination domain leave by the first path.
    OnePath,
    /// By the port a frame came in on.
    IngressPort,
    /// By the port of the destination's switch, modulo the number of paths.
    Destination,
    /// By source and destination address.
    SourceDestination,
    /// By source, destination and exchange.
    Exchange,
}

/// A link: two fibres, one in each direction.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkPlan {
    /// One end.
    pub a: EndPlan,
    /// The other end.
    pub b: EndPlan,
    /// Generation, such as `2GFC`.
    pub speed: String,
    /// Data rate after line coding, in one direction. On a trunk, the rate of each member.
    pub bytes_per_s: NonZeroU64,
    /// Fill words after each frame (24 bytes by the standard).
    pub gap_bytes: u32,
    /// Propagation delay.
    pub delay_ps: u64,
    /// BB credit that `b` grants to `a`.
    pub credit_a_to_b: NonZeroU32,
    /// BB credit that `a` grants to `b`.
    pub credit_b_to_a: NonZeroU32,
    /// FSPF cost, used between switches.
    pub fspf_cost: NonZeroU64,
    /// Times in which it carries nothing, one after the other.
    pub outages: Vec<OutagePlan>,
    /// Times in which a member of a trunk carries nothing, in the order of their beginnings.
    pub member_outages: Vec<MemberOutagePlan>,
    /// Mean number of bits between two that arrive inverted, in each direction. Without it, no bit
    /// does.
    pub bit_error_interval: Option<NonZeroU64>,
    /// Links that a trunk between switches is made of; 1 for a plain link.
    pub members: NonZeroU32,
    /// Virtual channels between switches, in both directions. Their credit replaces the link's.
    pub virtual_channels: Vec<VirtualChannelPlan>,
    /// Data of writes, in each direction, for which the near end answers in place of the target and the far
    /// end has room. Without it, the ends leave writes to their targets.
    pub write_acceleration_bytes: Option<NonZeroU64>,
}

/// One end of a link.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EndPlan {
    /// A port of a host or an array.
    NPort {
        /// N_Port.
        n_port: u32,
    },
    /// A port of a switch.
    Switch {
        /// Switch.
        switch: u32,
        /// Number of the port, from 0.
        port: u32,
    },
    /// The FL_Port's place on a loop. The other end is the switch of the FL_Port.
    Loop {
        /// Loop.
        loop_id: u32,
    },
}

impl EndPlan {
    /// The N_Port at this end, if it is one.
    pub fn n_port(self) -> Option<u32> {
        match self {
            Self::NPort { n_port } => Some(n_port),
            Self::Switch { .. } | Self::Loop { .. } => None,
        }
    }
}

/// Plain frames between two N_Ports.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrafficPlan {
    /// Name.
    pub name: String,
    /// N_Port that sends.
    pub source_n_port: u32,
    /// N_Port that receives.
    pub target_n_port: u32,
    /// Payload of each frame, 0..=2112.
    pub payload_bytes: u32,
    /// Frames to send. Without it, the flow has no end.
    pub frames: Option<NonZeroU64>,
    /// Rate of frames. Without it, the source sends as fast as credit and fibre allow.
    pub arrivals: Option<ArrivalsPlan>,
    /// Rate of frames over time, as shares of `arrivals`. Without it, the rate is constant.
    pub load: Option<LoadPlan>,
    /// When it starts.
    pub start_ps: u64,
}
