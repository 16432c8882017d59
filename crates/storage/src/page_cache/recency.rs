//! Pages in the order of their last use.

use sanlab_kernel::{Id, IdVec, MaybeId};

use super::Page;

/// A doubly linked list over the slots of a cache: no search, no allocation once it is made.
#[derive(Clone, Debug)]
pub struct Recency {
    links: IdVec<Page, (MaybeId<Page>, MaybeId<Page>)>,
    newest: MaybeId<Page>,
    oldest: MaybeId<Page>,
}

impl Recency {
    /// An empty list that grows with its slots.
    pub fn new() -> Self {
        Self {
            links: IdVec::new(),
            newest: MaybeId::NONE,
            oldest: MaybeId::NONE,
        }
    }

    /// A slot that was not in the list becomes the newest.
    pub fn insert(&mut self, slot: Id<Page>) {
        while self.links.next_id() <= slot {
            self.links.push((MaybeId::NONE, MaybeId::NONE));
        }
        self.links[slot] = (MaybeId::NONE, self.newest);
        match self.newest.get() {
            None => self.oldest = slot.into(),
            Some(newest) => self.links[newest].0 = slot.into(),
        }
        self.newest = slot.into();
    }

    /// A slot leaves the list.
    pub fn remove(&mut self, slot: Id<Page>) {
        let (newer, older) = self.links[slot];
        match newer.get() {
            None => self.newest = older,
            Some(newer) => self.links[newer].1 = older,
        }
        match older.get() {
            None => self.oldest = newer,
            Some(older) => self.links[older].0 = newer,
        }
    }

    /// A slot of the list becomes the newest.
    pub fn touch(&mut self, slot: Id<Page>) {
        if self.newest != slot.into() {
            self.remove(slot);
            self.insert(slot);
        }
    }

    /// Slots from the oldest on.
    pub fn oldest_first(&self) -> impl Iterator<Item = Id<Page>> + '_ {
        std::iter::successors(self.oldest.get(), move |&slot| self.links[slot].0.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_last_use() {
        let mut list = Recency::new();
        let slots: [Id<Page>; 4] = [0, 1, 2, 3].map(Id::new);
        for slot in slots {
            list.insert(slot);
        }
        list.touch(slots[1]);
        list.touch(slots[0]);
        list.remove(slots[2]);
        assert_eq!(
            list.oldest_first().collect::<Vec<_>>(),
            [3, 1, 0].map(Id::new)
        );
        list.remove(slots[0]);
        list.remove(slots[3]);
        list.insert(slots[2]);
        assert_eq!(list.oldest_first().collect::<Vec<_>>(), [1, 2].map(Id::new));
    }
}
