//! The way of a command through both sides.
//!
//! | step | read | write |
//! |---|---|---|
//! | request | `pump_job`, [`Event::CpuSubmitted`] | the same |
//! | pieces, path | `on_cpu_submitted`: `split` where it is too large, `assign` | the same |
//! | may it go out? | `pump_adapter`: throttle and queue depth | the same |
//! | command | [`Event::EngineSubmitted`]: an exchange, FCP_CMND | the same |
//! | at the array | `on_command`: admitted, or FCP_RSP with TASK SET FULL at once | the same |
//! | controller done | [`Event::CommandProcessed`]: `read` | `ask_for_burst`: room in the cache, FCP_XFER_RDY |
//! | data of a write | | `on_transfer_ready`, [`Event::TransferSubmitted`]: FCP_DATA; `on_write_data`: the next burst, or `write` |
//! | blocks | [`Event::CacheServed`], or `access_media` with [`Event::DiskDue`] or [`Event::MediaServed`] | the same, and `copy` to the mirror |
//! | answer | `on_blocks`: FCP_DATA; FCP_RSP follows when its last frame starts | `acknowledge`: FCP_RSP when stored and, for a synchronous mirror, copied |
//! | back | `on_response`, [`Event::EngineCompleted`], [`Event::Interrupt`] | the same |
//! | done | [`Event::CpuCompleted`]: counted, and the job goes on | the same |
//!
//! This file holds the steps between the sides, where frames start and arrive; those of one side are in
//! `host` and `array`. A step that takes time ends with an event, one that takes none calls the next
//! directly.

use sanlab_fabric::{Fibre, LOST, TAKEN, Transmission};
use sanlab_fc::{Exchange, ExchangeState, Frame, FrameKind, wire_bytes};
use sanlab_kernel::{Id, Instant, Span, Stage};
use sanlab_scsi::{FCP_RSP_BYTES, Status};

use crate::event::Event;
use crate::exchanges::steps::timeline_of;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A transmission has started: did a sequence end with it, did the frame arrive?
    #[inline(always)]
    pub(crate) fn on_start(&mut self, now: Instant, start: Transmission) {
        if start.ends_sequence {
            self.on_sequence_sent(now, start.frame, start.fibre);
        }
        if start.arrives_at >= TAKEN {
            if start.arrives_at == LOST {
                self.network.frames.remove(start.frame);
            } else if self.accelerators.are_any() {
                self.on_accelerated_hop(now, start);
            }
            return;
        }
        self.last_arrival_at = self.last_arrival_at.max(start.arrives_at);
        let frame = &self.network.frames[start.frame];
        self.meters.record_frame(frame, start.landed_at);
        if frame.kind >= FrameKind::Plain {
            if frame.kind == FrameKind::Plain {
                self.network.frames.remove(start.frame);
            } else {
                self.expect_service_frame(start);
            }
            return;
        }
        let command = self.fcp.command_mut(frame.exchange.record());
        if frame.kind == FrameKind::Data {
            command.arrived_bytes += u32::from(frame.payload_bytes);
        }
        // Read data needs no event: the response follows it.
        if frame.is_last && !(frame.kind == FrameKind::Data && command.is_read) {
            self.agenda.schedule(
                start.arrives_at,
                frame.destination.number(),
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
        self.agenda
            .schedule(start.arrives_at, place.number(), event);
    }

    /// The last frame of an information unit leaves: the time since it was queued is recorded.
    fn on_sequence_sent(&mut self, now: Instant, frame: Id<Frame>, fibre: Id<Fibre>) {
        let frame = self.network.frames[frame];
        if frame.kind == FrameKind::Service {
            return;
        }
        let fibre = &self.network.fibres[fibre];
        let exchange_id = frame.exchange.record();
        let exchange = self.fcp.exchange(exchange_id);
        if exchange.state != ExchangeState::Open {
            return;
        }
        let command = self.fcp.command(exchange_id);
        // After a fault both ends may have had something of it to send.
        let credit_wait = fibre.counters.credit_wait;
        let credit_wait = credit_wait.saturating_sub(exchange.credit_wait_before);
        let before = match (frame.kind, frame.seq_cnt) {
            // Queued when the last frame of the data started: behind that one, which is its own.
            (FrameKind::Response, _) if command.is_read && command.status == Status::Good => {
                fibre.slot(wire_bytes(self.exchanges.last_frame_bytes(command.bytes)))
            }
            (_, 0) => Span::ZERO,
            (_, earlier) => {
                fibre.slot(wire_bytes(self.exchanges.data_frame_bytes())) * u64::from(earlier)
            }
        };
        let timeline = timeline_of(&mut self.host, &mut self.array, command.tag);
        timeline.for_span(credit_wait, now, Stage::CreditWait);
        timeline.for_span(self.network.buses.wait(exchange_id), now, Stage::Bus);
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
            self.release(now, exchange_id);
        } else if frame.kind == FrameKind::Data && command.is_read {
            self.send(now, exchange_id, FrameKind::Response, 0, FCP_RSP_BYTES);
        }
    }

    /// The last frame of an information unit has arrived.
    pub(crate) fn on_arrived(&mut self, now: Instant, frame_id: Id<Frame>) {
        let frame = self.network.frames[frame_id];
        self.network.frames.remove(frame_id);
        if frame.kind == FrameKind::Service {
            self.on_service_frame(now, &frame);
            return;
        }
        let exchange_id = frame.exchange.record();
        let exchange = self.fcp.exchange_mut(exchange_id);
        exchange.on_arrived(frame.kind);
        if exchange.state != ExchangeState::Open {
            self.on_arrived_late(now, &frame);
            return;
        }
        let tag = self.fcp.command(exchange_id).tag;
        let timeline = timeline_of(&mut self.host, &mut self.array, tag);
        // Behind a bus a frame is in before it is stored.
        let is_on_bus = self.network.is_on_bus(frame.destination);
        let landed_at = if is_on_bus { frame.ready_at } else { now };
        timeline.for_span(frame.credit_wait, landed_at, Stage::CreditWait);
        timeline.for_span(frame.switch_wait, landed_at, Stage::Switch);
        timeline.until(landed_at, Stage::Wire);
        timeline.until(now, Stage::Bus);
        match (frame.kind, tag) {
            (FrameKind::Command, Tag::BackEnd(transfer)) => {
                self.on_disk_command(now, exchange_id, transfer);
            }
            (FrameKind::Command, _) => self.on_command(now, exchange_id),
            (FrameKind::TransferReady | FrameKind::EarlyReady, Tag::Host(request)) => {
                self.on_transfer_ready(now, request, exchange_id, frame.offset);
            }
            (FrameKind::TransferReady | FrameKind::EarlyReady, _) => {
                self.send_data(now, exchange_id, frame.offset);
            }
            (FrameKind::Data, Tag::BackEnd(transfer)) => {
                self.serve_exchange(now, exchange_id, transfer);
            }
            (FrameKind::Data, _) => self.on_write_data(now, exchange_id),
            (FrameKind::Response, _) => self.on_response(now, exchange_id),
            (
                FrameKind::Plain | FrameKind::Service | FrameKind::Abort | FrameKind::AbortAccepted,
                _,
            ) => {}
        }
    }

    /// FCP_RSP: the exchange is over, and its owner has the answer.
    fn on_response(&mut self, now: Instant, id: Id<Exchange>) {
        let response = *self.fcp.command(id);
        let initiator = self.fcp.exchange(id).initiator;
        if self.faults.is_armed() && response.is_spoilt() {
            self.on_spoilt(now, id);
            return;
        }
        self.close_exchange(id);
        match response.tag {
            Tag::Host(request) => self.on_host_response(now, request, response.status, initiator),
            Tag::Mirror(copy) => self.on_copy_answered(now, copy, response.status, initiator),
            Tag::BackEnd(transfer) => self.on_disk_answered(now, transfer),
        }
    }
}
