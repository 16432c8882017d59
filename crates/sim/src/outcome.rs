//! What a run leaves: a summary, checks and tables; or the law it broke.

use sanlab_fc::NPort;
use sanlab_kernel::{Id, Instant, Span};
use sanlab_metrics::{Captured, Table};
use serde::Serialize;

use crate::meters::{BrokenPhase, WorkloadState};
use crate::plan::Plan;

/// A run that ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run in a few numbers.
    pub summary: Summary,
    /// What was measured.
    pub tables: Vec<Table>,
    /// What one I/O did, step by step, where that was asked for.
    pub ladder: Vec<Table>,
    /// What was captured, where a capture was asked for.
    pub captured: Option<Captured>,
}

/// A run in a few numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Hash over every fact of the run, 16 hexadecimal digits: equal for equal plan and seed on every
    /// machine.
    pub fingerprint: String,
    /// Simulated time at the end.
    pub simulated_ps: u64,
    /// Wall time until the first event: of reading and checking the plan, and of building its world.
    pub setup_s: f64,
    /// Wall time of the simulation alone.
    pub wall_s: f64,
    /// Events handled.
    pub events: u64,
    /// Frames delivered.
    pub frames: u64,
    /// Frames times fibres crossed.
    pub frame_hops: u64,
    /// Frame-hops per second of wall time.
    pub frame_hops_per_s: f64,
    /// Events for each frame-hop.
    pub events_per_frame_hop: f64,
    /// I/Os done by hosts, warm-up included.
    pub ios: u64,
    /// Largest resident memory of the process, 0 where the system does not tell.
    pub peak_rss_bytes: u64,
    /// False when the run was stopped from outside.
    pub is_complete: bool,
    /// Laws that were checked.
    pub checks: Vec<Check>,
}

/// A law that every run must keep, and on how many parts it was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Parts it was checked on.
    pub checked_count: u64,
    /// It holds; a run in which one does not has failed.
    pub is_ok: bool,
}

/// Why a run failed. Each names the component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Frames were lost or made.
    #[error(
        "frames are not conserved: {sent} sent, {delivered} delivered, {dropped} lost, \
         {on_the_way} on the way"
    )]
    Frames {
        /// Sent by N_Ports.
        sent: u64,
        /// Delivered to N_Ports.
        delivered: u64,
        /// Lost by faults.
        dropped: u64,
        /// In switches.
        on_the_way: u64,
    },
    /// Credit was lost or made.
    #[error("credit is not conserved at {port}: {granted} granted, {known} known, {held} held")]
    Credit {
        /// The transmitter.
        port: String,
        /// Granted at login.
        granted: u32,
        /// Free or coming back.
        known: u32,
        /// Held by frames.
        held: u32,
    },
    /// An exchange ended without all its data.
    #[error("exchange {exchange:#06x} ended with {arrived} of {expected} bytes")]
    Bytes {
        /// OX_ID.
        exchange: u16,
        /// Length in the command.
        expected: u32,
        /// Arrived.
        arrived: u32,
    },
    /// Exchanges were lost or made.
    #[error("exchanges are not conserved: {opened} opened, {closed} closed, {open} open")]
    Exchanges {
        /// Opened.
        opened: u64,
        /// Closed.
        closed: u64,
        /// Open.
        open: u64,
    },
    /// I/Os were lost or made.
    #[error(
        "I/Os of {workload} are not conserved: {asked} made, {done} done, {failed} failed, {open} open"
    )]
    Ios {
        /// The workload.
        workload: String,
        /// Made.
        asked: u64,
        /// Done.
        done: u64,
        /// Failed.
        failed: u64,
        /// Open.
        open: u64,
    },
    /// The stages of an I/O do not sum to its response time.
    #[error("the stages of an I/O of {workload} miss {missing} ps of its response time")]
    Stages {
        /// The workload.
        workload: String,
        /// Difference.
        missing: u64,
    },
    /// Little's law does not hold.
    #[error("Little's law does not hold at {station}: {missing} ps are missing")]
    Little {
        /// The station.
        station: String,
        /// Residence times less the area under the number present.
        missing: i128,
    },
    /// Written data were lost or made in a cache.
    #[error("dirty data are not conserved in the cache of {array}: {missing} sectors are missing")]
    Cache {
        /// The array.
        array: String,
        /// Sectors written less those overwritten, destaged and still there.
        missing: i128,
    },
    /// Locks on stripes are left that no operation releases.
    #[error(
        "{open} locks on stripes of {group} are held or waited for when nothing moves any more"
    )]
    StripeLocks {
        /// The group.
        group: String,
        /// Locks.
        open: u64,
    },
    /// Writes of a mirrored LUN are neither copied, nor on their way, nor given up; or the lag counts others.
    #[error("the mirror of {lun} has lost count of its writes")]
    Mirror {
        /// The LUN.
        lun: String,
    },
    /// Data of accelerated writes that came to the far end of a link are neither passed on nor kept there.
    #[error("the far end of {port} has lost data of accelerated writes")]
    Acceleration {
        /// A port of the link.
        port: String,
    },
    /// A port has no exchange id left.
    #[error("{n_port} has all 65535 exchanges open that an N_Port can have")]
    ExchangeIds {
        /// The port.
        n_port: String,
    },
    /// More is asked than is served, and it piles up.
    #[error(
        "{open} I/Os are open at {now_ps} ps, the last of them of {workload}: its jobs ask faster than \
         they are served"
    )]
    Overload {
        /// The workload.
        workload: String,
        /// I/Os open.
        open: u64,
        /// Simulated time.
        now_ps: u64,
    },
    /// A trace cannot be replayed.
    #[error("the trace of {workload} cannot be replayed: {reason}")]
    Trace {
        /// The workload.
        workload: String,
        /// What is wrong with its table.
        reason: String,
    },
    /// Everything stopped with work left.
    #[error(
        "nothing moves any more with {open} I/Os open and {on_the_way} frames in switches: a deadlock, \
         in which {port} has waited longest for credit"
    )]
    Deadlock {
        /// I/Os open.
        open: u64,
        /// Frames in switches.
        on_the_way: u64,
        /// The transmitter that has waited longest.
        port: String,
    },
    /// Some transmitters wait for each other while others go on.
    #[error(
        "{port} and other transmitters wait for each other's buffers in a circle and can never send \
         again: a deadlock, though other traffic goes on"
    )]
    Circle {
        /// The transmitter of the circle that has waited longest.
        port: String,
    },
    /// A capture could not be written.
    #[error("the capture could not be written: {0}")]
    Capture(String),
    /// The plan does not hold together.
    #[error(transparent)]
    Plan(#[from] crate::plan::PlanError),
}

/// What goes wrong while a world runs, which knows parts by their ids.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// [`RunError::Bytes`].
    Bytes {
        exchange: u16,
        expected: u32,
        arrived: u32,
    },
    /// [`RunError::Stages`].
    Stages {
        workload: Id<WorkloadState>,
        missing: Span,
    },
    /// [`RunError::Little`] of a workload in a phase.
    Phase(BrokenPhase),
    /// [`RunError::ExchangeIds`].
    ExchangeIds { n_port: Id<NPort> },
    /// [`RunError::Trace`].
    Trace {
        workload: Id<WorkloadState>,
        reason: String,
    },
    /// [`RunError::Overload`].
    Overload {
        workload: Id<WorkloadState>,
        open: u64,
        now: Instant,
    },
}

impl Failure {
    /// The same in the names of the plan.
    pub(crate) fn named(self, plan: &Plan) -> RunError {
        let name_of = |workload: Id<WorkloadState>| plan.workloads[workload.place()].name.clone();
        match self {
            Self::Bytes {
                exchange,
                expected,
                arrived,
            } => RunError::Bytes {
                exchange,
                expected,
                arrived,
            },
            Self::Stages { workload, missing } => RunError::Stages {
                workload: name_of(workload),
                missing: missing.as_ps(),
            },
            Self::Phase(BrokenPhase {
                phase,
                workload,
                missing,
            }) => RunError::Little {
                station: format!(
                    "workload {} in phase {}",
                    name_of(workload),
                    plan.phases[phase].name
                ),
                missing,
            },
            Self::ExchangeIds { n_port } => RunError::ExchangeIds {
                n_port: plan.n_ports[n_port.place()].name.clone(),
            },
            Self::Trace { workload, reason } => RunError::Trace {
                workload: name_of(workload),
                reason,
            },
            Self::Overload {
                workload,
                open,
                now,
            } => RunError::Overload {
                workload: name_of(workload),
                open,
                now_ps: now.as_ps(),
            },
        }
    }
}
