//! Tables of hosts: ports of adapters, I/O buses.

use sanlab_host::Engine;
use sanlab_kernel::{IdVec, Instant, Span};
use sanlab_metrics::{Column, Table};

use super::numbers::{ratio, run_time, span_of};
use crate::plan::Plan;
use crate::world::World;

struct AdapterRow {
    port: String,
    host: String,
    commands: u64,
    interrupts: u64,
    queue_full: u64,
    busy: Span,
}

/// Ports of adapters.
pub(super) fn adapters<const E: bool>(world: &mut World<E>, plan: &Plan, now: Instant) -> Table {
    let engines = world.host.engines_mut().iter_mut();
    let busy: IdVec<Engine, Span> = engines
        .map(|engine| span_of(engine.station.totals(now).busy))
        .collect();
    let hosts = plan.hosts.iter();
    let planned = hosts.flat_map(|host| host.adapters.iter().map(move |adapter| (host, adapter)));
    let rows: Vec<_> = (world.host.adapters_mut().iter_mut().zip(planned))
        .map(|(adapter, (host, planned))| AdapterRow {
            port: plan.n_ports[planned.n_port as usize].name.clone(),
            host: host.name.clone(),
            commands: adapter.commands,
            interrupts: adapter.interrupts,
            queue_full: adapter.queue_full,
            busy: busy[adapter.engine],
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
                Column::real(&rows, |row| ratio(row.busy, run_time(now))),
            ),
        ],
    )
}

/// I/O buses.
pub(super) fn buses<const E: bool>(world: &mut World<E>, plan: &Plan, now: Instant) -> Table {
    let planned = plan
        .hosts
        .iter()
        .flat_map(|host| host.buses.iter().map(move |bus| (host, bus)));
    let rows: Vec<_> = (world.network.buses.segments.iter_mut().zip(planned))
        .map(|(bus, (host, planned))| {
            let totals = bus.totals(now);
            let busy: Vec<Span> = totals.iter().map(|lane| span_of(lane.busy)).collect();
            (host, planned, bus.bytes(), busy)
        })
        .collect();
    Table::new(
        "buses",
        vec![
            ("bus", Column::text(&rows, |row| row.1.name.clone())),
            ("host", Column::text(&rows, |row| row.0.name.clone())),
            (
                "bytes_per_s",
                Column::whole(&rows, |row| row.1.bytes_per_s.get()),
            ),
            ("from_memory_bytes", Column::whole(&rows, |row| row.2[0])),
            ("to_memory_bytes", Column::whole(&rows, |row| row.2[1])),
            (
                "utilisation",
                Column::real(&rows, |row| {
                    let most = row.3.iter().max().copied().unwrap_or(Span::ZERO);
                    ratio(most, run_time(now))
                }),
            ),
        ],
    )
}

/// File systems in each interval of the time series.
pub(super) fn file_system_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.meters.series().file_system_rows();
    Table::new(
        "file_system_series",
        vec![
            (
                "file_system",
                Column::text(rows, |row| plan.file_systems[row.part].name.clone()),
            ),
            ("time_ps", Column::whole(rows, |row| row.ends_at.as_ps())),
            (
                "allocation_count",
                Column::whole(rows, |row| row.after.allocations - row.before.allocations),
            ),
            (
                "allocation_utilisation",
                Column::real(rows, |row| {
                    ratio(span_of(row.after.busy - row.before.busy), row.span)
                }),
            ),
        ],
    )
}

struct FileSystemRow {
    name: String,
    allocations: u64,
    busy: Span,
    writes: u64,
    bytes: u64,
    response_sum: u128,
}

/// File systems: what was allocated, and what they wrote to their logs and their metadata.
pub(super) fn file_systems<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Instant,
) -> Table {
    let states = world.meters.workloads();
    let rows: Vec<_> = (world
        .host
        .file_systems_mut()
        .iter_mut()
        .zip(&plan.file_systems)
        .zip(0..))
    .map(|((file_system, planned), number)| {
        let own = plan.workloads.iter().zip(states);
        let own = own.filter(|(workload, _)| workload.file_system == Some(number));
        let totals: Vec<_> = own.map(|(_, state)| state.meters[0].totals).collect();
        FileSystemRow {
            name: planned.name.clone(),
            allocations: file_system.allocations,
            busy: span_of(file_system.server.totals(now).busy),
            writes: totals.iter().map(|totals| totals.count).sum(),
            bytes: totals.iter().map(|totals| totals.bytes).sum(),
            response_sum: totals.iter().map(|totals| totals.response_sum).sum(),
        }
    })
    .collect();
    let whole = |value: fn(&FileSystemRow) -> u64| Column::whole(&rows, value);
    Table::new(
        "file_systems",
        vec![
            ("file_system", Column::text(&rows, |row| row.name.clone())),
            ("allocation_count", whole(|row| row.allocations)),
            (
                "allocation_utilisation",
                Column::real(&rows, |row| ratio(row.busy, run_time(now))),
            ),
            ("journal_write_count", whole(|row| row.writes)),
            ("journal_bytes", whole(|row| row.bytes)),
            (
                "response_mean_ps",
                Column::real(&rows, |row| {
                    row.response_sum as f64 / row.writes.max(1) as f64
                }),
            ),
        ],
    )
}
