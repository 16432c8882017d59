//! An exchange between two N_Ports: opened for a command, moved on by information units, closed.

use sanlab_fc::{Exchange, ExchangeState, Flow, FrameKind, NPort, RxIdKnown, Sequence};
use sanlab_kernel::{Id, Instant, MaybeId, Span, Stage, Timeline};
use sanlab_scsi::{Device, FCP_CMND_BYTES, FirstBurst, LogicalUnit, Room, Status};

use crate::array::state::ArraySide;
use crate::host::state::HostSide;
use crate::issuer::{IssuedCommand, Tag};
use crate::outcome::Failure;
use crate::world::World;

/// A LUN or a mirror that accepted nothing is tried again after this long: one tick of a host's
/// clock at 1000 Hz. Uncertain; it matters only where a target refuses every command of a host.
pub(crate) const RETRY_AFTER: Span = Span::from_ps(1_000_000_000);

/// A command to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) tag: Tag,
    pub(crate) initiator: Id<NPort>,
    pub(crate) target: Id<NPort>,
    /// SCSI target device and LUN that it goes to: an array, or none for a disk behind one.
    pub(crate) device: MaybeId<Device>,
    pub(crate) lun: Id<LogicalUnit>,
    pub(crate) flow: Id<Flow>,
    pub(crate) is_read: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// Time line of the request or transfer that a command is for.
#[inline]
pub(crate) fn timeline_of<'a>(
    host: &'a mut HostSide,
    array: &'a mut ArraySide,
    tag: Tag,
) -> &'a mut Timeline {
    match tag {
        Tag::Host(request) => host.timeline(request),
        Tag::Mirror(transfer) | Tag::BackEnd(transfer) => array.timeline(transfer),
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A new exchange for a command; its first information unit is FCP_CMND. `None` if its initiator has
    /// no exchange id left, which ends the run.
    pub(crate) fn open_exchange(&mut self, now: Instant, command: Command) -> Option<Id<Exchange>> {
        let Some(ox_id) = self.exchanges.take_id(command.initiator) else {
            self.failure.get_or_insert(Failure::ExchangeIds {
                n_port: command.initiator,
            });
            return None;
        };
        self.exchanges.opened += 1;
        let exchange = Exchange {
            initiator: command.initiator,
            target: command.target,
            flow: command.flow,
            ox_id,
            state: ExchangeState::Open,
            rx_id_known: RxIdKnown::ToNobody,
            opened_at: now,
            number: self.faults.number_exchange(),
            credit_wait_before: Span::ZERO,
        };
        let issued = IssuedCommand {
            tag: command.tag,
            is_read: command.is_read,
            status: Status::Good,
            is_admitted: false,
            device: command.device,
            lun: command.lun,
            address: command.address,
            bytes: u32::try_from(command.bytes).unwrap_or(u32::MAX),
            asked_bytes: 0,
            is_early: false,
            first_burst: FirstBurst::Over,
            room: Room::None,
            arrived_bytes: 0,
        };
        Some(self.fcp.open(exchange, issued))
    }

    /// Send FCP_CMND, and behind it the first burst of a write where the target takes one.
    pub(crate) fn send_command(&mut self, now: Instant, exchange: Id<Exchange>) {
        self.send(now, exchange, FrameKind::Command, 0, FCP_CMND_BYTES);
        let command = self.fcp.command_mut(exchange);
        let bytes = self.array.first_burst_of(command);
        if bytes > 0 {
            command.asked_bytes = bytes;
            command.first_burst = FirstBurst::Sent;
            self.send(now, exchange, FrameKind::Data, 0, bytes);
        }
    }

    /// Queue an information unit of an exchange at the N_Port whose turn it is.
    pub(crate) fn send(
        &mut self,
        now: Instant,
        exchange_id: Id<Exchange>,
        kind: FrameKind,
        offset: u32,
        bytes: u32,
    ) {
        let exchange = self.fcp.exchange(exchange_id);
        let from_initiator = match kind {
            FrameKind::Command | FrameKind::Abort => true,
            FrameKind::Data => !self.fcp.command(exchange_id).is_read,
            _ => false,
        };
        let (source, destination) = if from_initiator {
            (exchange.initiator, exchange.target)
        } else {
            (exchange.target, exchange.initiator)
        };
        let is_abort = matches!(kind, FrameKind::Abort | FrameKind::AbortAccepted);
        if exchange.state != ExchangeState::Open && !is_abort {
            return;
        }
        if self.faults.is_apart(source, destination) {
            self.network.lost += 1;
            return;
        }
        let sequence = Sequence {
            kind,
            exchange: exchange_id.into(),
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
        self.fcp.exchange_mut(exchange_id).credit_wait_before = before;
        self.network.buses.forget_wait(exchange_id);
        self.network.queue(source, sequence, now);
    }

    /// The data of a burst from this offset, if its exchange has not been given up meanwhile.
    pub(crate) fn send_data(&mut self, now: Instant, exchange: Id<Exchange>, offset: u32) {
        if self.fcp.exchange(exchange).state != ExchangeState::Open {
            return;
        }
        self.tell(now, exchange, Stage::Hba);
        let burst = self.fcp.command(exchange).wanted_bytes() - offset;
        self.send(now, exchange, FrameKind::Data, offset, burst);
    }

    /// Record the time up to now under this stage of the request of an exchange.
    #[inline]
    pub(crate) fn tell(&mut self, now: Instant, exchange: Id<Exchange>, stage: Stage) {
        if self.fcp.exchange(exchange).state == ExchangeState::Open {
            let tag = self.fcp.command(exchange).tag;
            let timeline = timeline_of(&mut self.host, &mut self.array, tag);
            timeline.until(now, stage);
        }
    }

    /// The status of a command is on its way: its places in task set and port are free.
    pub(crate) fn release(&mut self, now: Instant, id: Id<Exchange>) {
        let target = self.fcp.exchange(id).target;
        self.array.release(now, target, self.fcp.command_mut(id));
        self.end_burst(now, id);
        self.give_up_room(now, id);
    }

    /// The exchange is over; its id may be used again.
    pub(crate) fn close_exchange(&mut self, exchange: Id<Exchange>) {
        let closed = self.fcp.command(exchange);
        let arrived_all = closed.arrived_bytes == closed.bytes;
        if closed.status == Status::Good && !arrived_all {
            self.failure.get_or_insert(Failure::Bytes {
                exchange: self.fcp.exchange(exchange).ox_id,
                expected: closed.bytes,
                arrived: closed.arrived_bytes,
            });
        }
        self.forget_exchange(exchange);
    }

    /// Nothing of an exchange is left: its id may be used again.
    pub(crate) fn forget_exchange(&mut self, id: Id<Exchange>) {
        self.leave_accelerator(id);
        let exchange = self.fcp.exchange_mut(id);
        exchange.state = ExchangeState::Closed;
        self.exchanges
            .give_back_id(exchange.initiator, exchange.ox_id);
        self.fcp.close(id);
        self.exchanges.closed += 1;
    }

    /// Whether a timer's exchange is still the one it was set for, and in this state.
    pub(crate) fn is_state(&self, id: Id<Exchange>, number: u32, state: ExchangeState) -> bool {
        let exchange = self.fcp.latest(id);
        exchange.number == number && exchange.state == state
    }
}
