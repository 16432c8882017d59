//! What goes wrong, from the plan to the agenda.

use sanlab_fabric::{BitErrors, Network};
use sanlab_kernel::{NEVER, Picoseconds, RandomStream, id_of};

use crate::event::{Event, FaultEvent, RecoveryEvent};
use crate::plan::{OutagePlan, Plan};
use crate::world::World;

/// Links whose bits arrive inverted now and then; each direction has its own draws.
fn disturb<const E: bool>(network: &mut Network<E>, plan: &Plan) {
    for (link, disturbed) in plan.links.iter().enumerate() {
        let Some(interval) = disturbed.bit_error_interval else {
            continue;
        };
        for fibre in [2 * link, 2 * link + 1] {
            let draws = RandomStream::new(plan.seed, &format!("bit errors/{fibre}"));
            network.disturb(id_of(fibre), BitErrors::new(interval.get(), draws));
        }
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Puts all faults on the agenda; faults at the start take effect at once.
    pub(crate) fn arm(&mut self, plan: &Plan) {
        disturb(&mut self.network, plan);
        for (index, fault) in (0..).zip(&plan.loop_faults) {
            let first = plan.loops[fault.loop_id as usize].ports[0].n_port;
            let event = Event::Fault(FaultEvent::Loop(index));
            self.agenda.schedule(fault.at_ps, first, event);
        }
        let faults = self.faults.plan().clone();
        for link in 0..id_of(plan.links.len()) {
            let outages = &plan.links[link as usize].outages;
            let first = outages.first().map_or(NEVER, |first| first.from_ps);
            self.network.expect_outage(link, first);
            for (index, outage) in (0..).zip(outages) {
                self.fault_at(outage.from_ps, FaultEvent::LinkDown(link, index));
                if let Some(until) = outage.until_ps {
                    self.fault_at(until.get(), FaultEvent::LinkUp(link, index));
                }
            }
        }
        for link in 0..id_of(plan.links.len()) {
            let outages = &plan.links[link as usize].member_outages;
            for (index, outage) in outages.iter().enumerate().rev() {
                self.network
                    .expect_pull(link, outage.member, outage.from_ps);
                self.fault_at(outage.from_ps, FaultEvent::MemberDown(link, id_of(index)));
            }
        }
        for (index, change) in (0..).zip(&faults.visibility) {
            self.fault_at(change.at_ps, FaultEvent::Visibility(index));
            self.recover_at(change.told_ps.max(change.at_ps), RecoveryEvent::PathsCheck);
        }
        for (index, drain) in (0..).zip(&faults.drains) {
            self.fault_at(drain.at_ps, FaultEvent::Drain(index));
        }
        for (index, loss) in (0..).zip(&faults.credit_losses) {
            self.fault_at(loss.at_ps, FaultEvent::CreditLoss(index));
        }
        for &at in &faults.route_updates_ps {
            self.fault_at(at, FaultEvent::Routes);
        }
        self.begin_degraded();
    }

    /// Applies faults at the start, which every host knows when it logs in.
    fn begin_degraded(&mut self) {
        let is_dark =
            |outages: &Vec<OutagePlan>| outages.first().is_some_and(|first| first.from_ps == 0);
        let any = self.faults.outages.iter().any(is_dark);
        let apart = self
            .faults
            .plan()
            .visibility
            .iter()
            .any(|first| first.at_ps == 0);
        if any {
            self.network.update_routes(0);
        }
        if any || apart {
            self.recover_at(0, RecoveryEvent::PathsCheck);
        }
    }

    pub(super) fn fault_at(&mut self, at: Picoseconds, event: FaultEvent) {
        self.agenda.schedule(at, 0, Event::Fault(event));
    }
}
