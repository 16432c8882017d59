//! Room for a write in the cache that has the data of its LUN, whichever kind that cache is.

use sanlab_kernel::{Id, Instant};

use crate::array::Array;
use crate::cache::{Cache, CacheWrite};
use crate::cache_meter::{CacheCounts, CacheSums};
use crate::controller::Controller;
use crate::elsewhere::Exchange;
use crate::page_cache::{Extent, PageCache};
use crate::parts::Lun;

impl Array {
    /// A write asks for room; through where there is no cache.
    pub fn reserve(&mut self, now: Instant, write: Id<Exchange>, extent: Extent) -> CacheWrite {
        if let Some(cache) = self.pages_of(extent.lun) {
            cache.used_at = now;
            return cache.reserve(write, extent);
        }
        match self.cache_of(extent.lun) {
            Some(cache) => cache.reserve(write, extent.bytes),
            None => CacheWrite::Through,
        }
    }

    /// The data of a write that has room are here. False if the cache keeps no writes any more.
    pub fn store(&mut self, now: Instant, extent: Extent) -> bool {
        if let Some(cache) = self.pages_of(extent.lun) {
            cache.used_at = now;
            return cache.store(now, extent);
        }
        self.cache_of(extent.lun)
            .is_some_and(|cache| cache.store(extent.bytes))
    }

    /// The data of a write without room go to the media.
    pub fn pass_through(&mut self, lun: Id<Lun>) {
        if let Some(cache) = self.pages_of(lun) {
            cache.meter.pass_through();
        } else if let Some(cache) = self.cache_of(lun) {
            cache.meter.pass_through();
        }
    }

    /// A write is given up that waits for room, or that has it.
    pub fn give_up_room(&mut self, write: Id<Exchange>, extent: Extent, waits: bool) {
        match (self.pages_of(extent.lun), waits) {
            (Some(cache), true) => return cache.forget(write),
            (Some(cache), false) => return cache.unreserve(extent),
            (None, _) => {}
        }
        match (self.cache_of(extent.lun), waits) {
            (Some(cache), true) => cache.forget(write),
            (Some(cache), false) => cache.unreserve(extent.bytes),
            (None, _) => {}
        }
    }

    /// The next write that waited for room in the cache of a LUN and has it now.
    pub fn admit_waiting(&mut self, lun: Id<Lun>) -> Option<Id<Exchange>> {
        if let Some(cache) = self.pages_of(lun) {
            return PageCache::admit_waiting(cache);
        }
        self.cache_of(lun).and_then(Cache::admit_waiting)
    }

    /// The meter of the cache of a LUN takes in what has changed.
    pub fn observe_cache(&mut self, now: Instant, lun: Id<Lun>) {
        if let Some(cache) = self.pages_of(lun) {
            cache.observe(now);
        } else if let Some(cache) = self.cache_of(lun) {
            cache.observe(now);
        }
    }
}

impl Controller {
    /// What its cache has done and what it has held; `None` without a cache.
    pub fn cache_totals(&self, now: Instant) -> Option<(CacheCounts, CacheSums)> {
        let pages = self.page_cache.as_ref();
        let simple = self.cache.as_ref();
        pages
            .map(|cache| (cache.counts(), cache.meter.sums(now)))
            .or_else(|| simple.map(|cache| (cache.counts, cache.meter.sums(now))))
    }
}
