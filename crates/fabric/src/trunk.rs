//! Links that carry frames as one: a queue, and a server for each of them.

use sanlab_kernel::{NEVER, Picoseconds};

/// The members of a trunk.
///
/// A frame leaves by the member that is free first, so that the trunk is one server of their common
/// rate to all but a single frame. What comes by a shorter cable is held back for the difference
/// (deskew), so that all members have the delay of the longest and frames arrive in the order they
/// were sent in.
#[derive(Clone, Debug)]
pub struct Trunk {
    members: Vec<Member>,
    /// The member that the last frame went by.
    last: usize,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    /// When its transmitter is done with the last frame.
    free_at: Picoseconds,
    /// Its cable is out until then.
    dark_until: Picoseconds,
    /// When its cable is pulled next, or was: frames that are in later are lost.
    cut_at: Picoseconds,
}

impl Member {
    fn usable_at(&self) -> Picoseconds {
        self.free_at.max(self.dark_until)
    }
}

impl Trunk {
    /// So many members, all free.
    pub fn new(members: u32) -> Self {
        let member = Member {
            free_at: 0,
            dark_until: 0,
            cut_at: NEVER,
        };
        Self {
            members: vec![member; members as usize],
            last: 0,
        }
    }

    /// Its members.
    pub fn members(&self) -> u64 {
        self.members.len() as u64
    }

    /// A frame starts on the member that is free first; says when the next may start.
    pub fn start(&mut self, now: Picoseconds, slot: Picoseconds) -> Picoseconds {
        let numbered = self.members.iter().enumerate();
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
    pub fn next_free(&self, now: Picoseconds) -> Picoseconds {
        let usable = self.members.iter().map(Member::usable_at);
        usable.min().unwrap_or(now).max(now)
    }

    /// When the cable of the last frame's member is pulled.
    pub fn cut_at(&self) -> Picoseconds {
        self.members[self.last].cut_at
    }

    /// The cable of a member will be pulled at this instant.
    pub fn expect_cut(&mut self, member: u32, at: Picoseconds) {
        self.members[member as usize].cut_at = at;
    }

    /// The cable of a member is pulled until an instant. Says when the frame it was sending would have
    /// ended, if it was sending one.
    pub fn pull(
        &mut self,
        member: u32,
        now: Picoseconds,
        until: Picoseconds,
    ) -> Option<Picoseconds> {
        let member = &mut self.members[member as usize];
        member.dark_until = until;
        let was_free_at = member.free_at;
        member.free_at = was_free_at.min(now);
        (was_free_at > now).then_some(was_free_at)
    }

    /// Time for which members are still taken by frames that have started, summed over them.
    pub fn to_come(&self, now: Picoseconds) -> Picoseconds {
        let left = self.members.iter();
        left.map(|member| member.free_at.saturating_sub(now)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_go_by_the_member_that_is_free_first() {
        let mut trunk = Trunk::new(3);
        assert_eq!(trunk.start(10, 100), 10);
        assert_eq!(trunk.start(10, 20), 10);
        assert_eq!(trunk.start(10, 50), 30);
        assert_eq!(trunk.to_come(20), 90 + 10 + 40);
        assert_eq!(trunk.start(30, 500), 60);
        assert_eq!(trunk.start(70, 10), 80);
    }

    #[test]
    fn a_member_whose_cable_is_out_carries_nothing() {
        let mut trunk = Trunk::new(2);
        trunk.start(0, 100);
        trunk.expect_cut(1, 50);
        assert_eq!(trunk.start(10, 100), 100);
        assert_eq!(trunk.cut_at(), 50);
        assert_eq!(trunk.pull(1, 50, 500), Some(110));
        assert_eq!(trunk.to_come(50), 50);
        assert_eq!(trunk.start(100, 100), 200);
        assert_eq!(trunk.start(200, 400), 500);
    }
}
