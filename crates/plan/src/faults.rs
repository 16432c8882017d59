//! Faults of the fabric, and the timers that notice them.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// A time in which a link carries nothing.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OutagePlan {
    /// When its light goes.
    pub from_ps: u64,
    /// When frames pass again. Without it, they never do.
    pub until_ps: Option<NonZeroU64>,
}

/// A time in which a member of a trunk carries nothing.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MemberOutagePlan {
    /// The member.
    pub member: u32,
    /// When its cable is pulled.
    pub from_ps: u64,
    /// When it is back. Without it, it never is.
    pub until_ps: Option<NonZeroU64>,
}

/// Faults of the fabric and the timers of the standards.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FaultsPlan {
    /// Whether anything fails in this run, so that timers are needed.
    pub is_armed: bool,
    /// Instants at which every switch computes its routes again.
    pub route_updates_ps: Vec<u64>,
    /// Pairs of N_Ports that the fabric keeps apart, or joins again.
    pub visibility: Vec<VisibilityPlan>,
    /// Receivers whose drain rate changes.
    pub drains: Vec<DrainPlan>,
    /// R_RDYs that are lost.
    pub credit_losses: Vec<CreditLossPlan>,
    /// Events known before the run, for the time line of reports.
    pub happenings: Vec<HappeningPlan>,
    /// Time from a change in the fabric until hosts know it: RSCN and the queries that follow.
    pub notice_ps: u64,
    /// Time from light on a link to the first command, for logins.
    pub login_ps: u64,
    /// E_D_TOV: how long a target waits for data it has asked for.
    pub e_d_tov_ps: u64,
    /// R_A_TOV: how long the id of an aborted exchange rests. An ABTS is given up after twice that.
    pub r_a_tov_ps: u64,
    /// Time without credit after which a transmitter resets its link.
    pub credit_timeout_ps: u64,
    /// BB_SC_N: credit is counted every 2^n frames, so that lost credit comes back. Without it, credit
    /// is not counted.
    pub bb_sc_n: Option<NonZeroU32>,
}

impl OutagePlan {
    /// End of the outage; the largest number if it does not end.
    pub fn end_ps(self) -> u64 {
        self.until_ps.map_or(u64::MAX, NonZeroU64::get)
    }
}

impl MemberOutagePlan {
    /// End of the outage; the largest number if it does not end.
    pub fn end_ps(self) -> u64 {
        self.until_ps.map_or(u64::MAX, NonZeroU64::get)
    }
}

impl FaultsPlan {
    /// A run without faults. Timers have the values of the standards, although none is started.
    pub fn none() -> Self {
        const MS: u64 = 1_000_000_000;
        Self {
            is_armed: false,
            route_updates_ps: Vec::new(),
            visibility: Vec::new(),
            drains: Vec::new(),
            credit_losses: Vec::new(),
            happenings: Vec::new(),
            notice_ps: 10 * MS,
            login_ps: 100 * MS,
            e_d_tov_ps: 2000 * MS,
            r_a_tov_ps: 10_000 * MS,
            credit_timeout_ps: 2000 * MS,
            bb_sc_n: None,
        }
    }
}

/// A change of what two N_Ports see of each other.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VisibilityPlan {
    /// When.
    pub at_ps: u64,
    /// When hosts know it.
    pub told_ps: u64,
    /// One N_Port.
    pub a: u32,
    /// The other N_Port.
    pub b: u32,
    /// Whether frames pass between them from then on.
    pub visible: bool,
}

/// A change of the rate at which a port empties its receive buffers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DrainPlan {
    /// When.
    pub at_ps: u64,
    /// The port.
    pub n_port: u32,
    /// The rate. Without it, buffers empty at once.
    pub bytes_per_s: Option<NonZeroU64>,
}

/// R_RDYs that are lost.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreditLossPlan {
    /// When.
    pub at_ps: u64,
    /// Transmitter that misses them: twice the number of the link, plus one at its second end.
    pub fibre: u32,
    /// Number of R_RDYs, the next ones; no more are lost than the transmitter has credit left.
    pub count: u32,
}

/// An event known before the run.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HappeningPlan {
    /// When.
    pub at_ps: u64,
    /// What happens.
    pub what: String,
    /// Part it happens to.
    pub place: String,
    /// Why.
    pub reason: String,
}
