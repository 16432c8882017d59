//! Sources of plain frames.

use sanlab_kernel::{Id, Instant, MaybeId, RandomStream, Span};

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
    /// When its next frame is there.
    pub next_at: Instant,
    /// Frames sent.
    pub sent: u64,
}

impl Generator {
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
            self.next_at = self.next_at.saturating_add(pause);
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
