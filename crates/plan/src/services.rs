//! Decisions of the fabrics' services, and logins.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// Decisions of the fabrics' services, which reports show, and logins.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServicesPlan {
    /// States of ports, in the order of time.
    pub ports: Vec<PortStatePlan>,
    /// Active zones, in the order of time.
    pub zones: Vec<ActiveZonePlan>,
    /// Array ports that each host port sees, in the order of time.
    pub sights: Vec<SightPlan>,
    /// Pairs of ports with traffic that cannot see each other, in the order of time.
    pub apart: Vec<ApartPlan>,
    /// World-wide node name of each N_Port.
    pub node_names: Vec<u64>,
    /// Time from a request to a service to its answer.
    pub service_ps: u64,
    /// Logins, registrations and notices.
    pub dialogues: Vec<DialoguePlan>,
}

/// Requests that follow each other, each when the one before was answered.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DialoguePlan {
    /// When it begins, at the earliest.
    pub at_ps: u64,
    /// Dialogue it waits for, if any.
    pub after: Option<u32>,
    /// Earlier dialogue of the N_Port that ends when this one begins, because the link was dark.
    /// The dialogue that one replaces ends as well.
    pub replaces: Option<u32>,
    /// N_Port that is logged in at its end, so that its jobs begin.
    pub logs_in: Option<u32>,
    /// The requests.
    pub steps: Vec<StepPlan>,
}

/// A request.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepPlan {
    /// Request.
    pub verb: VerbPlan,
    /// N_Port that asks.
    pub asks: u32,
    /// N_Port that answers.
    pub answers: u32,
    /// Address of the end that is a service of a switch, where it is not the N_Port's own: a well-known
    /// address, or that of the port a discarded frame was for.
    pub service: Option<u32>,
    /// N_Ports that the payload names.
    pub ports: Vec<u32>,
    /// Whether the switch discards it without an answer, because the port is out of reach.
    pub is_discarded: bool,
}

/// A request, by its name in FC-LS and FC-GS.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "they are the names of the standards")]
pub enum VerbPlan {
    Flogi,
    Fdisc,
    Plogi,
    Prli,
    Logo,
    Adisc,
    Scr,
    Rscn,
    RftId,
    RffId,
    RspnId,
    RsnnNn,
    GidFt,
}

/// The reason why two N_Ports do not see each other from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApartPlan {
    /// From when.
    pub at_ps: u64,
    /// One N_Port.
    pub a: u32,
    /// The other N_Port.
    pub b: u32,
    /// The reason. Without it, they see each other again.
    pub reason: Option<String>,
}

/// State of a port of a switch from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PortStatePlan {
    /// From when.
    pub at_ps: u64,
    /// Switch.
    pub switch: u32,
    /// Its port.
    pub port: u32,
    /// `F`, `FL` or `E`.
    pub kind: String,
    /// Port it is cabled to.
    pub peer: String,
    /// `online`, or the reason why not in one word.
    pub state: String,
    /// The reason as a sentence; empty where it is online.
    pub reason: String,
}

/// A zone that is active in a fabric from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ActiveZonePlan {
    /// From when.
    pub at_ps: u64,
    /// First switch of the fabric.
    pub switch: u32,
    /// VSAN. Without it, the fabric has no VSANs.
    pub vsan: Option<NonZeroU32>,
    /// Zone set. Without it, none is active.
    pub zone_set: Option<String>,
    /// Zone.
    pub zone: Option<String>,
    /// Its members: ports, world-wide names, places.
    pub members: Vec<String>,
}

/// Ports of arrays that a port of a host sees from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SightPlan {
    /// From when.
    pub at_ps: u64,
    /// Port of a host.
    pub n_port: u32,
    /// Ports of arrays.
    pub targets: Vec<u32>,
}
