//! What ends of links did for writes, as a table.

use sanlab_metrics::{Column, Table};

use crate::acceleration::state::{Accelerator, AcceleratorCounters};
use crate::names::fibre_name;
use crate::plan::Plan;
use crate::world::World;

/// Links whose ends accelerate writes: a row for each direction.
pub(super) fn accelerators<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = world.accelerators.all.as_slice();
    let counted = |value: fn(&AcceleratorCounters) -> u64| {
        Column::whole(rows, |row: &Accelerator| value(&row.counters))
    };
    Table::new(
        "accelerators",
        vec![
            (
                "port",
                Column::text(rows, |row| fibre_name(plan, row.fibre)),
            ),
            (
                "peer",
                Column::text(rows, |row| {
                    fibre_name(plan, sanlab_fabric::way_back(row.fibre))
                }),
            ),
            ("writes_count", counted(|counters| counters.writes)),
            ("bytes", counted(|counters| counters.bytes)),
            ("no_room_count", counted(|counters| counters.refused)),
            (
                "max_used_bytes",
                counted(|counters| counters.most_used_bytes),
            ),
            ("passed_bytes", counted(|counters| counters.passed_bytes)),
            ("dropped_bytes", counted(|counters| counters.dropped_bytes)),
        ],
    )
}
