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
    most_in_use: u32,
    /// The first entry, kept apart as it is read several times for each frame; [`Instant::NEVER`] if none is
    /// known to come back.
    next_at: Instant,
    /// The others, and those that come back when a dark link is lit, which is at no known time.
    later: VecDeque<Instant>,
}

impl BbCredit {
    /// As many as the receiver granted at login.
    pub fn new(granted: u32) -> Self {
        let mut credit = Self {
            granted,
            most_in_use: 0,
            next_at: Instant::NEVER,
            later: VecDeque::with_capacity(granted as usize),
        };
        credit.renew(Instant::START);
        credit
    }

    /// Granted at login.
    pub fn granted(&self) -> u32 {
        self.granted
    }

    /// Not in use, or on the way back at a known time.
    pub fn known(&self) -> u32 {
        u32::from(self.next_at.is_set()) + count(self.later.len())
    }

    /// Most in use at once.
    pub fn most_in_use(&self) -> u32 {
        self.most_in_use
    }

    /// Reads what the next frame needs, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self) -> u64 {
        let later = self.later.front().copied();
        self.next_at.as_ps() ^ later.unwrap_or(Instant::NEVER).as_ps()
    }

    /// When the next credit may be used; [`Instant::NEVER`] while none is known to come back.
    #[inline(always)]
    pub fn next_at(&self) -> Instant {
        self.next_at
    }

    /// Use the next credit, which is back now.
    #[inline]
    pub fn take(&mut self, now: Instant) {
        debug_assert!(self.next_at <= now, "a frame was sent without credit");
        self.advance();
        if self.most_in_use < self.granted {
            self.note_use(now);
        }
    }

    /// The first of the others is the next.
    #[inline(always)]
    fn advance(&mut self) {
        self.next_at = match self.later.front() {
            Some(at) if at.is_set() => self.later.pop_front().unwrap_or(Instant::NEVER),
            _ => Instant::NEVER,
        };
    }

    /// More are in use than ever before unless as many as were never used are back.
    #[inline(always)]
    fn note_use(&mut self, now: Instant) {
        let never_used = (self.granted - self.most_in_use) as usize;
        let last = match never_used.checked_sub(2) {
            None => Some(self.next_at),
            Some(place) => self.later.get(place).copied(),
        };
        if last.is_none_or(|at| at > now) {
            let back = self.later.partition_point(|&at| at <= now);
            let back = back + usize::from(self.next_at <= now);
            self.most_in_use = self.granted - count(back);
        }
    }

    /// The link begins anew: all that was granted is there from this instant on.
    pub fn renew(&mut self, at: Instant) {
        self.later.clear();
        self.later.resize(self.granted as usize, at);
        self.advance();
    }

    /// The next credits get lost, so many of those known as there are. Returns when each was, or would
    /// have been, back.
    pub fn lose(&mut self, most: u32) -> impl Iterator<Item = Instant> + use<> {
        let count = most.min(self.known());
        let first = self.next_at.is_set().then_some(self.next_at);
        let known = first.into_iter().chain(self.later.drain(..));
        let mut lost: Vec<_> = known.collect();
        self.later.extend(lost.split_off(count as usize));
        self.advance();
        lost.into_iter()
    }

    /// Credits that would be back after one instant and before another are back then: something else is
    /// being sent their way.
    pub fn delay(&mut self, after: Instant, until: Instant) {
        if self.next_at > after && self.next_at < until {
            self.next_at = until;
        }
        let first = self.later.partition_point(|&at| at <= after);
        let end = self.later.partition_point(|&at| at < until);
        for at in self.later.range_mut(first..end) {
            *at = until;
        }
    }

    /// A credit will be back at this time.
    #[inline(always)]
    pub fn give(&mut self, at: Instant) {
        if at < self.next_at {
            if self.next_at.is_set() {
                self.later.push_front(self.next_at);
            }
            self.next_at = at;
            return;
        }
        match self.later.back() {
            Some(&last) if last > at => {
                let place = self.later.partition_point(|&known| known <= at);
                self.later.insert(place, at);
            }
            _ => self.later.push_back(at),
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

    /// A link goes dark for good, or is lit later: its credit is there, but at no known time.
    #[test]
    fn credit_of_a_dark_link_is_kept() {
        let mut credit = BbCredit::new(1);
        credit.renew(Instant::NEVER);
        assert_eq!((credit.known(), credit.next_at()), (1, Instant::NEVER));
        credit.give(at(50));
        assert_eq!((credit.known(), credit.next_at()), (2, at(50)));
        credit.take(at(50));
        assert_eq!((credit.known(), credit.next_at()), (1, Instant::NEVER));
        assert_eq!(credit.lose(5).collect::<Vec<_>>(), [Instant::NEVER]);
        credit.renew(at(90));
        assert_eq!((credit.known(), credit.next_at()), (1, at(90)));
    }
}
