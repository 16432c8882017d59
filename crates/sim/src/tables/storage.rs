//! What RAID groups, rebuilds, caches and flash have done, as tables.

use sanlab_kernel::{Instant, Span};
use sanlab_metrics::{Column, Table};
use sanlab_storage::{
    CacheCounts, CacheSums, Controller, ControllerCounters, FlashCounters, Group, GroupCounters,
    LimitCounters, Media, Ssd,
};

use super::numbers::{per_second, whole_of};
use crate::meters::PartRow;
use crate::plan::{ControllerPlan, GroupPlan, Plan, RebuildPlan};
use crate::world::World;

type Field<T> = (&'static str, fn(&T) -> u64);

/// Tables of controllers, groups, rebuilds, caches and flash.
pub(super) fn tables<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> [Table; 9] {
    [
        controllers(world, plan, now),
        groups(world, plan),
        rebuilds(world, plan, now),
        rebuild_series(world, plan),
        caches(world, plan, now),
        cache_series(world, plan),
        limits(world, plan),
        limit_series(world, plan),
        flash(world, plan),
    ]
}

fn groups_of<'a, const E: bool>(
    world: &'a World<E>,
    plan: &'a Plan,
) -> impl Iterator<Item = (&'a Group, &'a GroupPlan, usize)> {
    let arrays = world.array.arrays().iter().zip(&plan.arrays).enumerate();
    arrays.flat_map(|(array, (state, planned))| {
        let groups = state.groups.iter().zip(&planned.groups);
        groups.map(move |(group, planned)| (group, planned, array))
    })
}

const GROUP: [Field<GroupCounters>; 11] = [
    ("reads_count", |counters| counters.reads),
    ("degraded_reads_count", |counters| counters.degraded_reads),
    ("writes_count", |counters| counters.writes),
    ("full_rows_count", |counters| counters.full_rows),
    ("modified_rows_count", |counters| counters.modified_rows),
    ("reconstructed_rows_count", |counters| {
        counters.reconstructed_rows
    }),
    ("recovered_rows_count", |counters| counters.recovered_rows),
    ("disk_reads_count", |counters| counters.disk_reads),
    ("disk_writes_count", |counters| counters.disk_writes),
    ("disk_read_bytes", |counters| counters.disk_read_bytes),
    ("disk_write_bytes", |counters| counters.disk_write_bytes),
];

fn groups<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows: Vec<_> = groups_of(world, plan).collect();
    let mut columns = vec![
        ("group", Column::text(&rows, |row| row.1.name.clone())),
        (
            "level",
            Column::whole(&rows, |row| u64::from(row.1.level.number())),
        ),
        (
            "drives_count",
            Column::whole(&rows, |row| row.1.disks.len() as u64),
        ),
        (
            "missing_count",
            Column::whole(&rows, |row| row.0.missing() as u64),
        ),
        (
            "stripe_waits_count",
            Column::whole(&rows, |row| row.0.locks.waits),
        ),
    ];
    for (name, value) in GROUP {
        columns.push((name, Column::whole(&rows, |row| value(&row.0.counters))));
    }
    Table::new("groups", columns)
}

fn rebuilds<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let rows: Vec<_> = groups_of(world, plan)
        .flat_map(|(group, planned, array)| {
            let pairs = group.rebuilds.iter().zip(&planned.rebuilds);
            pairs.map(move |(rebuild, plan)| (rebuild, plan, planned, array))
        })
        .collect();
    let disk = |array: usize, number: u32| plan.arrays[array].disks[number as usize].name.clone();
    let drive_in = |plan: &RebuildPlan, group: &GroupPlan| group.disks[plan.slot as usize];
    Table::new(
        "rebuilds",
        vec![
            ("group", Column::text(&rows, |row| row.2.name.clone())),
            (
                "drive",
                Column::text(&rows, |row| disk(row.3, drive_in(row.1, row.2))),
            ),
            ("spare", Column::text(&rows, |row| disk(row.3, row.1.spare))),
            (
                "is_begun",
                Column::whole(&rows, |row| u64::from(row.0.began_at.is_some())),
            ),
            (
                "is_done",
                Column::whole(&rows, |row| u64::from(row.0.ended_at.is_some())),
            ),
            (
                "first_ps",
                Column::whole(&rows, |row| row.0.began_at.map_or(0, Instant::as_ps)),
            ),
            (
                "last_ps",
                Column::whole(&rows, |row| row.0.ended_at.map_or(0, Instant::as_ps)),
            ),
            ("drive_bytes", Column::whole(&rows, |row| row.0.bytes())),
            (
                "rebuilt_bytes",
                Column::whole(&rows, |row| row.0.rebuilt_bytes()),
            ),
            (
                "rate_bytes_per_s",
                Column::real(&rows, |row| {
                    let began_at = row.0.began_at.unwrap_or(now);
                    let span = row.0.ended_at.unwrap_or(now) - began_at;
                    per_second(row.0.rebuilt_bytes(), span)
                }),
            ),
        ],
    )
}

fn rebuild_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (group, planned, array) in groups_of(world, plan) {
        for (rebuild, plan) in group.rebuilds.iter().zip(&planned.rebuilds) {
            let drive = planned.disks[plan.slot as usize] as usize;
            let points = rebuild.points.iter();
            rows.extend(points.map(|&(at, bytes)| (array, drive, at, bytes)));
        }
    }
    Table::new(
        "rebuild_series",
        vec![
            (
                "drive",
                Column::text(&rows, |row| plan.arrays[row.0].disks[row.1].name.clone()),
            ),
            ("time_ps", Column::whole(&rows, |row| row.2.as_ps())),
            ("rebuilt_bytes", Column::whole(&rows, |row| row.3)),
        ],
    )
}

/// Controllers with their plans, and their places among those of their array.
fn controllers_of<'a, const E: bool>(
    world: &'a World<E>,
    plan: &'a Plan,
) -> impl Iterator<Item = (&'a Controller, &'a ControllerPlan, u64)> {
    let arrays = world.array.arrays().iter().zip(&plan.arrays);
    arrays.flat_map(|(state, planned)| {
        let controllers = state.controllers.pairs().zip(&planned.controllers);
        controllers.map(|((id, controller), planned)| {
            let mut luns = state.luns.iter();
            let serves = luns.by_ref().filter(|lun| lun.served_by == Some(id));
            (controller, planned, serves.count() as u64)
        })
    })
}

/// Controllers: what they did, and what happened to them.
fn controllers<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let rows: Vec<_> = controllers_of(world, plan).collect();
    let whole = |value: fn(&ControllerCounters) -> u64| {
        Column::whole(&rows, move |row| value(&row.0.counters))
    };
    Table::new(
        "controllers",
        vec![
            ("controller", Column::text(&rows, |row| row.1.name.clone())),
            ("is_up", Column::whole(&rows, |row| u64::from(row.0.is_up))),
            ("luns_count", Column::whole(&rows, |row| row.2)),
            ("commands_count", whole(|counters| counters.commands)),
            ("forwarded_count", whole(|counters| counters.forwarded)),
            ("held_count", whole(|counters| counters.held)),
            (
                "failures_count",
                whole(|counters| u64::from(counters.failures)),
            ),
            (
                "failed_ps",
                Column::whole(&rows, |row| {
                    let counters = &row.0.counters;
                    let lasting = now.saturating_since(counters.failed_at);
                    let lasting = if row.0.is_up { Span::ZERO } else { lasting };
                    (counters.failed_for + lasting).as_ps()
                }),
            ),
        ],
    )
}

const CACHE: [Field<CacheCounts>; 11] = [
    ("hits_count", |counts| counts.hits),
    ("waits_count", |counts| counts.waits),
    ("misses_count", |counts| counts.misses),
    ("prefetches_count", |counts| counts.prefetches),
    ("prefetched_bytes", |counts| counts.prefetched),
    ("written_bytes", |counts| counts.written),
    ("overwritten_bytes", |counts| counts.overwritten),
    ("destaged_bytes", |counts| counts.destaged),
    ("lost_bytes", |counts| counts.lost),
    ("destages_count", |counts| counts.destages),
    ("full_stripe_destages_count", |counts| counts.full_destages),
];

const HELD: [Field<CacheSums>; 7] = [
    ("dirty_bytes", |sums| sums.dirty),
    ("max_dirty_bytes", |sums| sums.most_dirty),
    ("room_waits_count", |sums| sums.waits),
    ("room_wait_ps", |sums| {
        u64::try_from(sums.waited).unwrap_or(u64::MAX)
    }),
    ("full_ps", |sums| sums.full.as_ps()),
    ("through_count", |sums| sums.through),
    ("alone_ps", |sums| sums.alone.as_ps()),
];

fn caches<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let rows: Vec<_> = controllers_of(world, plan)
        .filter_map(|(state, planned, _)| {
            let (counts, sums) = state.cache_totals(now)?;
            Some((counts, sums, planned))
        })
        .collect();
    let mut columns = vec![("controller", Column::text(&rows, |row| row.2.name.clone()))];
    for (name, value) in CACHE {
        columns.push((name, Column::whole(&rows, |row| value(&row.0))));
    }
    for (name, value) in HELD {
        columns.push((name, Column::whole(&rows, |row| value(&row.1))));
    }
    let run = now - Instant::START;
    let mean = Column::real(&rows, |row| mean_over(row.1.dirty_area, run));
    columns.push(("mean_dirty_bytes", mean));
    Table::new("caches", columns)
}

/// Caches in each interval of the time series.
fn cache_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let names: Vec<_> = controllers_of(world, plan)
        .filter(|row| row.0.cache_totals(Instant::START).is_some())
        .map(|row| &row.1.name)
        .collect();
    let rows = world.meters.series().cache_rows();
    Table::new(
        "cache_series",
        vec![
            (
                "controller",
                Column::text(&rows, |row| names[row.cache].clone()),
            ),
            ("time_ps", Column::whole(&rows, |row| row.ends_at.as_ps())),
            ("span_ps", Column::whole(&rows, |row| row.span.as_ps())),
            ("dirty_bytes", Column::whole(&rows, |row| row.dirty)),
            (
                "mean_dirty_bytes",
                Column::real(&rows, |row| mean_over(row.dirty_area, row.span)),
            ),
            ("room_waits_count", Column::whole(&rows, |row| row.waits)),
            ("full_ps", Column::whole(&rows, |row| row.full.as_ps())),
            ("through_count", Column::whole(&rows, |row| row.through)),
            ("alone_ps", Column::whole(&rows, |row| row.alone.as_ps())),
        ],
    )
}

/// Mean of something integrated over picoseconds of a span.
fn mean_over(area: u128, span: Span) -> f64 {
    area as f64 / span.as_ps().max(1) as f64
}

/// Limits of LUNs and hosts.
fn limits<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let arrays = world.array.arrays().iter().zip(&plan.arrays);
    let rows: Vec<_> = arrays
        .flat_map(|(state, planned)| {
            let limits = state.limits.all.iter().zip(&planned.limits);
            limits.map(|(limit, planned)| (limit.counters, &planned.name))
        })
        .collect();
    Table::new(
        "limits",
        vec![
            ("limit", Column::text(&rows, |row| row.1.clone())),
            ("commands_count", Column::whole(&rows, |row| row.0.commands)),
            ("bytes", Column::whole(&rows, |row| row.0.bytes)),
            ("delayed_count", Column::whole(&rows, |row| row.0.delayed)),
            (
                "mean_wait_ps",
                Column::real(&rows, |row| {
                    row.0.waits as f64 / row.0.delayed.max(1) as f64
                }),
            ),
        ],
    )
}

/// Limits in each interval of the time series.
fn limit_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.meters.series().limit_rows();
    let planned = plan.arrays.iter().flat_map(|array| &array.limits);
    let names: Vec<_> = planned.map(|limit| &limit.name).collect();
    let whole = |value: fn(&PartRow<LimitCounters>) -> u64| Column::whole(rows, value);
    Table::new(
        "limit_series",
        vec![
            ("limit", Column::text(rows, |row| names[row.part].clone())),
            ("time_ps", whole(|row| row.ends_at.as_ps())),
            (
                "commands_count",
                whole(|row| row.after.commands - row.before.commands),
            ),
            ("bytes", whole(|row| row.after.bytes - row.before.bytes)),
            (
                "delayed_count",
                whole(|row| row.after.delayed - row.before.delayed),
            ),
            (
                "wait_ps",
                whole(|row| whole_of(row.after.waits - row.before.waits)),
            ),
        ],
    )
}

const FLASH: [Field<FlashCounters>; 4] = [
    ("pages_read_count", |counters| counters.reads),
    ("pages_programmed_count", |counters| counters.programs),
    ("pages_moved_count", |counters| counters.moves),
    ("blocks_erased_count", |counters| counters.erases),
];

fn flash<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (state, planned) in world.array.arrays().iter().zip(&plan.arrays) {
        for (lun, planned) in state.luns.iter().zip(&planned.luns) {
            if let Media::Flash(flash) = &lun.media {
                rows.push((flash.counters, &planned.name));
            }
        }
        for (drive, planned) in state.disks.iter().zip(&planned.disks) {
            let counters = drive.ssd().and_then(Ssd::flash_counters);
            rows.extend(counters.map(|counters| (counters, &planned.name)));
        }
    }
    let mut columns = vec![("ssd", Column::text(&rows, |row| row.1.clone()))];
    for (name, value) in FLASH {
        columns.push((name, Column::whole(&rows, |row| value(&row.0))));
    }
    Table::new("flash", columns)
}
