//! Records named by ids, with their places used again.

use crate::Id;

/// Bits of an id that name a slot. In debug builds the bits above them, but for the highest, are the
/// generation of the slot; in release builds they are 0.
const SLOT_BITS: u32 = 23;
#[cfg(debug_assertions)]
const GENERATIONS: u32 = 1 << (31 - SLOT_BITS);

/// The slot of a record's id: its place in tables kept beside the arena.
#[inline]
pub fn slot_of<T>(id: Id<T>) -> usize {
    if cfg!(debug_assertions) {
        id.place() & ((1 << SLOT_BITS) - 1)
    } else {
        id.place()
    }
}

/// A store of records that are made and freed all the time: no allocation once it has grown to the
/// largest number alive at once.
///
/// In debug builds an id carries the generation of its slot, and use after free panics. A release build
/// pays nothing for that.
///
/// ```
/// let mut arena = sanlab_kernel::Arena::default();
/// let (a, b) = (arena.insert("a"), arena.insert("b"));
/// arena.remove(a);
/// assert_eq!(arena.live().collect::<Vec<_>>(), [b]);
/// arena.insert("c"); // in the slot of the first
/// assert_eq!(arena.peak(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Arena<T> {
    records: Vec<T>,
    /// Ids of the next records in these slots.
    free: Vec<Id<T>>,
    /// The id that each slot has now, or will have next.
    #[cfg(debug_assertions)]
    ids: Vec<Id<T>>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            free: Vec::new(),
            #[cfg(debug_assertions)]
            ids: Vec::new(),
        }
    }
}

impl<T> Arena<T> {
    /// Keep a record; its id holds until [`Arena::remove`].
    #[inline]
    pub fn insert(&mut self, record: T) -> Id<T> {
        if let Some(id) = self.free.pop() {
            self.records[slot_of(id)] = record;
            id
        } else {
            self.records.push(record);
            let id = Id::from_place(self.records.len() - 1);
            self.name_slot(id);
            id
        }
    }

    /// Free a record's slot.
    #[inline]
    pub fn remove(&mut self, id: Id<T>) {
        self.check(id);
        let next = self.next_id(id);
        self.free.push(next);
    }

    /// The record in the slot of an id that may be of an earlier record. The caller tells from the record
    /// whether it is the one it means.
    #[inline]
    pub fn latest(&self, id: Id<T>) -> &T {
        &self.records[slot_of(id)]
    }

    /// Ids of all records alive, in order of their slots. Walks over the whole arena.
    pub fn live(&self) -> impl Iterator<Item = Id<T>> + use<T> {
        let mut is_live = vec![true; self.records.len()];
        for &id in &self.free {
            is_live[slot_of(id)] = false;
        }
        #[cfg(debug_assertions)]
        let ids = self.ids.clone();
        #[cfg(not(debug_assertions))]
        let ids = (0..self.records.len()).map(Id::from_place);
        ids.into_iter()
            .zip(is_live)
            .filter_map(|(id, is_live)| is_live.then_some(id))
    }

    /// Records alive.
    pub fn alive(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// Most records that were alive at once.
    pub fn peak(&self) -> usize {
        self.records.len()
    }

    #[cfg(debug_assertions)]
    fn name_slot(&mut self, id: Id<T>) {
        assert!(id.number() < 1 << SLOT_BITS, "a debug build has 2^23 slots");
        self.ids.push(id);
    }

    #[cfg(debug_assertions)]
    #[track_caller]
    fn check(&self, id: Id<T>) {
        assert_eq!(self.ids[slot_of(id)], id, "use after free");
    }

    /// The id of the next record in the slot of a record that is freed.
    #[cfg(debug_assertions)]
    fn next_id(&mut self, id: Id<T>) -> Id<T> {
        let generation = ((id.number() >> SLOT_BITS) + 1) % GENERATIONS;
        let slot = id.number() & ((1 << SLOT_BITS) - 1);
        let next = Id::new(generation << SLOT_BITS | slot);
        self.ids[slot_of(id)] = next;
        next
    }

    #[cfg(not(debug_assertions))]
    #[inline(always)]
    #[allow(clippy::unused_self, reason = "it does something in debug builds")]
    fn name_slot(&mut self, _: Id<T>) {}

    #[cfg(not(debug_assertions))]
    #[inline(always)]
    #[allow(clippy::unused_self, reason = "it does something in debug builds")]
    fn check(&self, _: Id<T>) {}

    #[cfg(not(debug_assertions))]
    #[inline(always)]
    #[allow(clippy::unused_self, reason = "it does something in debug builds")]
    fn next_id(&mut self, id: Id<T>) -> Id<T> {
        id
    }
}

impl<T> std::ops::Index<Id<T>> for Arena<T> {
    type Output = T;
    #[inline]
    #[track_caller]
    fn index(&self, id: Id<T>) -> &T {
        self.check(id);
        &self.records[slot_of(id)]
    }
}

impl<T> std::ops::IndexMut<Id<T>> for Arena<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        self.check(id);
        &mut self.records[slot_of(id)]
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "use after free")]
    fn reading_a_freed_record_panics() {
        let mut arena = Arena::default();
        let id = arena.insert(1);
        arena.remove(id);
        let _ = arena[id];
    }

    #[test]
    #[should_panic(expected = "use after free")]
    fn freeing_a_record_twice_panics() {
        let mut arena = Arena::default();
        let id = arena.insert(1);
        arena.remove(id);
        arena.remove(id);
    }

    #[test]
    #[should_panic(expected = "use after free")]
    fn an_id_does_not_name_the_next_record_in_its_slot() {
        let mut arena = Arena::default();
        let id = arena.insert(1);
        arena.remove(id);
        let next = arena.insert(2);
        assert_eq!((slot_of(id), arena[next]), (slot_of(next), 2));
        let _ = arena[id];
    }
}
