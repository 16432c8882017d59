//! What is counted while the world runs: workloads, and what happened in each interval.

pub(crate) mod series;
pub(crate) mod workload;
