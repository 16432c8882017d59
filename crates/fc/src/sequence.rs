//! Frames of one information unit.

use sanlab_kernel::{Id, Instant, MaybeId, Span};

use crate::{AnyExchange, Flow, Frame, FrameKind, NPort, wire_bytes};

/// Frames of one information unit, to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    /// What it carries.
    pub kind: FrameKind,
    /// Exchange it belongs to.
    pub exchange: AnyExchange,
    /// What its frames are counted under.
    pub flow: Id<Flow>,
    /// N_Port it is sent as: the port itself, or a virtual one that shares its link.
    pub source: Id<NPort>,
    /// Destination N_Port.
    pub destination: Id<NPort>,
    /// Originator's exchange id.
    pub ox_id: u16,
    /// Sequence id, which the port gives it when it opens.
    pub seq_id: u8,
    /// Handed to FC-2 at this instant.
    pub queued_at: Instant,
    /// Relative offset of the first byte.
    pub offset: u32,
    /// Bytes still to send.
    pub left_bytes: u32,
    /// Frames sent so far.
    pub seq_cnt: u16,
}

impl Sequence {
    /// Its next frame, sent now.
    #[inline(always)]
    pub(crate) fn cut_frame(
        &mut self,
        data_frame_bytes: u32,
        now: Instant,
        framed_at: Instant,
    ) -> Frame {
        let payload = self.left_bytes.min(data_frame_bytes);
        let frame = Frame {
            ready_at: now,
            framed_at,
            sent_at: now,
            credit_wait: Span::ZERO,
            switch_wait: Span::ZERO,
            exchange: self.exchange,
            flow: self.flow,
            came_by: MaybeId::NONE,
            destination: self.destination,
            source: self.source,
            next: MaybeId::NONE,
            offset: self.offset,
            wire_bytes: frame_size(wire_bytes(payload)),
            payload_bytes: frame_size(payload),
            seq_cnt: self.seq_cnt,
            ox_id: self.ox_id,
            seq_id: self.seq_id,
            channel: 0,
            kind: self.kind,
            is_last: payload == self.left_bytes,
        };
        self.left_bytes -= payload;
        self.offset += payload;
        self.seq_cnt = self.seq_cnt.wrapping_add(1);
        frame
    }
}

/// Bytes of one frame, which are never more than 2148.
#[inline]
pub(crate) fn frame_size(bytes: u32) -> u16 {
    u16::try_from(bytes).expect("a frame has at most 2148 bytes")
}
