//! What was counted at the task sets of LUNs.

use sanlab_kernel::{Instant, Span};
use sanlab_metrics::{Column, Table};
use sanlab_storage::LunTotals;

use super::numbers::whole_of;
use crate::plan::{ArrayPlan, LunPlan, Plan};
use crate::world::World;

/// A LUN and what was counted in a span.
struct Row<'a> {
    array: &'a ArrayPlan,
    lun: &'a LunPlan,
    span: Span,
    totals: LunTotals,
}

impl Row<'_> {
    fn mean_present(&self) -> f64 {
        self.totals.area as f64 / self.span.as_ps().max(1) as f64
    }
}

/// LUNs of a plan, in the order of arrays.
fn all(plan: &Plan) -> impl Iterator<Item = (&ArrayPlan, &LunPlan)> {
    let arrays = plan.arrays.iter();
    arrays.flat_map(|array| array.luns.iter().map(move |lun| (array, lun)))
}

/// Columns that the run and its intervals have in common.
fn counts(rows: &[Row<'_>]) -> Vec<(&'static str, Column)> {
    vec![
        ("read_count", Column::whole(rows, |row| row.totals.reads)),
        ("write_count", Column::whole(rows, |row| row.totals.writes)),
        (
            "read_bytes",
            Column::whole(rows, |row| row.totals.read_bytes),
        ),
        (
            "write_bytes",
            Column::whole(rows, |row| row.totals.write_bytes),
        ),
        (
            "queue_full_count",
            Column::whole(rows, |row| row.totals.refused),
        ),
        (
            "open_ps",
            Column::whole(rows, |row| whole_of(row.totals.area)),
        ),
        ("mean_open", Column::real(rows, Row::mean_present)),
    ]
}

/// LUNs that commands came to.
pub(super) fn luns<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let units = world
        .array
        .arrays()
        .iter()
        .flat_map(|array| array.luns.iter());
    let rows: Vec<_> = all(plan)
        .zip(units)
        .map(|((array, lun), unit)| Row {
            array,
            lun,
            span: now - Instant::START,
            totals: unit.totals(now),
        })
        .filter(|row| row.totals.admitted + row.totals.refused > 0)
        .collect();
    let rows = &rows[..];
    let mut columns = vec![
        ("lun", Column::text(rows, |row| row.lun.name.clone())),
        ("array", Column::text(rows, |row| row.array.name.clone())),
        ("number", Column::whole(rows, |row| row.lun.number.into())),
        (
            "queue_depth",
            Column::whole(rows, |row| row.lun.queue_depth.get().into()),
        ),
    ];
    columns.extend(counts(rows));
    Table::new("luns", columns)
}

/// The same in every interval.
pub(super) fn lun_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let luns: Vec<_> = all(plan).collect();
    let found = world.meters.series().lun_rows();
    let ends_at: Vec<_> = found.iter().map(|row| row.ends_at).collect();
    let rows: Vec<_> = found
        .into_iter()
        .map(|row| Row {
            array: luns[row.part].0,
            lun: luns[row.part].1,
            span: row.span,
            totals: row.after.since(&row.before),
        })
        .collect();
    let rows = &rows[..];
    let mut columns = vec![
        ("lun", Column::text(rows, |row| row.lun.name.clone())),
        ("time_ps", Column::whole(&ends_at, |at| at.as_ps())),
    ];
    columns.extend(counts(rows));
    Table::new("lun_series", columns)
}
