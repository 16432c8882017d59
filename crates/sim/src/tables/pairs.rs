//! The table of pairs of N_Ports that policies name.

use sanlab_fabric::{Discipline, Pair, PairCounters};
use sanlab_fc::NPort;
use sanlab_kernel::Id;
use sanlab_metrics::{Column, Table};

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
    for (id, fibre) in world.network.fibres.pairs() {
        let pairs = fibre.discipline().into_iter().flat_map(Discipline::pairs);
        for (pair, counters) in pairs.filter(|(_, counters)| counters.frames > 0) {
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
