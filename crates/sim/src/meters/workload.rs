//! What a workload has seen, and Little's law for it.

use sanlab_kernel::{Instant, Span};
use sanlab_metrics::{IoTotals, WorkloadMeter};

/// What one workload has seen.
#[derive(Default)]
pub(crate) struct WorkloadState {
    /// Writes and reads.
    pub(crate) meters: [WorkloadMeter; 2],
    pub(crate) queue_full: u64,
    /// Requests made.
    pub(crate) asked: u64,
    /// Requests that failed.
    pub(crate) failed: u64,
    /// Requests done, warm-up included.
    pub(crate) done: u64,
    pub(crate) last_completion_at: Instant,
    /// Requests open, integrated over time, and the response times that must add up to it.
    pub(crate) open: u64,
    open_area: u128,
    changed_at: Instant,
    pub(crate) response_sum: u128,
    /// Bytes of writes and reads that intervals have counted before their I/Os were done.
    ahead: [u64; 2],
}

impl WorkloadState {
    /// A request is made.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.change_open(now, 1);
        self.asked += 1;
    }

    /// A request is done after this response time.
    pub(crate) fn complete(&mut self, now: Instant, response: Span) {
        self.change_open(now, -1);
        self.response_sum += u128::from(response.as_ps());
        self.last_completion_at = now;
        self.done += 1;
    }

    /// A request has failed after this time.
    pub(crate) fn fail(&mut self, now: Instant, open_for: Span) {
        self.change_open(now, -1);
        self.response_sum += u128::from(open_for.as_ps());
        self.failed += 1;
    }

    /// An interval ends, in which as many bytes moved as arrived: those of the I/Os done, and of the open
    /// ones so far, without what earlier intervals have counted of them. Where an I/O failed or began
    /// again, later ones count less until that is made up.
    pub(super) fn end_interval(&mut self, direction: usize, open_bytes: u64) -> IoTotals {
        let mut totals = std::mem::take(&mut self.meters[direction].interval);
        let arrived = totals.bytes + open_bytes;
        let ahead = &mut self.ahead[direction];
        totals.bytes = arrived.saturating_sub(*ahead);
        *ahead = open_bytes.max(ahead.saturating_sub(arrived - open_bytes));
        totals
    }

    /// So many requests more, or fewer, are open from now on.
    fn change_open(&mut self, now: Instant, change: i64) {
        self.open_area += u128::from(self.open) * u128::from((now - self.changed_at).as_ps());
        self.changed_at = now;
        self.open = self.open.wrapping_add_signed(change);
    }

    /// Little's law: requests open, integrated over time, are the response times summed, those of
    /// open requests counted up to now.
    pub(crate) fn little(&mut self, now: Instant, open_for: u128) -> Result<(), i128> {
        self.change_open(now, 0);
        let sum = self.response_sum + open_for;
        if self.open_area == sum {
            Ok(())
        } else {
            Err(i128::try_from(self.open_area).unwrap_or(0) - i128::try_from(sum).unwrap_or(0))
        }
    }
}
