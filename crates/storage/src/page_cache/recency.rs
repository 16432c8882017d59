//! Pages in the order of their last use.

use sanlab_kernel::NONE;

/// A doubly linked list over the slots of a cache: no search, no allocation once it is made.
#[derive(Clone, Debug)]
pub struct Recency {
    links: Vec<(u32, u32)>,
    newest: u32,
    oldest: u32,
}

impl Recency {
    /// An empty list that grows with its slots.
    pub fn new() -> Self {
        Self {
            links: Vec::new(),
            newest: NONE,
            oldest: NONE,
        }
    }

    /// A slot that was not in the list becomes the newest.
    pub fn insert(&mut self, slot: u32) {
        if self.links.len() <= slot as usize {
            self.links.resize(slot as usize + 1, (NONE, NONE));
        }
        self.links[slot as usize] = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = slot,
            newest => self.links[newest as usize].0 = slot,
        }
        self.newest = slot;
    }

    /// A slot leaves the list.
    pub fn remove(&mut self, slot: u32) {
        let (newer, older) = self.links[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.links[newer as usize].1 = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.links[older as usize].0 = newer,
        }
    }

    /// A slot of the list becomes the newest.
    pub fn touch(&mut self, slot: u32) {
        if self.newest != slot {
            self.remove(slot);
            self.insert(slot);
        }
    }

    /// Slots from the oldest on.
    pub fn oldest_first(&self) -> impl Iterator<Item = u32> + '_ {
        let next = |slot: u32| Some(slot).filter(|&slot| slot != NONE);
        std::iter::successors(next(self.oldest), move |&slot| {
            next(self.links[slot as usize].0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_last_use() {
        let mut list = Recency::new();
        (0..4).for_each(|slot| list.insert(slot));
        list.touch(1);
        list.touch(0);
        list.remove(2);
        assert_eq!(list.oldest_first().collect::<Vec<_>>(), [3, 1, 0]);
        list.remove(0);
        list.remove(3);
        list.insert(2);
        assert_eq!(list.oldest_first().collect::<Vec<_>>(), [1, 2]);
    }
}
