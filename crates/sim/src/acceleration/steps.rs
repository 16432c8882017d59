//! Steps of an accelerated write at both ends of its link.

use sanlab_fabric::{Fibre, Link, TAKEN, Transmission, way_back};
use sanlab_fc::{Exchange, ExchangeState, Frame, FrameKind, wire_bytes};
use sanlab_kernel::{Id, Instant, MaybeId, Span};
use sanlab_scsi::{FCP_CMND_BYTES, FCP_XFER_RDY_BYTES, FirstBurst, Status};

use crate::event::Event;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A frame has started that does not arrive at an N_Port: an end of an accelerated link takes it out, or
    /// sends a command on.
    #[inline(never)]
    pub(crate) fn on_accelerated_hop(&mut self, now: Instant, start: Transmission) {
        let frame = &self.network.frames[start.frame];
        if start.arrives_at == TAKEN {
            let event = Event::TakenOut(start.frame);
            self.agenda
                .schedule(frame.ready_at, frame.destination.number(), event);
        } else if frame.kind == FrameKind::Command && self.accelerators.of(start.fibre).is_some() {
            let rate = self.network.fibres[start.fibre].rate();
            let sent_at = now + rate.time_for(u64::from(wire_bytes(FCP_CMND_BYTES)));
            let event = Event::WriteSeen(frame.exchange.record(), start.fibre);
            self.agenda.schedule(sent_at, frame.source.number(), event);
        }
    }

    /// The near end answers a write in place of the target, if the far end has room for its data.
    pub(crate) fn on_write_seen(&mut self, now: Instant, id: Id<Exchange>, fibre: Id<Fibre>) {
        let exchange = *self.fcp.exchange(id);
        let command = self.fcp.command_mut(id);
        let is_plain = command.first_burst == FirstBurst::Over && !command.is_early;
        let is_of_disk = matches!(command.tag, Tag::BackEnd(_));
        let is_open = exchange.state == ExchangeState::Open;
        let Some(by) = self.accelerators.of(fibre) else {
            return;
        };
        if command.is_read || is_of_disk || !is_plain || !is_open {
            return;
        }
        let bytes = command.bytes;
        if !self.accelerators.all[by].take_room(u64::from(bytes)) {
            return;
        }
        command.is_early = true;
        self.network.accelerate(id, fibre);
        self.accelerators.keep(id, by, bytes);
        let answer = self.network.frames.insert(early_ready(now, id, &exchange));
        self.put_in(now, way_back(fibre), answer);
    }

    /// The far end has all of a frame: data of the write, or what its target sends back.
    pub(crate) fn on_taken_out(&mut self, now: Instant, frame_id: Id<Frame>) {
        let frame = self.network.frames[frame_id];
        let id = frame.exchange.record();
        let Some(fibre) = self.network.accelerated_by(id) else {
            self.network.frames.remove(frame_id);
            return;
        };
        match frame.kind {
            FrameKind::Data => self.keep_data(id, frame_id),
            FrameKind::Response => {
                if self.fcp.command(id).status == Status::TaskSetFull {
                    self.accelerators.kept_mut(id).refusal = frame_id.into();
                } else {
                    self.end_acceleration(id);
                    self.put_in(now, fibre, frame_id);
                }
            }
            _ => {
                self.network.frames.remove(frame_id);
                let asked_bytes = self.fcp.command(id).asked_bytes;
                self.accelerators.kept_mut(id).asked_bytes = asked_bytes;
            }
        }
        self.pass_on(now, id, fibre);
    }

    /// Data of an accelerated write wait at the far end.
    fn keep_data(&mut self, id: Id<Exchange>, frame: Id<Frame>) {
        let bytes = self.network.frames[frame].payload_bytes;
        self.network.frames[frame].next = MaybeId::NONE;
        let write = self.accelerators.kept_mut(id);
        write.came_bytes += u32::from(bytes);
        let last = std::mem::replace(&mut write.last, frame.into());
        match last.get() {
            Some(last) if write.first.is_some() => self.network.frames[last].next = frame.into(),
            _ => write.first = frame.into(),
        }
        let by = write.by;
        self.accelerators.all[by].counters.came_bytes += u64::from(bytes);
    }

    /// Pass on what the target has asked for of the data that are here, and what it answered when all are.
    fn pass_on(&mut self, now: Instant, id: Id<Exchange>, fibre: Id<Fibre>) {
        while let Some(frame) = self.next_to_pass(id) {
            self.pass_frame(now, id, frame, fibre);
        }
        let write = self.accelerators.kept_mut(id);
        if let (Some(refusal), true) = (write.refusal.get(), write.came_bytes == write.bytes) {
            write.refusal = MaybeId::NONE;
            self.end_acceleration(id);
            self.put_in(now, fibre, refusal);
        } else if write.passed_bytes == write.bytes {
            self.end_acceleration(id);
        }
    }

    /// The next frame of a write, if the target has asked for its first byte.
    fn next_to_pass(&mut self, id: Id<Exchange>) -> Option<Id<Frame>> {
        let write = self.accelerators.kept_mut(id);
        let first = write.first.get()?;
        let frame = &self.network.frames[first];
        if frame.offset >= write.asked_bytes {
            return None;
        }
        write.first = frame.next;
        Some(first)
    }

    /// Send a frame on to the target. One that goes on behind the end of its burst is cut there.
    fn pass_frame(
        &mut self,
        now: Instant,
        id: Id<Exchange>,
        frame_id: Id<Frame>,
        fibre: Id<Fibre>,
    ) {
        let write = self.accelerators.kept_mut(id);
        let asked_bytes = write.asked_bytes;
        let frame = &mut self.network.frames[frame_id];
        frame.switch_wait += now - frame.ready_at;
        let left = asked_bytes - frame.offset;
        let behind = u32::from(frame.payload_bytes).saturating_sub(left);
        if behind > 0 {
            let rest = Frame {
                offset: asked_bytes,
                ready_at: now,
                payload_bytes: short(behind),
                wire_bytes: short(wire_bytes(behind)),
                ..*frame
            };
            (frame.payload_bytes, frame.wire_bytes) = (short(left), short(wire_bytes(left)));
            let rest = self.network.frames.insert(rest);
            if self.network.frames[rest].next.is_none() {
                write.last = rest.into();
            }
            write.first = rest.into();
        }
        let frame = &mut self.network.frames[frame_id];
        frame.is_last = frame.offset + u32::from(frame.payload_bytes) == asked_bytes;
        write.passed_bytes += u32::from(frame.payload_bytes);
        let passed = u64::from(frame.payload_bytes);
        let by = write.by;
        self.accelerators.all[by].counters.passed_bytes += passed;
        self.put_in(now, fibre, frame_id);
    }

    /// A frame enters at the end of this fibre.
    fn put_in(&mut self, now: Instant, fibre: Id<Fibre>, frame: Id<Frame>) {
        if !self.network.put_in(fibre, frame, now) {
            self.network.frames.remove(frame);
        }
    }

    /// The ends of the link have done what they do for a write: what is left of it is thrown away.
    fn end_acceleration(&mut self, id: Id<Exchange>) {
        if !self.network.stop_accelerating(id) {
            return;
        }
        let write = self.accelerators.kept_mut(id);
        let mut next = std::mem::replace(&mut write.first, MaybeId::NONE);
        let refusal = std::mem::replace(&mut write.refusal, MaybeId::NONE);
        let by = write.by;
        while let Some(frame) = next.get() {
            let Frame {
                payload_bytes,
                next: behind,
                ..
            } = self.network.frames[frame];
            self.accelerators.all[by].counters.dropped_bytes += u64::from(payload_bytes);
            self.network.frames.remove(frame);
            next = behind;
        }
        if let Some(refusal) = refusal.get() {
            self.network.frames.remove(refusal);
        }
    }

    /// An exchange is over or given up: its room at an accelerated link is free.
    #[inline]
    pub(crate) fn leave_accelerator(&mut self, id: Id<Exchange>) {
        if self.accelerators.are_any() && self.fcp.command(id).is_early {
            self.end_acceleration(id);
            self.fcp.command_mut(id).is_early = false;
            self.accelerators.free(id);
        }
    }

    /// Data of an accelerated write are conserved: the link where they are not.
    pub(crate) fn broken_accelerator(&self) -> Option<Id<Link>> {
        let open = self.fcp.live();
        let early = open.filter(|&id| self.fcp.command(id).is_early);
        let writes = early.map(|id| (id, self.fcp.command(id).bytes));
        self.accelerators.broken(writes, |first| {
            let frames = &self.network.frames;
            let next = |&id: &Id<Frame>| frames[id].next.get();
            let kept = std::iter::successors(Some(first), next);
            kept.map(|id| u64::from(frames[id].payload_bytes)).sum()
        })
    }
}

/// XFER_RDY of the near end for all data of a write.
fn early_ready(now: Instant, id: Id<Exchange>, exchange: &Exchange) -> Frame {
    Frame {
        ready_at: now,
        framed_at: now,
        sent_at: now,
        credit_wait: Span::ZERO,
        switch_wait: Span::ZERO,
        exchange: id.into(),
        flow: exchange.flow,
        came_by: MaybeId::NONE,
        destination: exchange.initiator,
        source: exchange.target,
        next: MaybeId::NONE,
        offset: 0,
        wire_bytes: short(wire_bytes(FCP_XFER_RDY_BYTES)),
        payload_bytes: short(FCP_XFER_RDY_BYTES),
        seq_cnt: 0,
        ox_id: exchange.ox_id,
        seq_id: 0,
        channel: 0,
        kind: FrameKind::EarlyReady,
        is_last: true,
    }
}

/// Bytes of a frame.
fn short(bytes: u32) -> u16 {
    u16::try_from(bytes).expect("a frame has at most 2148 bytes")
}
