//! Tables of hosts: ports of adapters, I/O buses.

use sanlab_kernel::Picoseconds;
use sanlab_metrics::{Column, Table};

use crate::plan::Plan;
use crate::tables::ratio;
use crate::world::World;

struct AdapterRow {
    port: String,
    host: String,
    commands: u64,
    interrupts: u64,
    queue_full: u64,
    busy: u64,
}

/// Ports of adapters.
pub(crate) fn adapters<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Table {
    let hosts = plan.hosts.iter();
    let of = hosts.flat_map(|host| host.adapters.iter().map(move |adapter| (host, adapter)));
    let rows: Vec<_> = (world.adapters.iter_mut().zip(of))
        .map(|(adapter, (host, of))| AdapterRow {
            port: plan.n_ports[of.n_port as usize].name.clone(),
            host: host.name.clone(),
            commands: adapter.commands,
            interrupts: adapter.interrupts,
            queue_full: adapter.queue_full,
            busy: u64::try_from(adapter.engine.totals(now).busy).unwrap_or(u64::MAX),
        })
        .collect();
    let whole = |value: fn(&AdapterRow) -> u64| Column::whole(&rows, value);
    Table::new(
        "adapters",
        vec![
            ("port", Column::text(&rows, |row| row.port.clone())),
            ("host", Column::text(&rows, |row| row.host.clone())),
            ("command_count", whole(|row| row.commands)),
            ("interrupt_count", whole(|row| row.interrupts)),
            ("queue_full_count", whole(|row| row.queue_full)),
            (
                "engine_utilisation",
                Column::real(&rows, |row| ratio(row.busy, now)),
            ),
        ],
    )
}

/// I/O buses.
pub(crate) fn buses<const E: bool>(world: &mut World<E>, plan: &Plan, now: Picoseconds) -> Table {
    let of = plan.hosts.iter();
    let of = of.flat_map(|host| host.buses.iter().map(move |bus| (host, bus)));
    let rows: Vec<_> = (world.network.buses.segments.iter_mut().zip(of))
        .map(|(bus, (host, of))| {
            let totals = bus.totals(now);
            let busy: Vec<u64> = totals
                .iter()
                .map(|lane| u64::try_from(lane.busy).unwrap_or(u64::MAX))
                .collect();
            (host, of, bus.bytes(), busy)
        })
        .collect();
    Table::new(
        "buses",
        vec![
            ("bus", Column::text(&rows, |row| row.1.name.clone())),
            ("host", Column::text(&rows, |row| row.0.name.clone())),
            ("bytes_per_s", Column::whole(&rows, |row| row.1.bytes_per_s)),
            ("from_memory_bytes", Column::whole(&rows, |row| row.2[0])),
            ("to_memory_bytes", Column::whole(&rows, |row| row.2[1])),
            (
                "utilisation",
                Column::real(&rows, |row| {
                    let most = row.3.iter().max().copied().unwrap_or(0);
                    ratio(most, now)
                }),
            ),
        ],
    )
}
