//! A RAM SSD: each port begins a command after the other, and a pipeline takes each through.

use sanlab_kernel::{Id, IdVec, Instant, Rate, Span, StationTotals};

use crate::disk::ledger::Ledger;
use crate::parts::FrontEndPort;
use crate::service_time::ServiceTime;

#[derive(Debug)]
enum Port {}

/// A RAM SSD.
#[derive(Clone, Debug)]
pub struct Ram {
    /// From one command of a port to its next: the ceiling of a port is one over it.
    command: Span,
    /// Time from the beginning of a command to its first byte.
    latency: ServiceTime,
    rate: Rate,
    ports: IdVec<Port, Instant>,
    ledger: Ledger,
}

impl Ram {
    /// An SSD of so many ports. Each begins a command every `command` at best, or when the bytes of
    /// the one before have passed, and answers it `latency` and its own bytes later.
    pub fn new(ports: u32, command: Span, latency: ServiceTime, rate: Rate) -> Self {
        Self {
            command,
            latency,
            rate,
            ports: IdVec::filled(Instant::START, ports.max(1) as usize),
            ledger: Ledger::default(),
        }
    }

    /// Starts a command that came by a port of the array; returns when it is done. The caller reports its
    /// end then.
    pub fn arrive(&mut self, now: Instant, port: Id<FrontEndPort>, bytes: u64) -> Instant {
        self.ledger.arrive(now);
        let port = Id::new(port.number() % self.ports.next_id().number());
        let free_at = &mut self.ports[port];
        let (begins_at, transfer) = (now.max(*free_at), self.rate.time_for(bytes));
        *free_at = begins_at + self.command.max(transfer);
        begins_at + self.latency.draw() + transfer
    }

    /// A command that came then is done.
    pub fn leave(&mut self, now: Instant, came_at: Instant) {
        self.ledger.leave(now, came_at);
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

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn a_port_serves_one_after_the_other_and_the_pipeline_holds_many() {
        let mut ram = Ram::new(
            2,
            Span::from_ps(20),
            ServiceTime::constant(Span::from_ps(100)),
            Rate::from_bytes_per_s(1_000_000_000_000),
        );
        let ends: Vec<_> = [0, 0, 1, 0]
            .iter()
            .map(|&port| ram.arrive(at(0), Id::new(port), 10))
            .collect();
        assert_eq!(ends, [110, 130, 110, 150].map(at));
        for done_at in [110, 110, 130, 150] {
            ram.leave(at(done_at), at(0));
        }
        assert_eq!(ram.check(at(500)), Ok(()));
    }
}
