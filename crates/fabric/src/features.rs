//! Optional features of a fibre: trunk, policies, limits.

use sanlab_kernel::Picoseconds;

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
    ready_at: Picoseconds,
}

impl LinkFeatures {
    /// A frame comes in, and could be forwarded at this instant; says when it can. None overtakes the one
    /// before it: members of a trunk are in order again behind the deskew, and a limit that is raised
    /// lets nobody past those it has held.
    pub(crate) fn come_in(
        &mut self,
        could_at: Picoseconds,
        slot: Picoseconds,
        wire_bytes: u16,
    ) -> Picoseconds {
        let ready_at = could_at.max(self.ingress.open_at()).max(self.ready_at);
        self.ingress.pass(ready_at, slot, wire_bytes);
        self.ready_at = ready_at;
        ready_at
    }
}
