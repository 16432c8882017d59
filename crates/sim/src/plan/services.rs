//! What the services of the fabrics decided.

use serde::{Deserialize, Serialize};

/// What the services of the fabrics decided; reports show it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServicesPlan {
    /// States of ports, in the order of time.
    #[serde(default)]
    pub ports: Vec<PortStatePlan>,
    /// Active zones, in the order of time.
    #[serde(default)]
    pub zones: Vec<ActiveZonePlan>,
    /// Who sees whom, in the order of time.
    #[serde(default)]
    pub sights: Vec<SightPlan>,
    /// Who of those that want to talk are kept apart, in the order of time.
    #[serde(default)]
    pub apart: Vec<ApartPlan>,
    /// World-wide node name of each N_Port.
    #[serde(default)]
    pub node_names: Vec<u64>,
    /// From a request to a service to its answer.
    #[serde(default)]
    pub service_ps: u64,
    /// Logins, registrations and notices.
    #[serde(default)]
    pub dialogues: Vec<DialoguePlan>,
}

/// Requests that follow each other, each when the one before was answered.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DialoguePlan {
    /// When it begins, at the earliest.
    pub at_ps: u64,
    /// The dialogue it waits for; none where it waits for no other.
    pub after: Option<u32>,
    /// The dialogue of the same N_Port before it, which is over when this one begins, wherever it is: the
    /// link was dark. That holds for the one before that as well.
    #[serde(default)]
    pub replaces: Option<u32>,
    /// The N_Port that is logged in at its end: its jobs begin then.
    pub logs_in: Option<u32>,
    /// The requests.
    pub steps: Vec<StepPlan>,
}

/// A request.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StepPlan {
    /// What is asked.
    pub verb: VerbPlan,
    /// N_Port that asks.
    pub asks: u32,
    /// N_Port that answers; of a service that of its switch.
    pub answers: u32,
    /// Address of the end that is a service of a switch: a well-known one, or that of the port which a
    /// discarded frame was for.
    pub service: Option<u32>,
    /// N_Ports it tells of.
    pub ports: Vec<u32>,
    /// It is for a port out of reach: the switch discards it, and nobody answers.
    #[serde(default)]
    pub is_discarded: bool,
}

/// What is asked, by its name in FC-LS and FC-GS.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
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

/// Why two N_Ports do not see each other from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ApartPlan {
    /// Since when.
    pub at_ps: u64,
    /// One N_Port.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Why; empty where they do again.
    pub reason: String,
}

/// State of a port of a switch from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PortStatePlan {
    /// Since when.
    pub at_ps: u64,
    /// Switch.
    pub switch: u32,
    /// Its port.
    pub port: u32,
    /// `F`, `FL` or `E`.
    pub kind: String,
    /// What it is cabled to.
    pub peer: String,
    /// `online`, or why not in a word.
    pub state: String,
    /// Why not in a sentence.
    pub reason: String,
}

/// A zone that is active in a fabric from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveZonePlan {
    /// Since when.
    pub at_ps: u64,
    /// First switch of the fabric.
    pub switch: u32,
    /// VSAN; 0 is all of them.
    pub vsan: u32,
    /// Zone set; empty where none is active.
    pub zone_set: String,
    /// Zone.
    pub zone: String,
    /// Its members: ports, world-wide names, places.
    pub members: Vec<String>,
}

/// Ports of arrays that a port of a host sees from an instant on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SightPlan {
    /// Since when.
    pub at_ps: u64,
    /// Port of a host.
    pub n_port: u32,
    /// Ports of arrays.
    pub targets: Vec<u32>,
}
