//! What is counted of one workload while a phase is on.

use sanlab_kernel::Span;
use sanlab_metrics::Histogram;

use super::open_ios::{OpenIos, equal};

/// Writes or reads of one workload in the phase that is on.
#[derive(Debug)]
pub(super) struct PhaseMeter {
    /// At the beginning of the phase.
    pub(super) before: OpenIos,
    /// Time that the requests open then had lasted.
    open_for: u128,
    /// Bytes of theirs that had arrived.
    open_bytes: u64,
    /// Bytes of I/Os done.
    bytes: u64,
    pub(super) response: Histogram,
}

impl PhaseMeter {
    pub(super) fn new(before: OpenIos, open_for: u128, open_bytes: u64) -> Self {
        Self {
            before,
            open_for,
            open_bytes,
            bytes: 0,
            response: Histogram::default(),
        }
    }

    /// An I/O is done.
    pub(super) fn record(&mut self, bytes: u64, response: Span) {
        self.bytes += bytes;
        self.response.record(response);
    }

    /// Bytes that arrived in the phase, of I/Os done and of those that are open at its end.
    pub(super) fn arrived(&self, open_bytes: u64) -> u64 {
        (self.bytes + open_bytes).saturating_sub(self.open_bytes)
    }

    /// Conservation and Little's law in the phase: requests open, integrated over it, are the response
    /// times of those that ended in it, less what was before it, and the part of open requests that is
    /// in it.
    pub(super) fn check(&self, ios: &OpenIos, open_for: u128) -> Result<(), i128> {
        let came = u128::from(self.before.open) + u128::from(ios.asked);
        let went = u128::from(ios.done) + u128::from(ios.failed) + u128::from(ios.open);
        equal(came, went)?;
        equal(ios.area() + self.open_for, ios.response_sum + open_for)
    }
}
