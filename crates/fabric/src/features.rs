//! Optional features of a fibre: trunk, policies, limits.

use sanlab_kernel::{Instant, Span};

use crate::qos::{Discipline, Gate};
use crate::trunk::Trunk;

/// Kept apart from the fibre, so that one without pays a branch.
#[derive(Clone, Debug, Default)]
pub struct LinkFeatures {
    /// It stands for several links.
    pub trunk: Option<Trunk>,
    /// Its output tells frames apart.
    pub discipline: Option<Discipline>,
    /// What comes in by it is held back to a rate.
    pub ingress: Gate,
    /// The frame that came in last can be forwarded then.
    ready_at: Instant,
}

impl LinkFeatures {
    /// Takes a frame that could be forwarded at `could_at`; returns when it can be forwarded.
    ///
    /// Frames stay in order: the deskew of a trunk restores the order of its members, and a raised
    /// limit does not let a frame pass those that wait.
    pub(crate) fn come_in(&mut self, could_at: Instant, slot: Span, wire_bytes: u16) -> Instant {
        let ready_at = could_at.max(self.ingress.open_at()).max(self.ready_at);
        self.ingress.pass(ready_at, slot, wire_bytes);
        self.ready_at = ready_at;
        ready_at
    }
}
