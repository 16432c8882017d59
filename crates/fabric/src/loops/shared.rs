//! One ring, one circuit at a time.

use sanlab_fc::{Arbitration, LoopAccess, Ring, Win};
use sanlab_kernel::{NEVER, Picoseconds};

use super::LoopCounters;

/// A loop that all its ports share.
#[derive(Clone, Debug)]
pub struct SharedLoop {
    /// Who is next.
    pub(crate) arbitration: Arbitration,
    /// Time of a word from the port before to each port, all ports inserted.
    pub(crate) steps: Vec<Picoseconds>,
    /// Place of the port that has the loop and has not sent CLS.
    pub(crate) owner: Option<u32>,
    /// It will have sent all it has then.
    pub(crate) dry_at: Picoseconds,
    /// The next win, as it was when the alarm for it was set.
    next_win: Option<Win>,
    /// Places of the last circuit.
    last: Option<(u32, u32)>,
    pub(crate) released_at: Picoseconds,
}

impl SharedLoop {
    /// A loop on which nothing has happened.
    pub fn new(steps: Vec<Picoseconds>, word: Picoseconds, access: &[LoopAccess]) -> Self {
        let ring = Ring::new(steps.iter().copied());
        Self {
            arbitration: Arbitration::new(ring, word, access),
            steps,
            owner: None,
            dry_at: NEVER,
            next_win: None,
            last: None,
            released_at: 0,
        }
    }

    pub(crate) fn next_at(&mut self) -> Picoseconds {
        if self.owner.is_some() {
            return self.dry_at;
        }
        self.next_win = self.arbitration.next_win();
        self.next_win.map_or(NEVER, |win| win.at)
    }

    /// The next win has come.
    pub(crate) fn take_win(&mut self, counters: &mut LoopCounters) -> u32 {
        let win = self.next_win.expect("a port wins the loop");
        let wanted_from = self.arbitration.wants_since(win.port);
        counters.arbitrating += win.at - wanted_from.max(self.released_at).min(win.at);
        self.arbitration.win(win);
        win.port
    }

    pub(crate) fn opened(&mut self, owner: u32, partner: u32) {
        self.owner = Some(owner);
        self.last = Some((owner, partner));
    }

    /// Ports of the circuit before, which is over.
    pub(crate) fn last_pair(&self, first_port: u32) -> impl Iterator<Item = u32> + use<> {
        let places = self.last.map(|(owner, partner)| [owner, partner]);
        places
            .into_iter()
            .flatten()
            .map(move |place| first_port + place)
    }

    pub(crate) fn release(&mut self, closed_at: Picoseconds, released_at: Picoseconds) {
        self.arbitration.release(closed_at, released_at);
        self.owner = None;
        self.released_at = released_at;
    }

    /// Time from each of two places to the other.
    pub(crate) fn delays(&self, from: u32, to: u32) -> (Picoseconds, Picoseconds) {
        let ring = self.arbitration.ring();
        (ring.between(from, to), ring.between(to, from))
    }
}
