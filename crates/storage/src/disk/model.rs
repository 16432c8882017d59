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
    pub block_transfer: Span,
    /// The buffer and what is kept in it.
    pub buffer: BufferModel,
    /// Order of the commands that wait.
    pub scheduling: Scheduling,
    /// Commands among which it may choose; later ones wait behind them.
    pub queue_depth: usize,
    /// Whether a sequential command has no overhead and loses no revolution.
    pub streaming: bool,
}

/// Arm and spindle.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// Arm movement.
    pub seek: Seek,
    /// From one surface to another on the same cylinder.
    pub head_switch: Span,
    /// Added to every movement before a write.
    pub write_settle: Span,
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
    /// Least time of the movement before a write that does not go on where the last one ended.
    pub least_write_seek: Span,
    /// The controller gives the interface back once more before a write that follows another one
    /// without going on where it ended.
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
    /// To take the interface again for the status.
    pub reselect: Span,
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
    /// Reading on.
    pub read_ahead: ReadAhead,
    /// Blocks it reads on before another command may take the arm.
    pub least_read_ahead: u64,
    /// Blocks it reads on at most; 0 is a segment.
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
}

/// When writes are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCache {
    /// When they are on the media.
    Off,
    /// From the buffer where they go on behind one that is in it.
    Sequential,
    /// From the buffer.
    On,
}

/// Order of the commands that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// As they came.
    Fifo,
    /// Shortest seek first.
    ShortestSeek,
    /// Shortest positioning first: seek and rotation.
    ShortestPositioning,
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
