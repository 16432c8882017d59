//! What was counted, as tables.

mod faults;
mod hosts;
mod loops;
mod storage;

use sanlab_fabric::FibreCounters;
use sanlab_kernel::{Picoseconds, Stage, StationTotals, id_of};
use sanlab_metrics::{Column, Histogram, Table};
use sanlab_storage::Media;

use crate::build::{back_end_flows, mirror_flows};
use crate::meters::workload::WorkloadState;
use crate::plan::{EndPlan, LinkPlan, Plan, WorkloadPlan};
use crate::services::has_dialogues;
use crate::world::World;

const OPS: [&str; 2] = ["write", "read"];

/// The name people know a port by: `host1.hba0.p0`, `sw1.f3`, `sw1.e16`. `at_b` is the second end.
pub(crate) fn port_name(plan: &Plan, link: usize, at_b: bool) -> String {
    let (near, far) = ends(&plan.links[link], at_b);
    match near {
        EndPlan::NPort { n_port: id } => plan.n_ports[id as usize].name.clone(),
        EndPlan::Switch { switch, port } => {
            let letter = if matches!(far, EndPlan::Switch { .. }) {
                'e'
            } else {
                'f'
            };
            format!("{}.{letter}{port}", plan.switches[switch as usize].name)
        }
    }
}

/// Transmitters: two of each link, one of each place on a loop.
pub(crate) fn fibres(plan: &Plan) -> usize {
    let on_loops: usize = plan.loops.iter().map(|of| of.ports.len()).sum();
    2 * plan.links.len() + on_loops
}

/// The name of the port that a transmitter belongs to.
pub(crate) fn fibre_name(plan: &Plan, fibre: u32) -> String {
    let of_links = 2 * plan.links.len();
    let fibre = fibre as usize;
    if fibre < of_links {
        return port_name(plan, fibre / 2, fibre % 2 == 1);
    }
    let mut ports = plan.loops.iter().flat_map(|of| &of.ports);
    let port = ports.nth(fibre - of_links);
    port.map_or_else(String::new, |port| {
        plan.n_ports[port.n_port as usize].name.clone()
    })
}

fn ends(link: &LinkPlan, at_b: bool) -> (EndPlan, EndPlan) {
    if at_b {
        (link.b, link.a)
    } else {
        (link.a, link.b)
    }
}

fn node_name(plan: &Plan, end: EndPlan) -> String {
    match end {
        EndPlan::NPort { n_port: id } => plan.n_ports[id as usize].node.clone(),
        EndPlan::Switch { switch, .. } => plan.switches[switch as usize].name.clone(),
    }
}

pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn small(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// All tables of a run that ended now.
pub(crate) fn all<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Vec<Table> {
    let mut tables = vec![
        ports(world, plan, now),
        port_series(world, plan),
        workloads(world, plan, now),
        workload_series(world, plan),
        response_histogram(world, plan),
        stages(world, plan),
        jobs(world, plan),
        frames(world, plan),
        frame_histogram(world),
        stations(world, plan, now),
        mirrors(world, plan),
        hosts::adapters(world, plan, now),
        hosts::buses(world, plan, now),
        hosts::file_systems(world, plan, now),
        crate::qos::pairs(world, plan),
        loops::loops(world, plan, now),
        loops::strings(world, plan, now),
        faults::paths(world, plan, now),
        faults::happenings(world, plan),
    ];
    tables.extend(storage::all(world, plan, now));
    tables
}

struct PortRow {
    port: String,
    node: String,
    kind: &'static str,
    link: u64,
    peer: String,
    speed: String,
    bytes_per_s: u64,
    tx: FibreCounters,
    rx: FibreCounters,
    tx_bb_credit: u64,
    tx_most_in_use: u32,
}

fn ports<const E: bool>(world: &World<E>, plan: &Plan, now: Picoseconds) -> Table {
    let mut rows = Vec::with_capacity(2 * plan.links.len());
    for (index, link) in plan.links.iter().enumerate() {
        for at_b in [false, true] {
            let (near, far) = ends(link, at_b);
            let fibre = id_of(2 * index + usize::from(at_b));
            let transmitter = &world.network.fibres[fibre as usize];
            let kind = match (near, far) {
                (EndPlan::NPort { .. }, _) => "n_port",
                (_, EndPlan::NPort { .. }) => "f_port",
                _ => "e_port",
            };
            rows.push(PortRow {
                port: port_name(plan, index, at_b),
                node: node_name(plan, near),
                kind,
                link: index as u64,
                peer: port_name(plan, index, !at_b),
                speed: link.speed.clone(),
                bytes_per_s: link.bytes_per_s.get() * transmitter.members(),
                tx: world.network.counters(fibre, now),
                rx: world.network.counters(fibre ^ 1, now),
                tx_bb_credit: u64::from(transmitter.granted()),
                tx_most_in_use: transmitter.most_in_use(),
            });
        }
    }
    add_loop_ports(&mut rows, world, plan, now);
    let whole = |value: fn(&PortRow) -> u64| Column::whole(&rows, value);
    let text = |value: fn(&PortRow) -> String| Column::text(&rows, value);
    Table::new(
        "ports",
        vec![
            ("port", text(|row| row.port.clone())),
            ("node", text(|row| row.node.clone())),
            ("kind", text(|row| row.kind.into())),
            ("link", whole(|row| row.link)),
            ("peer", text(|row| row.peer.clone())),
            ("speed", text(|row| row.speed.clone())),
            ("bytes_per_s", whole(|row| row.bytes_per_s)),
            ("tx_frames_count", whole(|row| row.tx.frames)),
            ("tx_bytes", whole(|row| row.tx.bytes)),
            ("tx_payload_bytes", whole(|row| row.tx.payload_bytes)),
            ("tx_busy_ps", whole(|row| row.tx.busy)),
            (
                "tx_utilisation",
                Column::real(&rows, |row| ratio(row.tx.busy, now)),
            ),
            ("tx_credit_wait_ps", whole(|row| row.tx.credit_wait)),
            ("tx_credit_wait_count", whole(|row| row.tx.credit_waits)),
            ("tx_queue_wait_ps", whole(|row| small(row.tx.queue_wait))),
            (
                "tx_queue_mean_frames",
                Column::real(&rows, |row| row.tx.queue_wait as f64 / now.max(1) as f64),
            ),
            ("tx_dropped_count", whole(|row| row.tx.dropped)),
            ("tx_bb_credit", whole(|row| row.tx_bb_credit)),
            (
                "tx_credit_max_in_use",
                whole(|row| u64::from(row.tx_most_in_use)),
            ),
            ("rx_frames_count", whole(|row| row.rx.frames)),
            ("rx_bytes", whole(|row| row.rx.bytes)),
            ("rx_payload_bytes", whole(|row| row.rx.payload_bytes)),
            (
                "rx_utilisation",
                Column::real(&rows, |row| ratio(row.rx.busy, now)),
            ),
        ],
    )
}

/// Ports of loops: what is sent to one is what its partners sent.
fn add_loop_ports<const E: bool>(
    rows: &mut Vec<PortRow>,
    world: &World<E>,
    plan: &Plan,
    now: Picoseconds,
) {
    let network = &world.network;
    let mut ports = network.loops.ports.iter();
    for (index, of) in plan.loops.iter().enumerate() {
        for (place, port) in of.ports.iter().zip(ports.by_ref()) {
            let n_port = &plan.n_ports[place.n_port as usize];
            rows.push(PortRow {
                port: n_port.name.clone(),
                node: n_port.node.clone(),
                kind: "nl_port",
                link: (plan.links.len() + index) as u64,
                peer: of.name.clone(),
                speed: of.speed.clone(),
                bytes_per_s: of.bytes_per_s.get(),
                tx: network.counters(port.fibre, now),
                rx: port.received,
                tx_bb_credit: u64::from(place.login_credit),
                tx_most_in_use: 0,
            });
        }
    }
}

fn port_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.series.fibres;
    Table::new(
        "port_series",
        vec![
            (
                "port",
                Column::text(rows, |row| fibre_name(plan, row.fibre)),
            ),
            ("time_ps", Column::whole(rows, |row| row.ends_at)),
            ("tx_bytes", Column::whole(rows, |row| row.bytes)),
            (
                "tx_payload_bytes",
                Column::whole(rows, |row| row.payload_bytes),
            ),
            (
                "tx_utilisation",
                Column::real(rows, |row| ratio(row.busy, row.span)),
            ),
            (
                "tx_credit_wait_ps",
                Column::whole(rows, |row| row.credit_wait),
            ),
        ],
    )
}

struct WorkloadRow<'a> {
    workload: usize,
    op: usize,
    response: &'a Histogram,
    bytes: u64,
    window: Picoseconds,
    queue_full: u64,
    errors: u64,
    retried: u64,
    delayed: u64,
    commands: u64,
}

/// Time over which a workload was counted: from the end of its warm-up to its last completion, no
/// earlier than its jobs stop to ask, or to the end of the run while they still do.
fn window<const E: bool>(world: &World<E>, workload: usize, now: Picoseconds) -> Picoseconds {
    let jobs = || {
        world
            .jobs
            .iter()
            .filter(|job| job.workload as usize == workload)
    };
    let from = jobs()
        .map(|job| job.job.settings.counted_from)
        .min()
        .unwrap_or(0);
    let is_over = jobs().all(|job| job.job.is_over(now));
    let to = if is_over {
        let stopped_at = jobs().filter_map(|job| job.job.stopped_at()).max();
        world.workloads[workload]
            .last_completion_at
            .max(stopped_at.unwrap_or(0))
    } else {
        now
    };
    to.saturating_sub(from)
}

/// Workloads without those of file systems, which have a table of their own.
fn of_applications<'a, const E: bool>(
    world: &'a World<E>,
    plan: &Plan,
) -> impl Iterator<Item = (usize, &'a WorkloadState)> {
    let all = world.workloads.iter().enumerate();
    all.take(applications(plan))
}

/// How many workloads are an application's.
pub(crate) fn applications(plan: &Plan) -> usize {
    let is_own = |it: &&WorkloadPlan| it.file_system.is_none();
    plan.workloads.iter().filter(is_own).count()
}

fn workloads<const E: bool>(world: &World<E>, plan: &Plan, now: Picoseconds) -> Table {
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state.meters.iter().enumerate().rev() {
            if meter.totals.count + meter.totals.errors > 0 {
                rows.push(WorkloadRow {
                    workload,
                    op,
                    response: &meter.response,
                    bytes: meter.totals.bytes,
                    window: window(world, workload, now),
                    queue_full: state.queue_full,
                    errors: meter.totals.errors,
                    retried: meter.totals.retried,
                    delayed: meter.totals.delayed,
                    commands: meter.commands,
                });
            }
        }
    }
    let per_second = |amount: u64, span: u64| amount as f64 / (span.max(1) as f64 * 1e-12);
    let quantile = |share: f64| {
        Column::whole(&rows, move |row: &WorkloadRow<'_>| {
            row.response.quantile(share)
        })
    };
    Table::new(
        "workloads",
        vec![
            (
                "workload",
                Column::text(&rows, |row| plan.workloads[row.workload].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.op].into())),
            ("io_count", Column::whole(&rows, |row| row.response.count())),
            ("bytes", Column::whole(&rows, |row| row.bytes)),
            ("window_ps", Column::whole(&rows, |row| row.window)),
            (
                "iops",
                Column::real(&rows, |row| per_second(row.response.count(), row.window)),
            ),
            (
                "throughput_bytes_per_s",
                Column::real(&rows, |row| per_second(row.bytes, row.window)),
            ),
            (
                "response_mean_ps",
                Column::real(&rows, |row| row.response.mean()),
            ),
            (
                "response_min_ps",
                Column::whole(&rows, |row| row.response.least()),
            ),
            (
                "response_max_ps",
                Column::whole(&rows, |row| row.response.most()),
            ),
            ("response_p50_ps", quantile(0.5)),
            ("response_p90_ps", quantile(0.9)),
            ("response_p95_ps", quantile(0.95)),
            ("response_p99_ps", quantile(0.99)),
            ("response_p99_9_ps", quantile(0.999)),
            ("response_p99_99_ps", quantile(0.9999)),
            (
                "queue_full_count",
                Column::whole(&rows, |row| row.queue_full),
            ),
            ("error_count", Column::whole(&rows, |row| row.errors)),
            ("retried_count", Column::whole(&rows, |row| row.retried)),
            ("delayed_count", Column::whole(&rows, |row| row.delayed)),
            ("command_count", Column::whole(&rows, |row| row.commands)),
        ],
    )
}

fn workload_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let first_internal = id_of(applications(plan));
    let all = world.series.workloads.iter();
    let rows: Vec<_> = all.filter(|row| row.workload < first_internal).collect();
    let rows = &rows[..];
    Table::new(
        "workload_series",
        vec![
            (
                "workload",
                Column::text(rows, |row| {
                    plan.workloads[row.workload as usize].name.clone()
                }),
            ),
            (
                "op",
                Column::text(rows, |row| OPS[usize::from(row.is_read)].into()),
            ),
            ("time_ps", Column::whole(rows, |row| row.ends_at)),
            ("io_count", Column::whole(rows, |row| row.totals.count)),
            ("bytes", Column::whole(rows, |row| row.totals.bytes)),
            (
                "response_sum_ps",
                Column::whole(rows, |row| small(row.totals.response_sum)),
            ),
            (
                "response_max_ps",
                Column::whole(rows, |row| row.totals.response_most),
            ),
            ("error_count", Column::whole(rows, |row| row.totals.errors)),
            (
                "delayed_count",
                Column::whole(rows, |row| row.totals.delayed),
            ),
        ],
    )
}

fn response_histogram<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state.meters.iter().enumerate() {
            rows.extend(
                meter
                    .response
                    .buckets()
                    .map(|bucket| (workload, op, bucket)),
            );
        }
    }
    Table::new(
        "response_histogram",
        vec![
            (
                "workload",
                Column::text(&rows, |row| plan.workloads[row.0].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("low_ps", Column::whole(&rows, |row| row.2.0)),
            ("high_ps", Column::whole(&rows, |row| row.2.1)),
            ("io_count", Column::whole(&rows, |row| row.2.2)),
        ],
    )
}

fn stages<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    for (workload, state) in of_applications(world, plan) {
        for (op, meter) in state
            .meters
            .iter()
            .enumerate()
            .filter(|it| it.1.totals.count > 0)
        {
            for stage in Stage::ALL {
                let total = meter.stages[stage as usize];
                rows.push((workload, op, stage, total, meter.totals));
            }
        }
    }
    Table::new(
        "stages",
        vec![
            (
                "workload",
                Column::text(&rows, |row| plan.workloads[row.0].name.clone()),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("stage", Column::text(&rows, |row| row.2.name().into())),
            ("total_ps", Column::whole(&rows, |row| small(row.3))),
            (
                "mean_ps",
                Column::real(&rows, |row| row.3 as f64 / row.4.count as f64),
            ),
            (
                "share",
                Column::real(&rows, |row| row.3 as f64 / row.4.response_sum.max(1) as f64),
            ),
        ],
    )
}

fn jobs<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut rows = Vec::new();
    let own = world.jobs.iter().zip(&plan.jobs);
    for (running, job) in own.filter(|(_, job)| !job.is_journal()) {
        let active = running
            .totals
            .iter()
            .enumerate()
            .filter(|(_, totals)| totals.count > 0);
        rows.extend(active.map(|(op, totals)| (job, op, *totals)));
    }
    Table::new(
        "jobs",
        vec![
            ("job", Column::text(&rows, |row| row.0.name.clone())),
            (
                "workload",
                Column::text(&rows, |row| {
                    plan.workloads[row.0.workload as usize].name.clone()
                }),
            ),
            (
                "host",
                Column::text(&rows, |row| plan.hosts[row.0.host as usize].name.clone()),
            ),
            (
                "target",
                Column::text(&rows, |row| {
                    let path = &row.0.targets[0].paths[0];
                    plan.n_ports[path.target_n_port as usize].name.clone()
                }),
            ),
            (
                "lun",
                Column::text(&rows, |row| {
                    let target = &row.0.targets[0];
                    plan.arrays[target.array as usize].luns[target.lun as usize]
                        .name
                        .clone()
                }),
            ),
            ("op", Column::text(&rows, |row| OPS[row.1].into())),
            ("io_count", Column::whole(&rows, |row| row.2.count)),
            ("bytes", Column::whole(&rows, |row| row.2.bytes)),
            ("response_mean_ps", Column::real(&rows, |row| row.2.mean())),
        ],
    )
}

fn frames<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut names: Vec<(String, &str)> = plan
        .workloads
        .iter()
        .map(|it| (it.name.clone(), "workload"))
        .collect();
    names.extend(plan.traffic.iter().map(|it| (it.name.clone(), "traffic")));
    names.extend(
        mirror_flows(plan)
            .map(|(_, array, lun)| (plan.arrays[array].luns[lun].name.clone(), "mirror")),
    );
    names.extend(
        back_end_flows(plan).map(|(_, array)| (plan.arrays[array].name.clone(), "back_end")),
    );
    if has_dialogues(plan) {
        names.push(("fabric services".into(), "services"));
    }
    let rows: Vec<_> = names.into_iter().zip(&world.latencies.flows).collect();
    Table::new(
        "frames",
        vec![
            ("flow", Column::text(&rows, |row| row.0.0.clone())),
            ("kind", Column::text(&rows, |row| row.0.1.into())),
            ("frames_count", Column::whole(&rows, |row| row.1.frames)),
            (
                "payload_bytes",
                Column::whole(&rows, |row| row.1.payload_bytes),
            ),
            (
                "network_mean_ps",
                Column::real(&rows, |row| row.1.network().0),
            ),
            (
                "network_max_ps",
                Column::whole(&rows, |row| row.1.network().1),
            ),
            (
                "end_to_end_mean_ps",
                Column::real(&rows, |row| row.1.end_to_end().0),
            ),
            (
                "end_to_end_max_ps",
                Column::whole(&rows, |row| row.1.end_to_end().1),
            ),
        ],
    )
}

fn frame_histogram<const E: bool>(world: &World<E>) -> Table {
    let latencies = &world.latencies;
    let both = [
        ("network", &latencies.network),
        ("end_to_end", &latencies.end_to_end),
    ];
    let rows: Vec<_> = both
        .into_iter()
        .flat_map(|(name, histogram)| histogram.buckets().map(move |bucket| (name, bucket)))
        .collect();
    Table::new(
        "frame_histogram",
        vec![
            ("latency", Column::text(&rows, |row| row.0.into())),
            ("low_ps", Column::whole(&rows, |row| row.1.0)),
            ("high_ps", Column::whole(&rows, |row| row.1.1)),
            ("frames_count", Column::whole(&rows, |row| row.1.2)),
        ],
    )
}

struct StationRow {
    name: String,
    kind: &'static str,
    servers: u64,
    totals: sanlab_kernel::StationTotals,
}

fn stations<const E: bool>(world: &mut World<E>, plan: &Plan, now: Picoseconds) -> Table {
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
    for (host, of) in world.hosts.iter_mut().zip(&plan.hosts) {
        add(host.cpu.totals(now), host.cpu.servers(), &of.name, "cpu");
    }
    for adapter in &mut world.adapters {
        let name = &plan.n_ports[adapter.n_port as usize].name;
        add(
            adapter.engine.totals(now),
            adapter.engine.servers(),
            name,
            "hba",
        );
    }
    let buses = plan.hosts.iter().flat_map(|host| &host.buses);
    for (bus, of) in world.network.buses.segments.iter_mut().zip(buses) {
        for (totals, way) in bus
            .totals(now)
            .into_iter()
            .zip([" from memory", " to memory"])
        {
            let way = if of.full_duplex { way } else { "" };
            add(totals, 1, &format!("{}{way}", of.name), "bus");
        }
    }
    for (array, of) in world.arrays.iter_mut().zip(&plan.arrays) {
        add(
            array.controllers.totals(now),
            array.controllers.servers(),
            &of.name,
            "controller",
        );
        for (disk, of) in array.disks.iter_mut().zip(&of.disks) {
            add(disk.totals(now), 1, &of.name, "disk");
        }
        for (lun, of) in array.luns.iter_mut().zip(&of.luns) {
            match &mut lun.media {
                Media::Memory { station, .. } => {
                    add(station.totals(now), station.servers(), &of.name, "media");
                }
                Media::Flash(flash) => add(flash.totals(now), 1, &of.name, "media"),
                Media::Ram(ram) => add(ram.totals(now), 1, &of.name, "media"),
                Media::Stripe(_) | Media::Raid { .. } => {}
            }
        }
        add(array.parity.totals(now), 1, &of.name, "parity");
        add(array.partner.totals(now), 1, &of.name, "partner");
    }
    let rows = &rows;
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
            ("busy_ps", Column::whole(rows, |row| small(row.totals.busy))),
            (
                "utilisation",
                Column::real(rows, |row| {
                    let capacity = row.servers as f64 * now.max(1) as f64;
                    row.totals.busy as f64 / capacity
                }),
            ),
            (
                "mean_in_system",
                Column::real(rows, |row| row.totals.area as f64 / now.max(1) as f64),
            ),
            ("mean_residence_ps", Column::real(rows, residence)),
            ("max_in_system", Column::whole(rows, |row| row.totals.most)),
        ],
    )
}

fn mirrors<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows: Vec<_> = mirror_flows(plan)
        .filter_map(|(_, array, lun)| {
            let mirror = world.arrays[array].luns[lun].mirror.as_ref()?;
            let to = &plan.arrays[mirror.array as usize].luns[mirror.lun as usize];
            Some((
                plan.arrays[array].luns[lun].name.clone(),
                to.name.clone(),
                mirror,
            ))
        })
        .collect();
    Table::new(
        "mirrors",
        vec![
            ("source", Column::text(&rows, |row| row.0.clone())),
            ("target", Column::text(&rows, |row| row.1.clone())),
            (
                "mode",
                Column::text(&rows, |row| {
                    if row.2.is_synchronous {
                        "synchronous"
                    } else {
                        "asynchronous"
                    }
                    .into()
                }),
            ),
            ("copies_count", Column::whole(&rows, |row| row.2.copies)),
            ("bytes", Column::whole(&rows, |row| row.2.bytes)),
            (
                "first_ps",
                Column::whole(&rows, |row| row.2.first_at.unwrap_or(0)),
            ),
            ("last_ps", Column::whole(&rows, |row| row.2.last_at)),
            (
                "throughput_bytes_per_s",
                Column::real(&rows, |row| {
                    let span = row.2.last_at.saturating_sub(row.2.first_at.unwrap_or(0));
                    row.2.bytes as f64 / (span.max(1) as f64 * 1e-12)
                }),
            ),
            (
                "response_mean_ps",
                Column::real(&rows, |row| {
                    row.2.response as f64 / row.2.copies.max(1) as f64
                }),
            ),
            (
                "max_outstanding",
                Column::whole(&rows, |row| u64::from(row.2.most_open)),
            ),
        ],
    )
}
