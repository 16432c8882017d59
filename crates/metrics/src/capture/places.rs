//! What a capture has to know of exchanges and loops.

use sanlab_fabric::Fibre;
use sanlab_fc::{Exchange, NPort};
use sanlab_kernel::{Id, IdVec, Instant};

/// An exchange among all of a run: of one originator an id is in use at most once at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExchangeKey {
    /// `N_Port` of the originator.
    pub initiator: Id<NPort>,
    /// Originator's exchange id.
    pub ox_id: u16,
    /// When it was opened.
    pub opened_at: Instant,
}

impl ExchangeKey {
    /// That of an exchange.
    pub fn of(exchange: &Exchange) -> Self {
        Self {
            initiator: exchange.initiator,
            ox_id: exchange.ox_id,
            opened_at: exchange.opened_at,
        }
    }
}

/// Loops, as far as a capture has to know them.
#[derive(Clone, Debug, Default)]
pub struct CaptureLoops {
    /// For each `N_Port` the loop it is on.
    of_n_ports: IdVec<NPort, Option<usize>>,
    /// For each transmitter on a loop, in their order, that loop.
    of_transmitters: Vec<usize>,
    /// For each loop the fibre by which its `FL_Port` sends.
    gates: Vec<Option<Id<Fibre>>>,
}

impl CaptureLoops {
    /// No loops of so many `N_Port`s.
    pub fn of_n_ports(count: usize) -> Self {
        Self {
            of_n_ports: IdVec::filled(None, count),
            ..Self::default()
        }
    }

    /// One loop more, with the `N_Port` at each of its places, and the fibre by which its `FL_Port` sends.
    pub fn add(&mut self, gate: Option<Id<Fibre>>, ports: impl Iterator<Item = Option<Id<NPort>>>) {
        let number = self.gates.len();
        self.gates.push(gate);
        for port in ports {
            self.of_transmitters.push(number);
            if let Some(port) = port {
                self.of_n_ports[port] = Some(number);
            }
        }
    }

    /// Whether an `FL_Port` sends by this fibre.
    pub(super) fn is_gate(&self, fibre: Id<Fibre>) -> bool {
        self.gates.contains(&Some(fibre))
    }

    /// The fibre of the `FL_Port` that takes a frame off the loop of a transmitter; none if its destination
    /// is there.
    pub(super) fn gate_for(&self, transmitter: usize, destination: Id<NPort>) -> Option<Id<Fibre>> {
        let &number = self.of_transmitters.get(transmitter)?;
        let is_there = self.of_n_ports[destination] == Some(number);
        if is_there { None } else { self.gates[number] }
    }
}
