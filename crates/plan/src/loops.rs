//! Arbitrated loops and their faults.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// An arbitrated loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LoopPlan {
    /// Name, such as `stack1.a`.
    pub name: String,
    /// Generation, such as `2GFC`.
    pub speed: String,
    /// Data rate after line coding.
    pub bytes_per_s: NonZeroU64,
    /// Fill words after each frame (24 bytes by the standard).
    pub gap_bytes: u32,
    /// What joins the ports.
    pub medium: MediumPlan,
    /// Ports; on a shared loop in the order of the ring.
    pub ports: Vec<LoopPortPlan>,
}

/// What joins the ports of a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum MediumPlan {
    /// A ring through every port.
    Shared {},
    /// Crossbars in the enclosures, joined by strings.
    Switched {
        /// Names of the crossbars.
        crossbars: Vec<String>,
        /// Links between them.
        strings: Vec<StringPlan>,
    },
}

/// Parallel links between two crossbars of a switched loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StringPlan {
    /// One crossbar.
    pub a: u32,
    /// The other crossbar.
    pub b: u32,
    /// Number of links; a circuit takes one.
    pub links: NonZeroU32,
    /// Time of a word over it, the crossbar at its end included.
    pub delay_ps: u64,
}

/// The place of a port on a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "settings of a port, each by itself"
)]
pub struct LoopPortPlan {
    /// The N_Port. Without it, the place is that of an FL_Port, which a link joins to a switch.
    pub n_port: Option<u32>,
    /// Whether it logs in to the fabric of the loop's FL_Port. Others reach only the loop.
    pub is_public: bool,
    /// Arbitrated loop physical address; the lower, the higher the priority.
    pub al_pa: u8,
    /// Time of a word. On a shared loop, from the output of the port before to this port's output; on
    /// a switched one, to or from its crossbar. Cable, bypassed bays and the port's own delay count.
    pub delay_ps: NonZeroU64,
    /// Crossbar of a switched loop. On a shared loop, the enclosure it is in (for reports).
    pub crossbar: u32,
    /// Whether it keeps the access fairness rule.
    pub is_fair: bool,
    /// Whether it opens its next partner by transfer, without arbitration, where it may.
    pub uses_transfer: bool,
    /// Whether it opens circuits both ways at once.
    pub is_full_duplex: bool,
    /// BB_Credit of its login on the loop: frames it takes before any R_RDY.
    pub login_credit: u32,
    /// Receive buffers, in frames.
    pub buffers: NonZeroU32,
    /// Frames it sends before it yields to others that want the loop.
    pub tenancy_frames: NonZeroU32,
    /// The part of `delay_ps` that is the port's own and is gone while the port is bypassed.
    pub repeat_ps: u64,
}

/// A fault of a loop, or its end.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LoopFaultPlan {
    /// When.
    pub at_ps: u64,
    /// The loop.
    pub loop_id: u32,
    /// What happens to it.
    pub action: LoopActionPlan,
}

/// What happens to a loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LoopActionPlan {
    /// No port arbitrates for a time: the loop initialises, or a port holds it.
    Stop {
        /// When arbitration goes on.
        until_ps: u64,
    },
    /// Ports leave the loop, bypassed or pulled. What they have to send is lost.
    Remove {
        /// Places of the ports on the loop.
        places: Vec<u32>,
    },
    /// Ports are back.
    Insert {
        /// Places of the ports on the loop.
        places: Vec<u32>,
    },
    /// An enclosure of a shared loop loses its power. Its ports are gone, and the ports below it form
    /// a loop of their own.
    Cut {
        /// First place of the enclosure.
        first: u32,
        /// One past its last place.
        end: u32,
        /// Delay of the first port above from then on: its way back is shorter.
        above_ps: u64,
        /// Delay of the first port below.
        below_ps: u64,
    },
    /// A crossbar of a switched loop loses its power: its ports and strings are gone.
    Darken {
        /// The crossbar.
        crossbar: u32,
    },
}
