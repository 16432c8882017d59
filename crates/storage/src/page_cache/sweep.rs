//! Dirty pages in the order of their place on the disks, and where the next destage goes on.
//!
//! After Gill and Modha, *WOW: Wise Ordering for Writes* (FAST 2005): destages go round each set of disks
//! in the order of addresses, which keeps their arms together, and pass once over a page that was written
//! again since they came by. Sets of disks take turns, so that none rests while another is swept.

use std::collections::{BTreeMap, BTreeSet};

use super::Key;

/// What holds a LUN: LUNs of one RAID group have one number, others each their own.
pub type Store = u32;

/// Where a LUN is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// What holds it.
    pub store: Store,
    /// The place of its first byte there.
    pub start: u64,
    /// A sweep destages once in so many bytes before it goes on: a row with parity, or the unit of a disk.
    /// So it neither waits for the parity of a row that is being written, nor stays behind a sequential
    /// writer.
    pub together: u64,
}

/// What is to be done with a page that is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Destage it.
    Take,
    /// Not this time.
    Pass,
    /// It is not dirty any more.
    Gone,
}

/// The dirty pages of one set of disks.
#[derive(Clone, Debug, Default)]
struct Sweep {
    /// By the place of their first byte.
    dirty: BTreeMap<u64, Key>,
    /// Of them, those that have been dirty for their time.
    due: BTreeSet<u64>,
    /// It goes on here.
    hand: u64,
}

impl Sweep {
    /// The next place from the hand on, or from the first one.
    fn place_from(&self, from: u64, only_due: bool) -> Option<u64> {
        if only_due {
            self.due.range(from..).next().copied()
        } else {
            self.dirty.range(from..).next().map(|(&place, _)| place)
        }
    }

    fn forget(&mut self, place: u64) {
        self.dirty.remove(&place);
        self.due.remove(&place);
    }

    /// The next page to destage. It goes round twice: pages passed over the first time may be taken then.
    fn next(&mut self, only_due: bool, judge: &mut impl FnMut(Key) -> Verdict) -> Option<Key> {
        let start = self.hand;
        for round in 0..3 {
            let mut from = if round == 0 { start } else { 0 };
            while let Some(place) = self.place_from(from, only_due) {
                if round == 2 && place >= start {
                    break;
                }
                let key = self.dirty[&place];
                from = place + 1;
                match judge(key) {
                    Verdict::Take => return Some(key),
                    Verdict::Pass => {}
                    Verdict::Gone => self.forget(place),
                }
            }
        }
        None
    }
}

/// The sweeps of a cache over all sets of disks.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    of: BTreeMap<Store, Sweep>,
    /// The set of disks that had its turn last.
    turn: Store,
}

impl Sweeps {
    /// A page has become dirty.
    pub fn insert(&mut self, (store, place): (Store, u64), key: Key) {
        let sweep = self.of.entry(store).or_default();
        sweep.dirty.insert(place, key);
        sweep.due.remove(&place);
    }

    /// The next destage is behind this place.
    pub fn go_on(&mut self, (store, place): (Store, u64)) {
        if let Some(sweep) = self.of.get_mut(&store) {
            sweep.hand = place;
        }
    }

    /// A page has been dirty for its time.
    pub fn mature(&mut self, (store, place): (Store, u64)) {
        if let Some(sweep) = self.of.get_mut(&store)
            && sweep.dirty.contains_key(&place)
        {
            sweep.due.insert(place);
        }
    }

    /// A page is on its way to disk.
    pub fn remove(&mut self, (store, place): (Store, u64)) {
        if let Some(sweep) = self.of.get_mut(&store) {
            sweep.forget(place);
        }
    }

    /// Nothing is dirty any more.
    pub fn clear(&mut self) {
        self.of.clear();
    }

    /// Whether a page has been dirty for its time.
    pub fn is_due(&self) -> bool {
        self.of.values().any(|sweep| !sweep.due.is_empty())
    }

    /// Whether a page is dirty.
    pub fn has_dirty(&self) -> bool {
        self.of.values().any(|sweep| !sweep.dirty.is_empty())
    }

    /// The next page to destage, of those dirty for their time or of all, from the sets of disks in turn.
    pub fn next(&mut self, only_due: bool, mut judge: impl FnMut(Key) -> Verdict) -> Option<Key> {
        let after = self.of.range(self.turn.saturating_add(1)..);
        let stores: Vec<Store> = (after.chain(self.of.range(..=self.turn)))
            .map(|(&store, _)| store)
            .collect();
        for store in stores {
            let sweep = self.of.get_mut(&store)?;
            let found = sweep.next(only_due, &mut judge);
            if found.is_some() {
                self.turn = store;
                return found;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use sanlab_kernel::Id;

    use super::*;

    fn key(number: u64) -> Key {
        (Id::new(0), number)
    }

    fn sweeps(places: &[(Store, u64)]) -> Sweeps {
        let mut of = Sweeps::default();
        for &(store, place) in places {
            of.insert((store, place), key(place));
        }
        of
    }

    fn take(of: &mut Sweeps) -> Option<u64> {
        let taken = of.next(false, |_| Verdict::Take)?;
        let store = (0..9).find(|store| {
            (of.of.get(store)).is_some_and(|sweep| sweep.dirty.get(&taken.1) == Some(&taken))
        })?;
        of.remove((store, taken.1));
        of.go_on((store, taken.1 + 1));
        Some(taken.1)
    }

    #[test]
    fn a_sweep_goes_on_where_it_was_and_over_again() {
        let mut of = sweeps(&[(0, 5), (0, 3), (0, 9)]);
        assert_eq!((take(&mut of), take(&mut of)), (Some(3), Some(5)));
        of.insert((0, 1), key(1));
        of.insert((0, 7), key(7));
        let rest: Vec<_> = std::iter::from_fn(|| take(&mut of)).collect();
        assert_eq!(rest, [7, 9, 1]);
    }

    #[test]
    fn sets_of_disks_take_turns() {
        let mut of = sweeps(&[(1, 11), (1, 12), (2, 21), (2, 22), (4, 41)]);
        let order: Vec<_> = std::iter::from_fn(|| take(&mut of)).collect();
        assert_eq!(order, [11, 21, 41, 12, 22]);
    }

    #[test]
    fn a_page_is_passed_over_once() {
        let mut of = sweeps(&[(0, 1), (0, 2), (0, 3)]);
        let mut spared = vec![key(1), key(3)];
        let mut judge = |page: Key| match spared.iter().position(|&one| one == page) {
            Some(place) => {
                spared.swap_remove(place);
                Verdict::Pass
            }
            None => Verdict::Take,
        };
        assert_eq!(of.next(false, &mut judge), Some(key(2)));
        of.remove((0, 2));
        of.go_on((0, 3));
        assert_eq!(of.next(false, &mut judge), Some(key(1)));
    }

    #[test]
    fn of_what_is_due_the_next_by_place_goes_first() {
        let mut of = sweeps(&[(0, 1), (0, 2), (0, 3)]);
        assert_eq!(of.next(true, |_| Verdict::Take), None);
        of.mature((0, 3));
        of.mature((0, 2));
        assert_eq!(of.next(true, |_| Verdict::Take), Some(key(2)));
        of.insert((0, 3), key(3));
        of.remove((0, 2));
        assert!(!of.is_due(), "what is dirty anew is not due");
    }

    #[test]
    fn what_is_clean_is_forgotten() {
        let mut of = sweeps(&[(0, 1), (0, 2)]);
        of.mature((0, 1));
        assert_eq!(of.next(false, |_| Verdict::Gone), None);
        assert!(!of.is_due() && !of.has_dirty());
    }
}
