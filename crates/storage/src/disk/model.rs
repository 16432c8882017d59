//! What a kind of drive is made of: everything that equal drives share.

use sanlab_kernel::Span;

use super::geometry::Geometry;
use super::seek::Seek;

/// A kind of drive.
#[derive(Clone, Debug)]
pub struct DriveModel {
    /// Where blocks lie.
    pub geometry: Geometry,
    /// Arm and spindle.
    pub mechanics: Mechanics,
    /// What the controller takes for a command.
    pub overheads: Overheads,
    /// Transfer of one block between buffer and interface; none is at once.
    pub block_transfer: BlockTransfer,
    /// The buffer and what is kept in it.
    pub buffer: BufferModel,
    /// Order of the commands that wait.
    pub scheduling: Scheduling,
    /// Commands among which it may choose; later ones wait behind them.
    pub queue_depth: usize,
    /// Whether a sequential command has no overhead and loses no revolution.
    pub streaming: bool,
}

/// Transfer of one block over the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockTransfer {
    /// To the host.
    pub read: Span,
    /// From the host.
    pub write: Span,
}

/// Arm and spindle.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// Arm movement.
    pub seek: Seek,
    /// From one surface to another on the same cylinder.
    pub head_switch: Span,
    /// Added to every movement before a write, in picoseconds. Where it is negative, the sum is at
    /// least zero.
    pub write_settle_ps: i64,
    /// How the wait for a sector is found.
    pub rotation: Rotation,
}

/// How the wait for a sector is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// From where the platter is.
    Exact,
    /// Always half a turn.
    Average,
    /// Movement and wait together always take this long.
    Constant(Span),
}

/// A command overhead that depends on the kind of the command before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// The last command read.
    pub after_read: Span,
    /// The last command wrote.
    pub after_write: Span,
}

/// What the controller takes for a command. Names are those of DiskSim.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overheads {
    /// Before anything else.
    pub request: Span,
    /// A read whose first blocks are in the buffer, until its transfer.
    pub read_hit: Overhead,
    /// A read that needs the media, until its movement.
    pub read_miss: Overhead,
    /// A write that is answered from the buffer, until its transfer and its movement.
    pub write_hit: Overhead,
    /// A write that is answered when it is on the media.
    pub write_miss: Overhead,
    /// From the last block over the interface to the status of a read.
    pub read_completion: Span,
    /// The same of a write.
    pub write_completion: Span,
    /// Before each transfer.
    pub data_preparation: Span,
    /// To take the interface again after it was given back.
    pub reselect: Span,
    /// To give the interface back while a read waits for the media.
    pub read_disconnect: Overhead,
    /// To give the interface back while a write waits.
    pub write_disconnect: Span,
    /// Least time of the movement before a write, unless it joins one whose last sector ends at that
    /// instant.
    pub least_write_seek: Span,
    /// The controller gives the interface back once more before a write to the segment used last, if
    /// that held a write which the new one does not continue. No write begins before
    /// [`ExtraDisconnect::buffered`] blocks are in the buffer.
    pub extra_disconnect: Option<ExtraDisconnect>,
}

/// Times of a write with one more disconnection.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtraDisconnect {
    /// Command processing before it.
    pub command: Span,
    /// To give the interface back.
    pub disconnect: Span,
    /// Until the controller asks for it again.
    pub between: Span,
    /// From the command to the movement.
    pub movement: Span,
    /// To give the interface back after the data.
    pub second_disconnect: Span,
    /// To take the interface again for the status.
    pub reselect: Span,
}

impl ExtraDisconnect {
    /// Blocks of a write of this length that must be in the buffer before any goes to the media
    /// (`disk_buffer_block_available` of DiskSim).
    pub fn buffered(blocks: u64) -> u64 {
        if blocks < 45 { blocks.min(10) } else { 15 }
    }
}

/// How far a drive reads on behind a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAhead {
    /// Not at all.
    Off,
    /// To the end of the track.
    Track,
    /// To the end of the cylinder.
    Cylinder,
    /// Until the segment is full.
    Segment,
    /// To the end of the track, and one more once the whole of it has been read.
    TwoTracks,
}

/// The buffer.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a policy of its own of a drive's firmware"
)]
pub struct BufferModel {
    /// Segments.
    pub segments: usize,
    /// Blocks of a segment.
    pub segment_blocks: u64,
    /// Segments that may hold data not written yet.
    pub write_segments: usize,
    /// One segment is for writes only; reads do not look into it.
    pub has_write_segment: bool,
    /// Reads are answered from the buffer.
    pub keeps_reads: bool,
    /// Reads are answered from what was written.
    pub hits_written: bool,
    /// A read of the block just being read ahead waits for it instead of starting anew.
    pub hits_next_block: bool,
    /// A read in the buffer overtakes the commands that wait for the media.
    pub hits_overtake: bool,
    /// A write to the buffer overtakes the commands that wait for the media.
    pub writes_overtake: bool,
    /// A read waits for its share if only its beginning is in the buffer.
    pub partial_hits_wait: bool,
    /// When the controller gives the interface back.
    pub interface: Interface,
    /// When the arm may leave for the next command.
    pub departure: Departure,
    /// What happens to the blocks of a read.
    pub requested: Requested,
    /// Reading on.
    pub read_ahead: ReadAhead,
    /// Blocks it reads on before another command may take the arm.
    pub least_read_ahead: u64,
    /// Blocks it reads on at most; 0 is a segment, from the start of the read where its blocks are
    /// kept.
    pub most_read_ahead: u64,
    /// A read in the buffer sets reading ahead going again.
    pub reads_ahead_after_hit: bool,
    /// A block that is being read when a command comes is given up.
    pub stops_in_sector: bool,
    /// A movement between tracks is given up when a command comes.
    pub stops_in_seek: bool,
    /// Blocks that pass before the first wanted one are kept.
    pub keeps_passing_blocks: bool,
    /// Reads begin in the middle where the head lands there.
    pub reads_out_of_order: bool,
    /// Writes begin in the middle where the head lands there.
    pub writes_out_of_order: bool,
    /// Share of a read that must be in the buffer before its transfer, in parts per million.
    pub read_watermark_ppm: u64,
    /// That share is one of the segment instead.
    pub watermark_of_segment: bool,
    /// When writes are answered.
    pub write_cache: WriteCache,
    /// A write behind one that waits in the buffer joins it.
    pub joins_writes: bool,
    /// What the buffer holds for the media is written before the arm serves a later command.
    pub flushes_first: bool,
}

/// When writes are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCache {
    /// When they are on the media.
    Off,
    /// From the buffer.
    On,
}

/// When the controller gives the interface back during a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Whenever it has no block to transfer.
    Released,
    /// Until the first transfer, and then no more.
    HeldInTransfer,
    /// Never.
    Held,
}

/// When the arm may leave for the next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Once the status has been sent.
    AfterStatus,
    /// Once the status is ready to be sent.
    WithStatus,
    /// Once the last block has passed.
    AfterMedia,
}

/// What happens to the blocks of a read once they have been transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requested {
    /// They stay; reading ahead ends when the segment is full.
    Kept,
    /// Blocks read ahead may replace them.
    Replaced,
    /// They are dropped.
    Dropped,
}

/// What a drive knows of the time that a command would take, and how it weighs its age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Foresight {
    /// A movement may take up to this much longer than expected. A sector that comes round within
    /// that time is missed with the probability that falls to zero over it, and each miss costs a
    /// turn.
    pub margin: Span,
    /// Share of its waiting time by which a command comes earlier, in parts per million.
    pub ageing_ppm: u64,
}

/// Order of the commands that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// As they came.
    Fifo,
    /// Shortest seek first.
    ShortestSeek,
    /// Shortest positioning first: seek and rotation, as the drive expects them.
    ShortestPositioning(Foresight),
    /// Back and forth over the cylinders (LOOK).
    Elevator,
    /// Over the cylinders in one direction, then back to the first that waits (C-LOOK).
    CyclicElevator,
}

impl Overhead {
    /// The overhead behind a read, or behind a write.
    pub fn after(&self, was_read: bool) -> Span {
        if was_read {
            self.after_read
        } else {
            self.after_write
        }
    }
}
