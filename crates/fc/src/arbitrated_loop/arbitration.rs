//! Who wins the loop, and when.

use sanlab_kernel::{Id, IdVec, Instant, Span};

use super::ranks::Ranks;
use super::{LoopPlace, Ring};

/// How a port contends for its loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopAccess {
    /// Arbitrated loop physical address; a lower one has the higher priority.
    pub al_pa: u8,
    /// It keeps the access fairness rule: having won, it does not arbitrate again before all others
    /// that wanted the loop have had it.
    pub is_fair: bool,
    /// After closing a circuit the port opens the next without arbitration if no other port
    /// arbitrates; an unfair port does so in any case.
    pub uses_transfer: bool,
}

/// The next port to own the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Win {
    /// Its place.
    pub port: Id<LoopPlace>,
    /// It has the loop from this instant.
    pub at: Instant,
    /// It had the loop already, and transfers it to another partner.
    pub is_transfer: bool,
}

#[derive(Clone, Copy, Debug)]
struct Contender {
    access: LoopAccess,
    /// It wants the loop since then; [`Instant::NEVER`] when it does not.
    wants_since: Instant,
    /// It may arbitrate from then on; [`Instant::NEVER`] between its win and the end of the access window.
    may_from: Instant,
}

/// A tenancy under way, or the last one.
#[derive(Clone, Copy, Debug)]
struct Tenancy {
    owner: Id<LoopPlace>,
    /// The owner's first fill word after its OPN leaves then.
    marked_at: Instant,
    /// Whether a port arbitrated when that word passed: then the access window continues.
    is_contended: bool,
    /// Else the word comes back, and the owner's first IDLE leaves then.
    idle_at: Instant,
    /// The owner repeats what it receives from then on; [`Instant::NEVER`] while it holds the loop.
    repeats_from: Instant,
}

/// Arbitration on one loop, in closed form.
///
/// - A port that arbitrates replaces every fill word of lower priority at its output by its own ARB.
///   It has won when its own comes back. So a first word sent at `s` wins at `s + R` unless a port of
///   higher priority already arbitrates when the word passes: `s' <= s + d`.
/// - The owner lets no fill word through. Its CLS is followed by the words it repeats again, so the
///   first word of port `p` that can survive is the one that reaches the owner when it begins to
///   repeat: `s = max(request, repeats_from - d(p, owner))`.
/// - The owner sends ARB(F0), the lowest priority of all, after its OPN. If the word comes back
///   unchanged, no port arbitrates: the owner sends IDLE, and every port that receives IDLE may
///   arbitrate again. This ends the access window. No port replaces the first IDLE, so all see it.
#[derive(Clone, Debug)]
pub struct Arbitration {
    ring: Ring,
    word: Span,
    contenders: IdVec<LoopPlace, Contender>,
    /// For each rank, strongest first, its port.
    by_rank: Vec<Id<LoopPlace>>,
    /// For each port its rank.
    rank_of: IdVec<LoopPlace, u8>,
    /// Ports that want the loop.
    wanting: Ranks,
    /// Those of them whose turn has come: unfair, or with access in this window.
    eligible: Ranks,
    /// Fair ports that have won in this access window.
    without_access: Vec<Id<LoopPlace>>,
    last: Option<Tenancy>,
    /// No port arbitrates before: the loop initialises.
    closed_until: Instant,
}

/// When a port sends its first word.
type Word = (Instant, Id<LoopPlace>);

impl Arbitration {
    /// Ports in the order of the ring; `word` is the time of one transmission word.
    ///
    /// # Panics
    ///
    /// Panics if there are more ports than AL_PAs, which are 127.
    pub fn new(ring: Ring, word: Span, ports: &[LoopAccess]) -> Self {
        let contenders: IdVec<LoopPlace, Contender> = ports
            .iter()
            .map(|&access| Contender {
                access,
                wants_since: Instant::NEVER,
                may_from: Instant::START,
            })
            .collect();
        let mut by_rank: Vec<_> = contenders.ids().collect();
        by_rank.sort_by_key(|&port| contenders[port].access.al_pa);
        let mut rank_of = IdVec::filled(0, ports.len());
        for (rank, &port) in by_rank.iter().enumerate() {
            rank_of[port] = u8::try_from(rank).expect("no more ports than AL_PAs");
        }
        Self {
            ring,
            word,
            contenders,
            by_rank,
            rank_of,
            wanting: Ranks::default(),
            eligible: Ranks::default(),
            without_access: Vec::new(),
            last: None,
            closed_until: Instant::START,
        }
    }

    /// Positions.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// No port arbitrates before this instant.
    pub fn closed_until(&self) -> Instant {
        self.closed_until
    }

    /// How the ports contend, in the order of their places.
    pub fn access(&self) -> Vec<LoopAccess> {
        let contenders = self.contenders.iter();
        contenders.map(|contender| contender.access).collect()
    }

    /// The loop goes down and initialises: ports keep their places and wishes, and arbitrate on the
    /// new ring from this instant, all with access.
    pub fn initialise(&mut self, ring: Ring, until: Instant) {
        self.ring = ring;
        self.closed_until = until;
        self.last = None;
        self.without_access.clear();
        for contender in &mut self.contenders {
            contender.may_from = Instant::START;
        }
        self.eligible = self.wanting;
    }

    /// A port wants the loop from now on.
    pub fn request(&mut self, port: Id<LoopPlace>, now: Instant) {
        if self.contenders[port].wants_since != Instant::NEVER {
            return;
        }
        self.contenders[port].wants_since = now;
        let rank = self.rank_of[port];
        self.wanting.insert(rank);
        if self.has_access(port) {
            self.eligible.insert(rank);
        }
        // The owner's mark may still be on its way to this port.
        if let Some(last) = self.last
            && !last.is_contended
            && port != last.owner
        {
            let passes_at = last.marked_at + self.ring.between(last.owner, port);
            let starts_at = self.starts_at(port, Some(last));
            if let Some(tenancy) = &mut self.last {
                tenancy.is_contended = starts_at <= passes_at;
            }
        }
    }

    /// A port does not want the loop any more: it has sent what it had in the circuit of another. If
    /// it was the only one that arbitrated, the owner's mark passes from now on.
    pub fn withdraw(&mut self, port: Id<LoopPlace>, now: Instant) {
        if self.contenders[port].wants_since == Instant::NEVER {
            return;
        }
        self.forget(port);
        let arbitrates = |other: Id<LoopPlace>| self.starts_at(other, None) <= now;
        if self.ports(self.eligible).any(arbitrates) {
            return;
        }
        if let Some(last) = &mut self.last
            && last.is_contended
        {
            last.is_contended = false;
            last.idle_at = last.idle_at.max(now + self.ring.between(port, last.owner));
        }
    }

    /// When a port began to want the loop.
    pub fn wants_since(&self, port: Id<LoopPlace>) -> Instant {
        self.contenders[port].wants_since
    }

    /// The owner keeps the fairness rule, and has heard another port arbitrate by now.
    pub fn must_yield(&self, owner: Id<LoopPlace>, now: Instant) -> bool {
        let is_heard = |port: Id<LoopPlace>| {
            let starts_at = self.starts_at(port, self.last);
            starts_at.saturating_add(self.ring.between(port, owner)) <= now
        };
        let mut others = self.candidates().filter(|&port| port != owner);
        self.contenders[owner].access.is_fair && others.any(is_heard)
    }

    /// The next win, according to the requests so far; an earlier request or one of higher priority
    /// may still change it. None while no port wants the loop, or its owner holds it.
    pub fn next_win(&self) -> Option<Win> {
        if self
            .last
            .is_some_and(|last| last.repeats_from == Instant::NEVER)
        {
            return None;
        }
        if let Some(win) = self.transfer() {
            return Some(win);
        }
        if let Some(port) = self.strongest_in_time() {
            return Some(self.win_of((self.first_word(port), port)));
        }
        // Each port is asked once for its first word: there may be a hundred candidates.
        let words = self.candidates().map(|port| (self.first_word(port), port));
        let mut words = words.filter(|&(sent_at, _)| sent_at != Instant::NEVER);
        let first = words.next()?;
        let survivors = words.filter(|&word| self.passes(word, first) && self.survives_all(word));
        let words = std::iter::once(first).chain(survivors);
        words
            .min_by_key(|word| word.0)
            .map(|word| self.win_of(word))
    }

    /// The strongest port, if it arbitrates when the first word behind the CLS passes it: whatever
    /// another sends reaches it no earlier than that word, and goes no further.
    fn strongest_in_time(&self) -> Option<Id<LoopPlace>> {
        let last = self.last.filter(|last| last.is_contended)?;
        let strongest = self.ports(self.eligible).next()?;
        let passes_from = last.repeats_from - self.ring.between(strongest, last.owner);
        (self.starts_at(strongest, self.last) <= passes_from).then_some(strongest)
    }

    fn win_of(&self, (sent_at, port): Word) -> Win {
        Win {
            port,
            at: sent_at + self.ring.round(),
            is_transfer: false,
        }
    }

    /// This port has the loop now, as [`Arbitration::next_win`] said.
    pub fn win(&mut self, win: Win) {
        self.end_window();
        self.forget(win.port);
        let contender = &mut self.contenders[win.port];
        if contender.access.is_fair && contender.may_from != Instant::NEVER {
            contender.may_from = Instant::NEVER;
            self.without_access.push(win.port);
        }
        let marked_at = win.at + self.word;
        let is_contended = self.ports(self.eligible).any(|port| {
            let passes_at = marked_at + self.ring.between(win.port, port);
            self.starts_at(port, None) <= passes_at
        });
        self.last = Some(Tenancy {
            owner: win.port,
            marked_at,
            is_contended,
            idle_at: marked_at + self.ring.round(),
            repeats_from: Instant::NEVER,
        });
    }

    /// The owner, which sent CLS at the first instant, has its answer at the second: what it receives
    /// from the next word on it repeats.
    pub fn release(&mut self, closed_at: Instant, at: Instant) {
        let Some(last) = &mut self.last else {
            // The loop has been initialised since it won.
            self.closed_until = self.closed_until.max(at + self.word);
            return;
        };
        last.repeats_from = at + self.word;
        if last.idle_at == closed_at {
            last.idle_at += self.word; // behind the CLS
        }
    }

    /// The owner opens another port without arbitration.
    fn transfer(&self) -> Option<Win> {
        let last = self.last?;
        let owner = &self.contenders[last.owner];
        if !owner.access.uses_transfer || owner.wants_since > last.repeats_from {
            return None;
        }
        let hears = |port: Id<LoopPlace>| {
            port != last.owner
                && self
                    .starts_at(port, self.last)
                    .saturating_add(self.ring.between(port, last.owner))
                    <= last.repeats_from
        };
        let may = !owner.access.is_fair || !self.candidates().any(hears);
        may.then_some(Win {
            port: last.owner,
            at: last.repeats_from,
            is_transfer: true,
        })
    }

    /// When this port begins to arbitrate: it wants the loop, and it may. `last` is the tenancy whose
    /// access window may have ended for it.
    fn starts_at(&self, port: Id<LoopPlace>, last: Option<Tenancy>) -> Instant {
        let contender = &self.contenders[port];
        let starts_at = contender.wants_since.max(self.closed_until);
        let window_end = match last {
            Some(last) if !last.is_contended => self.window_end(port, last),
            _ => return starts_at.max(contender.may_from),
        };
        let may_from = contender.may_from.min(window_end);
        match starts_at.max(may_from) {
            at if at == window_end => at + self.word,
            at => at,
        }
    }

    /// The first word of this port that the owner before does not swallow.
    fn first_word(&self, port: Id<LoopPlace>) -> Instant {
        let starts_at = self.starts_at(port, self.last);
        match self.last {
            Some(last) => {
                let to_owner = self.ring.between(port, last.owner);
                let passes_from = last.repeats_from.saturating_sub(to_owner);
                let is_idle = !last.is_contended && passes_from == self.window_end(port, last);
                starts_at.max(passes_from + if is_idle { self.word } else { Span::ZERO })
            }
            None => starts_at,
        }
    }

    /// A port's first word passes a stronger port before that sends its own.
    fn passes(&self, word: Word, stronger: Word) -> bool {
        stronger.0 > word.0 + self.ring.between(word.1, stronger.1)
    }

    fn survives_all(&self, word: Word) -> bool {
        let stronger = self.wanting.stronger_than(self.rank_of[word.1]);
        let mut waiting = self.ports(stronger).filter(|&other| other != word.1);
        waiting.all(|other| self.passes(word, (self.first_word(other), other)))
    }

    /// Ports of these ranks, strongest first.
    fn ports(&self, ranks: Ranks) -> impl Iterator<Item = Id<LoopPlace>> + '_ {
        ranks.iter().map(|rank| self.by_rank[usize::from(rank)])
    }

    /// Ports that may arbitrate before the next tenancy: all that want the loop once the access window
    /// has ended.
    fn candidates(&self) -> impl Iterator<Item = Id<LoopPlace>> + '_ {
        let may_all = self.last.is_some_and(|last| !last.is_contended);
        self.ports(if may_all { self.wanting } else { self.eligible })
    }

    fn has_access(&self, port: Id<LoopPlace>) -> bool {
        self.contenders[port].may_from != Instant::NEVER
    }

    fn forget(&mut self, port: Id<LoopPlace>) {
        self.contenders[port].wants_since = Instant::NEVER;
        let rank = self.rank_of[port];
        self.wanting.remove(rank);
        self.eligible.remove(rank);
    }

    /// IDLE, sent when the mark came back, passes this port.
    fn window_end(&self, port: Id<LoopPlace>, last: Tenancy) -> Instant {
        last.idle_at + self.ring.between(last.owner, port)
    }

    /// If the tenancy before ended the access window, all that had none have access.
    fn end_window(&mut self) {
        let Some(last) = self.last else { return };
        if last.is_contended {
            return;
        }
        while let Some(port) = self.without_access.pop() {
            self.contenders[port].may_from = self.window_end(port, last) + self.word;
        }
        self.eligible = self.wanting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    fn place(number: u32) -> Id<LoopPlace> {
        Id::new(number)
    }

    const FAIR: LoopAccess = LoopAccess {
        al_pa: 0,
        is_fair: true,
        uses_transfer: false,
    };

    /// Ports one word of ten apart, priorities in the order of their places.
    fn four() -> Arbitration {
        let ports: Vec<_> = (0..4).map(|al_pa| LoopAccess { al_pa, ..FAIR }).collect();
        Arbitration::new(Ring::new([Span::from_ps(10); 4]), Span::from_ps(1), &ports)
    }

    /// A win after arbitration.
    fn win(port: u32, ps: u64) -> Win {
        Win {
            port: place(port),
            at: at(ps),
            is_transfer: false,
        }
    }

    #[test]
    fn a_lone_port_wins_after_one_round() {
        let mut arbitration = four();
        assert_eq!(arbitration.next_win(), None);
        arbitration.request(place(2), at(100));
        assert_eq!(arbitration.next_win(), Some(win(2, 140)));
    }

    #[test]
    fn the_stronger_wins_unless_the_word_has_passed_it() {
        let mut arbitration = four();
        arbitration.request(place(2), at(100)); // reaches port 0 at 120
        arbitration.request(place(0), at(120));
        assert_eq!(arbitration.next_win(), Some(win(0, 160)));
        let mut arbitration = four();
        arbitration.request(place(2), at(100));
        arbitration.request(place(0), at(121));
        assert_eq!(arbitration.next_win(), Some(win(2, 140)));
    }

    #[test]
    fn a_fair_port_waits_until_all_have_had_the_loop() {
        let mut arbitration = four();
        arbitration.request(place(0), at(0));
        arbitration.request(place(3), at(0));
        let mut order = Vec::new();
        for _ in 0..4 {
            let next = arbitration.next_win().expect("a port wants the loop");
            arbitration.win(next);
            arbitration.request(next.port, next.at + Span::from_ps(5)); // it wants more
            arbitration.release(next.at + Span::from_ps(60), next.at + Span::from_ps(100));
            order.push(next.port);
        }
        assert_eq!(order, [0, 3, 0, 3].map(place));
    }

    #[test]
    fn an_unfair_port_starves_the_others() {
        let mut ports = [FAIR; 2];
        ports[0].is_fair = false;
        ports[1].al_pa = 1;
        let mut arbitration =
            Arbitration::new(Ring::new([Span::from_ps(10); 2]), Span::from_ps(1), &ports);
        arbitration.request(place(1), at(0));
        arbitration.request(place(0), at(0));
        for _ in 0..5 {
            let next = arbitration.next_win().expect("a port wants the loop");
            assert_eq!(next.port, place(0));
            arbitration.win(next);
            arbitration.request(place(0), next.at + Span::from_ps(5));
            arbitration.release(next.at + Span::from_ps(60), next.at + Span::from_ps(100));
        }
    }

    #[test]
    fn transfer_saves_the_round_unless_somebody_waits() {
        let mut ports = [FAIR; 2];
        ports[0].uses_transfer = true;
        ports[1].al_pa = 1;
        let mut arbitration =
            Arbitration::new(Ring::new([Span::from_ps(10); 2]), Span::from_ps(1), &ports);
        arbitration.request(place(0), at(0));
        arbitration.win(arbitration.next_win().expect("one wants it"));
        arbitration.request(place(0), at(25));
        arbitration.release(at(40), at(60));
        let transfer = arbitration.next_win().expect("the owner wants it");
        assert!(transfer.is_transfer && transfer.at == at(61));
        arbitration.request(place(1), at(30));
        assert_eq!(arbitration.next_win().map(|win| win.port), Some(place(1)));
    }
}
