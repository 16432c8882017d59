//! A frame on its way.

use sanlab_kernel::{Id, Instant, MaybeId, Span};

use crate::{AnyExchange, Flow, FrameKind, NPort, Wire};

/// A frame between its first transmitter and its destination N_Port.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The switch it is in can forward it from this instant on.
    pub ready_at: Instant,
    /// FC-2 of the source began with it.
    pub framed_at: Instant,
    /// First bit out of the source N_Port.
    pub sent_at: Instant,
    /// Time on its way for which a transmitter had it to send and no credit.
    pub credit_wait: Span,
    /// Time on its way in switches, credit waits left out.
    pub switch_wait: Span,
    /// The exchange it belongs to.
    pub exchange: AnyExchange,
    /// What it is counted under.
    pub flow: Id<Flow>,
    /// The fibre it came by, to whose transmitter its buffer is given back.
    pub came_by: MaybeId<Wire>,
    /// Destination N_Port.
    pub destination: Id<NPort>,
    /// Source N_Port.
    pub source: Id<NPort>,
    /// Next frame in the queue it is in.
    pub next: MaybeId<Self>,
    /// Relative offset of the payload in the data of the exchange.
    pub offset: u32,
    /// SOF to EOF.
    pub wire_bytes: u16,
    /// Payload without padding.
    pub payload_bytes: u16,
    /// Number within its sequence.
    pub seq_cnt: u16,
    /// Originator's exchange id.
    pub ox_id: u16,
    /// Sequence id.
    pub seq_id: u8,
    /// Virtual channel of the fibre it came by, whose credit it holds.
    pub channel: u8,
    /// What it carries.
    pub kind: FrameKind,
    /// Last frame of its sequence.
    pub is_last: bool,
}

/// A frame that FC-2 made, and whether its sequence ended with it.
#[derive(Clone, Copy, Debug)]
pub struct NextFrame {
    /// The frame; `sent_at` and the fibre are for the transmitter to fill in.
    pub frame: Frame,
    /// It was the last of its sequence.
    pub ends_sequence: bool,
}
