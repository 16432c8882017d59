//! A queue with servers.

use std::collections::VecDeque;

use crate::{Instant, Span};

/// First come, first served, by one or several servers.
///
/// Nothing can overtake, so the end of a service is known when the customer arrives: one event per
/// customer. The owner of that event calls [`Station::leave`] when it is due; the station records
/// the promised end and compares the two in [`Station::check`].
///
/// Two cache lines, in this order: a departure changes the first alone.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Station {
    /// Arrival and promised end of those present, in order of their ends. As a customer always goes to the
    /// server that is free first, the last ends of all, one for each server, are when the servers are free.
    present: VecDeque<(Instant, Instant)>,
    /// Customers present, integrated over time.
    area: u128,
    changed_at: Instant,
    servers: u32,
    /// Customers leave by themselves when their service ends.
    settles: bool,
    /// Time of service of all that came, summed.
    busy: u128,
    /// Residence times of all that came, as promised on arrival.
    promised: i128,
    arrivals: u64,
    most: u64,
}

const _: () = assert!(size_of::<Station>() == 128);

/// What a station has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct StationTotals {
    /// Customers that came.
    pub arrivals: u64,
    /// Customers that left.
    pub departures: u64,
    /// Time of service so far, summed over the servers.
    pub busy: u128,
    /// Customers present, integrated over time.
    pub area: u128,
    /// Residence times of those that left, summed.
    pub residence: u128,
    /// Most customers present at once.
    pub most: u64,
}

/// When a service begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// The server turns to the customer.
    pub starts_at: Instant,
    /// The customer leaves.
    pub ends_at: Instant,
}

impl Station {
    /// A station with this many servers, at least 1.
    pub fn new(servers: u32) -> Self {
        Self {
            present: VecDeque::new(),
            area: 0,
            changed_at: Instant::START,
            servers: servers.max(1),
            settles: false,
            busy: 0,
            promised: 0,
            arrivals: 0,
            most: 0,
        }
    }

    /// A station whose customers leave by themselves when their service ends, without an event, or
    /// with an event after the end of the service.
    pub fn settling(servers: u32) -> Self {
        Self {
            settles: true,
            ..Self::new(servers)
        }
    }

    /// Those whose service has ended by now have left, each at its end.
    #[inline]
    fn settle(&mut self, now: Instant) {
        while self.settles && self.present.front().is_some_and(|&(_, end)| end <= now) {
            let (_, end) = self.present[0];
            self.leave(end);
        }
    }

    /// When a customer that arrives now would be served from.
    #[inline]
    fn next_start(&self, now: Instant) -> Instant {
        match self.present.len().checked_sub(self.servers()) {
            Some(place) => now.max(self.present[place].1),
            None => now,
        }
    }

    /// A customer arrives that needs this much service.
    pub fn arrive(&mut self, now: Instant, service: Span) -> Service {
        self.settle(now);
        self.advance(now);
        self.arrivals += 1;
        self.busy += u128::from(service.as_ps());
        let starts_at = self.next_start(now);
        let ends_at = starts_at + service;
        self.expect(now, ends_at);
        self.most = self.most.max(self.present.len() as u64);
        self.promised += i128::from((ends_at - now).as_ps());
        Service { starts_at, ends_at }
    }

    /// One server ends its customers in order of arrival; of several one may be quicker.
    fn expect(&mut self, now: Instant, ends_at: Instant) {
        match self.present.back() {
            Some(&(_, last)) if last > ends_at => {
                let place = self.present.partition_point(|&(_, end)| end <= ends_at);
                self.present.insert(place, (now, ends_at));
            }
            _ => self.present.push_back((now, ends_at)),
        }
    }

    /// A customer leaves: the one who was promised to be the next.
    pub fn leave(&mut self, now: Instant) {
        self.advance(now);
        self.present
            .pop_front()
            .expect("a customer left who had not come");
    }

    /// The station fails: all customers are gone at once, and what was left of their service is not done.
    /// Events at their promised ends concern no one any more.
    pub fn fail(&mut self, now: Instant) {
        self.settle(now);
        self.busy = self.totals(now).busy;
        for (_, ends_at) in std::mem::take(&mut self.present) {
            self.promised -= i128::from((ends_at - now).as_ps());
        }
    }

    /// Totals up to now. Those that left did so at the ends promised to them, as [`Station::check`] makes sure.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        self.settle(now);
        self.advance(now);
        // A server that has work beyond now has it without a pause.
        let last = self.present.iter().rev().take(self.servers());
        let to_come = last.map(|&(_, end)| u128::from(end.saturating_since(now).as_ps()));
        let promised_to = |&(came_at, ends_at): &(Instant, Instant)| (ends_at - came_at).as_ps();
        let of_those_present = self.present.iter().map(promised_to).map(i128::from);
        let residence = self.promised - of_those_present.sum::<i128>();
        StationTotals {
            arrivals: self.arrivals,
            departures: self.arrivals - self.present.len() as u64,
            busy: self.busy - to_come.sum::<u128>(),
            area: self.area,
            residence: u128::try_from(residence).unwrap_or(0),
            most: self.most,
        }
    }

    /// Reads what the next arrival and departure need, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self) -> u64 {
        let first = self.present.front();
        self.changed_at.as_ps() ^ self.arrivals ^ first.map_or(0, |&(_, end)| end.as_ps())
    }

    /// Number of servers.
    pub fn servers(&self) -> usize {
        self.servers as usize
    }

    /// Checks Little's law exactly: the number present integrated over time is the sum of the
    /// residence times promised on arrival, minus the remaining times of those present. The error
    /// is the difference of the two.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        self.settle(now);
        self.advance(now);
        if let Some(&(_, late)) = self.present.front().filter(|(_, end)| *end < now) {
            return Err(-i128::from((now - late).as_ps()));
        }
        let ends = self
            .present
            .iter()
            .map(|&(_, end)| i128::from((end - now).as_ps()));
        let area = i128::try_from(self.area).expect("less than 2^127");
        match self.promised - ends.sum::<i128>() - area {
            0 => Ok(()),
            missing => Err(missing),
        }
    }

    fn advance(&mut self, now: Instant) {
        let span = u128::from((now - self.changed_at).as_ps());
        self.area += self.present.len() as u128 * span;
        self.changed_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn two_servers_serve_two_at_once() {
        let mut station = Station::new(2);
        let ends: Vec<_> = (0..4)
            .map(|_| station.arrive(at(0), Span::from_ps(10)).ends_at)
            .collect();
        assert_eq!(ends, [10, 10, 20, 20].map(at));
        for at in ends {
            station.leave(at);
        }
        assert_eq!(station.totals(at(20)).area, 60);
        assert_eq!(station.check(at(20)), Ok(()));
    }

    #[test]
    fn a_customer_who_leaves_late_is_noticed() {
        let mut station = Station::new(1);
        station.arrive(at(0), Span::from_ps(10));
        station.leave(at(11));
        assert_eq!(station.check(at(11)), Err(-1));
    }

    #[test]
    fn one_who_never_leaves_or_leaves_early_is_noticed_while_others_are_there() {
        let mut station = Station::new(2);
        station.arrive(at(0), Span::from_ps(10));
        station.arrive(at(0), Span::from_ps(1000));
        assert_eq!(station.check(at(10)), Ok(()));
        assert_eq!(station.check(at(12)), Err(-2));
        station.leave(at(12));
        assert_eq!(station.check(at(12)), Err(-2));
        let mut station = Station::new(2);
        station.arrive(at(0), Span::from_ps(10));
        station.arrive(at(0), Span::from_ps(1000));
        station.leave(at(7));
        assert_eq!(station.check(at(500)), Err(3));
    }

    #[test]
    fn customers_of_a_settling_station_leave_by_themselves() {
        let (mut told, mut settling) = (Station::new(2), Station::settling(2));
        for service in [30, 10, 10] {
            told.arrive(at(0), Span::from_ps(service));
            settling.arrive(at(0), Span::from_ps(service));
        }
        told.leave(at(10));
        told.leave(at(20));
        assert_eq!(settling.check(at(25)), Ok(()));
        let (told, settled) = (told.totals(at(25)), settling.totals(at(25)));
        assert_eq!((settled.departures, settled.residence), (2, 30));
        assert_eq!((told.area, told.busy), (settled.area, settled.busy));
    }

    /// Little's law holds over a failure, and the busy time is that of what was served.
    #[test]
    fn a_failed_station_forgets_its_customers() {
        let mut station = Station::new(2);
        for service in [30, 10, 10, 100] {
            station.arrive(at(0), Span::from_ps(service));
        }
        station.leave(at(10));
        station.fail(at(15));
        assert_eq!(station.check(at(15)), Ok(()));
        assert_eq!(station.totals(at(40)).busy, 30);
        assert_eq!(station.arrive(at(40), Span::from_ps(5)).ends_at, at(45));
        station.leave(at(45));
        assert_eq!(station.check(at(50)), Ok(()));
        let totals = station.totals(at(50));
        assert_eq!((totals.departures, totals.residence), (5, 10 + 3 * 15 + 5));
    }

    /// Work that is promised beyond now has not been done yet.
    #[test]
    fn busy_time_and_residence_end_now() {
        let mut station = Station::new(2);
        let ends: Vec<_> = [30, 10, 10, 100]
            .map(|service| station.arrive(at(0), Span::from_ps(service)).ends_at)
            .into();
        assert_eq!(ends, [30, 10, 20, 120].map(at));
        station.leave(at(10));
        station.leave(at(20));
        let totals = station.totals(at(25));
        assert_eq!((totals.busy, totals.residence), (50, 30));
        assert_eq!(station.check(at(25)), Ok(()));
        assert_eq!(station.totals(at(120)).busy, 150);
    }
}
