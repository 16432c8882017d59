//! Caches of the controllers of an array.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// A cache.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CachePlan {
    /// A fixed share of reads hits; writes are acknowledged from the cache.
    HitRate {
        /// Share of reads that find their data, in parts per million.
        read_hit_ppm: u32,
        /// Time to serve from the cache.
        access_ps: u64,
        /// Write data the cache may hold that is not on disk yet; a write beyond it waits. Without
        /// it, the cache writes through.
        dirty_limit_bytes: Option<NonZeroU64>,
    },
    /// A cache that knows which pages it holds.
    Pages {
        /// Bytes of a page.
        page_bytes: NonZeroU64,
        /// Pages it holds.
        pages: NonZeroU32,
        /// Time of an access.
        access_ps: u64,
        /// Reading ahead, if it does.
        prefetch: Option<PrefetchPlan>,
        /// Most that a destage takes along, in whole stripes; always one stripe at least.
        destage_bytes: u64,
        /// Whether writes are answered from the cache.
        write_back: bool,
        /// Pages that may wait for the disks.
        dirty_pages: u32,
        /// Dirty pages at which destaging ends.
        low_pages: u32,
        /// Dirty pages above which destaging begins.
        high_pages: u32,
        /// Destages under way at once.
        destages: NonZeroU32,
        /// Which of the pages that are due is destaged next.
        destage_order: DestageOrderPlan,
        /// Age at which dirty data are destaged. Without it, only the watermarks count.
        destage_age_ps: Option<u64>,
        /// Time without a command after which all dirty data are destaged. Without it, they stay.
        destage_rest_ps: Option<u64>,
        /// Copy of each write to the partner controller, if there is one.
        partner: Option<PartnerPlan>,
    },
}

/// Which of the pages that are due is destaged next.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DestageOrderPlan {
    /// The one that has been dirty for longest.
    Age,
    /// The next one by address, from the first of a LUN to the last and over again.
    Address,
}

/// Reading ahead for sequential readers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PrefetchPlan {
    /// Number of sequential requests after which a reader is read ahead for.
    pub after: u32,
    /// Bytes read ahead.
    pub bytes: NonZeroU64,
    /// Whether it waits until the reader misses.
    pub on_miss: bool,
    /// Readers followed at once; the one not seen for longest makes room.
    pub readers: NonZeroU32,
}

/// Copy of writes to the partner controller.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartnerPlan {
    /// Time of each copy.
    pub latency_ps: u64,
    /// Rate of copies.
    pub bytes_per_s: NonZeroU64,
}
