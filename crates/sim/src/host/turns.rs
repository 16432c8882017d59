//! Jobs that end, and workloads that start after them.

use sanlab_kernel::{Id, Instant};

use super::running_job::RunningJob;
use crate::event::Event;
use crate::meters::WorkloadState;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// When the job looks again whether a request is due: one that others wait for is over no later than
    /// when it stops.
    pub(super) fn looks_at(&self, job: Id<RunningJob>, due_at: Option<Instant>) -> Option<Instant> {
        let running = &self.host.jobs[job];
        if !running.is_awaited {
            return due_at;
        }
        let at = (due_at.unwrap_or(Instant::NEVER)).min(running.job.settings.stop_at);
        (at < Instant::NEVER).then_some(at)
    }

    /// A job that others wait for has done what it may now: it may be over.
    #[cold]
    pub(super) fn note_end(&mut self, now: Instant, job: Id<RunningJob>) {
        let running = &mut self.host.jobs[job];
        if !running.job.is_over(now) {
            return;
        }
        running.is_awaited = false;
        let workload = running.workload;
        for follower in self.host.order.on_over(workload) {
            self.release_workload(now, follower);
        }
    }

    /// All that the workload waited for has ended: its jobs start after their delay.
    fn release_workload(&mut self, now: Instant, workload: Id<WorkloadState>) {
        let all = self.host.jobs.pairs();
        let own = all.filter(|(_, job)| job.workload == workload);
        let jobs: Vec<_> = own.map(|(id, _)| id).collect();
        for job in jobs {
            let settings = &mut self.host.jobs[job].job;
            settings.put_off(now);
            let counted_from = settings.settings.counted_from;
            if counted_from > now {
                self.meters.begin_window_at(counted_from);
                self.attention_at = self.attention_at.min(counted_from);
            }
            let starts_at = now.saturating_add(self.host.order.delay(job));
            if self.services.may_start(job, starts_at) {
                let component = self.host.component(job).number();
                self.agenda
                    .schedule(starts_at, component, Event::JobStart(job));
            }
        }
    }
}
