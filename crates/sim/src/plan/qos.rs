//! Quality of service as the plan has it.

use serde::{Deserialize, Serialize};

/// A policy from an instant on.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct QosPlan {
    /// When it comes into force.
    pub at_ps: u64,
    /// What it says.
    pub policy: PolicyPlan,
}

/// What a policy says.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PolicyPlan {
    /// Frames between two N_Ports, one way, at the port they leave the fabric by.
    Limit {
        /// From.
        source: u32,
        /// To.
        destination: u32,
        /// How much.
        limit: LimitPlan,
    },
    /// Frames of an N_Port, at the port they come into the fabric by.
    Ingress {
        /// Whose.
        n_port: u32,
        /// How much.
        limit: LimitPlan,
    },
    /// Frames between two N_Ports, one way, are in a class.
    Priority {
        /// From.
        source: u32,
        /// To.
        destination: u32,
        /// The class, of those the switch has.
        class_id: u32,
        /// The switch; all where there is none.
        switch: Option<u32>,
    },
}

/// How much of a port somebody may use.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LimitPlan {
    /// All of it.
    None {},
    /// Slots of a time-division wheel.
    Wheel {
        /// Slots of the pair.
        slots: u32,
        /// Slots of the wheel.
        of: u32,
    },
    /// A rate of frames, counted from SOF to EOF.
    Rate {
        /// The rate.
        bytes_per_s: u64,
        /// What may come at once after a pause.
        burst_bytes: u64,
    },
}

/// A class of frames at the outputs of a switch.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ClassPlan {
    /// Classes of a lower level go first.
    pub level: u32,
    /// Share among the classes of a level.
    pub weight: u32,
}

/// A virtual channel of a link.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct VirtualChannelPlan {
    /// The class that uses it.
    pub class_id: u32,
    /// Credit that `b` grants to `a` for it.
    pub credit_a_to_b: u32,
    /// Credit that `a` grants to `b` for it.
    pub credit_b_to_a: u32,
}
