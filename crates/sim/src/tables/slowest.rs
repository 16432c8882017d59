//! The slowest I/Os of each workload, with all that tells where their time went.

use sanlab_fc::NPort;
use sanlab_kernel::{Id, Span, Stage};
use sanlab_metrics::{Column, Table};

use super::workloads::OPS;
use crate::host::path::Route;
use crate::host::request::OpenRequest;
use crate::meters::WorkloadState;
use crate::plan::{LunPlan, Plan};
use crate::world::World;

struct Row<'a> {
    workload: Id<WorkloadState>,
    response: Span,
    request: &'a OpenRequest,
    route: Route,
    initiator: Id<NPort>,
}

/// One row for each of the slowest I/Os, those of a workload and operation together, the slowest first.
pub(super) fn slowest<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    let host = &world.host;
    let applications = host.slowest().pairs().take(plan.applications());
    for (workload, directions) in applications {
        for slowest in directions.iter().rev() {
            for &(response, ref request) in slowest.ranked() {
                let route = host.route_of(request);
                rows.push(Row {
                    workload,
                    response,
                    request,
                    route,
                    initiator: host.paths()[route.path].initiator,
                });
            }
        }
    }
    let whole = |value: fn(&Row<'_>) -> u64| Column::whole(&rows, value);
    let n_port = |id: Id<NPort>| plan.n_ports[id.place()].name.clone();
    let job = |row: &Row<'_>| &plan.jobs[row.request.job.place()];
    let mut columns = vec![
        (
            "workload",
            Column::text(&rows, |row| {
                plan.workloads[row.workload.place()].name.clone()
            }),
        ),
        (
            "op",
            Column::text(&rows, |row| OPS[usize::from(row.request.is_read)].into()),
        ),
        ("job", Column::text(&rows, |row| job(row).name.clone())),
        ("number", whole(|row| row.request.number)),
        (
            "start_ps",
            whole(|row| row.request.timeline.began_at.as_ps()),
        ),
        ("response_ps", whole(|row| row.response.as_ps())),
        (
            "host",
            Column::text(&rows, |row| plan.hosts[job(row).host as usize].name.clone()),
        ),
        (
            "array",
            Column::text(&rows, |row| {
                plan.arrays[row.route.array.place()].name.clone()
            }),
        ),
        (
            "lun",
            Column::text(&rows, |row| lun(plan, &row.route).name.clone()),
        ),
        (
            "initiator",
            Column::text(&rows, |row| n_port(row.initiator)),
        ),
        (
            "target",
            Column::text(&rows, |row| n_port(row.route.target_n_port)),
        ),
        ("offset_bytes", whole(|row| row.request.address)),
        ("bytes", whole(|row| row.request.bytes)),
        (
            "command_count",
            whole(|row| u64::from(row.request.commands)),
        ),
        ("is_retried", whole(|row| u64::from(row.request.is_retried))),
    ];
    columns.extend(Stage::ALL.map(|stage| {
        let time = move |row: &Row<'_>| row.request.timeline.stages()[stage as usize].as_ps();
        (stage.column(), Column::whole(&rows, time))
    }));
    Table::new("slowest", columns)
}

fn lun<'a>(plan: &'a Plan, route: &Route) -> &'a LunPlan {
    &plan.arrays[route.array.place()].luns[route.lun.place()]
}
