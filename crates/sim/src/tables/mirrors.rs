//! What copies to other arrays have done, and what they lacked, as tables.

use sanlab_kernel::{Id, Instant, Span};
use sanlab_metrics::{Column, Table};
use sanlab_storage::{Mirror, MirrorCounters};

use super::numbers::{per_second, run_time};
use crate::flows::mirror_flows;
use crate::plan::Plan;
use crate::world::World;

/// A mirrored LUN.
struct Row<'a> {
    mirror: &'a Mirror,
    source: String,
    target: String,
}

impl Row<'_> {
    fn counters(&self) -> &MirrorCounters {
        self.mirror.counters()
    }

    fn mode(&self) -> &'static str {
        if self.mirror.is_synchronous() {
            "synchronous"
        } else {
            "asynchronous"
        }
    }

    fn throughput(&self) -> f64 {
        let counters = self.counters();
        let first_at = counters.first_at.unwrap_or(Instant::START);
        per_second(counters.bytes, counters.last_at.saturating_since(first_at))
    }

    fn response(&self) -> f64 {
        self.counters().response as f64 / self.counters().copies.max(1) as f64
    }
}

/// Mirrored LUNs.
pub(super) fn mirrors<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let rows: Vec<_> = mirror_flows(plan)
        .filter_map(|(_, array, lun)| {
            let state = &world.array.arrays()[Id::from_place(array)];
            let mirror = state.luns[Id::from_place(lun)].mirror.as_ref()?;
            let to = &plan.arrays[mirror.route.array.place()].luns[mirror.route.lun.place()];
            Some(Row {
                mirror,
                source: plan.arrays[array].luns[lun].name.clone(),
                target: to.name.clone(),
            })
        })
        .collect();
    let mut columns = vec![
        ("source", Column::text(&rows, |row| row.source.clone())),
        ("target", Column::text(&rows, |row| row.target.clone())),
        ("mode", Column::text(&rows, |row| row.mode().into())),
    ];
    columns.extend(copy_columns(&rows));
    columns.extend(lag_columns(&rows, now));
    Table::new("mirrors", columns)
}

fn copy_columns(rows: &[Row<'_>]) -> Vec<(&'static str, Column)> {
    let counted =
        |value: fn(&MirrorCounters) -> u64| Column::whole(rows, |row| value(row.counters()));
    vec![
        ("copies_count", counted(|counters| counters.copies)),
        (
            "unfinished_count",
            Column::whole(rows, |row| row.mirror.unfinished()),
        ),
        ("lost_count", counted(|counters| counters.lost)),
        ("bytes", counted(|counters| counters.bytes)),
        (
            "first_ps",
            counted(|counters| counters.first_at.map_or(0, Instant::as_ps)),
        ),
        ("last_ps", counted(|counters| counters.last_at.as_ps())),
        (
            "throughput_bytes_per_s",
            Column::real(rows, Row::throughput),
        ),
        ("response_mean_ps", Column::real(rows, Row::response)),
        (
            "max_outstanding",
            counted(|counters| u64::from(counters.most_open)),
        ),
    ]
}

fn lag_columns(rows: &[Row<'_>], now: Instant) -> Vec<(&'static str, Column)> {
    let lag = |value: fn(&Mirror) -> u64| Column::whole(rows, |row| value(row.mirror));
    vec![
        ("waits_count", lag(|mirror| mirror.counters().waits)),
        (
            "max_held_bytes",
            lag(|mirror| mirror.counters().most_held_bytes),
        ),
        ("max_lag_ps", lag(|mirror| mirror.lag().worst().as_ps())),
        ("max_lag_bytes", lag(|mirror| mirror.lag().most_bytes())),
        (
            "mean_lag_bytes",
            Column::real(rows, |row| mean(row.mirror.lag().area(), run_time(now))),
        ),
        (
            "end_lag_ps",
            Column::whole(rows, |row| row.mirror.lag().age(now).as_ps()),
        ),
        ("end_lag_bytes", lag(|mirror| mirror.lag().bytes())),
        (
            "suspended_ps",
            Column::whole(rows, |row| {
                let lasts = row.mirror.suspended_at().map(|since| now - since);
                (row.counters().suspended + lasts.unwrap_or(Span::ZERO)).as_ps()
            }),
        ),
        (
            "suspensions_count",
            lag(|mirror| mirror.counters().suspensions),
        ),
        (
            "resync_ps",
            Column::whole(rows, |row| {
                let lasts = row.mirror.resync_since().map(|since| now - since);
                (row.counters().resync + lasts.unwrap_or(Span::ZERO)).as_ps()
            }),
        ),
        ("resync_bytes", lag(|mirror| mirror.counters().resync_bytes)),
    ]
}

/// Lag of the asynchronous mirrors in every interval.
pub(super) fn mirror_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.meters.series().mirrors;
    Table::new(
        "mirror_series",
        vec![
            (
                "source",
                Column::text(rows, |row| {
                    plan.arrays[row.array.place()].luns[row.lun.place()]
                        .name
                        .clone()
                }),
            ),
            ("time_ps", Column::whole(rows, |row| row.ends_at.as_ps())),
            (
                "max_lag_ps",
                Column::whole(rows, |row| row.lag.worst.as_ps()),
            ),
            (
                "max_lag_bytes",
                Column::whole(rows, |row| row.lag.most_bytes),
            ),
            (
                "mean_lag_bytes",
                Column::real(rows, |row| mean(row.lag.area, row.span)),
            ),
            ("end_lag_bytes", Column::whole(rows, |row| row.lag.bytes)),
            (
                "suspended",
                Column::whole(rows, |row| u64::from(row.is_suspended)),
            ),
            (
                "resynchronises",
                Column::whole(rows, |row| u64::from(row.resynchronises)),
            ),
        ],
    )
}

/// Mean over a span of what was integrated over picoseconds.
fn mean(area: u128, span: Span) -> f64 {
    area as f64 / span.as_ps().max(1) as f64
}
