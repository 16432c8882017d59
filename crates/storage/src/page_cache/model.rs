//! Settings, results and counters of a page cache.

use sanlab_kernel::{Id, Rate, Span};

use crate::parts::Lun;

/// Bytes of a sector.
pub const SECTOR_BYTES: u64 = 512;
/// Most sectors a page has.
pub const MOST_SECTORS: u64 = 128;

/// How a cache reads ahead.
#[derive(Clone, Copy, Debug)]
pub struct PrefetchModel {
    /// A reader that has gone on where it ended so often is read ahead for.
    pub after: u32,
    /// Bytes read ahead.
    pub window: u64,
    /// It reads ahead when a reader misses, not before: it comes to the end of what was read ahead.
    pub on_miss: bool,
    /// Readers that are followed at once; the one not seen for longest makes room.
    pub readers: usize,
}

/// How a page cache is set up.
#[derive(Clone, Copy, Debug)]
pub struct PageCacheModel {
    /// Bytes of a page: a power of two from 512 to 65536.
    pub page: u64,
    /// Pages it holds.
    pub pages: u32,
    /// Time of an access.
    pub access: Span,
    /// How it reads ahead, if it does.
    pub prefetch: Option<PrefetchModel>,
    /// Most of what a destage takes along, in whole stripes; one stripe at least.
    pub destage: u64,
    /// Writes are answered from the cache; else they go through it.
    pub write_back: bool,
    /// Pages that may be dirty or on their way to disk; a write beyond waits.
    pub dirty_limit: u32,
    /// Destaging ends at so many dirty pages.
    pub low_watermark: u32,
    /// It begins above so many.
    pub high_watermark: u32,
    /// Destages under way at once.
    pub destages: u32,
    /// Of what is due, the next page by address is destaged; else the one dirty for longest.
    pub by_address: bool,
    /// Data dirty for so long are destaged; none waits for the watermark.
    pub age: Option<Span>,
    /// All data are destaged once no command has come for so long.
    pub rest: Option<Span>,
    /// Copy of a write to the partner controller: time for each, and rate; none without a partner.
    pub partner: Option<(Span, Rate)>,
}

/// What becomes of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// All of it is here.
    Hit,
    /// All of it is cached or being read ahead; the task is notified when more has arrived.
    Waits,
    /// Something is missing.
    Miss,
}

/// Bytes of a LUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The LUN.
    pub lun: Id<Lun>,
    /// First byte.
    pub address: u64,
    /// Length.
    pub bytes: u64,
}

/// What a cache has done. Sectors of writes are conserved: those written are those overwritten before
/// they were destaged, those destaged, those lost, and those still here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCacheCounters {
    /// Reads found whole.
    pub hits: u64,
    /// Reads that waited for what was being read ahead.
    pub waits: u64,
    /// Reads with missing data.
    pub misses: u64,
    /// Prefetches.
    pub prefetches: u64,
    /// Their bytes.
    pub prefetched_bytes: u64,
    /// Sectors of writes taken.
    pub written: u64,
    /// Of them, those overwritten while dirty.
    pub absorbed: u64,
    /// Sectors that went to disk.
    pub destaged: u64,
    /// Sectors lost with the memory they were in, before they were destaged.
    pub lost: u64,
    /// Destages.
    pub destages: u64,
    /// Of them, those of a whole stripe.
    pub full_destages: u64,
}
