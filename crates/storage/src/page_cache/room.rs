//! Room for writes: pages are set aside when a write is admitted and filled when its data are here.

use sanlab_kernel::{Id, Instant};

use super::{Extent, Key, Page, PageCache};
use crate::cache::CacheWrite;
use crate::elsewhere::Exchange;

impl PageCache {
    /// A write asks for room, named by its exchange.
    pub fn reserve(&mut self, write: Id<Exchange>, extent: Extent) -> CacheWrite {
        let count = self.parts(extent).count();
        let keeps_writes = self.model.write_back && !self.writes_through;
        if !keeps_writes || count > self.model.dirty_limit as usize {
            return CacheWrite::Through;
        }
        if !self.waiting.is_empty() || !self.has_room(extent) {
            self.waiting.push_back((write, extent));
            self.meter.wait();
            return CacheWrite::Waits;
        }
        self.pin(extent);
        CacheWrite::Taken
    }

    fn has_room(&self, extent: Extent) -> bool {
        let is_new = |key: &Key| {
            let slot = self.index.get(key);
            slot.is_none_or(|&slot| self.pages[slot].is_clean())
        };
        let more = self.parts(extent).filter(|(key, _)| is_new(key)).count();
        (self.held + self.reserved) as usize + more <= self.model.dirty_limit as usize
    }

    /// The pages of a write stay until its data are here.
    fn pin(&mut self, extent: Extent) {
        for (key, _) in self.parts(extent) {
            let slot = self.page_for(key).expect("a cache that has room");
            if self.pages[slot].is_clean() {
                self.recency.remove(slot);
                self.reserved += 1;
            }
            self.pages[slot].pins += 1;
        }
    }

    fn unpin(&mut self, slot: Id<Page>) {
        let page = &mut self.pages[slot];
        page.pins -= 1;
        if page.is_clean() {
            self.reserved -= 1;
            self.recency.insert(slot);
        }
    }

    /// A write that had room is given up, or goes through.
    pub fn unreserve(&mut self, extent: Extent) {
        for (key, _) in self.parts(extent) {
            self.unpin(self.index[&key]);
        }
    }

    /// A write that waits for room is given up.
    pub fn forget(&mut self, write: Id<Exchange>) {
        self.waiting.retain(|&(waiting, _)| waiting != write);
    }

    /// The next write that waited and has room now.
    pub fn admit_waiting(&mut self) -> Option<Id<Exchange>> {
        let &(write, extent) = self.waiting.front()?;
        if !self.has_room(extent) {
            return None;
        }
        self.waiting.pop_front();
        self.pin(extent);
        Some(write)
    }

    /// The data of a write that has room are here. False if the cache keeps no writes any more.
    pub fn store(&mut self, now: Instant, extent: Extent) -> bool {
        if self.writes_through {
            self.unreserve(extent);
            return false;
        }
        for (key, mask) in self.parts(extent) {
            let slot = self.index[&key];
            let page = &mut self.pages[slot];
            let was_held = page.is_held();
            let was_dirty = page.dirty != 0;
            self.counters.written += u64::from(mask.count_ones());
            self.counters.absorbed += u64::from((page.dirty & mask).count_ones());
            page.dirty |= mask;
            page.valid |= mask;
            page.pins -= 1;
            if !was_held {
                self.reserved -= 1;
                self.held += 1;
            }
            page.is_rewritten |= was_dirty;
            if !was_dirty {
                self.becomes_dirty(now, slot);
            }
        }
        self.is_draining |= self.held > self.model.high_watermark;
        true
    }
}
