//! The part of the plan that says what a kind of disk drive is made of.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// A kind of disk drive.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DrivePlan {
    /// Name of the kind.
    pub name: String,
    /// Surfaces with data.
    pub surfaces: u32,
    /// One turn.
    pub revolution_ps: u64,
    /// Order of the surfaces of a cylinder.
    pub mapping: MappingPlan,
    /// Where spares lie.
    pub sparing: SparingPlan,
    /// Cylinders of a sparing range.
    pub sparing_range: u32,
    /// Zones from the outside in. Cylinders between them are spare.
    pub zones: Vec<ZonePlan>,
    /// Arm movement.
    pub seek: SeekPlan,
    /// To another surface of the cylinder.
    pub head_switch_ps: u64,
    /// Added to a movement before writing; the sum is at least 0.
    pub write_settle_ps: i64,
    /// How the wait for a sector is found.
    pub rotation: RotationPlan,
    /// Movement and wait together, where they are constant.
    pub access_ps: u64,
    /// What the controller takes for a command.
    pub overheads: OverheadsPlan,
    /// Transfer of one block of 512 bytes over the interface, of a read and of a write.
    pub block_transfer_ps: (u64, u64),
    /// Buffer.
    pub buffer: BufferPlan,
    /// Order of the commands that wait.
    pub scheduling: SchedulingPlan,
    /// How much longer than expected a movement may take: a sector that comes round sooner may be
    /// missed. For `sptf`.
    pub position_margin_ps: u64,
    /// Share of its waiting time by which a command comes earlier. For `sptf`.
    pub ageing_ppm: u64,
    /// Commands among which it chooses.
    pub queue_depth: NonZeroU32,
    /// Whether a sequential command has no overhead and loses no revolution.
    pub streaming: bool,
}

/// Cylinders with equally many blocks on each track.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ZonePlan {
    /// First cylinder.
    pub first_cylinder: u32,
    /// Last cylinder.
    pub last_cylinder: u32,
    /// Blocks of a track.
    pub blocks_per_track: u32,
    /// From the index mark to the first sector of the zone.
    pub first_angle_ps: u64,
    /// Skew between tracks of a cylinder.
    pub track_skew_ps: u64,
    /// Skew between cylinders.
    pub cylinder_skew_ps: u64,
    /// Sectors before the first block.
    pub empty_front_blocks: u64,
    /// Spares, in the unit of the sparing scheme.
    pub spares: u64,
    /// Sectors (tracks) passed over.
    pub slips: Vec<u64>,
    /// Sectors (tracks) replaced: from, to.
    pub defects: Vec<(u64, u64)>,
}

/// Order of the surfaces of a cylinder.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MappingPlan {
    /// The same on every cylinder.
    Forward,
    /// Every other cylinder of a zone backwards.
    SerpentineInZone,
    /// Odd cylinders backwards.
    SerpentineOnDisk,
}

/// Where spares lie.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SparingPlan {
    /// No spares.
    None,
    /// Tracks at the end of a zone.
    Tracks,
    /// Sectors at the end of a track.
    PerTrack,
    /// Sectors at the end of a cylinder.
    PerCylinder,
    /// The same; slips move all blocks to the end of the zone.
    PerCylinderToEnd,
    /// Sectors at the front of a cylinder.
    PerCylinderFront,
    /// The same; slips move all blocks to the end of the zone.
    PerCylinderFrontToEnd,
    /// Only the slipped sectors.
    AtEnd,
    /// Sectors at the end of a range of cylinders.
    PerRange,
    /// Sectors at the end of a zone.
    PerZone,
    /// The same, slipped sectors on top.
    PerZoneAndSlips,
}

/// Arm movement.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SeekPlan {
    /// Always the same.
    Constant {
        /// Time of a seek.
        ps: u64,
    },
    /// Two lines through three points.
    Line {
        /// Over one cylinder.
        single_ps: u64,
        /// Over a third of all.
        average_ps: u64,
        /// Over all cylinders.
        full_ps: u64,
    },
    /// Lee's curve through three points.
    Curve {
        /// Over one cylinder.
        single_ps: u64,
        /// Mean over random pairs.
        average_ps: u64,
        /// Over all cylinders.
        full_ps: u64,
    },
    /// A root below `bound`, a line above.
    RootAndLine {
        /// First distance on the line.
        bound: u32,
        /// Constant of the root.
        root_ps: f64,
        /// Factor of the root.
        root_factor_ps: f64,
        /// Constant of the line.
        line_ps: f64,
        /// Factor of the line.
        line_factor_ps: f64,
        /// Over one cylinder, where it is off the curve.
        single_ps: Option<u64>,
        /// Over 1 to 10 cylinders, where these were measured.
        first_ps: Option<[u64; 10]>,
    },
    /// Measured.
    Table {
        /// Distances in cylinders, rising.
        cylinders: Vec<u32>,
        /// Their times.
        ps: Vec<u64>,
    },
}

/// How the wait for a sector is found.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RotationPlan {
    /// From the angle of the platter.
    Exact,
    /// Half a turn.
    Average,
    /// Movement and wait are `access_ps` together.
    Constant,
}

/// What the controller takes for a command.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OverheadsPlan {
    /// Before anything else.
    pub request_ps: u64,
    /// Read from the buffer, after a read and after a write.
    pub read_hit_ps: (u64, u64),
    /// Read from the media.
    pub read_miss_ps: (u64, u64),
    /// Write to the buffer.
    pub write_hit_ps: (u64, u64),
    /// Write to the media.
    pub write_miss_ps: (u64, u64),
    /// Status of a read.
    pub read_completion_ps: u64,
    /// Status of a write.
    pub write_completion_ps: u64,
    /// Before each transfer.
    pub data_preparation_ps: u64,
    /// To take the interface again.
    pub reselect_ps: u64,
    /// To give it back while a read waits for the media.
    pub read_disconnect_ps: (u64, u64),
    /// To give it back while a write waits.
    pub write_disconnect_ps: u64,
    /// Least movement before a write that does not go on.
    pub least_write_seek_ps: u64,
    /// One more disconnection of writes: command, disconnect, between, movement, second disconnect,
    /// reselect.
    pub extra_disconnect_ps: Option<[u64; 6]>,
}

/// Buffer of a drive.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a policy of its own of a drive's firmware"
)]
pub struct BufferPlan {
    /// Segments.
    pub segments: u32,
    /// Blocks of each.
    pub segment_blocks: u64,
    /// Segments that may hold unwritten data.
    pub write_segments: u32,
    /// One segment is for writes only.
    pub has_write_segment: bool,
    /// Reads are answered from it.
    pub keeps_reads: bool,
    /// Reads are answered from written data.
    pub hits_written: bool,
    /// The block being read counts as there.
    pub hits_next_block: bool,
    /// Reads it can answer overtake commands that wait for the arm.
    pub hits_overtake: bool,
    /// Writes it can take overtake commands that wait for the arm.
    pub writes_overtake: bool,
    /// A read waits for its share if only its beginning is there.
    pub partial_hits_wait: bool,
    /// When the controller gives the interface back.
    pub interface: InterfacePlan,
    /// When the arm may leave for the next command.
    pub departure: DeparturePlan,
    /// What happens to the blocks of a read.
    pub requested: RequestedPlan,
    /// How far the drive reads on.
    pub read_ahead: ReadAheadPlan,
    /// Blocks it reads on at least.
    pub least_read_ahead: u64,
    /// Blocks it reads on at most. Without it, a segment, from the start of the read where its blocks
    /// are kept.
    pub most_read_ahead: Option<NonZeroU64>,
    /// A hit sets reading ahead going.
    pub reads_ahead_after_hit: bool,
    /// It stops within a sector.
    pub stops_in_sector: bool,
    /// It stops within a movement.
    pub stops_in_seek: bool,
    /// It keeps the blocks that pass before the wanted ones.
    pub keeps_passing_blocks: bool,
    /// It reads from where the head lands.
    pub reads_out_of_order: bool,
    /// It writes from where the head lands.
    pub writes_out_of_order: bool,
    /// Share of a read that must be there before its transfer.
    pub read_watermark_ppm: u64,
    /// The share is of the segment.
    pub watermark_of_segment: bool,
    /// When writes are answered.
    pub write_cache: WriteCachePlan,
    /// Sequential writes are joined.
    pub joins_writes: bool,
    /// Writes in the buffer reach the media before the arm serves a later command.
    pub flushes_first: bool,
}

/// How far a drive reads on.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReadAheadPlan {
    /// Not at all.
    Off,
    /// To the end of the track.
    Track,
    /// To the end of the cylinder.
    Cylinder,
    /// A segment.
    Segment,
    /// One or two tracks.
    TwoTracks,
}

/// When writes are answered.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WriteCachePlan {
    /// On the media.
    Off,
    /// In the buffer.
    On,
}

/// When the controller gives the interface back during a read.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InterfacePlan {
    /// Whenever it has no block to transfer.
    Released,
    /// Until the first transfer.
    HeldInTransfer,
    /// Never.
    Held,
}

/// When the arm may leave for the next command.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeparturePlan {
    /// After the status.
    AfterStatus,
    /// When the status is ready.
    WithStatus,
    /// After the last block has passed.
    AfterMedia,
}

/// What happens to the blocks of a read once they have been transferred.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RequestedPlan {
    /// They stay.
    Kept,
    /// Blocks read ahead may replace them.
    Replaced,
    /// They are dropped.
    Dropped,
}

/// Order of the commands that wait.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchedulingPlan {
    /// As they came.
    Fifo,
    /// Shortest seek first.
    Sstf,
    /// Shortest positioning first.
    Sptf,
    /// LOOK.
    Elevator,
    /// C-LOOK.
    CyclicElevator,
}
