//! A cache of pages: what has been read and written, what is read ahead, what is not on disk yet.
//!
//! Pages have sectors of 512 bytes, each valid, dirty or on its way to disk by itself. Clean pages
//! make room in the order of their last use; a page with dirty sectors stays, and so does one that a
//! write is to fill whose data are on their way. Destaging begins above the high watermark, by address or
//! oldest dirty page first, and goes on to the low one; it also takes data of a certain age, and all of them
//! while no command comes. A destage takes all dirty neighbours in the stripe of the page with it.

mod destage;
mod model;
mod partner;
mod prefetch;
mod recency;
mod room;
mod sweep;

use std::collections::{BTreeMap, VecDeque};

use sanlab_kernel::{Id, IdVec, Instant};

use crate::cache_meter::{CacheCounts, CacheMeter};
use crate::elsewhere::{Exchange, Task};
use crate::parts::Lun;
pub use model::{
    Extent, Lookup, MOST_SECTORS, PageCacheCounters, PageCacheModel, PrefetchModel, SECTOR_BYTES,
};
pub use partner::Partner;
use prefetch::Prefetch;
use recency::Recency;
use sweep::Sweeps;
pub use sweep::{Home, Store};

/// LUN and number of a page.
type Key = (Id<Lun>, u64);

#[derive(Clone, Copy, Debug)]
struct Page {
    key: Key,
    valid: u128,
    dirty: u128,
    flying: u128,
    /// Writes that are to fill it, whose data are on their way.
    pins: u32,
    /// It became dirty then.
    dirty_since: Instant,
    /// It was written again since; a sweep passes over it once.
    is_rewritten: bool,
}

impl Page {
    fn is_held(&self) -> bool {
        self.dirty | self.flying != 0
    }

    /// It may make room for another.
    fn is_clean(&self) -> bool {
        !self.is_held() && self.pins == 0
    }
}

/// A prefetch under way.
#[derive(Clone, Debug)]
struct Coming {
    extent: Extent,
    waiting: Vec<Id<Task>>,
}

/// The cache.
#[derive(Clone, Debug)]
pub struct PageCache {
    /// How it is set up.
    pub model: PageCacheModel,
    pages: IdVec<Page>,
    index: BTreeMap<Key, Id<Page>>,
    free: Vec<Id<Page>>,
    /// Clean pages.
    recency: Recency,
    /// Pages that became dirty, in that order, and when; some are clean by now.
    dirty_order: VecDeque<(Key, Instant)>,
    /// Dirty pages by address, if they are destaged so.
    sweeps: Sweeps,
    /// Where each LUN is.
    homes: IdVec<Lun, Home>,
    held: u32,
    /// Pages that writes are to fill and that are not held.
    reserved: u32,
    is_draining: bool,
    flights: u32,
    waiting: VecDeque<(Id<Exchange>, Extent)>,
    prefetch: Option<Prefetch>,
    coming: Vec<Coming>,
    /// It keeps no writes for now: it is alone, without a partner.
    pub writes_through: bool,
    /// The last command for its data came then.
    pub used_at: Instant,
    /// It is looked at then, whether something is to be destaged.
    pub look_at: Instant,
    /// What it has done.
    pub counters: PageCacheCounters,
    /// What it has held.
    pub meter: CacheMeter,
}

impl PageCache {
    /// An empty cache.
    pub fn new(model: PageCacheModel) -> Self {
        debug_assert!(model.page / SECTOR_BYTES <= MOST_SECTORS);
        Self {
            pages: IdVec::new(),
            index: BTreeMap::new(),
            free: Vec::new(),
            recency: Recency::new(),
            dirty_order: VecDeque::new(),
            sweeps: Sweeps::default(),
            homes: IdVec::new(),
            held: 0,
            reserved: 0,
            is_draining: false,
            flights: 0,
            waiting: VecDeque::new(),
            prefetch: model.prefetch.map(Prefetch::new),
            coming: Vec::new(),
            writes_through: false,
            used_at: Instant::START,
            look_at: Instant::NEVER,
            counters: PageCacheCounters::default(),
            meter: CacheMeter::default(),
            model,
        }
    }

    /// The pages of an extent, each with the sectors of it.
    fn parts(&self, extent: Extent) -> impl Iterator<Item = (Key, u128)> + use<> {
        let page = self.model.page;
        let end = extent.address + extent.bytes;
        (extent.address / page..=(end - 1) / page).map(move |number| {
            let start = number * page;
            let first = (extent.address.max(start) - start) / SECTOR_BYTES;
            let last = (end.min(start + page) - start).div_ceil(SECTOR_BYTES);
            ((extent.lun, number), sectors(first, last))
        })
    }

    /// Starts a read. If it has to wait, the task is notified later.
    pub fn read(&mut self, task: Id<Task>, extent: Extent) -> Lookup {
        let mut missing = false;
        for (key, mask) in self.parts(extent) {
            match self.index.get(&key) {
                Some(&slot) => {
                    let page = self.pages[slot];
                    missing |= page.valid & mask != mask;
                    if page.is_clean() {
                        self.recency.touch(slot);
                    }
                }
                None => missing = true,
            }
        }
        if !missing {
            self.counters.hits += 1;
            return Lookup::Hit;
        }
        if let Some(place) = self.coming_for(extent) {
            self.coming[place].waiting.push(task);
            self.counters.waits += 1;
            return Lookup::Waits;
        }
        self.counters.misses += 1;
        Lookup::Miss
    }

    /// The first prefetch to wait for, where all that is missing is being read ahead.
    fn coming_for(&self, extent: Extent) -> Option<usize> {
        let mut first = None;
        for (key, mask) in self.parts(extent) {
            let valid = self
                .index
                .get(&key)
                .map_or(0, |&slot| self.pages[slot].valid);
            let mut missing = mask & !valid;
            for (place, coming) in self.coming.iter().enumerate() {
                let part = self.overlap(coming.extent, key) & missing;
                if part != 0 {
                    first = first.or(Some(place));
                    missing &= !part;
                }
            }
            if missing != 0 {
                return None;
            }
        }
        first
    }

    /// Sectors of an extent in a page.
    fn overlap(&self, extent: Extent, key: Key) -> u128 {
        let (start, end) = (key.1 * self.model.page, (key.1 + 1) * self.model.page);
        let (from, to) = (
            extent.address.max(start),
            (extent.address + extent.bytes).min(end),
        );
        if extent.lun != key.0 || from >= to {
            return 0;
        }
        sectors(
            (from - start) / SECTOR_BYTES,
            (to - start).div_ceil(SECTOR_BYTES),
        )
    }

    /// Returns the extent to read ahead now, after a read of `extent`. The caller reports its end.
    pub fn read_ahead(&mut self, extent: Extent, lun_bytes: u64) -> Option<Extent> {
        let end = extent.address + extent.bytes;
        let (from, to) =
            self.prefetch
                .as_mut()?
                .on_read(extent.lun, extent.address, end, lun_bytes)?;
        let ahead = Extent {
            lun: extent.lun,
            address: from,
            bytes: to - from,
        };
        self.coming.push(Coming {
            extent: ahead,
            waiting: Vec::new(),
        });
        self.counters.prefetches += 1;
        self.counters.prefetched_bytes += ahead.bytes;
        Some(ahead)
    }

    /// A prefetch has come; the tasks that waited for it are added to `told`, to look again.
    pub fn fetched(&mut self, extent: Extent, told: &mut Vec<Id<Task>>) {
        self.filled(extent);
        if let Some(place) = self
            .coming
            .iter()
            .position(|coming| coming.extent == extent)
        {
            told.extend(self.coming.remove(place).waiting);
        }
    }

    /// These bytes have been read from disk.
    pub fn filled(&mut self, extent: Extent) {
        for (key, mask) in self.parts(extent) {
            if let Some(slot) = self.page_for(key) {
                self.pages[slot].valid |= mask;
            }
        }
    }

    /// The slot of a page, made if need be; `None` if no clean page is left to make room.
    fn page_for(&mut self, key: Key) -> Option<Id<Page>> {
        if let Some(&slot) = self.index.get(&key) {
            return Some(slot);
        }
        let page = Page {
            key,
            valid: 0,
            dirty: 0,
            flying: 0,
            pins: 0,
            dirty_since: Instant::START,
            is_rewritten: false,
        };
        let slot = if let Some(slot) = self.free.pop() {
            slot
        } else if self.pages.len() < self.model.pages as usize {
            self.pages.push(page)
        } else {
            let oldest = self.recency.oldest_first().next()?;
            self.recency.remove(oldest);
            self.index.remove(&self.pages[oldest].key);
            oldest
        };
        self.pages[slot] = page;
        self.index.insert(key, slot);
        self.recency.insert(slot);
        Some(slot)
    }

    /// What a write through the cache finds here is as new as the disk will be.
    pub fn write_through(&mut self, extent: Extent) {
        for (key, mask) in self.parts(extent) {
            let Some(slot) = self.page_for(key) else {
                continue;
            };
            let page = &mut self.pages[slot];
            let was_held = page.is_held();
            self.counters.absorbed += u64::from((page.dirty & mask).count_ones());
            page.dirty &= !mask;
            page.valid |= mask;
            let is_free = was_held && !page.is_held();
            if is_free {
                self.let_go(slot);
            }
        }
    }

    fn let_go(&mut self, slot: Id<Page>) {
        self.held -= 1;
        self.is_draining &= self.held > self.model.low_watermark;
        if self.pages[slot].pins > 0 {
            self.reserved += 1;
        } else {
            self.recency.insert(slot);
        }
    }

    /// The memory it was in is gone: what is clean with it, and what is dirty unless a copy is left. What is
    /// on its way to disk gets there.
    pub fn lose(&mut self, keeps_dirty: bool) {
        if !keeps_dirty {
            self.sweeps.clear();
        }
        for (key, slot) in std::mem::take(&mut self.index) {
            let page = &mut self.pages[slot];
            let was_held = page.is_held();
            if !keeps_dirty {
                self.counters.lost += u64::from(page.dirty.count_ones());
                page.dirty = 0;
            }
            page.valid = page.dirty | page.flying;
            let (is_held, is_pinned) = (page.is_held(), page.pins > 0);
            self.held -= u32::from(was_held && !is_held);
            self.reserved += u32::from(was_held && !is_held && is_pinned);
            if is_held || is_pinned {
                self.index.insert(key, slot);
                continue;
            }
            if !was_held {
                self.recency.remove(slot);
            }
            self.free.push(slot);
        }
        self.is_draining &= self.held > self.model.low_watermark;
    }

    /// Pages dirty or on their way to disk.
    pub fn dirty_pages(&self) -> u32 {
        self.held
    }

    /// Sectors of writes that are not on disk yet, those on their way included.
    pub fn dirty_sectors(&self) -> u64 {
        let unwritten = |page: &Page| u64::from(page.dirty.count_ones() + page.flying.count_ones());
        self.pages.iter().map(unwritten).sum()
    }

    /// The meter takes in what has changed.
    pub fn observe(&mut self, now: Instant) {
        let of = &self.counters;
        let dirty = of.written - of.absorbed - of.destaged - of.lost;
        self.meter
            .observe(now, dirty * SECTOR_BYTES, self.waiting.len());
    }

    /// What it has done, in bytes.
    pub fn counts(&self) -> CacheCounts {
        let of = &self.counters;
        CacheCounts {
            hits: of.hits,
            waits: of.waits,
            misses: of.misses,
            prefetches: of.prefetches,
            prefetched: of.prefetched_bytes,
            written: of.written * SECTOR_BYTES,
            overwritten: of.absorbed * SECTOR_BYTES,
            destaged: of.destaged * SECTOR_BYTES,
            lost: of.lost * SECTOR_BYTES,
            destages: of.destages,
            full_destages: of.full_destages,
        }
    }

    /// Sectors written are those absorbed, destaged, lost and still here; the error is what is missing.
    pub fn check(&self) -> Result<(), i128> {
        let counters = &self.counters;
        let known = counters.absorbed + counters.destaged + counters.lost + self.dirty_sectors();
        match i128::from(counters.written) - i128::from(known) {
            0 => Ok(()),
            missing => Err(missing),
        }
    }
}

/// The bits of sectors from the first to the one before `end`.
fn sectors(first: u64, end: u64) -> u128 {
    let ones = |count: u64| {
        if count >= MOST_SECTORS {
            u128::MAX
        } else {
            (1 << count) - 1
        }
    };
    ones(end) & !ones(first)
}

#[cfg(test)]
mod tests;
