//! What goes wrong in the fabric, when it happens.

use sanlab_kernel::{NEVER, Picoseconds, Rate};

use super::state::Place;
use crate::event::{FaultEvent, RecoveryEvent};
use crate::world::World;

/// Time between two looks at a transmitter that lost credit.
const CREDIT_LOOK: Picoseconds = 1_000_000_000;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_fault(&mut self, now: Picoseconds, event: FaultEvent) {
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
                let change = self.faults.plan().visibility[index as usize];
                let pair = (change.a.min(change.b), change.a.max(change.b));
                if change.visible {
                    self.faults.apart.remove(&pair);
                } else {
                    self.faults.apart.insert(pair);
                }
            }
            FaultEvent::Drain(index) => {
                let drain = self.faults.plan().drains[index as usize];
                let rate =
                    (drain.bytes_per_s > 0).then(|| Rate::from_bytes_per_s(drain.bytes_per_s));
                self.network.n_ports[drain.n_port as usize].drains_at(rate);
                let what = if rate.is_some() {
                    "drains slowly"
                } else {
                    "drains at once again"
                };
                self.faults.note(now, what, Place::NPort(drain.n_port));
            }
            FaultEvent::CreditLoss(index) => self.on_credit_loss(now, index),
            FaultEvent::CreditLook(fibre, frames) => self.on_credit_look(now, fibre, frames),
        }
    }

    /// Hosts learn of a change after a while.
    fn notice(&mut self, now: Picoseconds) {
        let told_at = now + self.faults.plan().notice_ps;
        self.recover_at(told_at, RecoveryEvent::PathsCheck);
    }

    fn on_link_down(&mut self, now: Picoseconds, link: u32, outage: u32) {
        let until = self.faults.outages[link as usize][outage as usize].until_ps;
        self.network.fail_link(link, now, until);
        if now > 0 {
            self.faults.note(now, "link goes down", Place::Link(link));
        }
        for n_port in self.faults.ends[link as usize].into_iter().flatten() {
            self.check_paths(now, Some(n_port));
        }
        self.notice(now);
    }

    fn on_link_up(&mut self, now: Picoseconds, link: u32, outage: u32) {
        let next = self.faults.outages[link as usize].get(outage as usize + 1);
        let next = next.map_or(NEVER, |outage| outage.from_ps);
        self.network.expect_outage(link, next);
        self.faults.note(now, "link is up", Place::Link(link));
        for n_port in self.faults.ends[link as usize].into_iter().flatten() {
            self.check_paths(now, Some(n_port));
        }
        self.notice(now);
    }

    fn on_member_down(&mut self, now: Picoseconds, link: u32, index: u32) {
        let outages = &self.faults.member_outages[link as usize];
        let outage = outages[index as usize];
        let later = outages[index as usize + 1..].iter();
        let mut same = later.filter(|later| later.member == outage.member);
        let next = same.next().map(|later| later.from_ps);
        self.network
            .pull_member(link, outage.member, now, outage.until_ps);
        self.network
            .expect_pull(link, outage.member, next.unwrap_or(NEVER));
        self.faults
            .note(now, "a cable of the trunk is pulled", Place::Link(link));
    }

    fn on_credit_loss(&mut self, now: Picoseconds, index: u32) {
        let loss = self.faults.plan().credit_losses[index as usize];
        let lost = self.network.lose_credit(loss.fibre, loss.count, now);
        if lost == 0 {
            // All of it is in use just now: an R_RDY gets lost a little later.
            self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLoss(index));
            return;
        }
        self.faults
            .note(now, "credit gets lost", Place::Fibre(loss.fibre));
        let frames = self.network.fibres[loss.fibre as usize].counters.frames;
        self.fault_at(
            now + CREDIT_LOOK,
            FaultEvent::CreditLook(loss.fibre, frames),
        );
    }

    /// Is the lost credit back? By BB_SC, once 2^n frames were counted; by a link reset, once the
    /// transmitter has had none at all for too long.
    fn on_credit_look(&mut self, now: Picoseconds, fibre: u32, frames: u64) {
        let plan = self.faults.plan();
        let transmitter = &self.network.fibres[fibre as usize];
        if transmitter.lost_credit == 0 {
            return;
        }
        let counted = transmitter.counters.frames >> plan.bb_sc_n != frames >> plan.bb_sc_n;
        let has_none = transmitter.lost_credit == transmitter.credit.granted();
        let since = self.starved_since(fibre, has_none, now);
        let is_reset = has_none && now - since >= self.faults.plan().credit_timeout_ps;
        if is_reset || (self.faults.plan().bb_sc_n > 0 && counted) {
            self.network.recover_credit(fibre, now);
            let what = if is_reset {
                "link reset gives the credit back"
            } else {
                "BB_SC gives the credit back"
            };
            self.faults.note(now, what, Place::Fibre(fibre));
            return;
        }
        self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLook(fibre, frames));
    }

    fn starved_since(&mut self, fibre: u32, has_none: bool, now: Picoseconds) -> Picoseconds {
        let known = self
            .faults
            .starved
            .iter()
            .position(|starved| starved.0 == fibre);
        match (known, has_none) {
            (Some(place), true) => self.faults.starved[place].1,
            (Some(place), false) => {
                self.faults.starved.swap_remove(place);
                now
            }
            (None, true) => {
                self.faults.starved.push((fibre, now));
                now
            }
            (None, false) => now,
        }
    }

    /// A fault of a loop that the plan has happens now.
    fn on_loop_fault(&mut self, now: Picoseconds, index: u32) {
        let (loop_id, fault) = self.faults.on_loops[index as usize].clone();
        for n_port in self.network.fail_loop(loop_id, &fault, now) {
            self.clear_task_sets(n_port);
        }
        // Every port of the loop sees the LIP that goes with it.
        self.check_paths(now, None);
    }
}
