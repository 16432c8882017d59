//! What holds blocks: disks, SSDs, memory and flash.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::ppm::Ppm;
use crate::rate::Distribution;

/// A disk or an SSD.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiskPlan {
    /// Name, such as `dev1.disk0` or `dev1.ssd0`.
    pub name: String,
    /// What it is.
    pub model: DiskModelPlan,
}

/// What a disk is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum DiskModelPlan {
    /// A disk drive.
    Drive {
        /// Kind of drive, as index into the array's.
        drive: u32,
    },
    /// An SSD.
    Ssd {
        /// Kind of SSD, as index into the array's.
        ssd: u32,
    },
}

/// A kind of SSD.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SsdPlan {
    /// Capacity.
    pub bytes: u64,
    /// What it is made of: memory or flash.
    pub media: MediaPlan,
}

/// What holds the blocks of a LUN.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum MediaPlan {
    /// A device with a service time that does not depend on the address.
    Memory {
        /// Mean service time.
        service_ps: u64,
        /// Distribution of the service time.
        distribution: Distribution,
        /// Half of the width of a uniform distribution around the mean, as a share of the mean. It
        /// applies where `distribution` is constant.
        spread: Ppm,
        /// Standard deviation as a share of the mean: a constant part and an exponential one. It applies
        /// where `distribution` is constant and `spread` is 0.
        variation: Ppm,
        /// Requests served at once.
        servers: NonZeroU32,
    },
    /// RAID 0 over disks.
    Stripe {
        /// Disks, as indices into the array's.
        disks: Vec<u32>,
        /// Where the LUN starts on each disk.
        start_bytes: u64,
        /// Bytes on one disk before the next.
        stripe_bytes: NonZeroU64,
        /// Unit in which the array addresses the disks.
        block_bytes: NonZeroU64,
    },
    /// A part of a RAID group.
    Raid {
        /// The group.
        group: u32,
        /// First byte of the group's data.
        start_bytes: u64,
    },
    /// A flash SSD of its own.
    Flash {
        /// Channels.
        channels: NonZeroU32,
        /// Dies on each channel.
        dies_per_channel: NonZeroU32,
        /// Bytes of a page.
        page_bytes: u64,
        /// Pages of a block.
        pages_per_block: u32,
        /// Time to read a page, on average.
        read_ps: u64,
        /// Standard deviation of that time as a share of it: a constant part and an exponential one.
        variation: Ppm,
        /// Time to program a page.
        program_ps: u64,
        /// Time to erase a block.
        erase_ps: u64,
        /// Rate of a channel.
        channel_bytes_per_s: NonZeroU64,
        /// Size of the write buffer.
        buffer_bytes: u64,
        /// Time added to every command.
        latency_ps: u64,
        /// Pages programmed for a million written.
        amplification_ppm: u64,
    },
    /// A RAM SSD of its own.
    Ram {
        /// Ports, each with a server of its own.
        ports: NonZeroU32,
        /// Service time of a command.
        command_ps: u64,
        /// Time from there to the answer.
        latency_ps: u64,
        /// Rate of a port.
        bytes_per_s: NonZeroU64,
        /// Distribution of the latency.
        distribution: Distribution,
    },
}
