//! The way to the partner controller, which keeps a copy of every write.

use sanlab_kernel::{Instant, Span, StationTotals};

use crate::disk::ledger::Ledger;

/// One server: copies go one after the other; the access to the cache comes after each.
#[derive(Clone, Debug, Default)]
pub struct Partner {
    free_at: Instant,
    ledger: Ledger,
}

impl Partner {
    /// Starts a write that takes this long to copy, and then this long to put into the cache;
    /// returns when both are done. The caller reports its end then.
    pub fn arrive(&mut self, now: Instant, copy: Span, access: Span) -> Instant {
        self.ledger.arrive(now);
        self.free_at = self.free_at.max(now) + copy;
        self.free_at + access
    }

    /// A write that came then is in both caches.
    pub fn leave(&mut self, now: Instant, came_at: Instant) {
        self.ledger.leave(now, came_at);
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        self.ledger.totals(now)
    }

    /// Little's law; the error is what is missing.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        self.ledger.check(now)
    }
}
