//! A RAM SSD: each port begins a command after the other, and a pipeline takes each through.

use sanlab_kernel::{Picoseconds, Rate, StationTotals};

use crate::disk::ledger::Ledger;
use crate::service_time::ServiceTime;

/// A RAM SSD.
#[derive(Clone, Debug)]
pub struct Ram {
    /// From one command of a port to its next: the ceiling of a port is one over it.
    command: Picoseconds,
    /// Time from the beginning of a command to its first byte.
    latency: ServiceTime,
    rate: Rate,
    ports: Vec<Picoseconds>,
    ledger: Ledger,
}

impl Ram {
    /// An SSD of so many ports. Each begins a command every `command` at best, or when the bytes of
    /// the one before have passed, and answers it `latency` and its own bytes later.
    pub fn new(ports: u32, command: Picoseconds, latency: ServiceTime, rate: Rate) -> Self {
        Self {
            command,
            latency,
            rate,
            ports: vec![0; ports.max(1) as usize],
            ledger: Ledger::default(),
        }
    }

    /// Starts a command of a port; returns when it is done. The caller reports its end then.
    pub fn arrive(&mut self, now: Picoseconds, port: usize, bytes: u64) -> Picoseconds {
        self.ledger.arrive(now);
        let count = self.ports.len();
        let free_at = &mut self.ports[port % count];
        let (begins_at, transfer) = (now.max(*free_at), self.rate.time_for(bytes));
        *free_at = begins_at + self.command.max(transfer);
        begins_at + self.latency.draw() + transfer
    }

    /// A command that came then is done.
    pub fn leave(&mut self, now: Picoseconds, came_at: Picoseconds) {
        self.ledger.leave(now, came_at);
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Picoseconds) -> StationTotals {
        self.ledger.totals(now)
    }

    /// Little's law; the error is what is missing.
    pub fn check(&mut self, now: Picoseconds) -> Result<(), i128> {
        self.ledger.check(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_serves_one_after_the_other_and_the_pipeline_holds_many() {
        let mut ram = Ram::new(
            2,
            20,
            ServiceTime::constant(100),
            Rate::from_bytes_per_s(1_000_000_000_000),
        );
        let ends: Vec<_> = [0, 0, 1, 0]
            .iter()
            .map(|&port| ram.arrive(0, port, 10))
            .collect();
        assert_eq!(ends, [110, 130, 110, 150]);
        for (at, came_at) in [(110, 0), (110, 0), (130, 0), (150, 0)] {
            ram.leave(at, came_at);
        }
        assert_eq!(ram.check(500), Ok(()));
    }
}
