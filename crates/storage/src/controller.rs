//! A controller of an array: processors, ways to the others, and a cache.

use sanlab_kernel::{Id, Instant, Rate, Span, Station};

use crate::cache::Cache;
use crate::page_cache::{PageCache, Partner};

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
    /// Time of passing a command on; those of several commands overlap.
    pub forward: Span,
    /// Rate at which its data are passed on; none takes no time.
    pub forward_rate: Option<Rate>,
    /// Caches have a copy of their writes in another controller.
    pub mirrors_caches: bool,
    /// Caches without such a copy write through, if they should have one.
    pub writes_through_alone: bool,
}

impl Failover {
    /// Time for which the data of a command occupy the interconnect.
    pub fn transfer(&self, bytes: u64) -> Span {
        let transfer = self.forward_rate.map(|rate| rate.time_for(bytes));
        transfer.unwrap_or(Span::ZERO)
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
