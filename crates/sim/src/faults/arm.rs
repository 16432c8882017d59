//! What goes wrong, from the plan to the agenda.

use sanlab_fabric::{BitErrors, Network, fibres_of};
use sanlab_kernel::{Id, IdVec, Instant, RandomStream};

use crate::event::{Event, FaultEvent, RecoveryEvent};
use crate::plan::{OutagePlan, Plan};
use crate::world::World;

/// Links whose bits arrive inverted now and then; each direction has its own draws.
fn disturb<const E: bool>(network: &mut Network<E>, plan: &Plan) {
    for (link, disturbed) in (0..).map(Id::new).zip(&plan.links) {
        let Some(interval) = disturbed.bit_error_interval else {
            continue;
        };
        for fibre in fibres_of(link) {
            let number = fibre.number();
            let draws = RandomStream::new(plan.seed, &format!("bit errors/{number}"));
            network.disturb(fibre, BitErrors::new(interval.get(), draws));
        }
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Puts all faults on the agenda; faults at the start take effect at once.
    pub(crate) fn arm(&mut self, plan: &Plan) {
        disturb(&mut self.network, plan);
        for (index, fault) in (0..).map(Id::new).zip(&plan.loop_faults) {
            let first = plan.loops[fault.loop_id as usize].ports[0].n_port;
            let event = Event::Fault(FaultEvent::Loop(index));
            self.agenda
                .schedule(Instant::from_ps(fault.at_ps), first.unwrap_or(0), event);
        }
        let at = Instant::from_ps;
        let faults = &plan.faults;
        for (link, planned) in (0..).map(Id::new).zip(&plan.links) {
            let outages = &planned.outages;
            let first = outages
                .first()
                .map_or(Instant::NEVER, |first| at(first.from_ps));
            self.network.expect_outage(link, first);
            for (index, outage) in (0..).map(Id::new).zip(outages) {
                self.fault_at(at(outage.from_ps), FaultEvent::LinkDown(link, index));
                if let Some(until) = outage.until_ps {
                    self.fault_at(at(until.get()), FaultEvent::LinkUp(link, index));
                }
            }
        }
        for (link, planned) in (0..).map(Id::new).zip(&plan.links) {
            for (index, outage) in planned.member_outages.iter().enumerate().rev() {
                let (member, from) = (Id::new(outage.member), at(outage.from_ps));
                self.network.expect_pull(link, member, from);
                self.fault_at(from, FaultEvent::MemberDown(link, Id::from_place(index)));
            }
        }
        for (index, change) in (0..).map(Id::new).zip(&faults.visibility) {
            self.fault_at(at(change.at_ps), FaultEvent::Visibility(index));
            let told_at = at(change.told_ps.max(change.at_ps));
            self.recover_at(told_at, RecoveryEvent::PathsCheck);
        }
        for (index, drain) in (0..).map(Id::new).zip(&faults.drains) {
            self.fault_at(at(drain.at_ps), FaultEvent::Drain(index));
        }
        for (index, loss) in (0..).map(Id::new).zip(&faults.credit_losses) {
            self.fault_at(at(loss.at_ps), FaultEvent::CreditLoss(index));
        }
        for (array, planned) in (0..).map(Id::new).zip(&plan.arrays) {
            for (id, controller) in (0..).map(Id::new).zip(&planned.controllers) {
                for outage in &controller.outages {
                    self.fault_at(at(outage.from_ps), FaultEvent::ControllerFails(array, id));
                    if let Some(until) = outage.until_ps {
                        self.fault_at(at(until.get()), FaultEvent::ControllerBack(array, id));
                    }
                }
            }
        }
        for &update_ps in &faults.route_updates_ps {
            self.fault_at(at(update_ps), FaultEvent::Routes);
        }
        self.begin_degraded();
    }

    /// Applies faults at the start, which every host knows when it logs in.
    fn begin_degraded(&mut self) {
        let is_dark = |outages: &IdVec<OutagePlan>| {
            let first = outages.iter().next();
            first.is_some_and(|first| first.from_ps == 0)
        };
        let any = self.faults.outages.iter().any(is_dark);
        let apart = self.faults.visibility.iter().any(|first| first.at_ps == 0);
        if any {
            self.network.update_routes(Instant::START);
        }
        if any || apart {
            self.recover_at(Instant::START, RecoveryEvent::PathsCheck);
        }
    }

    pub(crate) fn fault_at(&mut self, at: Instant, event: FaultEvent) {
        self.agenda.schedule(at, 0, Event::Fault(event));
    }
}
