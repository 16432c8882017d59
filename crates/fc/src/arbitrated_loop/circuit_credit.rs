//! Credit in one direction of a circuit.

use std::collections::VecDeque;

use sanlab_kernel::{Instant, Span};

/// How many frames one side of an open circuit may send, and when.
///
/// On a loop credit does not outlive the circuit (FC-AL-2, alternate BB_Credit management). What the
/// receiver promised at login may be used at once; for its other buffers it sends R_RDY as soon as it
/// is opened, and one more for each buffer it frees.
#[derive(Clone, Debug, Default)]
pub struct CircuitCredit {
    at_once: u32,
    on_opening: u32,
    opened_at: Instant,
    back_at: VecDeque<Instant>,
}

impl CircuitCredit {
    /// A circuit opens: `login` frames may go at once, the rest of `buffers` when the R_RDYs of the
    /// port that was opened arrive at `opened_at`.
    pub fn open(&mut self, login: u32, buffers: u32, opened_at: Instant) {
        self.at_once = login.min(buffers);
        self.on_opening = buffers - self.at_once;
        self.opened_at = opened_at;
        self.back_at.clear();
    }

    /// When the next frame may go; [`Instant::NEVER`] if no more credit is known to come.
    #[inline]
    pub fn next_at(&self) -> Instant {
        if self.at_once > 0 {
            Instant::START
        } else if self.on_opening > 0 {
            self.opened_at
        } else {
            self.back_at.front().copied().unwrap_or(Instant::NEVER)
        }
    }

    /// When the next frame may go if its buffer is one that frames of other circuits may hold: it is
    /// announced free from `free_at` on, and the R_RDY takes `home`. Credit of the login holds only
    /// while such a buffer is free.
    #[inline]
    pub fn next_at_with(&self, now: Instant, free_at: Instant, home: Span) -> Instant {
        if self.at_once > 0 && free_at <= now {
            Instant::START
        } else {
            free_at.saturating_add(home).max(self.opened_at)
        }
    }

    /// Use the next one.
    #[inline]
    pub fn take(&mut self) {
        if self.at_once > 0 {
            self.at_once -= 1;
        } else if self.on_opening > 0 {
            self.on_opening -= 1;
        } else {
            self.back_at.pop_front();
        }
    }

    /// An R_RDY for a freed buffer arrives then; they come in order.
    #[inline]
    pub fn give(&mut self, at: Instant) {
        self.back_at.push_back(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn buffers_that_outlive_circuits_are_announced_when_the_port_is_opened_or_later() {
        let mut credit = CircuitCredit::default();
        let home = Span::from_ps(30);
        credit.open(1, 4, at(500));
        assert_eq!(credit.next_at_with(at(100), at(100), home), at(0));
        assert_eq!(credit.next_at_with(at(100), at(101), home), at(500));
        credit.take();
        assert_eq!(credit.next_at_with(at(100), at(0), home), at(500));
        assert_eq!(credit.next_at_with(at(100), at(600), home), at(630));
    }

    #[test]
    fn login_credit_first_then_the_first_r_rdys_then_freed_buffers() {
        let mut credit = CircuitCredit::default();
        credit.open(1, 2, at(500));
        credit.give(at(900));
        let mut times = Vec::new();
        for _ in 0..4 {
            times.push(credit.next_at());
            credit.take();
        }
        assert_eq!(times, [at(0), at(500), at(900), Instant::NEVER]);
        credit.open(0, 1, at(7));
        assert_eq!(credit.next_at(), at(7));
    }
}
