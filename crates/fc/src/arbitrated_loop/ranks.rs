//! A set of ports by priority.

/// Ranks below 128, strongest first: as many as a loop has ports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ranks(u128);

impl Ranks {
    pub(super) fn insert(&mut self, rank: u8) {
        self.0 |= 1 << rank;
    }

    pub(super) fn remove(&mut self, rank: u8) {
        self.0 &= !(1 << rank);
    }

    /// Those above a rank in priority.
    pub(super) fn stronger_than(self, rank: u8) -> Self {
        Self(self.0 & ((1 << rank) - 1))
    }
}

impl Iterator for Ranks {
    type Item = u8;

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "a bit of 128")]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let rank = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(rank as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strongest_first() {
        let mut ranks = Ranks::default();
        [127, 3, 64, 0]
            .into_iter()
            .for_each(|rank| ranks.insert(rank));
        ranks.remove(64);
        assert_eq!(ranks.collect::<Vec<_>>(), [0, 3, 127]);
        assert_eq!(ranks.stronger_than(127).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(ranks.stronger_than(0).count(), 0);
    }
}
