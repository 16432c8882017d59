//! What goes wrong in the fabric, how it is noticed, and the paths around it.

use serde::{Deserialize, Serialize};

/// A time in which a link carries nothing.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct OutagePlan {
    /// Its light goes.
    pub from_ps: u64,
    /// Frames pass again; the largest number is never.
    pub until_ps: u64,
}

/// A time in which a member of a trunk carries nothing.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct MemberOutagePlan {
    /// Which member.
    pub member: u32,
    /// Its cable is pulled.
    pub from_ps: u64,
    /// It is back; the largest number is never.
    pub until_ps: u64,
}

/// Faults of the fabric and the timers of the standards.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaultsPlan {
    /// Something goes wrong in this run: timers run.
    pub is_armed: bool,
    /// Instants at which every switch computes its routes anew.
    pub route_updates_ps: Vec<u64>,
    /// Pairs of N_Ports that the fabric keeps apart, or joins again.
    pub visibility: Vec<VisibilityPlan>,
    /// Receivers that slow down, or speed up.
    pub drains: Vec<DrainPlan>,
    /// Credit that gets lost.
    pub credit_losses: Vec<CreditLossPlan>,
    /// Facts that are known beforehand, for the time line.
    pub happenings: Vec<HappeningPlan>,
    /// From a change in the fabric to a host that knows of it: RSCN and the questions that follow.
    pub notice_ps: u64,
    /// From light on a link to the first command: logins.
    pub login_ps: u64,
    /// E_D_TOV: a target waits so long for data it has asked for.
    pub e_d_tov_ps: u64,
    /// R_A_TOV: the id of an aborted exchange rests so long; an ABTS is given up after twice that.
    pub r_a_tov_ps: u64,
    /// A transmitter that has had no credit for so long resets its link.
    pub credit_timeout_ps: u64,
    /// Credit is counted every 2^n frames, so that what is lost comes back (BB_SC_N); 0 counts none.
    pub bb_sc_n: u32,
}

impl Default for FaultsPlan {
    fn default() -> Self {
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
            bb_sc_n: 0,
        }
    }
}

/// Two N_Ports that the fabric keeps apart from now on, or joins again.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct VisibilityPlan {
    /// When.
    pub at_ps: u64,
    /// Hosts know of it then.
    pub told_ps: u64,
    /// One N_Port.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Frames pass between them.
    pub visible: bool,
}

/// The rate at which a port empties its receive buffers changes.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct DrainPlan {
    /// When.
    pub at_ps: u64,
    /// The port.
    pub n_port: u32,
    /// The rate; 0 is at once.
    pub bytes_per_s: u64,
}

/// R_RDYs that get lost.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CreditLossPlan {
    /// When.
    pub at_ps: u64,
    /// The transmitter that misses them: twice the number of the link, and one more at its second end.
    pub fibre: u32,
    /// How many.
    pub count: u32,
}

/// A fact that is known beforehand.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct HappeningPlan {
    /// When.
    pub at_ps: u64,
    /// What it is.
    pub what: String,
    /// To what part.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// What a host does with several paths to a LUN.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct MultipathPlan {
    /// Choice among paths.
    pub spreading: SpreadingPlan,
    /// Requests wait while no path is left; else they fail.
    pub queues_without_path: bool,
    /// From a better group's return to its use; the largest number waits for the administrator.
    pub failback_ps: u64,
    /// Time between two looks of the path checker: a failed path is used again after the next one.
    pub checker_ps: u64,
    /// Time in which the array hands the LUN to the controllers of another group.
    pub switch_over_ps: u64,
}

/// Choice among paths.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SpreadingPlan {
    /// In turn, so many requests on each.
    RoundRobin {
        /// Requests.
        ios: u32,
    },
    /// The path with the fewest requests.
    LeastQueue {},
    /// The first, until it fails.
    OnePath {},
}

/// Another path to a LUN of a job.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PathPlan {
    /// Which of the job's LUNs.
    pub target: u32,
    /// Index into the host's adapters.
    pub adapter: u32,
    /// N_Port of the array.
    pub target_n_port: u32,
    /// The lower, the better; the path of the LUN itself is of group 0.
    pub group: u32,
}
