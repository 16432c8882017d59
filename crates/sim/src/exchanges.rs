//! Exchanges between N_Ports: information units become sequences, their arrival becomes a step of the
//! command.

use sanlab_fabric::{LOST, Transmission};
use sanlab_fc::{Exchange, ExchangeState, FrameKind, Sequence, wire_bytes};
use sanlab_kernel::{Picoseconds, Stage};
use sanlab_scsi::{Command, FCP_RSP_BYTES, Status};

use crate::event::Event;
use crate::issuer::Tag;
use crate::outcome::Failure;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A new exchange for a request; its first information unit is FCP_CMND.
    pub(crate) fn open_exchange(&mut self, exchange: Exchange, command: Command<Tag>) -> u32 {
        self.exchanges_opened += 1;
        self.exchanges.open(exchange, command)
    }

    /// A transmission has started: did a sequence end with it, did the frame arrive?
    #[inline(always)]
    pub(crate) fn on_start(&mut self, now: Picoseconds, start: Transmission) {
        if start.ends_sequence {
            self.on_sequence_sent(now, start.frame, start.fibre);
        }
        if start.arrives_at >= LOST {
            if start.arrives_at == LOST {
                self.network.frames.remove(start.frame);
            }
            return;
        }
        self.last_arrival_at = self.last_arrival_at.max(start.arrives_at);
        let frame = &self.network.frames[start.frame];
        self.latencies.record(
            frame.flow,
            frame.payload_bytes,
            start.landed_at - frame.sent_at,
            start.landed_at - frame.framed_at,
        );
        if frame.kind >= FrameKind::Plain {
            if frame.kind == FrameKind::Plain {
                self.network.frames.remove(start.frame);
            } else {
                self.expect_service_frame(start);
            }
            return;
        }
        let command = self.exchanges.command_mut(frame.exchange);
        if frame.kind == FrameKind::Data {
            command.arrived_bytes += u32::from(frame.payload_bytes);
        }
        // Read data needs no event: the response follows it.
        if frame.is_last && !(frame.kind == FrameKind::Data && command.is_read) {
            self.agenda.schedule(
                start.arrives_at,
                frame.destination,
                Event::Arrived(start.frame),
            );
        } else {
            self.network.frames.remove(start.frame);
        }
    }

    /// A frame of a service arrives.
    #[cold]
    fn expect_service_frame(&mut self, start: Transmission) {
        let place = self.network.frames[start.frame].destination;
        let event = Event::Arrived(start.frame);
        self.agenda.schedule(start.arrives_at, place, event);
    }

    /// The last frame of an information unit leaves: the time since it was queued is told.
    fn on_sequence_sent(&mut self, now: Picoseconds, frame: u32, fibre: u32) {
        let frame = self.network.frames[frame];
        if frame.kind == FrameKind::Service {
            return;
        }
        let fibre = &self.network.fibres[fibre as usize];
        let exchange = self.exchanges.exchange(frame.exchange);
        if exchange.state != ExchangeState::Open {
            return;
        }
        let command = self.exchanges.command(frame.exchange);
        // After a fault both ends may have had something of it to send.
        let credit_wait = fibre.counters.credit_wait;
        let credit_wait = credit_wait.saturating_sub(exchange.credit_wait_before);
        let before = match (frame.kind, frame.seq_cnt) {
            // Queued when the last frame of the data started: behind that one, which is its own.
            (FrameKind::Response, _) if command.is_read && command.status == Status::Good => {
                fibre.slot(wire_bytes(self.last_frame_bytes(command.bytes)))
            }
            (_, 0) => 0,
            (_, earlier) => u64::from(earlier) * fibre.slot(wire_bytes(self.data_frame_bytes)),
        };
        let timeline = &mut self.requests[command.tag.request].timeline;
        timeline.for_span(credit_wait, now, Stage::CreditWait);
        timeline.for_span(self.network.buses.wait(frame.exchange), now, Stage::Bus);
        timeline.for_span(before, now, Stage::Wire);
        let is_on_loop = self.network.is_on_loop(frame.source);
        let waited = if is_on_loop {
            Stage::Loop
        } else {
            Stage::TxQueue
        };
        timeline.until(now, waited);
        let is_accepted = command.status == Status::Good;
        if frame.kind == FrameKind::Response && is_accepted {
            self.release(frame.exchange);
        } else if frame.kind == FrameKind::Data && command.is_read {
            self.send(now, frame.exchange, FrameKind::Response, 0, FCP_RSP_BYTES);
        }
    }

    /// Payload of the last frame of so much data.
    fn last_frame_bytes(&self, bytes: u32) -> u32 {
        let full = self.data_frame_bytes;
        (bytes + full - 1) % full + 1
    }

    /// The last frame of an information unit has arrived.
    pub(crate) fn on_arrived(&mut self, now: Picoseconds, frame_id: u32) {
        let frame = self.network.frames[frame_id];
        self.network.frames.remove(frame_id);
        if frame.kind == FrameKind::Service {
            self.on_service_frame(now, &frame);
            return;
        }
        let exchange = self.exchanges.exchange_mut(frame.exchange);
        exchange.on_arrived(frame.kind);
        if exchange.state != ExchangeState::Open {
            self.on_arrived_late(now, &frame);
            return;
        }
        let request = self.exchanges.command(frame.exchange).tag.request;
        let timeline = &mut self.requests[request].timeline;
        // Behind a bus a frame is in before it is stored.
        let is_on_bus = self.network.is_on_bus(frame.destination);
        let landed_at = if is_on_bus { frame.ready_at } else { now };
        timeline.for_span(frame.credit_wait, landed_at, Stage::CreditWait);
        timeline.for_span(frame.switch_wait, landed_at, Stage::Switch);
        timeline.until(landed_at, Stage::Wire);
        timeline.until(now, Stage::Bus);
        match frame.kind {
            FrameKind::Command => self.on_command(now, frame.exchange),
            FrameKind::TransferReady => self.on_transfer_ready(now, frame.exchange, frame.offset),
            FrameKind::Data => self.on_write_data(now, frame.exchange),
            FrameKind::Response => self.on_response(now, frame.exchange),
            FrameKind::Plain | FrameKind::Service | FrameKind::Abort | FrameKind::AbortAccepted => {
            }
        }
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
        let exchange = self.exchanges.exchange(exchange_id);
        let from_initiator = match kind {
            FrameKind::Command | FrameKind::Abort => true,
            FrameKind::Data => !self.exchanges.command(exchange_id).is_read,
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
        self.exchanges.exchange_mut(exchange_id).credit_wait_before = before;
        self.network.buses.forget_wait(exchange_id);
        self.network.queue(source, sequence, now);
    }

    /// Time up to now belongs to this stage of the request of an exchange.
    #[inline]
    pub(crate) fn tell(&mut self, now: Picoseconds, exchange: u32, stage: Stage) {
        if self.exchanges.exchange(exchange).state == ExchangeState::Open {
            let request = self.exchanges.command(exchange).tag.request;
            let timeline = &mut self.requests[request].timeline;
            timeline.until(now, stage);
        }
    }

    /// The exchange is over; its id may be used again.
    pub(crate) fn close_exchange(&mut self, exchange: u32) {
        let closed = self.exchanges.command(exchange);
        let arrived_all = closed.arrived_bytes == closed.bytes;
        if closed.status == Status::Good && !arrived_all {
            self.failure.get_or_insert(Failure::Bytes {
                exchange: self.exchanges.exchange(exchange).ox_id,
                expected: closed.bytes,
                arrived: closed.arrived_bytes,
            });
        }
        self.forget_exchange(exchange);
    }

    /// Nothing of an exchange is left: its id may be used again.
    pub(crate) fn forget_exchange(&mut self, id: u32) {
        let exchange = self.exchanges.exchange_mut(id);
        exchange.state = ExchangeState::Closed;
        self.exchange_ids[exchange.initiator as usize].give_back(exchange.ox_id);
        self.exchanges.close(id);
        self.exchanges_closed += 1;
    }
}
