//! What goes wrong in the fabric, and what was noticed of it.

use std::collections::BTreeSet;

use sanlab_fabric::LoopFault;
use sanlab_kernel::Picoseconds;

use crate::plan::{EndPlan, FaultsPlan, MemberOutagePlan, OutagePlan, Plan};

/// What goes wrong in the fabric, and what was noticed of it.
pub(crate) struct Faults {
    /// Something does: timers run.
    is_armed: bool,
    plan: FaultsPlan,
    /// Loop and what happens to it.
    pub(super) on_loops: Vec<(u32, LoopFault)>,
    /// Outages of each link.
    pub(super) outages: Vec<Vec<OutagePlan>>,
    /// Outages of members of trunks.
    pub(super) member_outages: Vec<Vec<MemberOutagePlan>>,
    /// N_Ports at the ends of each link.
    pub(super) ends: Vec<[Option<u32>; 2]>,
    /// Pairs of N_Ports that the fabric keeps apart, the smaller number first.
    pub(super) apart: BTreeSet<(u32, u32)>,
    /// Commands sent since timers run, counted, so that a timer knows its own.
    exchanges: u32,
    /// Ids of aborted exchanges that rest.
    pub(super) resting: usize,
    /// What happened, for the time line.
    log: Vec<Happened>,
    /// For a fibre that lost credit, since when it has none.
    pub(super) starved: Vec<(u32, Picoseconds)>,
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
    pub(crate) fn new(plan: &Plan, loop_faults: Vec<(u32, LoopFault)>) -> Self {
        let n_port = |end| match end {
            EndPlan::NPort(id) => Some(id),
            EndPlan::Switch { .. } => None,
        };
        Self {
            is_armed: plan.faults.is_armed || !plan.loop_faults.is_empty(),
            plan: plan.faults.clone(),
            on_loops: loop_faults,
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
            resting: 0,
            log: Vec::new(),
            starved: Vec::new(),
        }
    }

    /// Whether the fabric keeps two N_Ports apart.
    #[inline]
    pub(crate) fn is_apart(&self, a: u32, b: u32) -> bool {
        !self.apart.is_empty() && self.apart.contains(&(a.min(b), a.max(b)))
    }

    /// Whether something goes wrong: timers run.
    #[inline]
    pub(crate) fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// What the plan says of faults.
    pub(crate) fn plan(&self) -> &FaultsPlan {
        &self.plan
    }

    /// Ids of aborted exchanges that rest.
    pub(crate) fn resting(&self) -> usize {
        self.resting
    }

    /// What happened, in the order of time.
    pub(crate) fn log(&self) -> &[Happened] {
        &self.log
    }

    /// A number for an exchange, so that a timer knows its own; 0 where no timers run.
    #[inline]
    pub(crate) fn number_exchange(&mut self) -> u32 {
        self.exchanges += u32::from(self.is_armed);
        self.exchanges
    }

    /// Something happens, for the time line.
    pub(crate) fn note(&mut self, at: Picoseconds, what: &'static str, place: Place) {
        self.log.push(Happened { at, what, place });
    }
}
