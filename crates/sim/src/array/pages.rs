//! Commands on a cache of pages: hits, read-ahead, copies to the partner, destages.

use sanlab_kernel::{Id, Instant, Span, Stage};
use sanlab_storage::{Array, Controller, Lookup, Lun};

use super::task::{Purpose, Task};
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A read of an array that has a cache of pages.
    pub(super) fn read_pages(&mut self, now: Instant, id: Id<Task>) {
        let extent = self.array.extent_of(id);
        let array = self.array.tasks[id].array;
        let lun_bytes = self.array.arrays[array].luns[extent.lun].bytes;
        let Some(cache) = self.array.arrays[array].pages_of(extent.lun) else {
            return;
        };
        cache.used_at = now;
        // What is read ahead on a miss answers the miss too.
        let (lookup, ahead) = if cache.model.prefetch.is_some_and(|it| it.on_miss) {
            let ahead = cache.read_ahead(extent, lun_bytes);
            (cache.read(id.same(), extent), ahead)
        } else {
            let lookup = cache.read(id.same(), extent);
            (lookup, cache.read_ahead(extent, lun_bytes))
        };
        self.serve_lookup(now, id, lookup);
        if let Some(ahead) = ahead {
            let prefetch = self
                .array
                .background_task(now, array, Purpose::Prefetch, ahead);
            self.access_media(now, prefetch);
        }
    }

    fn serve_lookup(&mut self, now: Instant, id: Id<Task>, lookup: Lookup) {
        let Task { array, lun, .. } = self.array.tasks[id];
        match lookup {
            Lookup::Hit => {
                let cache = self.array.arrays[array].pages_of(lun);
                let access = cache.map_or(Span::ZERO, |cache| cache.model.access);
                self.serve_from_cache(now, now + access, id);
            }
            Lookup::Waits => {}
            Lookup::Miss => {
                if let Some(exchange) = self.array.tasks[id].exchange.get() {
                    self.tell(now, exchange, Stage::Cache);
                }
                self.access_media(now, id);
            }
        }
    }

    /// Data of a command or a prefetch are in the cache; commands that waited for them look again.
    pub(super) fn on_pages_read(&mut self, now: Instant, id: Id<Task>) {
        let (extent, task) = (self.array.extent_of(id), self.array.tasks[id]);
        let Some(cache) = self.array.arrays[task.array].pages_of(task.lun) else {
            return;
        };
        if task.purpose == Purpose::Command {
            cache.filled(extent);
            return;
        }
        let mut told = Vec::new();
        cache.fetched(extent, &mut told);
        self.array.end_task(id);
        for waiting in told {
            let waiting = waiting.same();
            let extent = self.array.extent_of(waiting);
            if let Some(cache) = self.array.arrays[task.array].pages_of(task.lun) {
                let lookup = cache.read(waiting.same(), extent);
                self.serve_lookup(now, waiting, lookup);
            }
        }
    }

    /// A write of an array that has a cache of pages: its data are there, or go through it.
    pub(super) fn write_pages(&mut self, now: Instant, id: Id<Task>, is_stored: bool) {
        let (extent, array) = (self.array.extent_of(id), self.array.tasks[id].array);
        if is_stored {
            self.copy_to_partner(now, id);
        } else {
            if let Some(cache) = self.array.arrays[array].pages_of(extent.lun) {
                cache.used_at = now;
                cache.write_through(extent);
            }
            self.access_media(now, id);
        }
        self.admit_waiting_writes(now, array, extent.lun);
    }

    /// A write has its pages: it goes to the partner controller's cache too, where there is one.
    fn copy_to_partner(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        if let Some(exchange) = task.exchange.get() {
            self.tell(now, exchange, Stage::Cache);
        }
        let array = &mut self.array.arrays[task.array];
        let home = array.luns[task.lun].cached_by;
        let has_partner = array.has_partner(home);
        let controller = &mut array.controllers[home];
        let Some(model) = controller.page_cache.as_ref().map(|cache| cache.model) else {
            return;
        };
        let Some((_, rate)) = model.partner.filter(|_| has_partner) else {
            self.serve_from_cache(now, now + model.access, id);
            return;
        };
        let copy = rate.time_for(task.bytes);
        controller.partner.begin(now, id.same(), copy);
        self.array.tasks[id].came_at = now;
        self.await_copy(task.array, home);
    }

    /// Schedule the end of the next copy of a controller's writes. Only bytes occupy the interconnect: other
    /// copies pass it during the time for a command and the access to the cache.
    fn await_copy(&mut self, array: Id<Array>, home: Id<Controller>) {
        let controller = &mut self.array.arrays[array].controllers[home];
        let Some(model) = controller.page_cache.as_ref().map(|cache| cache.model) else {
            return;
        };
        let command = model.partner.map_or(Span::ZERO, |(command, _)| command);
        if let Some(ends_at) = controller.partner.next_end(command + model.access) {
            let event = Event::PartnerCopied(array, home);
            self.agenda.schedule(ends_at, home.number(), event);
        }
    }

    pub(crate) fn on_partner_copied(
        &mut self,
        now: Instant,
        array: Id<Array>,
        home: Id<Controller>,
    ) {
        let partner = &mut self.array.arrays[array].controllers[home].partner;
        let Some(id) = partner.take(now).map(Id::same) else {
            return;
        };
        partner.leave(now, self.array.tasks[id].came_at);
        self.await_copy(array, home);
        self.on_cache_served(now, id);
    }

    /// Begin the destages whose time has come, in the cache that has the data of a LUN.
    pub(super) fn destage_pages(&mut self, now: Instant, number: Id<Array>, lun: Id<Lun>) {
        let home = self.array.arrays[number].luns[lun].cached_by;
        self.destage_cache(now, number, home);
    }

    fn destage_cache(&mut self, now: Instant, number: Id<Array>, home: Id<Controller>) {
        loop {
            let array = &mut self.array.arrays[number];
            let (luns, groups) = (&array.luns, &array.groups);
            let stripe = |lun: Id<Lun>| luns[lun].media.stripe_bytes(groups);
            let Some(cache) = array.controllers[home].page_cache.as_mut() else {
                return;
            };
            let Some(extent) = cache.next_destage(now, stripe) else {
                if let Some(at) = cache.next_look(now) {
                    let component = array.first_n_port.number();
                    let event = Event::CacheDue(number, home);
                    self.agenda.schedule(at, component, event);
                }
                return;
            };
            let id = self
                .array
                .background_task(now, number, Purpose::PageDestage, extent);
            self.access_media(now, id);
        }
    }

    /// Data of a cache may be old enough to be destaged, or it may be at rest.
    pub(crate) fn on_cache_due(&mut self, now: Instant, array: Id<Array>, home: Id<Controller>) {
        if let Some(cache) = &mut self.array.arrays[array].controllers[home].page_cache {
            cache.look_at = Instant::NEVER;
        }
        self.destage_cache(now, array, home);
    }

    /// Pages are on disk: writes that waited have room, more may be destaged.
    pub(super) fn on_pages_destaged(&mut self, now: Instant, id: Id<Task>) {
        let (extent, array) = (self.array.extent_of(id), self.array.tasks[id].array);
        self.array.end_task(id);
        if let Some(cache) = self.array.arrays[array].pages_of(extent.lun) {
            cache.destaged(extent);
        }
        self.admit_waiting_writes(now, array, extent.lun);
    }
}
