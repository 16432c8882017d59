//! Buffer-to-buffer credit, kept as the times at which it comes back.

use std::collections::VecDeque;

use sanlab_kernel::Instant;

/// The credit a transmitter holds for the receiver at the other end of its fibre.
///
/// One entry per credit not in use or on its way back: the instant from which it may be used. The
/// entries are in order of time, whatever the order in which they become known, so that the first is
/// always the next to be used.
///
/// ```
/// use sanlab_kernel::Instant;
/// let mut credit = sanlab_fc::BbCredit::new(2);
/// let at = Instant::from_ps;
/// assert_eq!(credit.next_at(), Instant::START);
/// credit.take(at(0));
/// credit.take(at(100));
/// assert_eq!(credit.next_at(), Instant::NEVER);
/// credit.give(at(900));
/// credit.give(at(700)); // learnt later, back earlier
/// assert_eq!(credit.next_at(), at(700));
/// ```
#[derive(Clone, Debug)]
pub struct BbCredit {
    granted: u32,
    back_at: VecDeque<Instant>,
    most_in_use: u32,
}

impl BbCredit {
    /// As many as the receiver granted at login.
    pub fn new(granted: u32) -> Self {
        let mut back_at = VecDeque::with_capacity(granted as usize);
        back_at.resize(granted as usize, Instant::START);
        Self {
            granted,
            back_at,
            most_in_use: 0,
        }
    }

    /// Granted at login.
    pub fn granted(&self) -> u32 {
        self.granted
    }

    /// Not in use, or on the way back at a known time.
    pub fn known(&self) -> u32 {
        count(self.back_at.len())
    }

    /// Most in use at once.
    pub fn most_in_use(&self) -> u32 {
        self.most_in_use
    }

    /// When the next credit may be used; [`Instant::NEVER`] while none is known to come back.
    #[inline]
    pub fn next_at(&self) -> Instant {
        self.back_at.front().copied().unwrap_or(Instant::NEVER)
    }

    /// Use the next credit, which is back now.
    #[inline]
    pub fn take(&mut self, now: Instant) {
        let taken = self.back_at.pop_front();
        debug_assert!(
            taken.is_some_and(|back_at| back_at <= now),
            "a frame was sent without credit"
        );
        if self.most_in_use < self.granted {
            self.note_use(now);
        }
    }

    /// More are in use than ever before unless as many as were never used are back.
    #[inline(always)]
    fn note_use(&mut self, now: Instant) {
        let never_used = (self.granted - self.most_in_use) as usize;
        let are_back = self
            .back_at
            .get(never_used - 1)
            .is_some_and(|&at| at <= now);
        if !are_back {
            let back = self.back_at.partition_point(|&at| at <= now);
            self.most_in_use = self.granted - count(back);
        }
    }

    /// The link begins anew: all that was granted is there from this instant on.
    pub fn renew(&mut self, at: Instant) {
        self.back_at.clear();
        self.back_at.resize(self.granted as usize, at);
    }

    /// The next credits get lost, so many of those known as there are. Returns when each was, or would
    /// have been, back.
    pub fn lose(&mut self, most: u32) -> impl Iterator<Item = Instant> {
        let lost = most.min(self.known());
        self.back_at.drain(..lost as usize)
    }

    /// Credits that would be back after one instant and before another are back then: something else is
    /// being sent their way.
    pub fn delay(&mut self, after: Instant, until: Instant) {
        let first = self.back_at.partition_point(|&at| at <= after);
        let end = self.back_at.partition_point(|&at| at < until);
        for at in self.back_at.range_mut(first..end) {
            *at = until;
        }
    }

    /// A credit will be back at this time.
    #[inline(always)]
    pub fn give(&mut self, at: Instant) {
        match self.back_at.back() {
            Some(&last) if last > at => {
                let place = self.back_at.partition_point(|&known| known <= at);
                self.back_at.insert(place, at);
            }
            _ => self.back_at.push_back(at),
        }
    }
}

/// A number of credits; a port never has more than 2^32.
#[inline]
fn count(credits: usize) -> u32 {
    u32::try_from(credits).expect("credit is granted as a 32-bit number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn the_most_in_use_is_what_was_away_at_once() {
        let mut credit = BbCredit::new(4);
        credit.take(at(0));
        credit.give(at(100));
        assert_eq!(credit.most_in_use(), 1);
        credit.take(at(50)); // the first is still away
        credit.give(at(150));
        assert_eq!(credit.most_in_use(), 2);
        credit.take(at(200)); // both are back
        credit.give(at(300));
        assert_eq!(credit.most_in_use(), 2);
        for _ in 0..3 {
            credit.take(at(250));
        }
        assert_eq!(credit.most_in_use(), 4);
    }
}
