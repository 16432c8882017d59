//! The way to the partner controller, which keeps a copy of every write.

use std::collections::VecDeque;

use sanlab_kernel::{Id, Instant, Span, StationTotals};

use crate::disk::ledger::Ledger;
use crate::elsewhere::Task;

/// Fractions of a picosecond in which the shares are counted, so that their rounding adds up to nothing.
const FRACTIONS: u32 = 32;

/// Copies under way share the rate evenly, because their packets take turns on the interconnect.
///
/// This is processor sharing: every copy is given the same, so that one number says what each has got so
/// far, and a copy is through when that number reaches the one noted at its start. Served one after the
/// other, copies that start together would end apart, and writers that share a link would fall out of step.
#[derive(Clone, Debug, Default)]
pub struct Partner {
    /// Time of service given to each copy so far, had it been there from the start.
    given: u128,
    /// Up to when.
    given_until: Instant,
    /// What `given` is when a copy is through, and whose it is; in that order, equal ones as they came.
    under_way: VecDeque<(u128, Id<Task>)>,
    /// Copies that are through, and since when, in this order.
    through: VecDeque<(Instant, Id<Task>)>,
    /// The next end for which an event is scheduled.
    awaited: Option<Instant>,
    ledger: Ledger,
}

impl Partner {
    /// Starts a copy that takes this long when it is alone.
    pub fn begin(&mut self, now: Instant, task: Id<Task>, copy: Span) {
        self.ledger.arrive(now);
        self.advance(now);
        let end = self.given + (u128::from(copy.as_ps()) << FRACTIONS);
        let place = self.under_way.partition_point(|&(other, _)| other <= end);
        self.under_way.insert(place, (end, task));
    }

    /// When the next copy will have been through for this long, unless that is known already.
    pub fn next_end(&mut self, after: Span) -> Option<Instant> {
        let first = self.through.front().map(|&(through_at, _)| through_at);
        let next = first.or_else(|| self.next_through())? + after;
        let is_new = self.awaited != Some(next);
        self.awaited = Some(next);
        is_new.then_some(next)
    }

    /// The copy that ends now. None if copies that came meanwhile have put off the end foreseen for now.
    pub fn take(&mut self, now: Instant) -> Option<Id<Task>> {
        if self.awaited != Some(now) {
            return None;
        }
        self.awaited = None;
        self.advance(now);
        self.through.pop_front().map(|(_, task)| task)
    }

    /// A copy that began then has ended.
    pub fn leave(&mut self, now: Instant, came_at: Instant) {
        self.ledger.leave(now, came_at);
    }

    /// When the first copy under way is through, if no other comes.
    fn next_through(&self) -> Option<Instant> {
        let &(end, _) = self.under_way.front()?;
        let share = self.under_way.len() as u128;
        let left = ((end - self.given) * share).div_ceil(1 << FRACTIONS);
        let left = u64::try_from(left).unwrap_or(u64::MAX);
        Some(self.given_until + Span::from_ps(left))
    }

    /// Gives every copy its share up to now.
    fn advance(&mut self, now: Instant) {
        while let Some(end) = self.next_through().filter(|&end| end <= now) {
            if let Some((given, task)) = self.under_way.pop_front() {
                self.given = given;
                self.through.push_back((end, task));
            }
            self.given_until = end;
        }
        if !self.under_way.is_empty() {
            let span = u128::from((now - self.given_until).as_ps()) << FRACTIONS;
            self.given += span / self.under_way.len() as u128;
        }
        self.given_until = now;
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

#[cfg(test)]
mod tests {
    use super::*;

    const NS: u64 = 1000;

    fn at(ns: u64) -> Instant {
        Instant::START + Span::from_ps(ns * NS)
    }

    /// Every end of some copies, in order: arrival and time alone, in nanoseconds.
    fn ends(copies: &[(u64, u64)]) -> Vec<(u64, u32)> {
        let (mut partner, mut due, mut ends) = (Partner::default(), None, Vec::new());
        let mut arrivals = copies.iter().enumerate().peekable();
        loop {
            let next = arrivals.peek().map(|&(_, &(came, _))| at(came));
            let now = match (next, due) {
                (Some(next), Some(due)) => next.min(due),
                (next, due) => match next.or(due) {
                    Some(now) => now,
                    None => return ends,
                },
            };
            if next == Some(now)
                && let Some((number, &(_, copy))) = arrivals.next()
            {
                let task = Id::from_place(number);
                partner.begin(now, task, Span::from_ps(copy * NS));
            } else {
                due = None;
                if let Some(task) = partner.take(now) {
                    let came = at(copies[task.place()].0);
                    partner.leave(now, came);
                    ends.push(((now - Instant::START).as_ps() / NS, task.number()));
                }
            }
            if let Some(end) = partner.next_end(Span::ZERO) {
                due = Some(end);
            }
            assert_eq!(partner.check(now), Ok(()));
        }
    }

    /// Alone a copy takes its time; two that start together take twice as long, both; one that comes
    /// halfway gets half of the rate until the first is through.
    #[test]
    fn copies_share_the_way() {
        assert_eq!(ends(&[(5, 100)]), [(105, 0)]);
        assert_eq!(ends(&[(0, 100), (0, 100)]), [(200, 0), (200, 1)]);
        assert_eq!(ends(&[(0, 100), (50, 100)]), [(150, 0), (200, 1)]);
        assert_eq!(
            ends(&[(0, 90), (10, 20), (10, 20)]),
            [(70, 1), (70, 2), (130, 0)]
        );
        assert_eq!(ends(&[(0, 100), (300, 100)]), [(100, 0), (400, 1)]);
    }

    /// However copies come, the way is never idle while there is one: the last of those that overlap ends
    /// when their times are summed.
    #[test]
    fn the_way_works_while_there_is_a_copy() {
        let copies: Vec<(u64, u64)> = (0..40).map(|n| (n * 7, 30 + n % 11)).collect();
        let work: u64 = copies.iter().map(|&(_, copy)| copy).sum();
        let last = ends(&copies).last().map(|&(end, _)| end);
        assert!(last.is_some_and(|end| end.abs_diff(work) <= 1), "{last:?}");
    }
}
