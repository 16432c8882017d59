//! Rates of sources, constant and over time.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// Rate of an open-loop source.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ArrivalsPlan {
    /// Mean time between two arrivals.
    pub interval_ps: NonZeroU64,
    /// Distribution of that time.
    pub distribution: Distribution,
}

/// Distribution of a time around its mean.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Always the mean.
    Constant,
    /// Exponential.
    Exponential,
}

/// A rate over time: straight lines between points; two points at one time are a step.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LoadPlan {
    /// Points in the order of time, the first at 0.
    pub points: Vec<LoadPointPlan>,
    /// Whether the points begin again after the last one; otherwise its share holds.
    pub repeats: bool,
}

/// A point of a rate over time.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LoadPointPlan {
    /// Time since the start of the job or stream.
    pub at_ps: u64,
    /// Share of the rate in parts per million.
    pub share_ppm: u32,
}
