//! Tables of paths and their losses, and of the events of a run.

use sanlab_fc::NPort;
use sanlab_host::PathState;
use sanlab_kernel::{Id, Instant, Span};
use sanlab_metrics::{Column, Table};

use crate::faults::state::{Happened, Place};
use crate::host::path::Path;
use crate::names::{fibre_name, port_name};
use crate::plan::Plan;
use crate::world::World;

/// One row for each path from an adapter to a port of an array.
pub(super) fn paths<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let rows = world.host.paths().as_slice();
    let name = |n_port: Id<NPort>| plan.n_ports[n_port.place()].name.clone();
    let whole = |value: fn(&Path) -> u64| Column::whole(rows, value);
    Table::new(
        "paths",
        vec![
            ("path", Column::text(rows, |row| path_name(plan, row))),
            ("initiator", Column::text(rows, |row| name(row.initiator))),
            ("target", Column::text(rows, |row| name(row.target))),
            (
                "state",
                Column::text(rows, |row| {
                    match row.state {
                        PathState::Up => "up",
                        PathState::Blocked => "blocked",
                        PathState::Failed => "failed",
                    }
                    .into()
                }),
            ),
            ("answers_count", whole(|row| row.answers)),
            ("losses_count", whole(|row| u64::from(row.losses))),
            (
                "lost_ps",
                Column::whole(rows, |row| {
                    let lasting = now - row.lost_at.min(now);
                    let is_lost = row.state != PathState::Up;
                    let lost = row.lost_for + if is_lost { lasting } else { Span::ZERO };
                    lost.as_ps()
                }),
            ),
            ("lost_first_ps", whole(|row| instant_ps(row.lost_first))),
            ("replaced_ps", whole(|row| instant_ps(row.replaced_at))),
        ],
    )
}

/// When something happened, 0 where it did not.
fn instant_ps(at: Option<Instant>) -> u64 {
    at.map_or(0, Instant::as_ps)
}

fn path_name(plan: &Plan, path: &Path) -> String {
    let name = |n_port: Id<NPort>| &plan.n_ports[n_port.place()].name;
    format!("{} to {}", name(path.initiator), name(path.target))
}

/// What happened in the fabric, and what hosts made of it, in the order of time.
pub(super) fn happenings<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let known = plan.faults.happenings.iter().map(|known| {
        let (what, place) = (known.what.clone(), known.place.clone());
        (known.at_ps, what, place, known.reason.clone())
    });
    let seen = world.faults.log().iter().map(|seen| {
        let place = place_name(world, plan, seen);
        (seen.at.as_ps(), seen.what.to_string(), place, String::new())
    });
    let mut rows: Vec<_> = known.chain(seen).collect();
    rows.sort_by_key(|row| row.0);
    Table::new(
        "happenings",
        vec![
            ("time_ps", Column::whole(&rows, |row| row.0)),
            ("what", Column::text(&rows, |row| row.1.clone())),
            ("place", Column::text(&rows, |row| row.2.clone())),
            ("reason", Column::text(&rows, |row| row.3.clone())),
        ],
    )
}

fn place_name<const E: bool>(world: &World<E>, plan: &Plan, seen: &Happened) -> String {
    match seen.place {
        Place::Link(link) => {
            let end = |at_b| port_name(plan, link.place(), at_b);
            format!("{} to {}", end(false), end(true))
        }
        Place::Fibre(fibre) => fibre_name(plan, fibre),
        Place::Path(path) => path_name(plan, &world.host.paths()[path]),
        Place::Device(device) => {
            let route = world.host.devices()[device].routes[Id::new(0)];
            let lun = &plan.arrays[route.array.place()].luns[route.lun.place()];
            lun.name.clone()
        }
        Place::NPort(n_port) => plan.n_ports[n_port.place()].name.clone(),
        Place::Array(array) => plan.arrays[array.place()].name.clone(),
        Place::Controller(array, controller) => {
            let array = &plan.arrays[array.place()];
            array.controllers[controller.place()].name.clone()
        }
        Place::Fabric => "fabric".into(),
    }
}
