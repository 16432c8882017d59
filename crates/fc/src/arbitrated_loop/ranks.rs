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

impl Ranks {
    /// The ranks, strongest first.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u8> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let rank = left.trailing_zeros();
            left &= left - 1;
            u8::try_from(rank).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strongest_first() {
        let mut ranks = Ranks::default();
        for rank in [127, 3, 64, 0] {
            ranks.insert(rank);
        }
        ranks.remove(64);
        assert_eq!(ranks.iter().collect::<Vec<_>>(), [0, 3, 127]);
        assert_eq!(ranks.stronger_than(127).iter().collect::<Vec<_>>(), [0, 3]);
        assert_eq!(ranks.stronger_than(0).iter().count(), 0);
    }
}
