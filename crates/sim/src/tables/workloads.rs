//! Tables of workloads and their jobs.

use sanlab_kernel::{Picoseconds, Stage, id_of};
use sanlab_metrics::{Column, Histogram, Table};

use super::numbers::whole_of;
use crate::meters::WorkloadState;
use crate::plan::{Plan, WorkloadPlan};
use crate::world::World;

/// Names of directions, in the order of a workload's meters.
const OPS: [&str; 2] = ["write", "read"];

struct WorkloadRow<'a> {
    workload: usize,
    op: usize,
    response: &'a Histogram,
    bytes: u64,
    window: Picoseconds,
    queue_full: u64,
    errors: u64,
    retried: u64,
    delayed: u64,
    commands: u64,
}

/// Time over which a workload was counted: from the end of its warm-up to its last completion, no
/// earlier than its jobs stop to ask, or to the end of the run while they still do.
fn window<const E: bool>(world: &World<E>, workload: usize, now: Picoseconds) -> Picoseconds {
    let jobs = || {
        world
            .host
            .jobs()
            .iter()
            .filter(|job| job.workload as usize == workload)
    };
    let from = jobs()
        .map(|job| job.job.settings.counted_from)
        .min()
        .unwrap_or(0);
    let is_over = jobs().all(|job| job.job.is_over(now));
    let to = if is_over {
        let stopped_at = jobs().filter_map(|job| job.job.stopped_at()).max();
        world.meters.workloads()[workload]
            .last_completion_at
            .max(stopped_at.unwrap_or(0))
    } else {
        now
    };
    to.saturating_sub(from)
}

/// Workloads without those of file systems, which have a table of their own.
fn of_applications<'a, const E: bool>(
    world: &'a World<E>,
    plan: &Plan,
) -> impl Iterator<Item = (usize, &'a WorkloadState)> {
    let states = world.meters.workloads().iter().enumerate();
    states.take(applications(plan))
}

/// How many workloads are an application's.
fn applications(plan: &Plan) -> usize {
    let is_own = |workload: &&WorkloadPlan| workload.file_system.is_none();
    plan.workloads.iter().filter(is_own).count()
}

/// Workloads of applications, reads and writes apart.
pub(super) fn workloads<const E: bool>(world: &World<E>, plan: &Plan, now: Picoseconds) -> Table {
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state.meters.iter().enumerate().rev() {
            if meter.totals.count + meter.totals.errors > 0 {
                rows.push(WorkloadRow {
                    workload,
                    op,
                    response: &meter.response,
                    bytes: meter.totals.bytes,
                    window: window(world, workload, now),
                    queue_full: state.queue_full,
                    errors: meter.totals.errors,
                    retried: meter.totals.retried,
                    delayed: meter.totals.delayed,
                    commands: meter.commands,
                });
            }
        }
    }
    let per_second = |amount: u64, span: u64| amount as f64 / (span.max(1) as f64 * 1e-12);
    let quantile = |share: f64| {
        Column::whole(&rows, move |row: &WorkloadRow<'_>| {
            row.response.quantile(share)
        })
    };
    Table::new(
        "workloads",
        vec![
            (
                "workload",
                Column::text(&rows, |row| plan.workloads[row.workload].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.op].into())),
            ("io_count", Column::whole(&rows, |row| row.response.count())),
            ("bytes", Column::whole(&rows, |row| row.bytes)),
            ("window_ps", Column::whole(&rows, |row| row.window)),
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
                Column::whole(&rows, |row| row.response.least()),
            ),
            (
                "response_max_ps",
                Column::whole(&rows, |row| row.response.most()),
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
    let first_internal = id_of(applications(plan));
    let intervals = world.meters.series().workloads.iter();
    let rows: Vec<_> = intervals
        .filter(|row| row.workload < first_internal)
        .collect();
    let rows = &rows[..];
    Table::new(
        "workload_series",
        vec![
            (
                "workload",
                Column::text(rows, |row| {
                    plan.workloads[row.workload as usize].name.clone()
                }),
            ),
            (
                "op",
                Column::text(rows, |row| OPS[usize::from(row.is_read)].into()),
            ),
            ("time_ps", Column::whole(rows, |row| row.ends_at)),
            ("io_count", Column::whole(rows, |row| row.totals.count)),
            ("bytes", Column::whole(rows, |row| row.totals.bytes)),
            (
                "response_sum_ps",
                Column::whole(rows, |row| whole_of(row.totals.response_sum)),
            ),
            (
                "response_max_ps",
                Column::whole(rows, |row| row.totals.response_most),
            ),
            ("error_count", Column::whole(rows, |row| row.totals.errors)),
            (
                "delayed_count",
                Column::whole(rows, |row| row.totals.delayed),
            ),
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
                Column::text(&rows, |row| plan.workloads[row.0].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("low_ps", Column::whole(&rows, |row| row.2.0)),
            ("high_ps", Column::whole(&rows, |row| row.2.1)),
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
                Column::text(&rows, |row| plan.workloads[row.0].name.clone()),
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

/// Jobs of applications.
pub(super) fn jobs<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    let own = world.host.jobs().iter().zip(&plan.jobs);
    for (running, job) in own.filter(|(_, job)| job.journal_every == 0) {
        let active = running
            .totals
            .iter()
            .enumerate()
            .filter(|(_, totals)| totals.count > 0);
        rows.extend(active.map(|(op, totals)| (job, op, *totals)));
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
                    plan.n_ports[row.0.target_n_port as usize].name.clone()
                }),
            ),
            (
                "lun",
                Column::text(&rows, |row| {
                    plan.arrays[row.0.array as usize].luns[row.0.lun as usize]
                        .name
                        .clone()
                }),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("io_count", Column::whole(&rows, |row| row.2.count)),
            ("bytes", Column::whole(&rows, |row| row.2.bytes)),
            ("response_mean_ps", Column::real(&rows, |row| row.2.mean())),
        ],
    )
}
