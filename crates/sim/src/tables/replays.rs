//! Jobs that replay a trace: how late their requests were.

use sanlab_metrics::{Column, Histogram, Table};

use crate::build::replay_of;
use crate::host::running_job::RunningJob;
use crate::plan::{JobPlan, PatternPlan, Plan, ReplayPlan};
use crate::world::World;

struct Row<'a> {
    job: &'a JobPlan,
    running: &'a RunningJob,
    length_ps: u64,
    requests: u64,
    replay: &'static str,
}

impl Row<'_> {
    fn drift(&self) -> Option<&Histogram> {
        self.running.drift.as_deref()
    }

    fn quantile(&self, share: f64) -> u64 {
        self.drift()
            .map_or(0, |drift| drift.quantile(share).as_ps())
    }
}

fn row_of<'a>(running: &'a RunningJob, job: &'a JobPlan) -> Option<Row<'a>> {
    let (requests, model) = replay_of(job)?;
    let PatternPlan::Trace {
        length_ps, replay, ..
    } = &job.pattern
    else {
        return None;
    };
    let length = sanlab_kernel::Span::from_ps(*length_ps);
    Some(Row {
        job,
        running,
        length_ps: match replay {
            ReplayPlan::Timed { .. } => model.due(length).as_ps(),
            ReplayPlan::Asap {} | ReplayPlan::Closed {} => *length_ps,
        },
        requests,
        replay: match replay {
            ReplayPlan::Timed { .. } => "timed",
            ReplayPlan::Asap {} => "asap",
            ReplayPlan::Closed {} => "closed",
        },
    })
}

/// Jobs that replay a trace.
pub(super) fn replays<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let own = world.host.jobs().iter().zip(&plan.jobs);
    let rows: Vec<_> = own
        .filter_map(|(running, job)| row_of(running, job))
        .collect();
    Table::new(
        "replays",
        vec![
            ("job", Column::text(&rows, |row| row.job.name.clone())),
            (
                "workload",
                Column::text(&rows, |row| {
                    plan.workloads[row.job.workload as usize].name.clone()
                }),
            ),
            ("replay", Column::text(&rows, |row| row.replay.into())),
            ("recorded_count", Column::whole(&rows, |row| row.requests)),
            (
                "submitted_count",
                Column::whole(&rows, |row| row.running.asked),
            ),
            ("recorded_ps", Column::whole(&rows, |row| row.length_ps)),
            (
                "replayed_ps",
                Column::whole(&rows, |row| {
                    let started_at = row.running.job.started_at();
                    let last = row.running.last_asked_at;
                    last.saturating_since(started_at.min(last)).as_ps()
                }),
            ),
            (
                "drift_count",
                Column::whole(&rows, |row| row.drift().map_or(0, Histogram::count)),
            ),
            (
                "drift_mean_ps",
                Column::real(&rows, |row| row.drift().map_or(0.0, Histogram::mean)),
            ),
            (
                "drift_p50_ps",
                Column::whole(&rows, |row| row.quantile(0.5)),
            ),
            (
                "drift_p99_ps",
                Column::whole(&rows, |row| row.quantile(0.99)),
            ),
            (
                "drift_max_ps",
                Column::whole(&rows, |row| {
                    row.drift().map_or(0, |drift| drift.most().as_ps())
                }),
            ),
        ],
    )
}
