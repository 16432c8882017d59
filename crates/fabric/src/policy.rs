//! What a fabric does with pairs of N_Ports, and from when on.

use sanlab_fc::NPort;
use sanlab_kernel::{Id, Instant};

use crate::parts::Switch;
use crate::qos::{Class, Limit, Pair};

/// A policy from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// When it comes into force.
    pub at: Instant,
    /// What it says.
    pub change: PolicyChange,
}

/// What a policy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyChange {
    /// Frames from one N_Port to another leave the fabric with this limit at most.
    Limit(Pair, Option<Limit>),
    /// Frames of an N_Port come into the fabric with this limit at most.
    Ingress(Id<NPort>, Option<Limit>),
    /// Frames of a pair are in this class, at one switch or at all.
    Class(Pair, Id<Class>, Option<Id<Switch>>),
}

impl PolicyChange {
    /// The pair that an output of this switch has to know, where frames to `reaches` leave by it; an
    /// output to another switch is left to by all.
    pub(crate) fn pair_at(&self, switch: Id<Switch>, reaches: Option<Id<NPort>>) -> Option<Pair> {
        let is_here = |pair: &Pair| reaches.is_none_or(|n_port| n_port == pair.1);
        match self {
            Self::Limit(pair, _) if reaches == Some(pair.1) => Some(*pair),
            Self::Class(pair, _, at) if at.is_none_or(|only| only == switch) && is_here(pair) => {
                Some(*pair)
            }
            _ => None,
        }
    }
}
