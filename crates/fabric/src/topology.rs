//! What routes are computed from.

use sanlab_fc::{FlowControl, NPort};
use sanlab_kernel::{Id, IdVec, Instant, Rate, Span};

use crate::fibre::{Fibre, Sink, Source};
use crate::fspf::{Hop, shortest_paths};
use crate::parts::Switch;
use crate::switch::SwitchModel;

/// A switch, and the fibre from there to an N_Port.
type Home = (Id<Switch>, Id<Fibre>);

/// What routes are computed from.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// Switch of each N_Port, and the fibre from there to it; `None` if it has no switch.
    pub(crate) attached: IdVec<NPort, Option<Home>>,
    /// Directions of inter-switch links.
    pub(crate) hops: Vec<Hop>,
    /// A fibre that is always dark: where frames go that have no way, and the credit of buffers whose
    /// link began anew.
    pub(crate) null_fibre: Id<Fibre>,
}

impl Topology {
    /// Routes by FSPF over the hops that are up.
    pub(crate) fn route(
        &self,
        switches: &mut IdVec<Switch, SwitchModel>,
        is_up: impl Fn(Id<Fibre>) -> bool,
    ) {
        let count = switches.len();
        let up = self.hops.iter().filter(|hop| is_up(hop.fibre));
        let hops: Vec<_> = up.copied().collect();
        let paths: IdVec<Switch, _> = switches
            .ids()
            .map(|to| shortest_paths(count, &hops, to))
            .collect();
        for switch in switches.iter_mut() {
            switch.routes.clear();
        }
        for &home in &self.attached {
            for (id, switch) in switches.pairs_mut() {
                let outputs = match home {
                    Some((at, fibre)) if at == id => &[fibre][..],
                    Some((at, _)) => &paths[at][id],
                    None => &[],
                };
                let is_reached = !outputs.is_empty();
                let null_fibre = &[self.null_fibre][..];
                switch
                    .routes
                    .add(if is_reached { outputs } else { null_fibre });
            }
        }
    }
}

/// No N_Port has this id: the null fibre carries nothing.
const NO_N_PORT: Id<NPort> = Id::new(u32::MAX);

/// The null fibre: always dark, with one credit.
pub(crate) fn null_fibre() -> Fibre {
    let rate = Rate::from_bytes_per_s(1_000_000_000);
    let mut fibre = Fibre::new(
        Source::Switch,
        Sink::NPort(NO_N_PORT),
        rate,
        0,
        Span::ZERO,
        1,
    );
    fibre.credit = FlowControl::bb_credit(1);
    (fibre.dark_from, fibre.on_slow_path) = (Instant::START, true);
    fibre
}
