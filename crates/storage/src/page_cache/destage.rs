//! What is destaged next: by the watermarks, by age and at rest, in the order of age or of addresses.

use sanlab_kernel::{Id, IdVec, Instant};

use super::sweep::{Home, Store, Verdict};
use super::{Extent, Key, Page, PageCache, PageCacheModel, SECTOR_BYTES};
use crate::parts::Lun;

impl PageCache {
    /// Tells where each LUN is.
    pub fn set_homes(&mut self, homes: IdVec<Lun, Home>) {
        self.homes = homes;
    }

    fn home_of(&self, lun: Id<Lun>) -> Home {
        let alone = Home {
            store: lun.number(),
            start: 0,
            together: 0,
        };
        self.homes.get(lun).copied().unwrap_or(alone)
    }

    fn place_of(&self, (lun, page): Key) -> (Store, u64) {
        let home = self.home_of(lun);
        (home.store, home.start + page * self.model.page)
    }

    /// Where a sweep goes on behind a page.
    fn place_behind(&self, (lun, page): Key) -> (Store, u64) {
        let home = self.home_of(lun);
        let together = home.together.max(self.model.page);
        let address = page * self.model.page;
        (home.store, home.start + (address / together + 1) * together)
    }

    /// Returns the next extent to destage, if destaging is due; the caller reports its end.
    /// `stripe` returns the best number of bytes of a LUN to write at once.
    pub fn next_destage(
        &mut self,
        now: Instant,
        stripe: impl Fn(Id<Lun>) -> u64,
    ) -> Option<Extent> {
        if self.flights >= self.model.destages || !self.is_destage_due(now) {
            return None;
        }
        let key = if self.model.by_address {
            self.next_by_address(now)?
        } else {
            self.next_by_age(now)?
        };
        let stripe = stripe(key.0).max(self.model.page);
        let width = (self.model.destage / stripe).max(1) * stripe;
        let page = self.pages[self.index[&key]];
        Some(self.begin_destage(now, key, page, width))
    }

    fn next_by_age(&mut self, now: Instant) -> Option<Key> {
        for _ in 0..self.dirty_order.len() {
            let (key, _) = self.dirty_order.pop_front()?;
            let Some(&slot) = self.index.get(&key) else {
                continue;
            };
            let page = self.pages[slot];
            if page.dirty == 0 {
                continue;
            }
            if page.flying != 0 {
                self.becomes_dirty(now, slot);
                continue;
            }
            return Some(key);
        }
        None
    }

    /// Below the watermarks only what has been dirty for its time, unless the cache rests.
    fn next_by_address(&mut self, now: Instant) -> Option<Key> {
        let rests = (self.model.rest).is_some_and(|rest| self.used_at + rest <= now);
        let only_due = !(self.is_draining || !self.waiting.is_empty() || rests);
        let (index, pages) = (&self.index, &mut self.pages);
        let next = self.sweeps.next(only_due, |key| {
            let Some(page) = index.get(&key).map(|&slot| &mut pages[slot]) else {
                return Verdict::Gone;
            };
            match page {
                page if page.dirty == 0 => Verdict::Gone,
                page if page.flying != 0 => Verdict::Pass,
                page if page.is_rewritten && !only_due => {
                    page.is_rewritten = false;
                    Verdict::Pass
                }
                _ => Verdict::Take,
            }
        });
        if let Some(key) = next {
            self.sweeps.go_on(self.place_behind(key));
        }
        next
    }

    /// Pages that have been dirty for their time are due, if destaged by address.
    fn mature(&mut self, now: Instant) {
        let Some(age) = self.model.age.filter(|_| self.model.by_address) else {
            return;
        };
        while let Some(&(key, at)) = self.dirty_order.front()
            && at + age <= now
        {
            self.dirty_order.pop_front();
            let page = self.index.get(&key).map(|&slot| &self.pages[slot]);
            if page.is_some_and(|page| page.dirty != 0 && page.dirty_since == at) {
                self.sweeps.mature(self.place_of(key));
            }
        }
    }

    /// A page is the last in the order of dirty pages, and counts from now.
    pub(super) fn becomes_dirty(&mut self, now: Instant, slot: Id<Page>) {
        let page = &mut self.pages[slot];
        page.dirty_since = now;
        page.is_rewritten = false;
        let key = page.key;
        if self.model.by_address {
            self.sweeps.insert(self.place_of(key), key);
        }
        // By address, only ages are read from this list.
        if !self.model.by_address || self.model.age.is_some() {
            self.dirty_order.push_back((key, now));
        }
    }

    fn is_destage_due(&mut self, now: Instant) -> bool {
        self.mature(now);
        self.is_draining || !self.waiting.is_empty() || self.due_at().is_some_and(|at| at <= now)
    }

    /// When data are destaged that are below the watermarks: by their age, or because no command has come.
    fn due_at(&mut self) -> Option<Instant> {
        let PageCacheModel { age, rest, .. } = self.model;
        if age.is_none() && rest.is_none() {
            return None;
        }
        if self.sweeps.is_due() {
            return Some(Instant::START);
        }
        if self.model.by_address && age.is_none() {
            let rest = rest.filter(|_| self.sweeps.has_dirty())?;
            return Some(self.used_at + rest);
        }
        let since = self.oldest_dirty()?;
        let of_age = age.map(|age| since + age);
        let at_rest = rest.map(|rest| self.used_at + rest);
        of_age.into_iter().chain(at_rest).min()
    }

    /// Since when the oldest page is dirty of those not on their way to disk.
    fn oldest_dirty(&mut self) -> Option<Instant> {
        let (index, pages) = (&self.index, &self.pages);
        let page_of = |key: &Key| index.get(key).map(|&slot| &pages[slot]);
        while let Some((key, _)) = self.dirty_order.front() {
            if page_of(key).is_some_and(|page| page.dirty != 0) {
                break;
            }
            self.dirty_order.pop_front();
        }
        let mut order = self.dirty_order.iter();
        let oldest = order.find(|(key, at)| {
            page_of(key)
                .is_some_and(|page| page.dirty != 0 && page.flying == 0 && page.dirty_since == *at)
        });
        oldest.map(|&(_, at)| at)
    }

    /// When it must be looked at next, if that is not known yet: `None` if nothing is to be destaged then,
    /// or if the end of a destage comes first.
    pub fn next_look(&mut self, now: Instant) -> Option<Instant> {
        let at = self.due_at().filter(|&at| at > now && at < self.look_at)?;
        self.look_at = at;
        Some(at)
    }

    /// Dirty sectors around the first one of a page, as far as its stripe or stripes go.
    fn begin_destage(&mut self, now: Instant, key: Key, page: Page, width: u64) -> Extent {
        let sector = |number: u64| number * SECTOR_BYTES;
        let per_page = self.model.page / SECTOR_BYTES;
        let first = key.1 * per_page + u64::from(page.dirty.trailing_zeros());
        let row = sector(first) / width * width;
        let (low, high) = (row.div_ceil(SECTOR_BYTES), (row + width) / SECTOR_BYTES);
        let is_dirty = |number: u64| {
            let slot = self.index.get(&(key.0, number / per_page));
            slot.is_some_and(|&slot| {
                let page = &self.pages[slot];
                page.flying == 0 && page.dirty >> (number % per_page) & 1 == 1
            })
        };
        let mut from = first;
        while from > low && is_dirty(from - 1) {
            from -= 1;
        }
        let mut to = first + 1;
        while to < high.max(first + 1) && is_dirty(to) {
            to += 1;
        }
        let extent = Extent {
            lun: key.0,
            address: sector(from),
            bytes: sector(to - from),
        };
        for (key, mask) in self.parts(extent) {
            let slot = self.index[&key];
            self.pages[slot].flying = mask;
            self.pages[slot].dirty &= !mask;
            if self.model.by_address {
                self.sweeps.remove(self.place_of(key));
            }
            if self.pages[slot].dirty != 0 {
                self.becomes_dirty(now, slot);
            }
        }
        self.flights += 1;
        self.counters.destages += 1;
        self.counters.full_destages += u64::from(extent.bytes == width);
        extent
    }

    /// A destage has ended.
    pub fn destaged(&mut self, extent: Extent) {
        self.flights -= 1;
        for (key, mask) in self.parts(extent) {
            let Some(&slot) = self.index.get(&key) else {
                continue;
            };
            let page = &mut self.pages[slot];
            self.counters.destaged += u64::from((page.flying & mask).count_ones());
            page.flying &= !mask;
            if !page.is_held() {
                self.let_go(slot);
            }
        }
    }
}
