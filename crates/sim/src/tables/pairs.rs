//! The table of pairs of N_Ports that policies name.

use sanlab_fabric::{Pair, PairCounters};
use sanlab_fc::NPort;
use sanlab_kernel::Id;
use sanlab_metrics::{Column, Table};

use super::numbers::whole_of;
use crate::meters::{PartRow, pairs_of};
use crate::names::fibre_name;
use crate::plan::Plan;
use crate::world::World;

struct PairRow {
    port: String,
    pair: Pair,
    counters: PairCounters,
}

/// What pairs that policies name have sent by each output that knows them.
pub(super) fn pairs<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (id, pair, counters) in pairs_of(&world.network) {
        if counters.frames > 0 {
            rows.push(PairRow {
                port: fibre_name(plan, id),
                pair,
                counters: *counters,
            });
        }
    }
    let name = |n_port: Id<NPort>| plan.n_ports[n_port.place()].name.clone();
    let whole = |value: fn(&PairRow) -> u64| Column::whole(&rows, value);
    Table::new(
        "pairs",
        vec![
            ("port", Column::text(&rows, |row| row.port.clone())),
            ("source", Column::text(&rows, |row| name(row.pair.0))),
            ("destination", Column::text(&rows, |row| name(row.pair.1))),
            ("tx_frames_count", whole(|row| row.counters.frames)),
            ("tx_bytes", whole(|row| row.counters.bytes)),
            ("tx_payload_bytes", whole(|row| row.counters.payload_bytes)),
            (
                "held_ps",
                whole(|row| u64::try_from(row.counters.held).unwrap_or(u64::MAX)),
            ),
        ],
    )
}

/// The same pairs in each interval of the time series.
pub(super) fn pair_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.meters.series().pair_rows();
    let known: Vec<_> = pairs_of(&world.network)
        .map(|(id, pair, _)| {
            let ends = [pair.0, pair.1].map(|n_port| plan.n_ports[n_port.place()].name.clone());
            (fibre_name(plan, id), ends)
        })
        .collect();
    let whole = |value: fn(&PartRow<PairCounters>) -> u64| Column::whole(rows, value);
    Table::new(
        "pair_series",
        vec![
            ("port", Column::text(rows, |row| known[row.part].0.clone())),
            (
                "source",
                Column::text(rows, |row| known[row.part].1[0].clone()),
            ),
            (
                "destination",
                Column::text(rows, |row| known[row.part].1[1].clone()),
            ),
            ("time_ps", whole(|row| row.ends_at.as_ps())),
            (
                "tx_frames_count",
                whole(|row| row.after.frames - row.before.frames),
            ),
            ("tx_bytes", whole(|row| row.after.bytes - row.before.bytes)),
            (
                "tx_payload_bytes",
                whole(|row| row.after.payload_bytes - row.before.payload_bytes),
            ),
            (
                "held_ps",
                whole(|row| whole_of(row.after.held - row.before.held)),
            ),
        ],
    )
}
