//! Tables of workloads and their jobs.

use sanlab_kernel::{Id, IdVec, Instant, Span, Stage};
use sanlab_metrics::{Column, Histogram, Table};

use super::numbers::{per_second, whole_of};
use crate::host::running_job::RunningJob;
use crate::meters::{PhaseRow, WorkloadState};
use crate::plan::Plan;
use crate::world::World;

/// Names of directions, in the order of a workload's meters.
pub(super) const OPS: [&str; 2] = ["write", "read"];

struct WorkloadRow<'a> {
    workload: Id<WorkloadState>,
    op: usize,
    response: &'a Histogram,
    bytes: u64,
    open_bytes: u64,
    from: Instant,
    window: Span,
    queue_full: u64,
    errors: u64,
    retried: u64,
    delayed: u64,
    commands: u64,
}

/// What the jobs of a workload have in common: a measured window, and what arrived in it.
struct Measured {
    from: Instant,
    stopped_at: Instant,
    is_over: bool,
    /// Bytes of writes and of reads.
    bytes: [u64; 2],
    /// Those of them that belong to I/Os which are open at the end.
    open_bytes: [u64; 2],
}

impl Measured {
    const NONE: Self = Self {
        from: Instant::NEVER,
        stopped_at: Instant::START,
        is_over: true,
        bytes: [0; 2],
        open_bytes: [0; 2],
    };

    fn add(&mut self, job: &RunningJob, now: Instant) {
        self.from = self.from.min(job.job.settings.counted_from);
        self.is_over &= job.job.is_over(now);
        let stopped_at = job.job.stopped_at().unwrap_or(Instant::START);
        self.stopped_at = self.stopped_at.max(stopped_at);
        for (direction, open) in job.open_at_last.iter().enumerate() {
            self.bytes[direction] += job.delivered(direction);
            self.open_bytes[direction] += open;
        }
    }

    /// From the end of the warm-up to the last completion, no earlier than its jobs stop to ask, or to
    /// the end of the run while they still do.
    fn window(&self, workload: &WorkloadState, now: Instant) -> Span {
        let to = if self.is_over {
            workload.last_completion_at.max(self.stopped_at)
        } else {
            now
        };
        to.saturating_since(self.from.min(to))
    }
}

fn measured<const E: bool>(world: &World<E>, now: Instant) -> IdVec<WorkloadState, Measured> {
    let workloads = world.meters.workloads().iter();
    let mut measured: IdVec<_, _> = workloads.map(|_| Measured::NONE).collect();
    for job in world.host.jobs() {
        measured[job.workload].add(job, now);
    }
    measured
}

/// Workloads without those of file systems, which have a table of their own.
fn of_applications<'a, const E: bool>(
    world: &'a World<E>,
    plan: &Plan,
) -> impl Iterator<Item = (Id<WorkloadState>, &'a WorkloadState)> {
    let states = world.meters.workloads().pairs();
    states.take(plan.applications())
}

/// Workloads of applications, reads and writes apart.
pub(super) fn workloads<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let measured = measured(world, now);
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state.meters.iter().enumerate().rev() {
            if meter.totals.count + meter.totals.errors > 0 {
                rows.push(WorkloadRow {
                    workload,
                    op,
                    response: &meter.response,
                    bytes: measured[workload].bytes[op],
                    open_bytes: measured[workload].open_bytes[op],
                    from: measured[workload].from,
                    window: measured[workload].window(state, now),
                    queue_full: state.queue_full,
                    errors: meter.totals.errors,
                    retried: meter.totals.retried,
                    delayed: meter.totals.delayed,
                    commands: meter.commands,
                });
            }
        }
    }
    let quantile = |share: f64| {
        Column::whole(&rows, move |row: &WorkloadRow<'_>| {
            row.response.quantile(share).as_ps()
        })
    };
    Table::new(
        "workloads",
        vec![
            (
                "workload",
                Column::text(&rows, |row| {
                    plan.workloads[row.workload.place()].name.clone()
                }),
            ),
            ("op", Column::text(&rows, |row| OPS[row.op].into())),
            ("io_count", Column::whole(&rows, |row| row.response.count())),
            ("bytes", Column::whole(&rows, |row| row.bytes)),
            ("open_bytes", Column::whole(&rows, |row| row.open_bytes)),
            ("from_ps", Column::whole(&rows, |row| row.from.as_ps())),
            ("window_ps", Column::whole(&rows, |row| row.window.as_ps())),
            (
                "iops",
                Column::real(&rows, |row| per_second(row.response.count(), row.window)),
            ),
            (
                "throughput_bytes_per_s",
                Column::real(&rows, |row| per_second(row.bytes, row.window)),
            ),
            (
                "response_mean_ps",
                Column::real(&rows, |row| row.response.mean()),
            ),
            (
                "response_min_ps",
                Column::whole(&rows, |row| row.response.least().as_ps()),
            ),
            (
                "response_max_ps",
                Column::whole(&rows, |row| row.response.most().as_ps()),
            ),
            ("response_p50_ps", quantile(0.5)),
            ("response_p90_ps", quantile(0.9)),
            ("response_p95_ps", quantile(0.95)),
            ("response_p99_ps", quantile(0.99)),
            ("response_p99_9_ps", quantile(0.999)),
            ("response_p99_99_ps", quantile(0.9999)),
            (
                "queue_full_count",
                Column::whole(&rows, |row| row.queue_full),
            ),
            ("error_count", Column::whole(&rows, |row| row.errors)),
            ("retried_count", Column::whole(&rows, |row| row.retried)),
            ("delayed_count", Column::whole(&rows, |row| row.delayed)),
            ("command_count", Column::whole(&rows, |row| row.commands)),
        ],
    )
}

/// Workloads in every interval.
pub(super) fn workload_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let first_internal = Id::from_place(plan.applications());
    let intervals = world.meters.series().workloads.iter();
    let rows: Vec<_> = intervals
        .filter(|row| row.workload < first_internal)
        .collect();
    let rows = &rows[..];
    let quantile = |share: f64| {
        Column::whole(rows, |row| {
            row.spread.quantile(share, row.totals.response_most).as_ps()
        })
    };
    Table::new(
        "workload_series",
        vec![
            (
                "workload",
                Column::text(rows, |row| {
                    plan.workloads[row.workload.place()].name.clone()
                }),
            ),
            (
                "op",
                Column::text(rows, |row| OPS[usize::from(row.is_read)].into()),
            ),
            ("time_ps", Column::whole(rows, |row| row.ends_at.as_ps())),
            ("io_count", Column::whole(rows, |row| row.totals.count)),
            ("bytes", Column::whole(rows, |row| row.totals.bytes)),
            (
                "response_sum_ps",
                Column::whole(rows, |row| whole_of(row.totals.response_sum)),
            ),
            (
                "response_max_ps",
                Column::whole(rows, |row| row.totals.response_most.as_ps()),
            ),
            ("response_p50_ps", quantile(0.5)),
            ("response_p99_ps", quantile(0.99)),
            ("error_count", Column::whole(rows, |row| row.totals.errors)),
            (
                "delayed_count",
                Column::whole(rows, |row| row.totals.delayed),
            ),
        ],
    )
}

/// Where the time of I/Os went in every interval; stages without time are left out.
pub(super) fn stage_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let first_internal = Id::from_place(plan.applications());
    let mut rows = Vec::new();
    for row in &world.meters.series().workloads {
        if row.workload < first_internal {
            let stages = Stage::ALL.map(|stage| (row, stage, row.stages[stage as usize]));
            rows.extend(stages.into_iter().filter(|(.., time)| !time.is_zero()));
        }
    }
    Table::new(
        "stage_series",
        vec![
            (
                "workload",
                Column::text(&rows, |row| {
                    plan.workloads[row.0.workload.place()].name.clone()
                }),
            ),
            (
                "op",
                Column::text(&rows, |row| OPS[usize::from(row.0.is_read)].into()),
            ),
            ("stage", Column::text(&rows, |row| row.1.name().into())),
            ("time_ps", Column::whole(&rows, |row| row.0.ends_at.as_ps())),
            ("total_ps", Column::whole(&rows, |row| row.2.as_ps())),
        ],
    )
}

/// Response times in buckets.
pub(super) fn response_histogram<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state.meters.iter().enumerate() {
            rows.extend(
                meter
                    .response
                    .buckets()
                    .map(|bucket| (workload, op, bucket)),
            );
        }
    }
    Table::new(
        "response_histogram",
        vec![
            (
                "workload",
                Column::text(&rows, |row| plan.workloads[row.0.place()].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("low_ps", Column::whole(&rows, |row| row.2.0.as_ps())),
            ("high_ps", Column::whole(&rows, |row| row.2.1.as_ps())),
            ("io_count", Column::whole(&rows, |row| row.2.2)),
        ],
    )
}

/// Where the time of I/Os went.
pub(super) fn stages<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state
            .meters
            .iter()
            .enumerate()
            .filter(|(_, meter)| meter.totals.count > 0)
        {
            for stage in Stage::ALL {
                let total = meter.stages[stage as usize];
                rows.push((workload, op, stage, total, meter.totals));
            }
        }
    }
    Table::new(
        "stages",
        vec![
            (
                "workload",
                Column::text(&rows, |row| plan.workloads[row.0.place()].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("stage", Column::text(&rows, |row| row.2.name().into())),
            ("total_ps", Column::whole(&rows, |row| whole_of(row.3))),
            (
                "mean_ps",
                Column::real(&rows, |row| row.3 as f64 / row.4.count as f64),
            ),
            (
                "share",
                Column::real(&rows, |row| row.3 as f64 / row.4.response_sum.max(1) as f64),
            ),
        ],
    )
}

/// Workloads in every phase.
pub(super) fn phases<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let workloads = world.meters.workloads();
    let first_internal = Id::from_place(plan.applications());
    let phases = world.meters.phases().rows().iter();
    let mut rows: Vec<_> = phases
        .filter(|row| row.workload < first_internal)
        .filter(|row| workloads[row.workload].ios[usize::from(row.is_read)].asked > 0)
        .collect();
    rows.sort_by_key(|row| (row.phase, row.workload, !row.is_read));
    let rows = &rows[..];
    let response =
        |place: usize| Column::whole(rows, move |row: &&PhaseRow| row.response_at[place].as_ps());
    Table::new(
        "phases",
        vec![
            (
                "phase",
                Column::text(rows, |row| plan.phases[row.phase].name.clone()),
            ),
            (
                "workload",
                Column::text(rows, |row| {
                    plan.workloads[row.workload.place()].name.clone()
                }),
            ),
            (
                "op",
                Column::text(rows, |row| OPS[usize::from(row.is_read)].into()),
            ),
            ("from_ps", Column::whole(rows, |row| row.from.as_ps())),
            ("to_ps", Column::whole(rows, |row| row.to.as_ps())),
            ("submitted_count", Column::whole(rows, |row| row.ios.asked)),
            ("io_count", Column::whole(rows, |row| row.ios.done)),
            ("error_count", Column::whole(rows, |row| row.ios.failed)),
            ("open_count", Column::whole(rows, |row| row.ios.open)),
            ("bytes", Column::whole(rows, |row| row.bytes)),
            (
                "iops",
                Column::real(rows, |row| per_second(row.ios.done, row.to - row.from)),
            ),
            (
                "throughput_bytes_per_s",
                Column::real(rows, |row| per_second(row.bytes, row.to - row.from)),
            ),
            (
                "open_mean",
                Column::real(rows, |row| {
                    row.open_area as f64 / (row.to - row.from).as_ps() as f64
                }),
            ),
            (
                "response_mean_ps",
                Column::real(rows, |row| row.response_mean),
            ),
            ("response_p50_ps", response(0)),
            ("response_p95_ps", response(1)),
            ("response_p99_ps", response(2)),
            ("response_p99_9_ps", response(3)),
            ("response_max_ps", response(4)),
        ],
    )
}

/// Jobs of applications.
pub(super) fn jobs<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    let own = world.host.jobs().iter().zip(&plan.jobs);
    for (running, job) in own.filter(|(_, job)| !job.is_journal()) {
        let active = running
            .totals
            .iter()
            .enumerate()
            .filter(|(_, totals)| totals.count > 0);
        rows.extend(active.map(|(op, totals)| (job, op, *totals, running.delivered(op))));
    }
    Table::new(
        "jobs",
        vec![
            ("job", Column::text(&rows, |row| row.0.name.clone())),
            (
                "workload",
                Column::text(&rows, |row| {
                    plan.workloads[row.0.workload as usize].name.clone()
                }),
            ),
            (
                "host",
                Column::text(&rows, |row| plan.hosts[row.0.host as usize].name.clone()),
            ),
            (
                "target",
                Column::text(&rows, |row| {
                    let path = &row.0.targets[0].paths[0];
                    plan.n_ports[path.target_n_port as usize].name.clone()
                }),
            ),
            (
                "lun",
                Column::text(&rows, |row| {
                    let target = &row.0.targets[0];
                    plan.arrays[target.array as usize].luns[target.lun as usize]
                        .name
                        .clone()
                }),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("io_count", Column::whole(&rows, |row| row.2.count)),
            ("bytes", Column::whole(&rows, |row| row.3)),
            ("response_mean_ps", Column::real(&rows, |row| row.2.mean())),
        ],
    )
}
