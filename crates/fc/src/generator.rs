//! Sources of plain frames.

use sanlab_kernel::{Id, Instant, Load, MaybeId, RandomStream, Span};

use crate::sequence::frame_size;
use crate::{AnyExchange, Flow, Frame, FrameKind, NPort, wire_bytes};

/// A source of plain frames: no exchange, no response.
#[derive(Clone, Debug)]
pub struct Generator {
    /// What its frames are counted under.
    pub flow: Id<Flow>,
    /// Destination N_Port.
    pub destination: Id<NPort>,
    /// Payload of each frame.
    pub payload_bytes: u32,
    /// Frames still to send.
    pub left: u64,
    /// Mean time between frames; 0 sends without pause.
    pub interval: Span,
    /// Exponential times between frames, from this stream; else constant.
    pub draws: Option<RandomStream>,
    /// A rate that changes.
    pub curve: Option<Box<RateCurve>>,
    /// When its next frame is there.
    pub next_at: Instant,
    /// Frames sent.
    pub sent: u64,
}

/// The rate of a source over time.
#[derive(Clone, Debug)]
pub struct RateCurve {
    load: Load,
    started_at: Instant,
    /// Work of the load up to the next frame.
    work: u128,
}

impl RateCurve {
    /// A curve that begins then.
    pub fn new(load: Load, started_at: Instant) -> Self {
        Self {
            load,
            started_at,
            work: 0,
        }
    }

    /// The end of a pause that has this length at the full rate; [`Instant::NEVER`] if the curve ends
    /// before.
    pub fn after(&mut self, pause: Span) -> Instant {
        self.work += Load::full(pause);
        self.due_at()
    }

    /// What was due before is not made up for. Returns when the next frame is due.
    fn resume(&mut self, now: Instant) -> Instant {
        self.work = self.load.until(now.saturating_since(self.started_at));
        self.due_at()
    }

    fn due_at(&self) -> Instant {
        let since = self.load.reaches(self.work);
        since.map_or(Instant::NEVER, |it| self.started_at.saturating_add(it))
    }
}

impl Generator {
    /// Its link is gone until then: frames that are due before are never made.
    pub(crate) fn pause_until(&mut self, back_at: Instant) {
        if self.next_at >= back_at {
            return;
        }
        self.next_at = match &mut self.curve {
            Some(curve) => curve.resume(back_at),
            None => back_at,
        };
    }

    /// Its next frame, sent now by this N_Port, which has a transmit buffer for it from `buffer_at` on.
    #[inline(always)]
    pub(crate) fn frame(&mut self, now: Instant, buffer_at: Instant, source: Id<NPort>) -> Frame {
        let ready_at = self.next_at;
        self.left -= 1;
        self.sent += 1;
        if !self.interval.is_zero() {
            let pause = match &mut self.draws {
                Some(draws) => draws.exponential_span(self.interval),
                None => self.interval,
            };
            self.next_at = match &mut self.curve {
                Some(curve) => curve.after(pause),
                None => self.next_at.saturating_add(pause),
            };
        }
        let [.., high, seq_id] = self.sent.to_be_bytes();
        Frame {
            ready_at: now,
            framed_at: buffer_at.max(ready_at),
            sent_at: now,
            credit_wait: Span::ZERO,
            switch_wait: Span::ZERO,
            exchange: AnyExchange::NONE,
            flow: self.flow,
            came_by: MaybeId::NONE,
            destination: self.destination,
            source,
            next: MaybeId::NONE,
            offset: 0,
            wire_bytes: frame_size(wire_bytes(self.payload_bytes)),
            payload_bytes: frame_size(self.payload_bytes),
            seq_cnt: 0,
            ox_id: u16::from_be_bytes([high, seq_id]),
            seq_id,
            channel: 0,
            kind: FrameKind::Plain,
            is_last: true,
        }
    }
}
