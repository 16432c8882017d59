//! What goes wrong in the fabric, and what was noticed of it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroU32;

use sanlab_fabric::{Fibre, Link, Loop, LoopFault};
use sanlab_fc::NPort;
use sanlab_kernel::{Id, IdVec, Instant, Span};
use sanlab_storage::{Array, Controller};

use crate::host::path::{HostDevice, Path};
use crate::plan::{
    CreditLossPlan, DrainPlan, LoopFaultPlan, MemberOutagePlan, OutagePlan, Plan, VisibilityPlan,
};

/// What goes wrong in the fabric, and what was noticed of it.
pub(crate) struct Faults {
    /// Something does: timers run.
    is_armed: bool,
    times: Times,
    /// BB_SC_N, where credit is counted.
    pub(super) bb_sc_n: Option<NonZeroU32>,
    pub(super) visibility: IdVec<VisibilityPlan>,
    pub(super) drains: IdVec<DrainPlan>,
    pub(super) credit_losses: IdVec<CreditLossPlan>,
    /// Loop and what happens to it.
    pub(super) on_loops: IdVec<LoopFaultPlan, (Id<Loop>, LoopFault)>,
    /// Outages of each link.
    pub(super) outages: IdVec<Link, IdVec<OutagePlan>>,
    /// Outages of members of trunks.
    pub(super) member_outages: IdVec<Link, IdVec<MemberOutagePlan>>,
    /// N_Ports at the ends of each link.
    pub(super) ends: IdVec<Link, [Option<Id<NPort>>; 2]>,
    /// Pairs of N_Ports that the fabric keeps apart, the smaller number first.
    pub(super) apart: BTreeSet<(Id<NPort>, Id<NPort>)>,
    /// Commands sent since timers run, counted, so that a timer knows its own.
    exchanges: u32,
    /// Ids of aborted exchanges that rest.
    pub(super) resting: usize,
    /// Returns of LUNs to their controllers that are to come.
    pub(crate) give_backs: usize,
    /// What happened, for the time line.
    log: Vec<Happened>,
    /// Transmitters that have discarded frames after the hold time.
    pub(super) discarding: BTreeSet<Id<Fibre>>,
}

/// Timers of the plan.
pub(crate) struct Times {
    /// Time from a change in the fabric until hosts know it.
    pub(crate) notice: Span,
    /// Time from light on a link to the first command.
    pub(crate) login: Span,
    pub(crate) e_d_tov: Span,
    pub(crate) r_a_tov: Span,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) struct Happened {
    pub(crate) at: Instant,
    pub(crate) what: Cow<'static, str>,
    pub(crate) place: Place,
}

/// What it happened to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Link(Id<Link>),
    Fibre(Id<Fibre>),
    Path(Id<Path>),
    Device(Id<HostDevice>),
    NPort(Id<NPort>),
    Array(Id<Array>),
    Controller(Id<Array>, Id<Controller>),
    Fabric,
}

fn controllers_fail(plan: &Plan) -> bool {
    let mut controllers = plan.arrays.iter().flat_map(|array| &array.controllers);
    controllers.any(|controller| !controller.outages.is_empty())
}

impl Faults {
    pub(crate) fn new(
        plan: &Plan,
        loop_faults: IdVec<LoopFaultPlan, (Id<Loop>, LoopFault)>,
    ) -> Self {
        Self {
            is_armed: plan.faults.is_armed
                || !plan.loop_faults.is_empty()
                || controllers_fail(plan),
            times: Times {
                notice: Span::from_ps(plan.faults.notice_ps),
                login: Span::from_ps(plan.faults.login_ps),
                e_d_tov: Span::from_ps(plan.faults.e_d_tov_ps),
                r_a_tov: Span::from_ps(plan.faults.r_a_tov_ps),
            },
            bb_sc_n: plan.faults.bb_sc_n,
            visibility: plan.faults.visibility.clone().into(),
            drains: plan.faults.drains.clone().into(),
            credit_losses: plan.faults.credit_losses.clone().into(),
            on_loops: loop_faults,
            outages: plan
                .links
                .iter()
                .map(|link| link.outages.clone().into())
                .collect(),
            member_outages: plan
                .links
                .iter()
                .map(|link| link.member_outages.clone().into())
                .collect(),
            ends: plan
                .links
                .iter()
                .map(|link| [link.a, link.b].map(|end| end.n_port().map(Id::new)))
                .collect(),
            apart: BTreeSet::new(),
            exchanges: 0,
            resting: 0,
            give_backs: 0,
            log: Vec::new(),
            discarding: BTreeSet::new(),
        }
    }

    /// Whether the fabric keeps two N_Ports apart.
    #[inline]
    pub(crate) fn is_apart(&self, a: Id<NPort>, b: Id<NPort>) -> bool {
        !self.apart.is_empty() && self.apart.contains(&(a.min(b), a.max(b)))
    }

    /// Whether something goes wrong: timers run.
    #[inline]
    pub(crate) fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// Something is lost: timers run from now on. Returns whether they did not before.
    pub(super) fn arm(&mut self) -> bool {
        !std::mem::replace(&mut self.is_armed, true)
    }

    /// Timers.
    #[inline]
    pub(crate) fn times(&self) -> &Times {
        &self.times
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
    pub(crate) fn note(&mut self, at: Instant, what: impl Into<Cow<'static, str>>, place: Place) {
        let what = what.into();
        self.log.push(Happened { at, what, place });
    }
}
