//! What was recorded of one I/O, as tables.

use sanlab_fabric::Fate;
use sanlab_fc::{FrameKind, NPort};
use sanlab_kernel::{Id, Instant};
use sanlab_metrics::{Column, Table};

use super::{Climbed, Climber, Hop, Opened};
use crate::names::{far_port_name, fibre_name};
use crate::plan::Plan;

impl Climber {
    /// What was recorded.
    pub(crate) fn tables(&self, plan: &Plan) -> Vec<Table> {
        vec![
            self.request_table(plan),
            self.exchange_table(plan),
            self.hop_table(plan),
            self.step_table(),
        ]
    }

    fn exchange_table(&self, plan: &Plan) -> Table {
        let rows = &self.exchanges;
        let name = |id: Id<NPort>| plan.n_ports[id.place()].name.clone();
        let whole = |value: fn(&Opened) -> u64| Column::whole(rows, value);
        Table::new(
            "exchanges",
            vec![
                ("kind", Column::text(rows, |row| row.kind.into())),
                ("request", whole(|row| row.request as u64)),
                (
                    "initiator",
                    Column::text(rows, |row| name(row.key.initiator)),
                ),
                ("target", Column::text(rows, |row| name(row.target))),
                ("n_port", whole(|row| u64::from(row.key.initiator.number()))),
                ("ox_id", whole(|row| u64::from(row.key.ox_id))),
                ("opened_ps", whole(|row| row.key.opened_at.as_ps())),
            ],
        )
    }

    fn hop_table(&self, plan: &Plan) -> Table {
        let rows = &self.hops;
        let n_port = |id: Id<NPort>| plan.n_ports[id.place()].name.clone();
        let whole = |value: fn(&Hop) -> u64| Column::whole(rows, value);
        Table::new(
            "hops",
            vec![
                ("exchange", whole(|row| row.exchange as u64)),
                (
                    "kind",
                    Column::text(rows, |row| kind_name(row.frame.kind).into()),
                ),
                ("source", Column::text(rows, |row| n_port(row.frame.source))),
                (
                    "sender",
                    Column::text(rows, |row| fibre_name(plan, row.fibre)),
                ),
                (
                    "receiver",
                    Column::text(rows, |row| receiver_name(plan, row)),
                ),
                ("fibre", whole(|row| row.fibre.place() as u64)),
                ("offset_bytes", whole(|row| u64::from(row.frame.offset))),
                (
                    "payload_bytes",
                    whole(|row| u64::from(row.frame.payload_bytes)),
                ),
                ("wire_bytes", whole(|row| u64::from(row.frame.wire_bytes))),
                ("seq_id", whole(|row| u64::from(row.frame.seq_id))),
                ("seq_cnt", whole(|row| u64::from(row.frame.seq_cnt))),
                ("is_last", whole(|row| u64::from(row.frame.is_last))),
                ("sent_ps", whole(|row| row.sent_at.as_ps())),
                ("sent_last_ps", whole(|row| row.tail_at.as_ps())),
                ("arrived_ps", whole(|row| row.arrived_at.as_ps())),
                ("queue_wait_ps", whole(|row| row.queue_wait.as_ps())),
                ("credit_wait_ps", whole(|row| row.credit_wait.as_ps())),
                ("credit_back_ps", whole(|row| known_ps(row.back_at))),
                ("fate", Column::text(rows, |row| fate_name(row.fate).into())),
            ],
        )
    }

    fn request_table(&self, plan: &Plan) -> Table {
        let rows = &self.requests;
        let whole = |value: fn(&Climbed) -> u64| Column::whole(rows, value);
        let n_port = |id: Id<NPort>| plan.n_ports[id.place()].name.clone();
        Table::new(
            "requests",
            vec![
                ("is_whole", whole(|row| u64::from(row.is_whole()))),
                ("has_ended", whole(|row| u64::from(row.has_ended))),
                ("is_good", whole(|row| u64::from(row.is_good))),
                ("is_retried", whole(|row| u64::from(row.request.is_retried))),
                ("is_read", whole(|row| u64::from(row.request.is_read))),
                ("start_ps", whole(|row| row.way.began_at.as_ps())),
                ("offset_bytes", whole(|row| row.request.address)),
                ("bytes", whole(|row| row.request.bytes)),
                (
                    "command_count",
                    whole(|row| u64::from(row.request.commands)),
                ),
                (
                    "array",
                    Column::text(rows, |row| {
                        plan.arrays[row.route.array.place()].name.clone()
                    }),
                ),
                (
                    "lun",
                    Column::text(rows, |row| {
                        let array = &plan.arrays[row.route.array.place()];
                        array.luns[row.route.lun.place()].name.clone()
                    }),
                ),
                (
                    "target",
                    Column::text(rows, |row| n_port(row.route.target_n_port)),
                ),
            ],
        )
    }

    /// The stages of each request, in order of time.
    fn step_table(&self) -> Table {
        let mut rows = Vec::new();
        for (place, request) in self.requests.iter().enumerate() {
            let mut from = request.way.began_at;
            for &(stage, span) in &request.way.steps {
                rows.push((place, stage, from, from + span));
                from += span;
            }
        }
        let rows = &rows;
        Table::new(
            "steps",
            vec![
                ("request", Column::whole(rows, |row| row.0 as u64)),
                ("stage", Column::text(rows, |row| row.1.name().into())),
                ("from_ps", Column::whole(rows, |row| row.2.as_ps())),
                ("to_ps", Column::whole(rows, |row| row.3.as_ps())),
            ],
        )
    }
}

/// The port that a frame comes to.
fn receiver_name(plan: &Plan, hop: &Hop) -> String {
    let destination = hop.frame.destination;
    far_port_name(plan, hop.fibre, destination.number())
        .unwrap_or_else(|| plan.n_ports[destination.place()].name.clone())
}

/// An instant that is known; 0 otherwise.
fn known_ps(at: Instant) -> u64 {
    if at == Instant::NEVER { 0 } else { at.as_ps() }
}

fn kind_name(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Command => "FCP_CMND",
        FrameKind::TransferReady | FrameKind::EarlyReady => "FCP_XFER_RDY",
        FrameKind::Data => "FCP_DATA",
        FrameKind::Response => "FCP_RSP",
        FrameKind::Abort => "ABTS",
        FrameKind::AbortAccepted => "BA_ACC",
        FrameKind::Plain | FrameKind::Service => "other",
    }
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Whole => "arrived",
        Fate::Corrupted => "corrupted",
        Fate::CutOff => "cut off",
    }
}
