//! What a run does for those who watch it from another thread, between two of its events.

use std::sync::Arc;

use sanlab_fabric::Fibre;
use sanlab_kernel::{Id, Instant};

use crate::control::{Control, Snapshot, SnapshotNames};
use crate::names::{fibre_name, fibres};
use crate::plan::Plan;
use crate::world::World;

/// A run's side of its [`Control`].
pub(crate) struct Watched<'a> {
    plan: &'a Plan,
    control: &'a Control,
    /// Requests for a snapshot that have been answered.
    answered: u64,
    /// Made with the first snapshot.
    names: Option<Arc<SnapshotNames>>,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(plan: &'a Plan, control: &'a Control) -> Self {
        Self {
            plan,
            control,
            answered: 0,
            names: None,
        }
    }

    /// Nothing later is done for now.
    pub(crate) fn hold_at(&self) -> Instant {
        self.control.hold_at()
    }

    /// Tell where the run is, and answer who asked. True if the run is to stop.
    pub(crate) fn look<const E: bool>(
        &mut self,
        world: &World<E>,
        now: Instant,
        events: u64,
    ) -> bool {
        self.control.tell(now, events);
        let asked = self.control.asked();
        if asked != self.answered {
            self.answered = asked;
            let snapshot = self.snapshot(world, now, events);
            self.control.answer(asked, snapshot);
        }
        self.control.is_stopped()
    }

    /// Wait until the hold allows an instant. True if the run is to stop instead.
    pub(crate) fn wait<const E: bool>(
        &mut self,
        world: &World<E>,
        now: Instant,
        events: u64,
        until_allowed: Instant,
    ) -> bool {
        loop {
            let hold_at = self.hold_at();
            if hold_at >= until_allowed {
                return false;
            }
            // Nothing happens between the last event and the hold.
            if self.look(world, now.max(hold_at), events) {
                return true;
            }
            self.control.nap();
        }
    }

    fn snapshot<const E: bool>(&mut self, world: &World<E>, now: Instant, events: u64) -> Snapshot {
        let names = self.names.get_or_insert_with(|| names(self.plan).into());
        let ports = (0..names.ports.len()).map(Id::<Fibre>::from_place);
        let counters: Vec<_> = ports
            .map(|fibre| world.network.counters(fibre, now))
            .collect();
        let workloads = world.meters.workloads().iter();
        let done = workloads.map(|workload| (workload.ios_done(), workload.bytes_done));
        let (ios, bytes) = done.take(names.workloads.len()).unzip();
        Snapshot {
            at_ps: now.as_ps(),
            events,
            names: Arc::clone(names),
            tx_bytes: counters.iter().map(|of| of.bytes).collect(),
            tx_payload_bytes: counters.iter().map(|of| of.payload_bytes).collect(),
            tx_credit_wait_ps: counters.iter().map(|of| of.credit_wait.as_ps()).collect(),
            ios,
            bytes,
        }
    }
}

fn names(plan: &Plan) -> SnapshotNames {
    let ports = (0..fibres(plan)).map(|fibre| fibre_name(plan, Id::from_place(fibre)));
    let workloads = plan.workloads.iter().take(plan.applications());
    SnapshotNames {
        ports: ports.collect(),
        workloads: workloads.map(|workload| workload.name.clone()).collect(),
    }
}
