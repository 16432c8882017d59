//! Hosts: processors, buses, adapters, multipathing.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// A host.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HostPlan {
    /// Name.
    pub name: String,
    /// CPU cores that serve I/O.
    pub cores: NonZeroU32,
    /// CPU time from the application's call to the command at the HBA.
    pub cpu_submit_ps: u64,
    /// CPU time from the HBA's interrupt to the application.
    pub cpu_complete_ps: u64,
    /// CPU time of each command on top of that; a request in pieces has several commands.
    pub cpu_command_ps: u64,
    /// CPU time of each interrupt.
    pub cpu_interrupt_ps: u64,
    /// Largest command. Larger requests are split into pieces; without a limit, none is.
    pub max_request_bytes: Option<NonZeroU64>,
    /// When the pieces of a request are issued.
    pub submission: SubmissionPlan,
    /// Engines of HBAs.
    pub engines: Vec<EnginePlan>,
    /// HBA ports.
    pub adapters: Vec<AdapterPlan>,
    /// I/O buses.
    pub buses: Vec<BusPlan>,
    /// How it uses several paths to a LUN. Without it, each LUN has one path.
    pub multipath: Option<MultipathPlan>,
}

/// When the pieces of a request are issued.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SubmissionPlan {
    /// All at once, as fast as the processor makes them.
    Together,
    /// Each when the one before is done.
    Serial,
}

/// The engine of an HBA's port, or of all ports of a card.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EnginePlan {
    /// Name: that of the port, or of the card.
    pub name: String,
    /// Rate at which it moves data. Without one, only commands take its time.
    pub bytes_per_s: Option<NonZeroU64>,
    /// Time to change between reads and writes.
    pub turnaround_ps: u64,
}

impl EnginePlan {
    /// An engine that moves data in no time.
    pub fn ideal(name: &str) -> Self {
        Self {
            name: name.into(),
            bytes_per_s: None,
            turnaround_ps: 0,
        }
    }
}

/// One port of an HBA.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AdapterPlan {
    /// Its N_Port.
    pub n_port: u32,
    /// Which of the host's engines drives it.
    pub engine: u32,
    /// Engine time to start a command.
    pub submit_ps: u64,
    /// Engine time to finish a command.
    pub complete_ps: u64,
    /// Commands this port may have open (execution throttle).
    pub max_commands: NonZeroU32,
    /// Commands this port may have open on one LUN (queue depth).
    pub lun_queue_depth: NonZeroU32,
    /// Time after which a command without an answer is aborted. Without it, commands have no timer.
    pub command_timeout_ps: Option<NonZeroU64>,
    /// Time from the loss of a path to the failure of its commands.
    pub path_timeout_ps: u64,
    /// How often a command is sent again before it fails.
    pub retries: u32,
    /// Engine time to take in an XFER_RDY and begin with its data.
    pub transfer_ps: u64,
    /// Time on the card, each way, during which the engine does other work.
    pub latency_ps: u64,
    /// Interrupt moderation: time from an answer to the interrupt that reports it and later ones.
    /// Without it, each answer raises an interrupt.
    pub interrupt_delay_ps: Option<NonZeroU64>,
    /// The host's bus it is on. Without one, memory is reached at once.
    pub bus: Option<u32>,
}

impl AdapterPlan {
    /// An adapter that takes no time and sets no limit.
    pub fn ideal(n_port: u32) -> Self {
        let unlimited = NonZeroU32::new(65_535).unwrap_or(NonZeroU32::MAX);
        Self {
            n_port,
            engine: 0,
            submit_ps: 0,
            complete_ps: 0,
            max_commands: unlimited,
            lun_queue_depth: unlimited,
            command_timeout_ps: None,
            path_timeout_ps: 0,
            retries: 0,
            transfer_ps: 0,
            latency_ps: 0,
            interrupt_delay_ps: None,
            bus: None,
        }
    }
}

/// A segment of an I/O bus.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BusPlan {
    /// Name, such as `host1.pci0`.
    pub name: String,
    /// Peak rate; of one direction where there are two.
    pub bytes_per_s: NonZeroU64,
    /// Longest burst.
    pub burst_bytes: NonZeroU32,
    /// Overhead of a burst from memory.
    pub fetch_overhead_ps: u64,
    /// Overhead of a burst to memory.
    pub store_overhead_ps: u64,
    /// Whether it carries both directions at once.
    pub full_duplex: bool,
}

/// How a host uses several paths to a LUN.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MultipathPlan {
    /// Choice among paths.
    pub spreading: SpreadingPlan,
    /// Whether requests wait while no path is left; else they fail.
    pub queues_without_path: bool,
    /// Time from a better group's return to its use. Without it, the group waits for the
    /// administrator.
    pub failback_ps: Option<u64>,
    /// Time between two checks of the path checker. A failed path is used again after the next check.
    pub checker_ps: u64,
}

/// Choice among paths.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SpreadingPlan {
    /// In turn, some requests on each.
    RoundRobin {
        /// Requests on one path before the next path.
        ios: NonZeroU32,
    },
    /// The path with the fewest requests.
    LeastQueue {},
    /// The first path, until it fails.
    OnePath {},
}
