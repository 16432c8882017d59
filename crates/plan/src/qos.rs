//! Quality of service.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// A policy from an instant on.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QosPlan {
    /// When it comes into force.
    pub at_ps: u64,
    /// The policy.
    pub policy: PolicyPlan,
}

/// A policy.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PolicyPlan {
    /// Limits frames between two N_Ports, one way, at the port they leave the fabric by.
    Limit {
        /// N_Port that sends.
        source: u32,
        /// N_Port that receives.
        destination: u32,
        /// The limit. Without it, an earlier one ends.
        limit: Option<LimitPlan>,
    },
    /// Limits frames of an N_Port at the port they enter the fabric by.
    Ingress {
        /// N_Port that sends.
        n_port: u32,
        /// The limit. Without it, an earlier one ends.
        limit: Option<LimitPlan>,
    },
    /// Puts frames between two N_Ports, one way, into a class.
    Priority {
        /// N_Port that sends.
        source: u32,
        /// N_Port that receives.
        destination: u32,
        /// The class, as index into the switch's classes.
        class_id: u32,
        /// The switch. Without it, all switches.
        switch: Option<u32>,
    },
}

/// The share of a port that frames may use.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LimitPlan {
    /// Slots of a time-division wheel.
    Wheel {
        /// Slots of the pair.
        slots: NonZeroU32,
        /// Slots of the wheel.
        of: NonZeroU32,
    },
    /// A rate of frames, counted from SOF to EOF.
    Rate {
        /// The rate.
        bytes_per_s: NonZeroU64,
        /// Bytes that may pass at once after a pause.
        burst_bytes: u64,
    },
}

/// A class of frames at the outputs of a switch.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassPlan {
    /// Level; classes of a lower level go first.
    pub level: u32,
    /// Share among the classes of a level.
    pub weight: NonZeroU32,
}

/// A virtual channel of a link.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VirtualChannelPlan {
    /// The class that uses it.
    pub class_id: u32,
    /// Credit that `b` grants to `a` for it.
    pub credit_a_to_b: NonZeroU32,
    /// Credit that `a` grants to `b` for it.
    pub credit_b_to_a: NonZeroU32,
}
