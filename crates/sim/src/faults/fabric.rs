//! What goes wrong in the fabric, when it happens.

use sanlab_fabric::{Fibre, Link};
use sanlab_kernel::{Id, Instant, Rate, Span};

use super::state::Place;
use crate::event::{FaultEvent, RecoveryEvent};
use crate::plan::{CreditLossPlan, LoopFaultPlan, MemberOutagePlan, OutagePlan};
use crate::world::World;

/// Time between two looks at a transmitter that lost credit.
const CREDIT_LOOK: Span = Span::from_ps(1_000_000_000);

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_fault(&mut self, now: Instant, event: FaultEvent) {
        match event {
            FaultEvent::Loop(index) => self.on_loop_fault(now, index),
            FaultEvent::LinkDown(link, outage) => self.on_link_down(now, link, outage),
            FaultEvent::LinkUp(link, outage) => self.on_link_up(now, link, outage),
            FaultEvent::MemberDown(link, index) => self.on_member_down(now, link, index),
            FaultEvent::Routes => {
                self.network.update_routes(now);
                self.faults
                    .note(now, "routes are computed anew", Place::Fabric);
                self.notice(now);
            }
            FaultEvent::Visibility(index) => {
                let change = self.faults.visibility[index];
                let pair = (change.a.min(change.b), change.a.max(change.b));
                let pair = (Id::new(pair.0), Id::new(pair.1));
                if change.visible {
                    self.faults.apart.remove(&pair);
                } else {
                    self.faults.apart.insert(pair);
                }
            }
            FaultEvent::Drain(index) => {
                let drain = self.faults.drains[index];
                let n_port = Id::new(drain.n_port);
                let rate = drain.bytes_per_s.map(Rate::from);
                self.network.n_ports[n_port].drains_at(rate);
                let what = if rate.is_some() {
                    "drains slowly"
                } else {
                    "drains at once again"
                };
                self.faults.note(now, what, Place::NPort(n_port));
            }
            FaultEvent::CreditLoss(index) => self.on_credit_loss(now, index),
            FaultEvent::ControllerFails(array, id) => self.on_controller_fails(now, array, id),
            FaultEvent::ControllerBack(array, id) => self.on_controller_back(now, array, id),
            FaultEvent::GiveBack(array, id) => self.on_give_back(now, array, id),
            FaultEvent::TakenOver(array) => self.on_taken_over(now, array),
            FaultEvent::CreditLook(fibre, frames) => self.on_credit_look(now, fibre, frames),
        }
    }

    /// Hosts learn of a change after a while.
    fn notice(&mut self, now: Instant) {
        let told_at = now + self.faults.times().notice;
        self.recover_at(told_at, RecoveryEvent::PathsCheck);
    }

    fn on_link_down(&mut self, now: Instant, link: Id<Link>, outage: Id<OutagePlan>) {
        let until = Instant::from_ps(self.faults.outages[link][outage].end_ps());
        self.network.fail_link(link, now, until);
        if now > Instant::START {
            self.faults.note(now, "link goes down", Place::Link(link));
        }
        for n_port in self.faults.ends[link].into_iter().flatten() {
            self.check_paths(now, Some(n_port));
        }
        self.notice(now);
    }

    fn on_link_up(&mut self, now: Instant, link: Id<Link>, outage: Id<OutagePlan>) {
        let next = self.faults.outages[link].get(Id::new(outage.number() + 1));
        let next = next.map_or(Instant::NEVER, |outage| Instant::from_ps(outage.from_ps));
        self.network.expect_outage(link, next);
        self.faults.note(now, "link is up", Place::Link(link));
        for n_port in self.faults.ends[link].into_iter().flatten() {
            self.check_paths(now, Some(n_port));
        }
        self.notice(now);
    }

    fn on_member_down(&mut self, now: Instant, link: Id<Link>, index: Id<MemberOutagePlan>) {
        let outages = &self.faults.member_outages[link];
        let outage = outages[index];
        let same = outages
            .pairs()
            .find(|&(id, later)| id > index && later.member == outage.member);
        let next = same.map(|(_, later)| Instant::from_ps(later.from_ps));
        let (member, until) = (Id::new(outage.member), Instant::from_ps(outage.end_ps()));
        self.network.pull_member(link, member, now, until);
        self.network
            .expect_pull(link, member, next.unwrap_or(Instant::NEVER));
        self.faults
            .note(now, "a cable of the trunk is pulled", Place::Link(link));
    }

    fn on_credit_loss(&mut self, now: Instant, index: Id<CreditLossPlan>) {
        let loss = self.faults.credit_losses[index];
        let fibre = Id::new(loss.fibre);
        let lost = self.network.lose_credit(fibre, loss.count, now);
        if lost == 0 {
            // All of it is lost already: R_RDYs get lost once there are any again.
            self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLoss(index));
            return;
        }
        let what = match (lost, loss.count) {
            (1, 1) => "1 credit gets lost".to_owned(),
            (_, count) if lost == count => format!("{lost} credits get lost"),
            (_, count) => {
                format!("{lost} credits get lost, all that were left, instead of {count}")
            }
        };
        self.faults.note(now, what, Place::Fibre(fibre));
        let frames = self.network.fibres[fibre].counters.frames;
        self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLook(fibre, frames));
    }

    /// Is the lost credit back? By BB_SC, once 2^n frames were counted, if not by a link reset.
    fn on_credit_look(&mut self, now: Instant, fibre: Id<Fibre>, mut frames: u64) {
        let transmitter = &self.network.fibres[fibre];
        let Some(n) = self.faults.bb_sc_n else {
            return;
        };
        let sent = transmitter.counters.frames;
        let more_to_come = transmitter.credit_to_lose() > 0;
        let mut is_missing = transmitter.lost_credit > 0;
        if is_missing && sent >> n.get() != frames >> n.get() {
            self.network.recover_credit(fibre, now);
            self.faults
                .note(now, "BB_SC gives the credit back", Place::Fibre(fibre));
            (frames, is_missing) = (sent, false);
        }
        if is_missing || more_to_come {
            self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLook(fibre, frames));
        }
    }

    /// A fault of a loop that the plan has happens now.
    fn on_loop_fault(&mut self, now: Instant, index: Id<LoopFaultPlan>) {
        let (loop_id, fault) = self.faults.on_loops[index].clone();
        for n_port in self.network.fail_loop(loop_id, &fault, now) {
            self.clear_task_sets(now, n_port);
        }
        // Every port of the loop sees the LIP that goes with it.
        self.check_paths(now, None);
    }
}
