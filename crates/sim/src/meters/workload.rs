//! What a workload has seen.

use sanlab_kernel::{Instant, STAGE_COUNT, Span};
use sanlab_metrics::{IoTotals, Spread, SpreadMeter, WorkloadMeter};

use super::open_ios::OpenIos;
use super::phase_meter::PhaseMeter;

/// What one workload has seen.
#[derive(Default)]
pub(crate) struct WorkloadState {
    /// Writes and reads.
    pub(crate) meters: [WorkloadMeter; 2],
    pub(crate) queue_full: u64,
    pub(crate) last_completion_at: Instant,
    /// Bytes of requests done, warm-up included.
    pub(crate) bytes_done: u64,
    /// Writes and reads from their request to their end.
    pub(crate) ios: [OpenIos; 2],
    /// Bytes of writes and reads that intervals have counted before their I/Os were done.
    ahead: [u64; 2],
    /// Writes and reads of the present phase.
    pub(super) phase: Option<Box<[PhaseMeter; 2]>>,
}

impl WorkloadState {
    /// Keeps the response times of each interval, for percentiles.
    pub(super) fn with_intervals() -> Self {
        let mut state = Self::default();
        for meter in &mut state.meters {
            meter.interval_spread = Some(SpreadMeter::default());
        }
        state
    }

    /// A request is made.
    pub(crate) fn begin(&mut self, now: Instant, is_read: bool) {
        self.ios[usize::from(is_read)].begin(now);
    }

    /// A request is done after this response time.
    pub(crate) fn complete(&mut self, now: Instant, is_read: bool, bytes: u64, response: Span) {
        let direction = usize::from(is_read);
        self.ios[direction].complete(now, response);
        self.last_completion_at = now;
        self.bytes_done += bytes;
        if let Some(phase) = &mut self.phase {
            phase[direction].record(bytes, response);
        }
    }

    /// A request has failed after this time.
    pub(crate) fn fail(&mut self, now: Instant, is_read: bool, open_for: Span) {
        self.ios[usize::from(is_read)].fail(now, open_for);
    }

    /// Requests done, warm-up included.
    pub(crate) fn ios_done(&self) -> u64 {
        self.ios.iter().map(|ios| ios.done).sum()
    }

    /// Requests open.
    pub(crate) fn open(&self) -> u64 {
        self.ios.iter().map(|ios| ios.open).sum()
    }

    /// An interval ends, in which as many bytes moved as arrived: those of the I/Os done, and of the open
    /// ones so far, without what earlier intervals have counted of them. Where an I/O failed or began
    /// again, later ones count less until that is made up. With the times of the stages of the I/Os done.
    pub(super) fn end_interval(
        &mut self,
        direction: usize,
        open_bytes: u64,
    ) -> (IoTotals, Spread, [Span; STAGE_COUNT]) {
        let meter = &mut self.meters[direction];
        let mut totals = std::mem::take(&mut meter.interval);
        let stages = std::mem::take(&mut meter.interval_stages);
        let spread = meter.interval_spread.as_mut().map(SpreadMeter::take);
        let arrived = totals.bytes + open_bytes;
        let ahead = &mut self.ahead[direction];
        totals.bytes = arrived.saturating_sub(*ahead);
        *ahead = open_bytes.max(ahead.saturating_sub(arrived - open_bytes));
        (totals, spread.unwrap_or_default(), stages)
    }
}
