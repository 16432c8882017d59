//! Workloads that wait for others to end.

use sanlab_kernel::{Id, IdVec, Span};

use super::running_job::RunningJob;
use crate::meters::WorkloadState;
use crate::plan::Plan;

/// Which workloads wait for which.
#[derive(Default)]
pub(crate) struct Order {
    /// Jobs of each workload that are not over.
    jobs_left: IdVec<WorkloadState, u32>,
    /// Workloads that wait for each.
    followers: IdVec<WorkloadState, Vec<Id<WorkloadState>>>,
    /// How many others each still waits for.
    waits_for: IdVec<WorkloadState, u32>,
    /// Time before each job starts, once its workload may.
    delays: IdVec<RunningJob, Span>,
}

impl Order {
    /// The order of a plan; nothing is kept of one in which no workload waits.
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut order = Self::default();
        if plan
            .workloads
            .iter()
            .all(|workload| workload.after.is_empty())
        {
            return order;
        }
        let count = plan.workloads.len();
        order.jobs_left = IdVec::filled(0, count);
        order.followers = IdVec::filled(Vec::new(), count);
        order.waits_for = IdVec::filled(0, count);
        for job in &plan.jobs {
            order.jobs_left[Id::new(job.workload)] += 1;
            order.delays.push(Span::from_ps(job.start_ps));
        }
        for (id, workload) in (0..).map(Id::new).zip(&plan.workloads) {
            for &before in &workload.after {
                order.followers[Id::new(before)].push(id);
                order.waits_for[id] += 1;
            }
        }
        order
    }

    /// Whether another workload waits for this one.
    pub(crate) fn is_awaited(&self, workload: Id<WorkloadState>) -> bool {
        self.followers
            .get(workload)
            .is_some_and(|it| !it.is_empty())
    }

    /// Whether this workload waits for another.
    pub(crate) fn waits(&self, workload: Id<WorkloadState>) -> bool {
        self.waits_for.get(workload).is_some_and(|&it| it > 0)
    }

    /// Time before a job starts, once its workload may.
    pub(super) fn delay(&self, job: Id<RunningJob>) -> Span {
        self.delays[job]
    }

    /// A job of this workload is over. Returns the workloads that may start.
    pub(super) fn on_over(&mut self, workload: Id<WorkloadState>) -> Vec<Id<WorkloadState>> {
        self.jobs_left[workload] -= 1;
        if self.jobs_left[workload] > 0 {
            return Vec::new();
        }
        let followers = std::mem::take(&mut self.followers[workload]);
        let waits_for = &mut self.waits_for;
        let is_last = |id: &Id<WorkloadState>| {
            waits_for[*id] -= 1;
            waits_for[*id] == 0
        };
        followers.into_iter().filter(is_last).collect()
    }
}
