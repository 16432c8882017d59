//! What RAID groups, rebuilds, caches and flash have done, as tables.

use sanlab_kernel::Picoseconds;
use sanlab_metrics::{Column, Table};
use sanlab_storage::{FlashCounters, Group, GroupCounters, Media, PageCacheCounters, SECTOR_BYTES};

use crate::plan::{GroupPlan, Plan, RebuildPlan};
use crate::world::World;

type Field<T> = (&'static str, fn(&T) -> u64);

/// The tables of a run that ended now.
pub(crate) fn all<const E: bool>(world: &World<E>, plan: &Plan, now: Picoseconds) -> [Table; 5] {
    [
        groups(world, plan),
        rebuilds(world, plan, now),
        rebuild_series(world, plan),
        caches(world, plan),
        flash(world, plan),
    ]
}

fn groups_of<'a, const E: bool>(
    world: &'a World<E>,
    plan: &'a Plan,
) -> impl Iterator<Item = (&'a Group, &'a GroupPlan, usize)> {
    let arrays = world.arrays.iter().zip(&plan.arrays).enumerate();
    arrays.flat_map(|(array, (of, planned))| {
        let groups = of.groups.iter().zip(&planned.groups);
        groups.map(move |(group, planned)| (group, planned, array))
    })
}

const GROUP: [Field<GroupCounters>; 11] = [
    ("reads_count", |of| of.reads),
    ("degraded_reads_count", |of| of.degraded_reads),
    ("writes_count", |of| of.writes),
    ("full_rows_count", |of| of.full_rows),
    ("modified_rows_count", |of| of.modified_rows),
    ("reconstructed_rows_count", |of| of.reconstructed_rows),
    ("recovered_rows_count", |of| of.recovered_rows),
    ("disk_reads_count", |of| of.disk_reads),
    ("disk_writes_count", |of| of.disk_writes),
    ("disk_read_bytes", |of| of.disk_read_bytes),
    ("disk_write_bytes", |of| of.disk_write_bytes),
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
            Column::whole(&rows, |row| u64::from(row.0.missing())),
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

fn rebuilds<const E: bool>(world: &World<E>, plan: &Plan, now: Picoseconds) -> Table {
    let rows: Vec<_> = groups_of(world, plan)
        .flat_map(|(group, planned, array)| {
            let pairs = group.rebuilds.iter().zip(&planned.rebuilds);
            pairs.map(move |(rebuild, of)| (rebuild, of, planned, array))
        })
        .collect();
    let disk = |array: usize, number: u32| plan.arrays[array].disks[number as usize].name.clone();
    let of_slot = |of: &RebuildPlan, group: &GroupPlan| group.disks[of.slot as usize];
    Table::new(
        "rebuilds",
        vec![
            ("group", Column::text(&rows, |row| row.2.name.clone())),
            (
                "drive",
                Column::text(&rows, |row| disk(row.3, of_slot(row.1, row.2))),
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
                Column::whole(&rows, |row| row.0.began_at.unwrap_or(0)),
            ),
            (
                "last_ps",
                Column::whole(&rows, |row| row.0.ended_at.unwrap_or(0)),
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
                    row.0.rebuilt_bytes() as f64 / (span.max(1) as f64 * 1e-12)
                }),
            ),
        ],
    )
}

fn rebuild_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (group, planned, array) in groups_of(world, plan) {
        for (rebuild, of) in group.rebuilds.iter().zip(&planned.rebuilds) {
            let drive = planned.disks[of.slot as usize] as usize;
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
            ("time_ps", Column::whole(&rows, |row| row.2)),
            ("rebuilt_bytes", Column::whole(&rows, |row| row.3)),
        ],
    )
}

const CACHE: [Field<PageCacheCounters>; 11] = [
    ("hits_count", |of| of.hits),
    ("waits_count", |of| of.waits),
    ("misses_count", |of| of.misses),
    ("prefetches_count", |of| of.prefetches),
    ("prefetched_bytes", |of| of.prefetched_bytes),
    ("written_bytes", |of| of.written * SECTOR_BYTES),
    ("overwritten_bytes", |of| of.absorbed * SECTOR_BYTES),
    ("destaged_bytes", |of| of.destaged * SECTOR_BYTES),
    ("destages_count", |of| of.destages),
    ("full_stripe_destages_count", |of| of.full_destages),
    ("max_dirty_pages_count", |of| u64::from(of.most_dirty)),
];

fn caches<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let arrays = world.arrays.iter().zip(&plan.arrays);
    let with_pages = arrays.filter_map(|(of, planned)| Some((of.page_cache.as_ref()?, planned)));
    let rows: Vec<_> = with_pages.collect();
    let mut columns = vec![("array", Column::text(&rows, |row| row.1.name.clone()))];
    for (name, value) in CACHE {
        columns.push((name, Column::whole(&rows, |row| value(&row.0.counters))));
    }
    let dirty = Column::whole(&rows, |row| row.0.dirty_sectors() * SECTOR_BYTES);
    columns.push(("dirty_bytes", dirty));
    Table::new("caches", columns)
}

const FLASH: [Field<FlashCounters>; 4] = [
    ("pages_read_count", |of| of.reads),
    ("pages_programmed_count", |of| of.programs),
    ("pages_moved_count", |of| of.moves),
    ("blocks_erased_count", |of| of.erases),
];

fn flash<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let arrays = world.arrays.iter().zip(&plan.arrays);
    let luns = arrays.flat_map(|(of, planned)| of.luns.iter().zip(&planned.luns));
    let rows: Vec<_> = luns
        .filter_map(|(lun, planned)| match &lun.media {
            Media::Flash(flash) => Some((flash.counters, &planned.name)),
            _ => None,
        })
        .collect();
    let mut columns = vec![("lun", Column::text(&rows, |row| row.1.clone()))];
    for (name, value) in FLASH {
        columns.push((name, Column::whole(&rows, |row| value(&row.0))));
    }
    Table::new("flash", columns)
}
