//! What a cache held over time: dirty data, and writes that waited for room.

use sanlab_kernel::{Instant, Span};

/// Integrals of a cache's state up to the last change of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheMeter {
    changed_at: Instant,
    dirty: u64,
    waiting: u64,
    is_alone: bool,
    sums: CacheSums,
}

/// What a cache has held since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSums {
    /// Writes that waited for room.
    pub waits: u64,
    /// Time they waited, those that still wait included, in picoseconds.
    pub waited: u128,
    /// Time for which at least one write waited.
    pub full: Span,
    /// Writes whose data it did not take: they were answered when they were on the media.
    pub through: u64,
    /// Time for which it took none because no other controller could keep a copy.
    pub alone: Span,
    /// Bytes not on disk, integrated over picoseconds.
    pub dirty_area: u128,
    /// Bytes not on disk.
    pub dirty: u64,
    /// Most of them.
    pub most_dirty: u64,
}

impl CacheMeter {
    /// A write begins to wait for room.
    pub(crate) fn wait(&mut self) {
        self.sums.waits += 1;
    }

    /// The data of a write go to the media without it.
    pub(crate) fn pass_through(&mut self) {
        self.sums.through += 1;
    }

    /// From now on it writes through for want of a partner, or no longer does.
    pub(crate) fn set_alone(&mut self, now: Instant, is_alone: bool) {
        self.sums = self.sums(now);
        self.changed_at = now;
        self.is_alone = is_alone;
    }

    /// The state from now on.
    pub(crate) fn observe(&mut self, now: Instant, dirty: u64, waiting: usize) {
        self.sums = self.sums(now);
        self.changed_at = now;
        self.waiting = waiting as u64;
        self.dirty = dirty;
        self.sums.dirty = dirty;
        self.sums.most_dirty = self.sums.most_dirty.max(dirty);
    }

    /// Sums up to now.
    pub fn sums(&self, now: Instant) -> CacheSums {
        let span = now.saturating_since(self.changed_at);
        let ps = u128::from(span.as_ps());
        let mut sums = self.sums;
        sums.dirty_area += u128::from(self.dirty) * ps;
        sums.waited += u128::from(self.waiting) * ps;
        if self.waiting > 0 {
            sums.full += span;
        }
        if self.is_alone {
            sums.alone += span;
        }
        sums
    }
}

/// What a cache has done, whichever kind it is. Bytes of writes are conserved: those written are those
/// overwritten before they were destaged, those destaged, those lost, and those still dirty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Reads found whole.
    pub hits: u64,
    /// Reads that waited for what was being read ahead.
    pub waits: u64,
    /// Reads with missing data.
    pub misses: u64,
    /// Prefetches.
    pub prefetches: u64,
    /// Their bytes.
    pub prefetched: u64,
    /// Bytes of writes taken.
    pub written: u64,
    /// Of them, those overwritten while dirty.
    pub overwritten: u64,
    /// Bytes that went to disk.
    pub destaged: u64,
    /// Bytes lost with the memory they were in, before they were destaged.
    pub lost: u64,
    /// Destages.
    pub destages: u64,
    /// Of them, those of a whole stripe.
    pub full_destages: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_integrals_of_the_state() {
        let at = Instant::from_ps;
        let mut meter = CacheMeter::default();
        meter.observe(at(10), 100, 0);
        meter.wait();
        meter.wait();
        meter.observe(at(20), 100, 2);
        meter.observe(at(25), 60, 1);
        let sums = meter.sums(at(31));
        assert_eq!(sums.dirty_area, 15 * 100 + 6 * 60);
        assert_eq!((sums.waits, sums.waited), (2, 5 * 2 + 6));
        assert_eq!((sums.full, sums.most_dirty), (Span::from_ps(11), 100));
        meter.set_alone(at(40), true);
        meter.pass_through();
        meter.observe(at(50), 60, 0);
        meter.set_alone(at(70), false);
        let sums = meter.sums(at(90));
        assert_eq!((sums.through, sums.alone), (1, Span::from_ps(30)));
        assert_eq!(sums.full, Span::from_ps(30));
        assert_eq!(sums.dirty_area, 15 * 100 + 65 * 60);
    }
}
