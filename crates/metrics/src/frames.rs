//! Latencies of frames.

use sanlab_fc::Flow;
use sanlab_kernel::{Id, IdVec, Span};

use crate::Histogram;

/// What was seen of the frames of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowTotals {
    /// Frames delivered.
    pub frames: u64,
    /// Their payload.
    pub payload_bytes: u64,
    network_sum: u128,
    network_most: Span,
    end_to_end_sum: u128,
    end_to_end_most: Span,
}

/// Latencies of all frames delivered, of each flow and together.
///
/// The *network latency* of a frame is the time from its first bit out of the source N_Port to its last
/// bit into the destination N_Port; its *end-to-end latency* begins when FC-2 of the source begins
/// with it, which may hold it for want of the fibre or of credit.
#[derive(Clone, Debug, Default)]
pub struct FrameLatencies {
    /// Of each flow.
    pub flows: IdVec<Flow, FlowTotals>,
    /// Of all frames.
    pub network: Histogram,
    /// Of all frames.
    pub end_to_end: Histogram,
}

impl FrameLatencies {
    /// For this many flows.
    pub fn new(flows: usize) -> Self {
        Self {
            flows: IdVec::filled(FlowTotals::default(), flows),
            ..Self::default()
        }
    }

    /// A frame has arrived.
    #[inline(always)]
    pub fn record(&mut self, flow: Id<Flow>, payload: u16, network: Span, end_to_end: Span) {
        let flow = &mut self.flows[flow];
        flow.frames += 1;
        flow.payload_bytes += u64::from(payload);
        flow.network_sum += u128::from(network.as_ps());
        flow.network_most = flow.network_most.max(network);
        flow.end_to_end_sum += u128::from(end_to_end.as_ps());
        flow.end_to_end_most = flow.end_to_end_most.max(end_to_end);
        self.network.record(network);
        self.end_to_end.record(end_to_end);
    }
}

impl FlowTotals {
    /// Mean and greatest network latency.
    pub fn network(&self) -> (f64, Span) {
        (mean(self.network_sum, self.frames), self.network_most)
    }

    /// Mean and greatest end-to-end latency.
    pub fn end_to_end(&self) -> (f64, Span) {
        (mean(self.end_to_end_sum, self.frames), self.end_to_end_most)
    }
}

fn mean(sum: u128, count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        sum as f64 / count as f64
    }
}
