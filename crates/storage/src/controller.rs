//! Controllers: which one serves a LUN, which one stands in for it, where the copy of a cache is.

use sanlab_kernel::{Id, Instant, Rate, Span, Station};

use crate::array::Array;
use crate::cache::Cache;
use crate::lun::LogicalUnit;
use crate::page_cache::{PageCache, Partner};
use crate::parts::Lun;

/// A controller of an array.
///
/// Its cache holds the data of its LUNs: those it owns, and those without an owner whose number falls to
/// it. A cache outlives its controller where another keeps a copy of its writes: that one holds it then.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Its processors.
    pub processors: Station,
    /// The way out to the others, over which commands of their LUNs go.
    pub forwarding: Station,
    /// The way out to the others, over which copies of its writes go.
    pub partner: Partner,
    /// Its cache, where that is a share of hits; none when it is off.
    pub cache: Option<Cache>,
    /// Its cache of pages; none if there is another cache, or none.
    pub page_cache: Option<PageCache>,
    /// Where its cache is.
    pub seat: CacheSeat,
    /// Whether it works.
    pub is_up: bool,
    /// What it has done.
    pub counters: ControllerCounters,
}

/// What a controller has done, and what happened to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControllerCounters {
    /// Commands its processors began.
    pub commands: u64,
    /// Commands it passed on to the controller that serves their LUN.
    pub forwarded: u64,
    /// Commands at its ports that waited for the end of a takeover.
    pub held: u64,
    /// How often it failed.
    pub failures: u32,
    /// Since when it has failed, and for how long before that.
    pub failed_at: Instant,
    /// Time for which it had failed before.
    pub failed_for: Span,
}

/// The controllers that hold a cache and the copy of its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSeat {
    /// Has the cache in its memory.
    pub holder: Id<Controller>,
    /// Has a copy of its writes; none where caches are not mirrored, or no other controller is up.
    pub copy: Option<Id<Controller>>,
}

/// How the controllers of an array work together.
#[derive(Clone, Copy, Debug)]
pub struct Failover {
    /// Time in which a LUN goes over to another controller.
    pub takeover: Span,
    /// From a controller's return to that of its LUNs; none if they stay.
    pub give_back: Option<Span>,
    /// From the end of a takeover until hosts know the states of their paths.
    pub told: Span,
    /// Time of passing a command on.
    pub forward: Span,
    /// Rate at which its data are passed on; none takes no time.
    pub forward_rate: Option<Rate>,
    /// Caches have a copy of their writes in another controller.
    pub mirrors_caches: bool,
    /// Caches without such a copy write through, if they should have one.
    pub writes_through_alone: bool,
}

impl Failover {
    /// Time in which a command with so much data is passed on.
    pub fn forwarding(&self, bytes: u64) -> Span {
        let transfer = self.forward_rate.map(|rate| rate.time_for(bytes));
        self.forward + transfer.unwrap_or(Span::ZERO)
    }
}

/// The way of a command in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// This controller, to which it has come, serves it.
    Here(Id<Controller>),
    /// This one does, and the command has come to another: the path is not optimised.
    Elsewhere(Id<Controller>),
    /// Its LUN is being handed over.
    Later,
}

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
        self.reseat_caches(id);
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
                self.seat(home, id, before.or_else(|| self.next_up(id)));
            } else {
                self.seat(home, holder, copy.or_else(|| self.next_up(holder)));
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
    fn reseat_caches(&mut self, failed: Id<Controller>) {
        for home in self.controllers.ids() {
            let seat = self.controllers[home].seat;
            if seat.holder == failed {
                self.lose_cache(home, seat.copy.is_some());
                let holder = seat.copy.or_else(|| self.next_up(failed));
                if let Some(holder) = holder {
                    let copy = self.next_up(holder);
                    self.seat(home, holder, copy);
                }
            } else if seat.copy == Some(failed) {
                let copy = self.next_up(seat.holder);
                self.seat(home, seat.holder, copy);
            }
        }
    }

    /// Puts a cache into a controller's memory and the copy of its writes into another's.
    fn seat(&mut self, home: Id<Controller>, holder: Id<Controller>, copy: Option<Id<Controller>>) {
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
        }
        if let Some(cache) = &mut controller.cache {
            cache.writes_through = is_alone;
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

impl CacheSeat {
    /// Where the cache of a controller is while none of so many has failed.
    pub fn of(place: usize, count: usize, is_mirrored: bool) -> Self {
        let next = Id::from_place((place + 1) % count);
        Self {
            holder: Id::from_place(place),
            copy: (is_mirrored && count > 1).then_some(next),
        }
    }
}
