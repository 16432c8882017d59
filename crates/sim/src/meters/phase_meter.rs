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
    pub(super) bytes: u64,
    pub(super) response: Histogram,
}

impl PhaseMeter {
    pub(super) fn new(before: OpenIos, open_for: u128) -> Self {
        Self {
            before,
            open_for,
            bytes: 0,
            response: Histogram::default(),
        }
    }

    /// An I/O is done.
    pub(super) fn record(&mut self, bytes: u64, response: Span) {
        self.bytes += bytes;
        self.response.record(response);
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
