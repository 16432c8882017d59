//! The engine of an adapter: the processor and the memory of the card.

use sanlab_kernel::{Instant, Rate, Span, Station};

/// An engine, of one port or of all ports of a card. It does one thing after another.
#[derive(Clone, Debug)]
pub struct Engine {
    /// What it does, and what waits for it.
    pub station: Station,
    /// Rate at which it moves data; without one only commands take its time.
    data: Option<Rate>,
    /// Time to change between reads and writes.
    turnaround: Span,
    /// Whether the last thing it did was for a read.
    was_read: bool,
}

impl Engine {
    /// An engine that moves data at this rate and needs this time between a read and a write.
    pub fn new(data: Option<Rate>, turnaround: Span) -> Self {
        Self {
            station: Station::settling(1),
            data,
            turnaround,
            was_read: true,
        }
    }

    /// A step of a read or of a write takes so much time, and moves so many bytes: when is it done?
    #[inline]
    pub fn work(&mut self, now: Instant, step: Span, bytes: u64, is_read: bool) -> Instant {
        let mut cost = step;
        if let Some(rate) = self.data {
            cost += rate.time_for(bytes);
        }
        if !self.turnaround.is_zero() && is_read != self.was_read {
            cost += self.turnaround;
            self.was_read = is_read;
        }
        match cost {
            Span::ZERO => now,
            _ => self.station.arrive(now, cost).ends_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_costs_its_time_its_bytes_and_a_turn() {
        let rate = Rate::from_bytes_per_s(1_000_000_000);
        let mut engine = Engine::new(Some(rate), Span::from_ps(700));
        let mut ends_at = |bytes, is_read| {
            let done_at = engine.work(Instant::START, Span::from_ps(100), bytes, is_read);
            done_at.as_ps()
        };
        assert_eq!(ends_at(4, true), 4100);
        assert_eq!(ends_at(0, false), 4900);
        assert_eq!(ends_at(0, false), 5000);
        assert_eq!(ends_at(1, true), 6800);
    }
}
