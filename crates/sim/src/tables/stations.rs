//! The table of stations: processors, engines, buses, controllers, media.

use sanlab_kernel::{Instant, StationTotals};
use sanlab_metrics::{Column, Table};
use sanlab_storage::Media;

use super::numbers::whole_of;
use crate::plan::Plan;
use crate::world::World;

struct StationRow {
    name: String,
    kind: &'static str,
    servers: u64,
    totals: StationTotals,
}

/// Stations that served something, in the order of hosts and arrays.
fn station_rows<const E: bool>(world: &mut World<E>, plan: &Plan, now: Instant) -> Vec<StationRow> {
    let mut rows = Vec::new();
    let mut add = |totals: StationTotals, servers: usize, name: &str, kind: &'static str| {
        if totals.arrivals > 0 {
            let servers = servers as u64;
            rows.push(StationRow {
                name: name.to_owned(),
                kind,
                servers,
                totals,
            });
        }
    };
    for (host, planned) in world.host.hosts_mut().iter_mut().zip(&plan.hosts) {
        add(
            host.cpu.totals(now),
            host.cpu.servers(),
            &planned.name,
            "cpu",
        );
    }
    let engines = plan.hosts.iter().flat_map(|host| &host.engines);
    for (engine, planned) in world.host.engines_mut().iter_mut().zip(engines) {
        let station = &mut engine.station;
        add(station.totals(now), station.servers(), &planned.name, "hba");
    }
    let buses = plan.hosts.iter().flat_map(|host| &host.buses);
    for (bus, planned) in world.network.buses.segments.iter_mut().zip(buses) {
        for (totals, way) in bus
            .totals(now)
            .into_iter()
            .zip([" from memory", " to memory"])
        {
            let way = if planned.full_duplex { way } else { "" };
            add(totals, 1, &format!("{}{way}", planned.name), "bus");
        }
    }
    for (array, planned) in world.array.arrays_mut().iter_mut().zip(&plan.arrays) {
        for (controller, planned) in array.controllers.iter_mut().zip(&planned.controllers) {
            let processors = &mut controller.processors;
            let (totals, servers) = (processors.totals(now), processors.servers());
            add(totals, servers, &planned.name, "controller");
            let forwarding = controller.forwarding.totals(now);
            add(forwarding, 1, &planned.name, "forwarding");
        }
        for (disk, planned) in array.disks.iter_mut().zip(&planned.disks) {
            let (servers, kind) = match disk.ssd() {
                Some(ssd) => (ssd.servers(), "ssd"),
                None => (1, "disk"),
            };
            add(disk.totals(now), servers, &planned.name, kind);
        }
        for (lun, planned) in array.luns.iter_mut().zip(&planned.luns) {
            match &mut lun.media {
                Media::Memory { station, .. } => {
                    add(
                        station.totals(now),
                        station.servers(),
                        &planned.name,
                        "media",
                    );
                }
                Media::Flash(flash) => add(flash.totals(now), 1, &planned.name, "media"),
                Media::Ram(ram) => add(ram.totals(now), 1, &planned.name, "media"),
                Media::Stripe(_) | Media::Raid { .. } => {}
            }
        }
        add(array.parity.totals(now), 1, &planned.name, "parity");
        for (controller, planned) in array.controllers.iter_mut().zip(&planned.controllers) {
            add(controller.partner.totals(now), 1, &planned.name, "partner");
        }
    }
    rows
}

/// Stations: whatever serves requests in order of arrival.
pub(super) fn stations<const E: bool>(world: &mut World<E>, plan: &Plan, now: Instant) -> Table {
    let rows = &station_rows(world, plan, now);
    let residence = |row: &StationRow| {
        let left = row.totals.departures.max(1);
        row.totals.residence as f64 / left as f64
    };
    Table::new(
        "stations",
        vec![
            ("station", Column::text(rows, |row| row.name.clone())),
            ("kind", Column::text(rows, |row| row.kind.into())),
            ("servers", Column::whole(rows, |row| row.servers)),
            (
                "arrivals_count",
                Column::whole(rows, |row| row.totals.arrivals),
            ),
            (
                "busy_ps",
                Column::whole(rows, |row| whole_of(row.totals.busy)),
            ),
            (
                "utilisation",
                Column::real(rows, |row| {
                    let capacity = row.servers as f64 * now.as_ps().max(1) as f64;
                    row.totals.busy as f64 / capacity
                }),
            ),
            (
                "mean_in_system",
                Column::real(rows, |row| {
                    row.totals.area as f64 / now.as_ps().max(1) as f64
                }),
            ),
            ("mean_residence_ps", Column::real(rows, residence)),
            ("max_in_system", Column::whole(rows, |row| row.totals.most)),
        ],
    )
}
