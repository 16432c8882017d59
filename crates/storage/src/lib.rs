//! What answers behind a LUN.
//!
//! An [`Array`] owns its controllers, cache, disks and LUNs. It knows no frames: the receiver of a
//! command asks for admission ([`Array::admit`]), for processor time, and for the blocks.

mod array;
mod cache;
mod cache_meter;
mod controller;
mod disk;
mod drive;
mod elsewhere;
mod failover;
mod flash;
mod lag;
mod limit;
mod lun;
mod mirror;
mod open_bursts;
mod page_cache;
mod parts;
mod raid;
mod ram;
mod resync;
mod room;
mod service_time;
mod ssd;
mod task_set;

pub use array::{Array, BackEnd, BackEndPath, Refusal};
pub use cache::{Cache, CacheWrite};
pub use cache_meter::{CacheCounts, CacheMeter, CacheSums};
pub use controller::{Access, CacheSeat, Controller, ControllerCounters, Failover};
pub use disk::*;
pub use drive::Drive;
pub use elsewhere::{Device, Exchange, Flow, Port, Task};
pub use flash::{Flash, FlashCounters, FlashModel};
pub use lag::{Lag, LagInterval};
pub use limit::{Limit, LimitCounters, Limits};
pub use lun::{LogicalUnit, Media, Piece, Stripe};
pub use mirror::{Mirror, MirrorCounters, MirrorMode, MirrorRoute, MirroredWrite};
pub use open_bursts::OpenBursts;
pub use page_cache::{
    Extent, Home, Lookup, MOST_SECTORS, PageCache, PageCacheCounters, PageCacheModel, Partner,
    PrefetchModel, SECTOR_BYTES,
};
pub use parts::{FrontEndPort, Lun};
pub use raid::{
    Failing, Group, GroupCounters, Level, Operation, RaidMapping, Reading, Rebuild, RebuildStep,
    Role, Slot, Spot, StripeLocks, WriteStrategy,
};
pub use ram::Ram;
pub use resync::Resume;
pub use service_time::ServiceTime;
pub use ssd::{Ssd, SsdMedia};
pub use task_set::{Answered, LunMeter, LunTotals};
