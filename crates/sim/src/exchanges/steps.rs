//! An exchange between two N_Ports: opened for a command, moved on by information units, closed.

use sanlab_fc::{Exchange, FrameKind, Owner, Phase, RxIdKnown, ScsiStatus, Sequence};
use sanlab_kernel::{Picoseconds, Stage, Timeline};

use crate::array::state::ArraySide;
use crate::host::state::HostSide;
use crate::outcome::Failure;
use crate::world::World;

/// A LUN or a mirror that accepted nothing is tried again after this long: one tick of a host's
/// clock at 1000 Hz. Uncertain; it matters only where a target refuses every command of a host.
pub(crate) const RETRY_AFTER: Picoseconds = 1_000_000_000;

/// A command to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) owner: Owner,
    /// Request of a host or transfer of an array, as the owner says.
    pub(crate) request: u32,
    pub(crate) initiator: u32,
    pub(crate) target: u32,
    /// Array and LUN that it goes to.
    pub(crate) array: u32,
    pub(crate) lun: u32,
    pub(crate) flow: u32,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// Time line of the request or transfer that an exchange is for.
#[inline]
pub(crate) fn timeline_of<'a>(
    host: &'a mut HostSide,
    array: &'a mut ArraySide,
    exchange: &Exchange,
) -> &'a mut Timeline {
    match exchange.owner {
        Owner::Host => host.timeline(exchange.request),
        Owner::Mirror | Owner::BackEnd => array.timeline(exchange.request),
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A new exchange for a command; its first information unit is FCP_CMND. None where its initiator has
    /// no exchange id left, which ends the run.
    pub(crate) fn open_exchange(&mut self, now: Picoseconds, command: Command) -> Option<u32> {
        let Some(ox_id) = self.exchanges.take_id(command.initiator) else {
            self.failure.get_or_insert(Failure::ExchangeIds {
                n_port: command.initiator,
            });
            return None;
        };
        self.exchanges.opened += 1;
        Some(self.network.exchanges.insert(Exchange {
            owner: command.owner,
            request: command.request,
            initiator: command.initiator,
            target: command.target,
            flow: command.flow,
            ox_id,
            is_read: command.is_read,
            status: ScsiStatus::Good,
            phase: Phase::Open,
            rx_id_known: RxIdKnown::ToNobody,
            is_admitted: false,
            opened_at: now,
            number: self.faults.number_exchange(),
            array: command.array,
            lun: command.lun,
            address: command.address,
            bytes: u32::try_from(command.bytes).unwrap_or(u32::MAX),
            asked_bytes: 0,
            arrived_bytes: 0,
            credit_wait_before: 0,
            bus_wait: 0,
        }))
    }

    /// Queue an information unit of an exchange at the N_Port whose turn it is.
    pub(crate) fn send(
        &mut self,
        now: Picoseconds,
        exchange_id: u32,
        kind: FrameKind,
        offset: u32,
        bytes: u32,
    ) {
        let exchange = &mut self.network.exchanges[exchange_id];
        let from_initiator = match kind {
            FrameKind::Command | FrameKind::Abort => true,
            FrameKind::Data => !exchange.is_read,
            _ => false,
        };
        let (source, destination) = if from_initiator {
            (exchange.initiator, exchange.target)
        } else {
            (exchange.target, exchange.initiator)
        };
        let is_abort = matches!(kind, FrameKind::Abort | FrameKind::AbortAccepted);
        if exchange.phase != Phase::Open && !is_abort {
            return;
        }
        if self.faults.is_apart(source, destination) {
            self.network.lost += 1;
            return;
        }
        let sequence = Sequence {
            kind,
            exchange: exchange_id,
            flow: exchange.flow,
            source,
            destination,
            ox_id: exchange.ox_id,
            seq_id: 0,
            queued_at: now,
            offset,
            left_bytes: bytes,
            seq_cnt: 0,
        };
        let before = self.network.uplink(source).counters.credit_wait;
        let exchange = &mut self.network.exchanges[exchange_id];
        (exchange.credit_wait_before, exchange.bus_wait) = (before, 0);
        self.network.queue(source, sequence, now);
    }

    /// The data of a burst from this offset, if its exchange has not been given up meanwhile.
    pub(crate) fn send_data(&mut self, now: Picoseconds, exchange: u32, offset: u32) {
        if self.network.exchanges[exchange].phase != Phase::Open {
            return;
        }
        self.tell(now, exchange, Stage::Hba);
        let burst = self.network.exchanges[exchange].asked_bytes - offset;
        self.send(now, exchange, FrameKind::Data, offset, burst);
    }

    /// Record the time up to now under this stage of the request of an exchange.
    #[inline]
    pub(crate) fn tell(&mut self, now: Picoseconds, exchange: u32, stage: Stage) {
        let exchange = &self.network.exchanges[exchange];
        if exchange.phase == Phase::Open {
            let timeline = timeline_of(&mut self.host, &mut self.array, exchange);
            timeline.until(now, stage);
        }
    }

    /// The exchange is over; its id may be used again.
    pub(crate) fn close_exchange(&mut self, exchange: u32) {
        let closed = self.network.exchanges[exchange];
        let arrived_all = closed.arrived_bytes == closed.bytes;
        if closed.status == ScsiStatus::Good && !arrived_all {
            self.failure.get_or_insert(Failure::Bytes {
                exchange: closed.ox_id,
                expected: closed.bytes,
                arrived: closed.arrived_bytes,
            });
        }
        self.forget_exchange(exchange);
    }

    /// Nothing of an exchange is left: its id may be used again.
    pub(crate) fn forget_exchange(&mut self, id: u32) {
        let exchange = &mut self.network.exchanges[id];
        exchange.phase = Phase::Closed;
        self.exchanges
            .give_back_id(exchange.initiator, exchange.ox_id);
        self.network.exchanges.remove(id);
        self.exchanges.closed += 1;
    }

    /// Whether a timer's exchange is still the one it was set for, and in this phase.
    pub(crate) fn is_phase(&self, id: u32, number: u32, phase: Phase) -> bool {
        let exchange = &self.network.exchanges[id];
        exchange.number == number && exchange.phase == phase
    }
}
