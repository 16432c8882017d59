//! A cache that is a share of hits and a limit of dirty data: hits, writes, destages.

use sanlab_kernel::{Id, Instant, Stage};
use sanlab_storage::Extent;

use super::task::{Purpose, Task};
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A write has its place in the cache; its blocks go to the media in the background.
    pub(super) fn store_in_cache(&mut self, now: Instant, ends_at: Instant, task: Id<Task>) {
        let Task {
            array,
            lun,
            address,
            bytes,
            ..
        } = self.array.tasks[task];
        let extent = Extent {
            lun,
            address,
            bytes,
        };
        let destage = self
            .array
            .background_task(now, array, Purpose::Destage, extent);
        self.access_media(now, destage);
        self.serve_from_cache(now, ends_at, task);
    }

    pub(super) fn serve_from_cache(&mut self, now: Instant, ends_at: Instant, task: Id<Task>) {
        if ends_at == now {
            self.on_cache_served(now, task);
        } else {
            let component = self.array.tasks[task].component.number();
            self.agenda
                .schedule(ends_at, component, Event::CacheServed(task));
        }
    }

    pub(crate) fn on_cache_served(&mut self, now: Instant, task: Id<Task>) {
        let exchange = self.array.tasks[task].exchange.certain();
        self.tell(now, exchange, Stage::Cache);
        self.on_blocks(now, task);
    }

    pub(super) fn on_destaged(&mut self, now: Instant, id: Id<Task>) {
        let Task {
            array, lun, bytes, ..
        } = self.array.tasks[id];
        self.array.end_task(id);
        let Some(cache) = self.array.arrays[array].cache_of(lun) else {
            return;
        };
        cache.destaged(bytes);
        self.admit_waiting_writes(now, array, lun);
    }
}
