//! One ring, one circuit at a time.

use sanlab_fc::{Arbitration, LoopAccess, LoopPlace, Ring, Win};
use sanlab_kernel::{Id, Instant, Span};

use super::LoopCounters;

/// A loop that all its ports share.
#[derive(Clone, Debug)]
pub struct SharedLoop {
    /// Who is next.
    pub(crate) arbitration: Arbitration,
    /// Time of a word from the port before to each port, all ports inserted.
    pub(crate) steps: Vec<Span>,
    /// Place of the port that has the loop and has not sent CLS.
    pub(crate) owner: Option<Id<LoopPlace>>,
    /// It will have sent all it has then.
    pub(crate) dry_at: Instant,
    /// The next win, as it was when the alarm for it was set.
    next_win: Option<Win>,
    /// Places of the last circuit.
    last: Option<(Id<LoopPlace>, Id<LoopPlace>)>,
    pub(crate) released_at: Instant,
}

impl SharedLoop {
    /// A loop on which nothing has happened.
    pub fn new(steps: Vec<Span>, word: Span, access: &[LoopAccess]) -> Self {
        let ring = Ring::new(steps.iter().copied());
        Self {
            arbitration: Arbitration::new(ring, word, access),
            steps,
            owner: None,
            dry_at: Instant::NEVER,
            next_win: None,
            last: None,
            released_at: Instant::START,
        }
    }

    pub(crate) fn next_at(&mut self) -> Instant {
        if self.owner.is_some() {
            return self.dry_at;
        }
        self.next_win = self.arbitration.next_win();
        self.next_win.map_or(Instant::NEVER, |win| win.at)
    }

    /// The next win has come.
    pub(crate) fn take_win(&mut self, counters: &mut LoopCounters) -> Id<LoopPlace> {
        let win = self.next_win.expect("a port wins the loop");
        let wanted_from = self.arbitration.wants_since(win.port);
        counters.arbitrating += win.at - wanted_from.max(self.released_at).min(win.at);
        self.arbitration.win(win);
        win.port
    }

    pub(crate) fn opened(&mut self, owner: Id<LoopPlace>, partner: Id<LoopPlace>) {
        self.owner = Some(owner);
        self.last = Some((owner, partner));
    }

    /// Places of the circuit before, which is over.
    pub(crate) fn last_pair(&self) -> impl Iterator<Item = Id<LoopPlace>> + use<> {
        let places = self.last.map(|(owner, partner)| [owner, partner]);
        places.into_iter().flatten()
    }

    pub(crate) fn release(&mut self, closed_at: Instant, released_at: Instant) {
        self.arbitration.release(closed_at, released_at);
        self.owner = None;
        self.released_at = released_at;
    }

    /// Time from each of two places to the other.
    pub(crate) fn delays(&self, from: Id<LoopPlace>, to: Id<LoopPlace>) -> (Span, Span) {
        let ring = self.arbitration.ring();
        (ring.between(from, to), ring.between(to, from))
    }
}
