//! Who wins the loop, and when.

use sanlab_kernel::{NEVER, Picoseconds, id_of};

use super::Ring;
use super::ranks::Ranks;

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
    pub port: u32,
    /// It has the loop from this instant.
    pub at: Picoseconds,
    /// It had the loop already, and transfers it to another partner.
    pub is_transfer: bool,
}

#[derive(Clone, Copy, Debug)]
struct Contender {
    access: LoopAccess,
    /// It wants the loop since then; [`NEVER`] when it does not.
    wants_since: Picoseconds,
    /// It may arbitrate from then on; [`NEVER`] between its win and the end of the access window.
    may_from: Picoseconds,
}

/// A tenancy under way, or the last one.
#[derive(Clone, Copy, Debug)]
struct Tenancy {
    owner: u32,
    /// The owner's first fill word after its OPN leaves then.
    marked_at: Picoseconds,
    /// Whether a port arbitrated when that word passed: then the access window continues.
    is_contended: bool,
    /// Else the word comes back, and the owner's first IDLE leaves then.
    idle_at: Picoseconds,
    /// The owner repeats what it receives from then on; [`NEVER`] while it holds the loop.
    repeats_from: Picoseconds,
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
    word: Picoseconds,
    contenders: Vec<Contender>,
    /// For each rank, strongest first, its port.
    by_rank: Vec<u32>,
    /// For each port its rank.
    rank_of: Vec<u8>,
    /// Ports that want the loop.
    wanting: Ranks,
    /// Those of them whose turn has come: unfair, or with access in this window.
    eligible: Ranks,
    /// Fair ports that have won in this access window.
    without_access: Vec<u32>,
    last: Option<Tenancy>,
    /// No port arbitrates before: the loop initialises.
    closed_until: Picoseconds,
}

impl Arbitration {
    /// Ports in the order of the ring; `word` is the time of one transmission word.
    ///
    /// # Panics
    ///
    /// Panics if there are more ports than AL_PAs, which are 127.
    pub fn new(ring: Ring, word: Picoseconds, ports: &[LoopAccess]) -> Self {
        let mut by_rank: Vec<u32> = (0..id_of(ports.len())).collect();
        by_rank.sort_by_key(|&port| ports[port as usize].al_pa);
        let mut rank_of = vec![0; ports.len()];
        for (rank, &port) in by_rank.iter().enumerate() {
            rank_of[port as usize] = u8::try_from(rank).expect("no more ports than AL_PAs");
        }
        let contenders = ports
            .iter()
            .map(|&access| Contender {
                access,
                wants_since: NEVER,
                may_from: 0,
            })
            .collect();
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
            closed_until: 0,
        }
    }

    /// Positions.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// No port arbitrates before this instant.
    pub fn closed_until(&self) -> Picoseconds {
        self.closed_until
    }

    /// How the ports contend, in the order of their places.
    pub fn access(&self) -> Vec<LoopAccess> {
        let contenders = self.contenders.iter();
        contenders.map(|contender| contender.access).collect()
    }

    /// The loop goes down and initialises: ports keep their places and wishes, and arbitrate on the
    /// new ring from this instant, all with access.
    pub fn initialise(&mut self, ring: Ring, until: Picoseconds) {
        self.ring = ring;
        self.closed_until = until;
        self.last = None;
        self.without_access.clear();
        for contender in &mut self.contenders {
            contender.may_from = 0;
        }
        self.eligible = self.wanting;
    }

    /// A port wants the loop from now on.
    pub fn request(&mut self, port: u32, now: Picoseconds) {
        if self.contenders[port as usize].wants_since != NEVER {
            return;
        }
        self.contenders[port as usize].wants_since = now;
        let rank = self.rank_of[port as usize];
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
    pub fn withdraw(&mut self, port: u32, now: Picoseconds) {
        if self.contenders[port as usize].wants_since == NEVER {
            return;
        }
        self.forget(port);
        let arbitrates = |other: u32| self.starts_at(other, None) <= now;
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
    pub fn wants_since(&self, port: u32) -> Picoseconds {
        self.contenders[port as usize].wants_since
    }

    /// The owner keeps the fairness rule, and has heard another port arbitrate by now.
    pub fn must_yield(&self, owner: u32, now: Picoseconds) -> bool {
        let is_heard = |port: u32| {
            let starts_at = self.starts_at(port, self.last);
            starts_at.saturating_add(self.ring.between(port, owner)) <= now
        };
        let mut others = self.candidates().filter(|&port| port != owner);
        self.contenders[owner as usize].access.is_fair && others.any(is_heard)
    }

    /// The next win, according to the requests so far; an earlier request or one of higher priority
    /// may still change it. None while no port wants the loop, or its owner holds it.
    pub fn next_win(&self) -> Option<Win> {
        if self.last.is_some_and(|last| last.repeats_from == NEVER) {
            return None;
        }
        if let Some(win) = self.transfer() {
            return Some(win);
        }
        if let Some(winner) = self.strongest_in_time() {
            return Some(self.win_of(winner));
        }
        let mut candidates = self.candidates();
        let strongest = candidates.find(|&port| self.first_word(port) != NEVER)?;
        let survivors =
            candidates.filter(|&port| self.survives(port, strongest) && self.survives_all(port));
        let winner = std::iter::once(strongest)
            .chain(survivors)
            .min_by_key(|&port| self.first_word(port))?;
        Some(self.win_of(winner))
    }

    /// The strongest port, if it arbitrates when the first word behind the CLS passes it: whatever
    /// another sends reaches it no earlier than that word, and goes no further.
    fn strongest_in_time(&self) -> Option<u32> {
        let last = self.last.filter(|last| last.is_contended)?;
        let strongest = self.ports(self.eligible).next()?;
        let passes_from = last.repeats_from - self.ring.between(strongest, last.owner);
        (self.starts_at(strongest, self.last) <= passes_from).then_some(strongest)
    }

    fn win_of(&self, port: u32) -> Win {
        Win {
            port,
            at: self.first_word(port) + self.ring.round(),
            is_transfer: false,
        }
    }

    /// This port has the loop now, as [`Arbitration::next_win`] said.
    pub fn win(&mut self, win: Win) {
        self.end_window();
        self.forget(win.port);
        let contender = &mut self.contenders[win.port as usize];
        if contender.access.is_fair && contender.may_from != NEVER {
            contender.may_from = NEVER;
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
            repeats_from: NEVER,
        });
    }

    /// The owner, which sent CLS at the first instant, has its answer at the second: what it receives
    /// from the next word on it repeats.
    pub fn release(&mut self, closed_at: Picoseconds, at: Picoseconds) {
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
        let owner = &self.contenders[last.owner as usize];
        if !owner.access.uses_transfer || owner.wants_since > last.repeats_from {
            return None;
        }
        let hears = |port: u32| {
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
    fn starts_at(&self, port: u32, last: Option<Tenancy>) -> Picoseconds {
        let contender = &self.contenders[port as usize];
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
    fn first_word(&self, port: u32) -> Picoseconds {
        let starts_at = self.starts_at(port, self.last);
        match self.last {
            Some(last) => {
                let to_owner = self.ring.between(port, last.owner);
                let passes_from = last.repeats_from.saturating_sub(to_owner);
                let is_idle = !last.is_contended && passes_from == self.window_end(port, last);
                starts_at.max(passes_from + if is_idle { self.word } else { 0 })
            }
            None => starts_at,
        }
    }

    /// The first word of a port passes a stronger one before that arbitrates.
    fn survives(&self, port: u32, stronger: u32) -> bool {
        let sent_at = self.first_word(port);
        sent_at != NEVER && self.first_word(stronger) > sent_at + self.ring.between(port, stronger)
    }

    fn survives_all(&self, port: u32) -> bool {
        let rank = self.rank_of[port as usize];
        let stronger = self.ports(self.wanting.stronger_than(rank));
        let mut waiting = stronger.filter(|&other| other != port);
        waiting.all(|other| self.survives(port, other))
    }

    /// Ports of these ranks, strongest first.
    fn ports(&self, ranks: Ranks) -> impl Iterator<Item = u32> + '_ {
        ranks.iter().map(|rank| self.by_rank[usize::from(rank)])
    }

    /// Ports that may arbitrate before the next tenancy: all that want the loop once the access window
    /// has ended.
    fn candidates(&self) -> impl Iterator<Item = u32> + '_ {
        let may_all = self.last.is_some_and(|last| !last.is_contended);
        self.ports(if may_all { self.wanting } else { self.eligible })
    }

    fn has_access(&self, port: u32) -> bool {
        self.contenders[port as usize].may_from != NEVER
    }

    fn forget(&mut self, port: u32) {
        self.contenders[port as usize].wants_since = NEVER;
        let rank = self.rank_of[port as usize];
        self.wanting.remove(rank);
        self.eligible.remove(rank);
    }

    /// IDLE, sent when the mark came back, passes this port.
    fn window_end(&self, port: u32, last: Tenancy) -> Picoseconds {
        last.idle_at + self.ring.between(last.owner, port)
    }

    /// If the tenancy before ended the access window, all that had none have access.
    fn end_window(&mut self) {
        let Some(last) = self.last else { return };
        if last.is_contended {
            return;
        }
        while let Some(port) = self.without_access.pop() {
            self.contenders[port as usize].may_from = self.window_end(port, last) + self.word;
        }
        self.eligible = self.wanting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAIR: LoopAccess = LoopAccess {
        al_pa: 0,
        is_fair: true,
        uses_transfer: false,
    };

    /// Ports one word of ten apart, priorities in the order of their places.
    fn four() -> Arbitration {
        let ports: Vec<_> = (0..4).map(|al_pa| LoopAccess { al_pa, ..FAIR }).collect();
        Arbitration::new(Ring::new([10; 4]), 1, &ports)
    }

    /// A win after arbitration.
    fn win(port: u32, at: Picoseconds) -> Win {
        Win {
            port,
            at,
            is_transfer: false,
        }
    }

    #[test]
    fn a_lone_port_wins_after_one_round() {
        let mut arbitration = four();
        assert_eq!(arbitration.next_win(), None);
        arbitration.request(2, 100);
        assert_eq!(arbitration.next_win(), Some(win(2, 140)));
    }

    #[test]
    fn the_stronger_wins_unless_the_word_has_passed_it() {
        let mut arbitration = four();
        arbitration.request(2, 100); // reaches port 0 at 120
        arbitration.request(0, 120);
        assert_eq!(arbitration.next_win(), Some(win(0, 160)));
        let mut arbitration = four();
        arbitration.request(2, 100);
        arbitration.request(0, 121);
        assert_eq!(arbitration.next_win(), Some(win(2, 140)));
    }

    #[test]
    fn a_fair_port_waits_until_all_have_had_the_loop() {
        let mut arbitration = four();
        arbitration.request(0, 0);
        arbitration.request(3, 0);
        let mut order = Vec::new();
        for _ in 0..4 {
            let next = arbitration.next_win().expect("a port wants the loop");
            arbitration.win(next);
            arbitration.request(next.port, next.at + 5); // it wants more
            arbitration.release(next.at + 60, next.at + 100);
            order.push(next.port);
        }
        assert_eq!(order, [0, 3, 0, 3]);
    }

    #[test]
    fn an_unfair_port_starves_the_others() {
        let mut ports = [FAIR; 2];
        ports[0].is_fair = false;
        ports[1].al_pa = 1;
        let mut arbitration = Arbitration::new(Ring::new([10; 2]), 1, &ports);
        arbitration.request(1, 0);
        arbitration.request(0, 0);
        for _ in 0..5 {
            let next = arbitration.next_win().expect("a port wants the loop");
            assert_eq!(next.port, 0);
            arbitration.win(next);
            arbitration.request(0, next.at + 5);
            arbitration.release(next.at + 60, next.at + 100);
        }
    }

    #[test]
    fn transfer_saves_the_round_unless_somebody_waits() {
        let mut ports = [FAIR; 2];
        ports[0].uses_transfer = true;
        ports[1].al_pa = 1;
        let mut arbitration = Arbitration::new(Ring::new([10; 2]), 1, &ports);
        arbitration.request(0, 0);
        arbitration.win(arbitration.next_win().expect("one wants it"));
        arbitration.request(0, 25);
        arbitration.release(40, 60);
        let transfer = arbitration.next_win().expect("the owner wants it");
        assert!(transfer.is_transfer && transfer.at == 61);
        arbitration.request(1, 30);
        assert_eq!(arbitration.next_win().map(|win| win.port), Some(1));
    }
}
