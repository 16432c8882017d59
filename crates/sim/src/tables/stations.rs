//! Tables of stations: processors, engines, buses, controllers, media.

use sanlab_kernel::{Instant, StationTotals};
use sanlab_metrics::{Column, Table};

use super::numbers::whole_of;
use crate::meters::{self, Machines, StationPlace};
use crate::plan::Plan;
use crate::world::World;

struct StationRow {
    place: StationPlace,
    servers: u64,
    totals: StationTotals,
}

/// Stations that served something, in the order of hosts and arrays.
fn station_rows<const E: bool>(world: &mut World<E>, now: Instant) -> Vec<StationRow> {
    let mut rows = Vec::new();
    let mut machines = Machines {
        network: &mut world.network,
        host: &mut world.host,
        array: &mut world.array,
    };
    machines.visit(now, |place, servers, totals| {
        if totals.arrivals > 0 {
            let servers = servers as u64;
            rows.push(StationRow {
                place,
                servers,
                totals,
            });
        }
    });
    rows
}

/// Names of stations: those of the parts of the plan they belong to.
struct Names<'a> {
    plan: &'a Plan,
    engines: Vec<&'a str>,
    buses: Vec<(&'a str, bool)>,
}

impl<'a> Names<'a> {
    fn new(plan: &'a Plan) -> Self {
        let engines = plan.hosts.iter().flat_map(|host| &host.engines);
        let buses = plan.hosts.iter().flat_map(|host| &host.buses);
        Self {
            plan,
            engines: engines.map(|engine| &*engine.name).collect(),
            buses: buses.map(|bus| (&*bus.name, bus.full_duplex)).collect(),
        }
    }

    fn of(&self, place: StationPlace) -> String {
        let arrays = &self.plan.arrays;
        let name = match place {
            StationPlace::Cpu(host) => &self.plan.hosts[host].name,
            StationPlace::Engine(number) => self.engines[number],
            StationPlace::Bus(number, to_memory) => {
                let (name, is_full_duplex) = self.buses[number];
                if is_full_duplex {
                    return format!("{name} {} memory", if to_memory { "to" } else { "from" });
                }
                name
            }
            StationPlace::Controller(array, number)
            | StationPlace::Forwarding(array, number)
            | StationPlace::Partner(array, number) => &arrays[array].controllers[number].name,
            StationPlace::Disk(array, number) | StationPlace::Ssd(array, number) => {
                &arrays[array].disks[number].name
            }
            StationPlace::Media(array, lun) => &arrays[array].luns[lun].name,
            StationPlace::Parity(array) => &arrays[array].name,
        };
        name.to_owned()
    }
}

fn kind_of(place: StationPlace) -> &'static str {
    match place {
        StationPlace::Cpu(_) => "cpu",
        StationPlace::Engine(_) => "hba",
        StationPlace::Bus(..) => "bus",
        StationPlace::Controller(..) => "controller",
        StationPlace::Forwarding(..) => "forwarding",
        StationPlace::Disk(..) => "disk",
        StationPlace::Ssd(..) => "ssd",
        StationPlace::Media(..) => "media",
        StationPlace::Parity(_) => "parity",
        StationPlace::Partner(..) => "partner",
    }
}

/// Stations in each interval of the time series.
pub(super) fn station_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let names = Names::new(plan);
    let rows = &world.meters.series().station_rows();
    let capacity = |row: &meters::StationRow| (row.servers as u64 * row.span.as_ps()).max(1) as f64;
    Table::new(
        "station_series",
        vec![
            ("station", Column::text(rows, |row| names.of(row.place))),
            ("kind", Column::text(rows, |row| kind_of(row.place).into())),
            ("time_ps", Column::whole(rows, |row| row.ends_at.as_ps())),
            ("arrivals_count", Column::whole(rows, |row| row.arrivals)),
            (
                "utilisation",
                Column::real(rows, |row| row.busy as f64 / capacity(row)),
            ),
            (
                "mean_in_system",
                Column::real(rows, |row| row.area as f64 / row.span.as_ps().max(1) as f64),
            ),
        ],
    )
}

/// Stations: whatever serves requests in order of arrival.
pub(super) fn stations<const E: bool>(world: &mut World<E>, plan: &Plan, now: Instant) -> Table {
    let names = Names::new(plan);
    let rows = &station_rows(world, now);
    let residence = |row: &StationRow| {
        let left = row.totals.departures.max(1);
        row.totals.residence as f64 / left as f64
    };
    Table::new(
        "stations",
        vec![
            ("station", Column::text(rows, |row| names.of(row.place))),
            ("kind", Column::text(rows, |row| kind_of(row.place).into())),
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
