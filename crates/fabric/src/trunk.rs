//! Links that carry frames as one: a queue, and a server for each of them.

use sanlab_kernel::Picoseconds;

/// The members of a trunk.
///
/// A frame leaves by the member that is free first, so that the trunk is one server of their common
/// rate to all but a single frame. What comes by a shorter cable is held back for the difference
/// (deskew), so that all members have the delay of the longest and frames arrive in the order they
/// were sent in.
#[derive(Clone, Debug)]
pub struct Trunk {
    /// When each member is free.
    free_at: Vec<Picoseconds>,
}

impl Trunk {
    /// So many members, all free.
    pub fn new(members: u32) -> Self {
        Self {
            free_at: vec![0; members as usize],
        }
    }

    /// Its members.
    pub fn members(&self) -> u64 {
        self.free_at.len() as u64
    }

    /// A frame starts on the member that is free first; says when the next may start.
    pub fn start(&mut self, now: Picoseconds, slot: Picoseconds) -> Picoseconds {
        let earliest = self.free_at.iter_mut().min_by_key(|free_at| **free_at);
        if let Some(free_at) = earliest {
            debug_assert!(
                *free_at <= now,
                "a frame was sent by a member that is taken"
            );
            *free_at = now + slot;
        }
        self.free_at.iter().copied().min().unwrap_or(now).max(now)
    }

    /// Time for which members are still taken by frames that have started, summed over them.
    pub fn to_come(&self, now: Picoseconds) -> Picoseconds {
        let left = self
            .free_at
            .iter()
            .map(|free_at| free_at.saturating_sub(now));
        left.sum()
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
}
