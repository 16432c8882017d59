//! Frames on a loop whose instants are computed before they come.

use std::collections::VecDeque;

use sanlab_kernel::{Instant, Span};

/// Frames that were counted when their instants were computed, and take their time later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// First bit of each, and the end of the fill words behind it.
    frames: VecDeque<(Instant, Instant)>,
}

impl Ahead {
    /// A frame takes this span from this instant on. The tables ask for no instant before `reached` any more.
    pub(crate) fn add(&mut self, starts_at: Instant, slot: Span, reached: Instant) {
        while self.frames.front().is_some_and(|&(_, end)| end <= reached) {
            self.frames.pop_front();
        }
        self.frames.push_back((starts_at, starts_at + slot));
    }

    /// Time that these frames take after now.
    pub(crate) fn after(&self, now: Instant) -> Span {
        let left = |&(start, end): &(Instant, Instant)| end.saturating_since(start.max(now));
        self.frames.iter().map(left).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    fn ps(picoseconds: u64) -> Span {
        Span::from_ps(picoseconds)
    }

    #[test]
    fn what_lies_ahead_becomes_less_and_gaps_between_frames_are_no_part_of_it() {
        let mut ahead = Ahead::default();
        ahead.add(at(10), ps(20), at(0));
        ahead.add(at(50), ps(20), at(0));
        let left = [0, 10, 25, 30, 50, 69, 70].map(|now| ahead.after(at(now)));
        assert_eq!(left, [40, 40, 25, 20, 20, 1, 0].map(ps));
        ahead.add(at(90), ps(5), at(60));
        assert_eq!(ahead.frames.len(), 2, "the first is over");
        assert_eq!(ahead.after(at(60)), ps(15));
    }
}
