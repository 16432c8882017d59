//! When measured windows begin.

use sanlab_kernel::Instant;

/// Instants at which the warm-up of jobs ends, the next one last.
pub(crate) struct Windows {
    begin_at: Vec<Instant>,
}

impl Windows {
    /// Windows that begin then, in any order, several at once too.
    pub(crate) fn new(begin_at: impl Iterator<Item = Instant>) -> Self {
        let mut begin_at: Vec<_> = begin_at.filter(|&at| at > Instant::START).collect();
        begin_at.sort_unstable();
        begin_at.dedup();
        begin_at.reverse();
        Self { begin_at }
    }

    /// One more.
    pub(super) fn add(&mut self, at: Instant) {
        let place = self.begin_at.partition_point(|&other| other > at);
        if self.begin_at.get(place) != Some(&at) {
            self.begin_at.insert(place, at);
        }
    }

    /// When the next one begins; [`Instant::NEVER`] after the last.
    #[inline]
    pub(super) fn next_at(&self) -> Instant {
        self.begin_at.last().copied().unwrap_or(Instant::NEVER)
    }

    /// Take the next one that has begun by now.
    pub(super) fn take_begun(&mut self, now: Instant) -> Option<Instant> {
        self.begin_at.pop_if(|at| *at <= now)
    }
}
