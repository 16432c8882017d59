//! The slowest of many.

use sanlab_kernel::Span;

/// The few that took longest, each with something known of it. Of equal ones the earlier stay.
#[derive(Clone, Debug)]
pub struct Slowest<T> {
    kept: Vec<(Span, T)>,
    most: usize,
    /// What takes no longer is not kept.
    least: Span,
}

impl<T> Slowest<T> {
    /// Keeps this many.
    pub fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            most,
            least: Span::ZERO,
        }
    }

    /// Whether one that took this long is among the slowest so far.
    #[inline(always)]
    pub fn takes(&self, span: Span) -> bool {
        span > self.least
    }

    /// Keep one that is among the slowest so far.
    #[cold]
    pub fn keep(&mut self, span: Span, of: T) {
        if self.kept.len() == self.most {
            let spans = self.kept.iter().enumerate();
            // Of several fastest the one that came last goes; they stay in the order in which they came.
            let fastest = spans.min_by_key(|&(nth, kept)| (kept.0, std::cmp::Reverse(nth)));
            if let Some((nth, _)) = fastest {
                self.kept.remove(nth);
            }
        }
        self.kept.push((span, of));
        if self.kept.len() == self.most {
            let spans = self.kept.iter().map(|kept| kept.0);
            self.least = spans.min().unwrap_or(Span::ZERO);
        }
    }

    /// Those kept, the slowest first.
    pub fn ranked(&self) -> Vec<&(Span, T)> {
        let mut ranked: Vec<_> = self.kept.iter().collect();
        ranked.sort_by_key(|kept| std::cmp::Reverse(kept.0));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    /// Against all of them, sorted.
    #[test]
    fn the_slowest_are_those_of_a_sorted_list() {
        let mut draws = RandomStream::new(3, "slowest");
        let mut slowest = Slowest::new(20);
        let mut all = Vec::new();
        for number in 0..5000u64 {
            let span = Span::from_ps(1 + draws.below(700));
            all.push((span, number));
            if slowest.takes(span) {
                slowest.keep(span, number);
            }
            let mut sorted = all.clone();
            sorted.sort_by_key(|&(span, number)| (std::cmp::Reverse(span), number));
            sorted.truncate(20);
            let ranked: Vec<_> = slowest.ranked().into_iter().copied().collect();
            assert_eq!(ranked, sorted);
        }
    }
}
