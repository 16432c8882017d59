//! A queue with servers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Picoseconds;

/// First come, first served, by one or several servers.
///
/// Nothing can overtake, so the end of a service is known when the customer arrives: one event per
/// customer. Whoever keeps that event calls [`Station::leave`] when it comes; the station counts who
/// is there on its own and holds the two against each other in [`Station::check`].
#[derive(Clone, Debug)]
pub struct Station {
    free_at: BinaryHeap<Reverse<Picoseconds>>,
    totals: StationTotals,
    present: u64,
    changed_at: Picoseconds,
    promised: i128,
}

/// What a station has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct StationTotals {
    /// Customers that came.
    pub arrivals: u64,
    /// Customers that left.
    pub departures: u64,
    /// Service times of those that came, summed.
    pub busy: u128,
    /// Customers present, integrated over time.
    pub area: u128,
    /// Most customers present at once.
    pub most: u64,
}

/// When a service begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// The server turns to the customer.
    pub starts_at: Picoseconds,
    /// The customer leaves.
    pub ends_at: Picoseconds,
}

impl Station {
    /// A station with this many servers, at least 1.
    pub fn new(servers: u32) -> Self {
        Self {
            free_at: (0..servers.max(1)).map(|_| Reverse(0)).collect(),
            totals: StationTotals::default(),
            present: 0,
            changed_at: 0,
            promised: 0,
        }
    }

    /// When a customer that arrives now would be served from.
    pub fn next_start(&self, now: Picoseconds) -> Picoseconds {
        self.free_at
            .peek()
            .map_or(now, |Reverse(free)| now.max(*free))
    }

    /// A customer arrives that needs this much service.
    pub fn arrive(&mut self, now: Picoseconds, service: Picoseconds) -> Service {
        self.advance(now);
        self.present += 1;
        self.totals.arrivals += 1;
        self.totals.most = self.totals.most.max(self.present);
        self.totals.busy += u128::from(service);
        let starts_at = self.next_start(now);
        let ends_at = starts_at + service;
        if let Some(mut first) = self.free_at.peek_mut() {
            *first = Reverse(ends_at);
        }
        self.promised += i128::from(ends_at) - i128::from(now);
        Service { starts_at, ends_at }
    }

    /// A customer leaves.
    pub fn leave(&mut self, now: Picoseconds) {
        self.advance(now);
        self.present -= 1;
        self.totals.departures += 1;
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Picoseconds) -> StationTotals {
        self.advance(now);
        self.totals
    }

    /// Number of servers.
    pub fn servers(&self) -> usize {
        self.free_at.len()
    }

    /// Little's law, exactly: the number present integrated over time is the sum of the residence
    /// times, as promised on arrival. Checked where all customers have left; with customers
    /// present the area may only be smaller. The error is what is missing.
    pub fn check(&self) -> Result<(), i128> {
        let area = i128::try_from(self.totals.area).expect("less than 2^127");
        let missing = self.promised - area;
        if (self.present == 0 && missing == 0) || (self.present > 0 && missing >= 0) {
            Ok(())
        } else {
            Err(missing)
        }
    }

    fn advance(&mut self, now: Picoseconds) {
        self.totals.area += u128::from(self.present) * u128::from(now - self.changed_at);
        self.changed_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_serve_two_at_once() {
        let mut station = Station::new(2);
        let ends: Vec<_> = (0..4).map(|_| station.arrive(0, 10).ends_at).collect();
        assert_eq!(ends, [10, 10, 20, 20]);
        for at in ends {
            station.leave(at);
        }
        assert_eq!(station.totals(20).area, 60);
        assert_eq!(station.check(), Ok(()));
    }

    #[test]
    fn a_customer_who_leaves_late_is_noticed() {
        let mut station = Station::new(1);
        station.arrive(0, 10);
        station.leave(11);
        assert_eq!(station.check(), Err(-1));
    }
}
