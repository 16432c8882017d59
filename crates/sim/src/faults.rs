//! What goes wrong, as the plan says.

use std::collections::BTreeSet;

use sanlab_fabric::{BitErrors, Network};
use sanlab_kernel::{NEVER, Picoseconds, RandomStream, Rate, id_of};

use crate::event::{Event, FaultEvent, RecoveryEvent};
use crate::issuer::Issuer;
use crate::plan::{EndPlan, FaultsPlan, MemberOutagePlan, OutagePlan, Plan};
use crate::world::World;

/// Time between two looks at a transmitter that lost credit.
const CREDIT_LOOK: Picoseconds = 1_000_000_000;

/// What goes wrong in the fabric, and what was noticed of it.
pub(crate) struct Faults {
    /// Something does: timers run.
    pub(crate) is_armed: bool,
    pub(crate) plan: FaultsPlan,
    /// Outages of each link.
    outages: Vec<Vec<OutagePlan>>,
    /// Outages of members of trunks.
    member_outages: Vec<Vec<MemberOutagePlan>>,
    /// N_Ports at the ends of each link.
    ends: Vec<[Option<u32>; 2]>,
    /// Pairs of N_Ports that the fabric keeps apart, the smaller number first.
    apart: BTreeSet<(u32, u32)>,
    /// Commands sent since timers run, counted, so that a timer knows its own.
    pub(crate) exchanges: u32,
    /// Commands without an answer in time.
    pub(crate) timeouts: u64,
    /// What happened, for the time line.
    pub(crate) log: Vec<Happened>,
    /// For a fibre that lost credit, since when it has none.
    starved: Vec<(u32, Picoseconds)>,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Happened {
    pub(crate) at: Picoseconds,
    pub(crate) what: &'static str,
    pub(crate) place: Place,
}

/// What it happened to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Link(u32),
    Fibre(u32),
    Path(u32),
    Device(u32),
    NPort(u32),
    Fabric,
}

impl Faults {
    pub(crate) fn new(plan: &Plan) -> Self {
        let n_port = |end| match end {
            EndPlan::NPort(id) => Some(id),
            EndPlan::Switch { .. } => None,
        };
        Self {
            is_armed: plan.faults.is_armed || !plan.loop_faults.is_empty(),
            plan: plan.faults.clone(),
            outages: plan.links.iter().map(|link| link.outages.clone()).collect(),
            member_outages: plan
                .links
                .iter()
                .map(|link| link.member_outages.clone())
                .collect(),
            ends: plan
                .links
                .iter()
                .map(|link| [n_port(link.a), n_port(link.b)])
                .collect(),
            apart: BTreeSet::new(),
            exchanges: 0,
            timeouts: 0,
            log: Vec::new(),
            starved: Vec::new(),
        }
    }

    /// Whether the fabric keeps two N_Ports apart.
    #[inline]
    pub(crate) fn is_apart(&self, a: u32, b: u32) -> bool {
        !self.apart.is_empty() && self.apart.contains(&(a.min(b), a.max(b)))
    }
}

/// Links whose bits arrive inverted now and then; each direction has its own draws.
pub(crate) fn disturb<const E: bool>(network: &mut Network<E>, plan: &Plan) {
    for (link, of) in plan.links.iter().enumerate() {
        if of.bit_error_interval == 0 {
            continue;
        }
        for fibre in [2 * link, 2 * link + 1] {
            let draws = RandomStream::new(plan.seed, &format!("bit errors/{fibre}"));
            network.disturb(id_of(fibre), BitErrors::new(of.bit_error_interval, draws));
        }
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Put all that goes wrong on the agenda; what is so from the beginning is done at once.
    pub(crate) fn arm(&mut self, plan: &Plan) {
        disturb(&mut self.network, plan);
        for (index, fault) in (0..).zip(&plan.loop_faults) {
            let first = plan.loops[fault.loop_id as usize].ports[0].n_port;
            let event = Event::Fault(FaultEvent::Loop(index));
            self.agenda.schedule(fault.at_ps, first, event);
        }
        let faults = self.faults.plan.clone();
        for link in 0..id_of(plan.links.len()) {
            let outages = &plan.links[link as usize].outages;
            let first = outages.first().map_or(NEVER, |it| it.from_ps);
            self.network.expect_outage(link, first);
            for (index, outage) in (0..).zip(outages) {
                self.fault_at(outage.from_ps, FaultEvent::LinkDown(link, index));
                if outage.until_ps < NEVER {
                    self.fault_at(outage.until_ps, FaultEvent::LinkUp(link, index));
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

    /// What is so at the very beginning is known to every host that logs in.
    fn begin_degraded(&mut self) {
        let is_dark = |outages: &Vec<OutagePlan>| outages.first().is_some_and(|it| it.from_ps == 0);
        let any = self.faults.outages.iter().any(is_dark);
        let apart = self.faults.plan.visibility.iter().any(|it| it.at_ps == 0);
        if any {
            self.network.update_routes(0);
        }
        if any || apart {
            self.recover_at(0, RecoveryEvent::PathsCheck);
        }
    }

    fn fault_at(&mut self, at: Picoseconds, event: FaultEvent) {
        self.agenda.schedule(at, 0, Event::Fault(event));
    }

    pub(crate) fn on_fault(&mut self, now: Picoseconds, event: FaultEvent) {
        match event {
            FaultEvent::Loop(index) => self.on_loop_fault(now, index),
            FaultEvent::LinkDown(link, outage) => self.on_link_down(now, link, outage),
            FaultEvent::LinkUp(link, outage) => self.on_link_up(now, link, outage),
            FaultEvent::MemberDown(link, index) => self.on_member_down(now, link, index),
            FaultEvent::Routes => {
                self.network.update_routes(now);
                self.note(now, "routes are computed anew", Place::Fabric);
                self.notice(now);
            }
            FaultEvent::Visibility(index) => {
                let change = self.faults.plan.visibility[index as usize];
                let pair = (change.a.min(change.b), change.a.max(change.b));
                if change.visible {
                    self.faults.apart.remove(&pair);
                } else {
                    self.faults.apart.insert(pair);
                }
            }
            FaultEvent::Drain(index) => {
                let drain = self.faults.plan.drains[index as usize];
                let rate =
                    (drain.bytes_per_s > 0).then(|| Rate::from_bytes_per_s(drain.bytes_per_s));
                self.network.n_ports[drain.n_port as usize].drains_at(rate);
                let what = if rate.is_some() {
                    "drains slowly"
                } else {
                    "drains at once again"
                };
                self.note(now, what, Place::NPort(drain.n_port));
            }
            FaultEvent::CreditLoss(index) => self.on_credit_loss(now, index),
            FaultEvent::CreditLook(fibre, frames) => self.on_credit_look(now, fibre, frames),
        }
    }

    /// Hosts learn of a change after a while.
    fn notice(&mut self, now: Picoseconds) {
        let told_at = now + self.faults.plan.notice_ps;
        self.recover_at(told_at, RecoveryEvent::PathsCheck);
    }

    fn on_link_down(&mut self, now: Picoseconds, link: u32, outage: u32) {
        let until = self.faults.outages[link as usize][outage as usize].until_ps;
        self.network.fail_link(link, now, until);
        if now > 0 {
            self.note(now, "link goes down", Place::Link(link));
        }
        for n_port in self.faults.ends[link as usize].into_iter().flatten() {
            self.check_paths(now, Some(n_port));
        }
        self.notice(now);
    }

    fn on_link_up(&mut self, now: Picoseconds, link: u32, outage: u32) {
        let next = self.faults.outages[link as usize].get(outage as usize + 1);
        let next = next.map_or(NEVER, |it| it.from_ps);
        self.network.expect_outage(link, next);
        self.note(now, "link is up", Place::Link(link));
        for n_port in self.faults.ends[link as usize].into_iter().flatten() {
            self.check_paths(now, Some(n_port));
        }
        self.notice(now);
    }

    fn on_member_down(&mut self, now: Picoseconds, link: u32, index: u32) {
        let outages = &self.faults.member_outages[link as usize];
        let outage = outages[index as usize];
        let later = outages[index as usize + 1..].iter();
        let next = later.map(|it| (it.member, it.from_ps));
        let next = next
            .filter(|it| it.0 == outage.member)
            .map(|it| it.1)
            .next();
        self.network
            .pull_member(link, outage.member, now, outage.until_ps);
        self.network
            .expect_pull(link, outage.member, next.unwrap_or(NEVER));
        self.note(now, "a cable of the trunk is pulled", Place::Link(link));
    }

    fn on_credit_loss(&mut self, now: Picoseconds, index: u32) {
        let loss = self.faults.plan.credit_losses[index as usize];
        let lost = self.network.lose_credit(loss.fibre, loss.count, now);
        if lost == 0 {
            // All of it is in use just now: an R_RDY gets lost a little later.
            self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLoss(index));
            return;
        }
        self.note(now, "credit gets lost", Place::Fibre(loss.fibre));
        let frames = self.network.fibres[loss.fibre as usize].counters.frames;
        self.fault_at(
            now + CREDIT_LOOK,
            FaultEvent::CreditLook(loss.fibre, frames),
        );
    }

    /// Is the lost credit back? By BB_SC, once 2^n frames were counted; by a link reset, once the
    /// transmitter has had none at all for too long.
    fn on_credit_look(&mut self, now: Picoseconds, fibre: u32, frames: u64) {
        let plan = &self.faults.plan;
        let of = &self.network.fibres[fibre as usize];
        if of.lost_credit == 0 {
            return;
        }
        let counted = of.counters.frames >> plan.bb_sc_n != frames >> plan.bb_sc_n;
        let has_none = of.lost_credit == of.credit.granted();
        let since = self.starved_since(fibre, has_none, now);
        let is_reset = has_none && now - since >= self.faults.plan.credit_timeout_ps;
        if is_reset || (self.faults.plan.bb_sc_n > 0 && counted) {
            self.network.recover_credit(fibre, now);
            let what = if is_reset {
                "link reset gives the credit back"
            } else {
                "BB_SC gives the credit back"
            };
            self.note(now, what, Place::Fibre(fibre));
            return;
        }
        self.fault_at(now + CREDIT_LOOK, FaultEvent::CreditLook(fibre, frames));
    }

    fn starved_since(&mut self, fibre: u32, has_none: bool, now: Picoseconds) -> Picoseconds {
        let known = self.faults.starved.iter().position(|it| it.0 == fibre);
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
        let (loop_id, fault) = self.loop_faults[index as usize].clone();
        for n_port in self.network.fail_loop(loop_id, &fault, now) {
            self.clear_task_sets(n_port);
        }
        // Every port of the loop sees the LIP that goes with it.
        self.check_paths(now, None);
    }

    /// A target that lost its port, or its power, forgets the commands it had.
    fn clear_task_sets(&mut self, n_port: u32) {
        for id in self.exchanges.live() {
            let is_here = self.exchanges.exchange(id).target == n_port;
            if is_here && self.exchanges.command(id).tag.issuer == Issuer::Host {
                self.release(id);
            }
        }
    }

    pub(crate) fn note(&mut self, at: Picoseconds, what: &'static str, place: Place) {
        self.faults.log.push(Happened { at, what, place });
    }
}
