//! What loops and their strings have counted, as tables.

use sanlab_fabric::{Loop, LoopCounters, Medium, StringCounters};
use sanlab_kernel::{Instant, Span};
use sanlab_metrics::{Column, Table};

use super::numbers::{ratio, run_time};
use crate::meters::PartRow;
use crate::plan::{LoopPlan, MediumPlan, Plan};
use crate::world::World;

/// One row for each loop.
pub(super) fn loops<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    type Row<'a> = (&'a LoopPlan, &'a Loop, LoopCounters);
    let loops = plan.loops.iter().zip(&world.network.loops.loops);
    let rows: Vec<Row<'_>> = loops
        .map(|(ring, state)| (ring, state, state.counters(now)))
        .collect();
    let whole =
        |value: fn(&LoopCounters) -> u64| Column::whole(&rows, move |row: &Row<'_>| value(&row.2));
    let time = |value: fn(&LoopCounters) -> Span| {
        Column::whole(&rows, move |row: &Row<'_>| value(&row.2).as_ps())
    };
    let share = |value: fn(&LoopCounters) -> Span| {
        Column::real(&rows, move |row: &Row<'_>| {
            ratio(value(&row.2), run_time(now))
        })
    };
    Table::new(
        "loops",
        vec![
            ("loop", Column::text(&rows, |row| row.0.name.clone())),
            (
                "medium",
                Column::text(&rows, |row| match row.0.medium {
                    MediumPlan::Shared {} => "shared".into(),
                    MediumPlan::Switched { .. } => "switched".into(),
                }),
            ),
            ("speed", Column::text(&rows, |row| row.0.speed.clone())),
            (
                "ports_count",
                Column::whole(&rows, |row| row.0.ports.len() as u64),
            ),
            (
                "round_ps",
                Column::whole(&rows, |row| row.1.round().as_ps()),
            ),
            ("tenancies_count", whole(|counters| counters.tenancies)),
            ("owned_ps", time(|counters| counters.owned)),
            ("arbitrating_ps", time(|counters| counters.arbitrating)),
            ("sending_ps", time(|counters| counters.sending)),
            ("owned_share", share(|counters| counters.owned)),
            ("arbitrating_share", share(|counters| counters.arbitrating)),
            ("sending_share", share(|counters| counters.sending)),
        ],
    )
}

/// One row for each string between two crossbars.
pub(super) fn strings<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let mut rows = Vec::new();
    for (ring, state) in plan.loops.iter().zip(&world.network.loops.loops) {
        if let (MediumPlan::Switched { crossbars, strings }, Medium::Switched(switched)) =
            (&ring.medium, &state.medium)
        {
            for (string, counted) in strings.iter().zip(&switched.strings_counted) {
                let (a, b) = (&crossbars[string.a as usize], &crossbars[string.b as usize]);
                rows.push((
                    ring.name.clone(),
                    a.clone(),
                    b.clone(),
                    string.links,
                    *counted,
                ));
            }
        }
    }
    Table::new(
        "strings",
        vec![
            ("loop", Column::text(&rows, |row| row.0.clone())),
            ("from", Column::text(&rows, |row| row.1.clone())),
            ("to", Column::text(&rows, |row| row.2.clone())),
            (
                "links_count",
                Column::whole(&rows, |row| u64::from(row.3.get())),
            ),
            ("circuits_count", Column::whole(&rows, |row| row.4.circuits)),
            ("held_ps", Column::whole(&rows, |row| row.4.held.as_ps())),
            (
                "utilisation",
                Column::real(&rows, |row| {
                    ratio(row.4.held, run_time(now) * u64::from(row.3.get()))
                }),
            ),
            (
                "most_held_count",
                Column::whole(&rows, |row| u64::from(row.4.most_held)),
            ),
        ],
    )
}

/// Loops in each interval of the time series.
pub(super) fn loop_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = world.meters.series().loop_rows();
    // A break may have cut off a part of a loop, which is in no plan.
    rows.retain(|row| row.part < plan.loops.len());
    let share = |value: fn(&LoopCounters) -> Span| {
        Column::real(&rows, move |row: &PartRow<LoopCounters>| {
            ratio(value(&row.after) - value(&row.before), row.span)
        })
    };
    Table::new(
        "loop_series",
        vec![
            (
                "loop",
                Column::text(&rows, |row| plan.loops[row.part].name.clone()),
            ),
            ("time_ps", Column::whole(&rows, |row| row.ends_at.as_ps())),
            (
                "tenancies_count",
                Column::whole(&rows, |row| row.after.tenancies - row.before.tenancies),
            ),
            ("owned_share", share(|counters| counters.owned)),
            ("arbitrating_share", share(|counters| counters.arbitrating)),
            ("sending_share", share(|counters| counters.sending)),
        ],
    )
}

/// Strings in each interval of the time series.
pub(super) fn string_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.meters.series().string_rows();
    let known: Vec<_> = plan
        .loops
        .iter()
        .flat_map(|ring| match &ring.medium {
            MediumPlan::Switched { crossbars, strings } => strings
                .iter()
                .map(|string| {
                    let ends = [string.a, string.b].map(|end| crossbars[end as usize].clone());
                    (ring.name.clone(), ends, u64::from(string.links.get()))
                })
                .collect(),
            MediumPlan::Shared {} => Vec::new(),
        })
        .collect();
    let whole = |value: fn(&PartRow<StringCounters>) -> u64| Column::whole(rows, value);
    Table::new(
        "string_series",
        vec![
            ("loop", Column::text(rows, |row| known[row.part].0.clone())),
            (
                "from",
                Column::text(rows, |row| known[row.part].1[0].clone()),
            ),
            ("to", Column::text(rows, |row| known[row.part].1[1].clone())),
            ("time_ps", whole(|row| row.ends_at.as_ps())),
            (
                "circuits_count",
                whole(|row| row.after.circuits - row.before.circuits),
            ),
            (
                "utilisation",
                Column::real(rows, |row| {
                    ratio(
                        row.after.held - row.before.held,
                        row.span * known[row.part].2,
                    )
                }),
            ),
        ],
    )
}
