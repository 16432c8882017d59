//! Links that carry frames as one: a queue, and a server for each of them.

use sanlab_kernel::{Id, IdVec, Instant, Span};

/// The members of a trunk.
///
/// A frame leaves by the member that is free first, so that the trunk is one server of their common
/// rate to all but a single frame. What comes by a shorter cable is held back for the difference
/// (deskew), so that all members have the delay of the longest and frames arrive in the order they
/// were sent in.
#[derive(Clone, Debug)]
pub struct Trunk {
    members: IdVec<TrunkMember>,
    /// The member that the last frame went by.
    last: Id<TrunkMember>,
}

/// A link of a trunk.
#[derive(Clone, Copy, Debug)]
pub struct TrunkMember {
    /// When its transmitter is done with the last frame.
    free_at: Instant,
    /// Its cable is out until then.
    dark_until: Instant,
    /// When its cable is pulled next, or was: frames that are in later are lost.
    cut_at: Instant,
}

impl TrunkMember {
    fn usable_at(&self) -> Instant {
        self.free_at.max(self.dark_until)
    }
}

impl Trunk {
    /// So many members, all free.
    pub fn new(members: u32) -> Self {
        let member = TrunkMember {
            free_at: Instant::START,
            dark_until: Instant::START,
            cut_at: Instant::NEVER,
        };
        Self {
            members: IdVec::filled(member, members as usize),
            last: Id::new(0),
        }
    }

    /// Its members.
    pub fn members(&self) -> u64 {
        self.members.len() as u64
    }

    /// A frame starts on the member that is free first; says when the next may start.
    pub fn start(&mut self, now: Instant, slot: Span) -> Instant {
        let numbered = self.members.pairs();
        let (earliest, _) = numbered
            .min_by_key(|(_, member)| member.usable_at())
            .expect("a trunk has members");
        debug_assert!(
            self.members[earliest].usable_at() <= now,
            "a frame was sent by a member that is taken"
        );
        self.last = earliest;
        self.members[earliest].free_at = now + slot;
        self.next_free(now)
    }

    /// When a member is free, not before now.
    pub fn next_free(&self, now: Instant) -> Instant {
        let usable = self.members.iter().map(TrunkMember::usable_at);
        usable.min().unwrap_or(now).max(now)
    }

    /// When the cable of the last frame's member is pulled.
    pub fn cut_at(&self) -> Instant {
        self.members[self.last].cut_at
    }

    /// The cable of a member will be pulled at this instant.
    pub fn expect_cut(&mut self, member: Id<TrunkMember>, at: Instant) {
        self.members[member].cut_at = at;
    }

    /// The cable of a member is pulled until an instant. Says when the frame it was sending would have
    /// ended, if it was sending one.
    pub fn pull(
        &mut self,
        member: Id<TrunkMember>,
        now: Instant,
        until: Instant,
    ) -> Option<Instant> {
        let member = &mut self.members[member];
        member.dark_until = until;
        let was_free_at = member.free_at;
        member.free_at = was_free_at.min(now);
        (was_free_at > now).then_some(was_free_at)
    }

    /// Time for which members are still taken by frames that have started, summed over them.
    pub fn to_come(&self, now: Instant) -> Span {
        let left = self.members.iter();
        left.map(|member| member.free_at.saturating_since(now))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    fn ps(picoseconds: u64) -> Span {
        Span::from_ps(picoseconds)
    }

    #[test]
    fn frames_go_by_the_member_that_is_free_first() {
        let mut trunk = Trunk::new(3);
        assert_eq!(trunk.start(at(10), ps(100)), at(10));
        assert_eq!(trunk.start(at(10), ps(20)), at(10));
        assert_eq!(trunk.start(at(10), ps(50)), at(30));
        assert_eq!(trunk.to_come(at(20)), ps(90 + 10 + 40));
        assert_eq!(trunk.start(at(30), ps(500)), at(60));
        assert_eq!(trunk.start(at(70), ps(10)), at(80));
    }

    #[test]
    fn a_member_whose_cable_is_out_carries_nothing() {
        let mut trunk = Trunk::new(2);
        trunk.start(at(0), ps(100));
        trunk.expect_cut(Id::new(1), at(50));
        assert_eq!(trunk.start(at(10), ps(100)), at(100));
        assert_eq!(trunk.cut_at(), at(50));
        assert_eq!(trunk.pull(Id::new(1), at(50), at(500)), Some(at(110)));
        assert_eq!(trunk.to_come(at(50)), ps(50));
        assert_eq!(trunk.start(at(100), ps(100)), at(200));
        assert_eq!(trunk.start(at(200), ps(400)), at(500));
    }
}
