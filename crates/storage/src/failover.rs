//! Which controller serves a LUN, which one stands in for it, and where the copy of its cache is.

use sanlab_kernel::{Id, Instant};

use crate::array::Array;
use crate::cache::Cache;
use crate::controller::{Access, CacheSeat, Controller, Failover};
use crate::lun::LogicalUnit;
use crate::page_cache::PageCache;
use crate::parts::Lun;

impl Array {
    /// The cache of pages that has the data of a LUN.
    #[inline]
    pub fn pages_of(&mut self, lun: Id<Lun>) -> Option<&mut PageCache> {
        let home = self.luns[lun].cached_by;
        self.controllers[home].page_cache.as_mut()
    }

    /// The simple cache that has the data of a LUN.
    #[inline]
    pub fn cache_of(&mut self, lun: Id<Lun>) -> Option<&mut Cache> {
        let home = self.luns[lun].cached_by;
        self.controllers[home].cache.as_mut()
    }

    /// Whether writes to the cache of a controller go to a partner too. That of an array's only controller
    /// is always there.
    pub fn has_partner(&self, home: Id<Controller>) -> bool {
        self.controllers.len() == 1 || self.controllers[home].seat.copy.is_some()
    }

    /// Where a command for a LUN is served that has come to this controller.
    #[inline]
    pub fn access(&self, lun: Id<Lun>, came_to: Id<Controller>, now: Instant) -> Access {
        let lun = &self.luns[lun];
        match lun.served_by {
            None => Access::Here(came_to),
            Some(_) if now < lun.ready_at => Access::Later,
            Some(server) if server == came_to => Access::Here(server),
            Some(server) => Access::Elsewhere(server),
        }
    }

    /// The next controller after this one that is up, all in turn; none if no other is.
    pub fn next_up(&self, after: Id<Controller>) -> Option<Id<Controller>> {
        let count = self.controllers.len();
        let mut others = (1..count).map(|step| Id::from_place((after.place() + step) % count));
        others.find(|&other| self.controllers[other].is_up)
    }

    /// A controller fails: its processors stop, its cache is lost where no other controller has a copy, and
    /// its LUNs begin to go over to another. Returns when they are ready; `None` if none goes over.
    pub fn fail(&mut self, now: Instant, id: Id<Controller>) -> Option<Instant> {
        let failed = &mut self.controllers[id];
        failed.is_up = false;
        failed.processors.fail(now);
        failed.counters.failures += 1;
        failed.counters.failed_at = now;
        self.reseat_caches(now, id);
        let successor = self.next_up(id)?;
        self.hand_over(now, successor, |lun| lun.served_by == Some(id))
    }

    /// A controller works again: its cache is in its memory, and it takes the LUNs that no other serves.
    /// Returns when they are ready; `None` if no LUN goes.
    pub fn restore(&mut self, now: Instant, id: Id<Controller>) -> Option<Instant> {
        let back = &mut self.controllers[id];
        back.is_up = true;
        back.counters.failed_for += now - back.counters.failed_at;
        for home in self.controllers.ids() {
            let CacheSeat { holder, copy } = self.controllers[home].seat;
            if home == id || !self.controllers[holder].is_up {
                let before = Some(holder).filter(|&it| it != id && self.controllers[it].is_up);
                self.seat(now, home, id, before.or_else(|| self.next_up(id)));
            } else {
                self.seat(now, home, holder, copy.or_else(|| self.next_up(holder)));
            }
        }
        let up: Vec<_> = self.controllers.iter().map(|it| it.is_up).collect();
        self.hand_over(now, id, |lun| {
            lun.served_by.is_some_and(|server| !up[server.place()])
        })
    }

    /// The LUNs of a controller go back to it. Returns when they are ready; `None` if no LUN goes.
    pub fn give_back(&mut self, now: Instant, id: Id<Controller>) -> Option<Instant> {
        if !self.controllers[id].is_up {
            return None;
        }
        self.hand_over(now, id, |lun| {
            lun.owner == Some(id) && lun.served_by != Some(id)
        })
    }

    fn hand_over(
        &mut self,
        now: Instant,
        to: Id<Controller>,
        goes: impl Fn(&LogicalUnit) -> bool,
    ) -> Option<Instant> {
        let ready_at = now + self.failover.takeover;
        let mut goes_any = None;
        for lun in self.luns.iter_mut().filter(|lun| goes(lun)) {
            (lun.served_by, lun.ready_at) = (Some(to), ready_at);
            goes_any = Some(ready_at);
        }
        goes_any
    }

    /// Caches in the memory of a controller that failed, and copies there, go elsewhere or are lost.
    fn reseat_caches(&mut self, now: Instant, failed: Id<Controller>) {
        for home in self.controllers.ids() {
            let seat = self.controllers[home].seat;
            if seat.holder == failed {
                self.lose_cache(home, seat.copy.is_some());
                let holder = seat.copy.or_else(|| self.next_up(failed));
                if let Some(holder) = holder {
                    let copy = self.next_up(holder);
                    self.seat(now, home, holder, copy);
                }
            } else if seat.copy == Some(failed) {
                let copy = self.next_up(seat.holder);
                self.seat(now, home, seat.holder, copy);
            }
        }
    }

    /// Puts a cache into a controller's memory and the copy of its writes into another's.
    fn seat(
        &mut self,
        now: Instant,
        home: Id<Controller>,
        holder: Id<Controller>,
        copy: Option<Id<Controller>>,
    ) {
        let Failover {
            mirrors_caches,
            writes_through_alone,
            ..
        } = self.failover;
        let controller = &mut self.controllers[home];
        let copy = copy.filter(|_| mirrors_caches);
        controller.seat = CacheSeat { holder, copy };
        let is_alone = mirrors_caches && copy.is_none() && writes_through_alone;
        if let Some(cache) = &mut controller.page_cache {
            cache.writes_through = is_alone;
            cache.meter.set_alone(now, is_alone);
        }
        if let Some(cache) = &mut controller.cache {
            cache.writes_through = is_alone;
            cache.meter.set_alone(now, is_alone);
        }
    }

    /// A cache is gone from the memory of its holder; its writes are not where a copy is left. The partner
    /// of a controller that is the only one of its array has it.
    fn lose_cache(&mut self, home: Id<Controller>, has_copy: bool) {
        let has_partner = self.controllers.len() == 1 && self.failover.mirrors_caches;
        if let Some(cache) = &mut self.controllers[home].page_cache {
            cache.lose(has_copy || has_partner);
        }
    }
}
