//! Tables of ports: links, loops, and what each sent in every interval.

use sanlab_fabric::{Fibre, FibreCounters, PatienceCounters, fibres_of, way_back};
use sanlab_kernel::{Id, IdVec, Instant};
use sanlab_metrics::{Column, Table};

use super::numbers::{ratio, run_time, whole_of};
use crate::names::{ends, fibre_name, fibres, node_name, port_name};
use crate::plan::{EndPlan, Plan};
use crate::world::World;

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
    /// What its patience and that of its switch came to, as a transmitter and as a receiver.
    tx_patience: PatienceCounters,
    rx_patience: PatienceCounters,
    tx_bb_credit: u64,
    tx_most_in_use: u32,
}

/// Ports of links and loops.
pub(super) fn ports<const E: bool>(world: &World<E>, plan: &Plan, now: Instant) -> Table {
    let mut rows = Vec::with_capacity(2 * plan.links.len());
    for (index, link) in plan.links.iter().enumerate() {
        for (at_b, fibre) in [false, true]
            .into_iter()
            .zip(fibres_of(Id::from_place(index)))
        {
            let (near, far) = ends(link, at_b);
            if matches!(near, EndPlan::Loop { .. }) {
                continue; // its ports have rows of their own
            }
            let transmitter = &world.network.fibres[fibre];
            let kind = match (near, far) {
                (EndPlan::NPort { .. }, _) => "n_port",
                (_, EndPlan::NPort { .. }) => "f_port",
                (_, EndPlan::Loop { .. }) => "fl_port",
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
                rx: world.network.counters(way_back(fibre), now),
                tx_patience: world.network.patience_counters(fibre),
                rx_patience: world.network.patience_counters(way_back(fibre)),
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
            ("tx_busy_ps", whole(|row| row.tx.busy.as_ps())),
            (
                "tx_utilisation",
                Column::real(&rows, |row| ratio(row.tx.busy, run_time(now))),
            ),
            ("tx_credit_wait_ps", whole(|row| row.tx.credit_wait.as_ps())),
            ("tx_credit_wait_count", whole(|row| row.tx.credit_waits)),
            ("tx_queue_wait_ps", whole(|row| whole_of(row.tx.queue_wait))),
            (
                "tx_queue_mean_frames",
                Column::real(&rows, |row| {
                    row.tx.queue_wait as f64 / now.as_ps().max(1) as f64
                }),
            ),
            ("tx_dropped_count", whole(|row| row.tx.dropped)),
            ("tx_timeout_count", whole(|row| row.tx_patience.timeouts)),
            (
                "tx_no_credit_drop_count",
                whole(|row| row.tx_patience.no_credit),
            ),
            ("tx_link_reset_count", whole(|row| row.tx_patience.resets)),
            ("tx_bb_credit", whole(|row| row.tx_bb_credit)),
            (
                "tx_credit_max_in_use",
                whole(|row| u64::from(row.tx_most_in_use)),
            ),
            ("rx_frames_count", whole(|row| row.rx.frames)),
            ("rx_bytes", whole(|row| row.rx.bytes)),
            ("rx_payload_bytes", whole(|row| row.rx.payload_bytes)),
            (
                "rx_timeout_count",
                whole(|row| row.rx_patience.received_timeouts),
            ),
            (
                "rx_utilisation",
                Column::real(&rows, |row| ratio(row.rx.busy, run_time(now))),
            ),
        ],
    )
}

/// Ports of loops: what is sent to one is what its partners sent.
fn add_loop_ports<const E: bool>(
    rows: &mut Vec<PortRow>,
    world: &World<E>,
    plan: &Plan,
    now: Instant,
) {
    let network = &world.network;
    let mut ports = network.loops.ports.iter();
    for (index, ring) in plan.loops.iter().enumerate() {
        for (place, port) in ring.ports.iter().zip(ports.by_ref()) {
            let Some(n_port) = place.n_port else {
                continue; // an FL_Port, which has the row of its link
            };
            let n_port = &plan.n_ports[n_port as usize];
            rows.push(PortRow {
                port: n_port.name.clone(),
                node: n_port.node.clone(),
                kind: "nl_port",
                link: (plan.links.len() + index) as u64,
                peer: ring.name.clone(),
                speed: ring.speed.clone(),
                bytes_per_s: ring.bytes_per_s.get(),
                tx: network.counters(port.fibre, now),
                rx: port.received(now),
                tx_patience: PatienceCounters::default(),
                rx_patience: PatienceCounters::default(),
                tx_bb_credit: u64::from(place.login_credit),
                tx_most_in_use: 0,
            });
        }
    }
}

/// Ports in every interval.
pub(super) fn port_series<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let rows = &world.meters.series().fibre_rows();
    // A name for each transmitter once, not for each of its rows.
    let names: IdVec<Fibre, _> = (0..fibres(plan))
        .map(|fibre| fibre_name(plan, Id::from_place(fibre)))
        .collect();
    Table::new(
        "port_series",
        vec![
            ("port", Column::text(rows, |row| names[row.fibre].clone())),
            ("time_ps", Column::whole(rows, |row| row.ends_at.as_ps())),
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
                Column::whole(rows, |row| row.credit_wait.as_ps()),
            ),
            (
                "tx_queue_mean_frames",
                Column::real(rows, |row| {
                    row.queue_wait as f64 / row.span.as_ps().max(1) as f64
                }),
            ),
            ("tx_dropped_count", Column::whole(rows, |row| row.dropped)),
        ],
    )
}
