//! What a transmitter counts.

use sanlab_fc::Frame;
use sanlab_kernel::Span;

/// Counters of one direction of a link, kept by its transmitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FibreCounters {
    /// Frames sent.
    pub frames: u64,
    /// Bytes from SOF to EOF, fill words left out.
    pub bytes: u64,
    /// Payload of those frames.
    pub payload_bytes: u64,
    /// Time the fibre is taken, fill words after each frame included; the whole of a frame's when it
    /// starts.
    pub busy: Span,
    /// Time with a frame to send, the fibre free and no BB credit. Nearest vendor counters: TxWait,
    /// `tim_txcrd_z` (ticks of 2.5 us).
    pub credit_wait: Span,
    /// How often that happened.
    pub credit_waits: u64,
    /// Waiting time at this transmitter, summed over its frames: of those from a switch since they
    /// were ready to be forwarded, of those from an N_Port since FC-2 framed them.
    pub queue_wait: u128,
    /// Frames lost on this fibre or before it: cut off, corrupted, or discarded because it was dark.
    pub dropped: u64,
}

impl FibreCounters {
    /// Count a frame that is received.
    pub(crate) fn count(&mut self, frame: &Frame, slot: Span) {
        self.frames += 1;
        self.bytes += u64::from(frame.wire_bytes);
        self.payload_bytes += u64::from(frame.payload_bytes);
        self.busy += slot;
    }
}
