//! A disk: geometry, arm, rotation, buffer and command queue.
//!
//! A command comes with [`Disk::submit`]; [`Disk::next_at`] says when the disk must be looked at
//! again, and [`Disk::step`] then gives what is done. Usually that is one event for each command,
//! and one for each time the arm has written what the buffer had answered before. Read-ahead
//! is computed on demand and costs no event.

mod buffer;
mod carrier;
mod geometry;
pub(crate) mod ledger;
mod media;
mod model;
mod reads;
mod schedule;
mod seek;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use sanlab_kernel::{Id, Instant, Span, StationTotals};

use buffer::{Buffer, Found, Segment};
use geometry::Spot;
use ledger::Ledger;
use media::{Arm, Media, Sweep};
use schedule::Position;

use crate::elsewhere::{Exchange, Task};

pub use geometry::{BLOCK_BYTES, Geometry, GeometryFault, Mapping, Place, Sparing, Track, Zone};
pub use model::{
    BlockTransfer, BufferModel, Departure, DriveModel, ExtraDisconnect, Foresight, Interface,
    Mechanics, Overhead, Overheads, ReadAhead, Requested, Rotation, Scheduling, WriteCache,
};
pub use seek::{RootAndLine, Seek, SeekCurve};

/// Whose a command to a disk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiskTag {
    /// A task's of the array that the disk is in.
    Task(Id<Task>),
    /// It came over a loop.
    Exchange(Id<Exchange>),
}

/// A command to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskCommand {
    /// Whose it is; comes back with the completion.
    pub tag: DiskTag,
    /// First block.
    pub block: u64,
    /// Blocks, at least 1.
    pub blocks: u64,
    /// A read; else a write.
    pub is_read: bool,
}

/// A command is done. Its four times sum to its residence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskCompletion {
    /// Of the command.
    pub tag: DiskTag,
    /// When the command came.
    pub came_at: Instant,
    /// Behind other commands.
    pub queue: Span,
    /// Overhead and arm movement.
    pub seek: Span,
    /// Until the sector comes round.
    pub rotation: Span,
    /// Over the sectors and the interface.
    pub transfer: Span,
    /// It was answered from the buffer.
    pub is_hit: bool,
}

/// A command that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    command: DiskCommand,
    came_at: Instant,
    /// Of its first block, found once: the drive compares it with others until its turn comes.
    spot: Spot,
}

/// What the arm does next.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// The command at this place among those that wait.
    Command(usize),
    /// What this segment is to write.
    Destage(Id<Segment>),
}

/// What the arm does.
#[derive(Clone, Copy, Debug)]
enum Work {
    Nothing,
    /// Reads on; commands may take the arm.
    Sweep(Sweep),
    /// Serves a command until then, and reads on behind it.
    Command {
        ends_at: Instant,
        then: Option<Sweep>,
    },
    /// Writes a segment up to a block.
    Destage {
        ends_at: Instant,
        segment: Id<Segment>,
        up_to: u64,
    },
}

/// A disk: one device of a drive model.
#[derive(Clone, Debug)]
pub struct Disk {
    model: Arc<DriveModel>,
    phase: Span,
    arm: Arm,
    arm_free_at: Instant,
    is_rising: bool,
    work: Work,
    buffer: Buffer,
    waiting: VecDeque<Waiting>,
    done: BinaryHeap<Reverse<(Instant, u64, DiskCompletion)>>,
    count: u64,
    interface_free_at: Instant,
    was_read: bool,
    /// Where the last command ended.
    next_block: u64,
    ledger: Ledger,
}

impl Disk {
    /// A disk of this drive model with its arm over the first cylinder; `phase` is how far its platter
    /// was at time zero.
    pub fn new(model: Arc<DriveModel>, phase: Span) -> Self {
        Self {
            phase: phase % model.geometry.revolution(),
            arm: Arm::default(),
            arm_free_at: Instant::START,
            is_rising: true,
            work: Work::Nothing,
            buffer: Buffer::new(model.buffer),
            waiting: VecDeque::new(),
            done: BinaryHeap::new(),
            count: 0,
            interface_free_at: Instant::START,
            was_read: true,
            next_block: u64::MAX,
            ledger: Ledger::default(),
            model,
        }
    }

    /// A command comes. The disk must be looked at at [`Disk::next_at`].
    pub fn submit(&mut self, now: Instant, command: DiskCommand) {
        self.ledger.arrive(now);
        let waiting = Waiting {
            command,
            came_at: now,
            spot: self.model.geometry.spot(command.block),
        };
        if self.is_free() {
            self.start(now, waiting);
        } else if !self.overtakes(now, &waiting) {
            self.waiting.push_back(waiting);
        }
    }

    /// When something is due: a completion, or the end of a write from the buffer.
    pub fn next_at(&self) -> Instant {
        let done = self
            .done
            .peek()
            .map_or(Instant::NEVER, |Reverse((at, ..))| *at);
        match self.work {
            Work::Command { ends_at, .. } | Work::Destage { ends_at, .. } => done.min(ends_at),
            Work::Nothing | Work::Sweep(_) => done,
        }
    }

    /// Do what is due now; gives one completion where there is one, so call it until `next_at` is
    /// later.
    pub fn step(&mut self, now: Instant) -> Option<DiskCompletion> {
        self.work_on(now);
        match self.done.peek() {
            Some(Reverse((at, ..))) if *at <= now => {}
            _ => return None,
        }
        let Reverse((_, _, completion)) = self.done.pop()?;
        self.ledger.leave(now, completion.came_at);
        Some(completion)
    }

    /// Commands that came and are not answered.
    pub fn present(&self) -> u64 {
        self.ledger.present()
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        self.ledger.totals(now)
    }

    /// Little's law; the error is what is missing.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        self.ledger.check(now)
    }

    /// Segments with blocks that have been answered but are not on the media.
    pub fn dirty_segments(&self) -> usize {
        self.buffer.dirty()
    }

    fn media(&self) -> Media<'_> {
        Media {
            model: &self.model,
            phase: self.phase,
        }
    }

    /// How far a sweep may go behind a read.
    fn sweep_limit(&self, command: &DiskCommand) -> u64 {
        let (model, geometry) = (&self.model.buffer, &self.model.geometry);
        let end = command.end();
        let most = match model.most_read_ahead {
            0 if model.requested == Requested::Kept => {
                model.segment_blocks.saturating_sub(command.blocks)
            }
            0 => model.segment_blocks,
            blocks => blocks,
        };
        let limit = (end + most).min(geometry.blocks());
        match model.read_ahead {
            ReadAhead::Off => end,
            ReadAhead::Segment => limit,
            ReadAhead::Track => limit.min(geometry.track(end - 1).end),
            ReadAhead::Cylinder => limit.min(self.cylinder_end(end - 1, limit)),
            ReadAhead::TwoTracks => self.two_tracks(end),
        }
    }

    /// End of the cylinder of a block, or of the first track of it that ends beyond `limit`.
    fn cylinder_end(&self, block: u64, limit: u64) -> u64 {
        let geometry = &self.model.geometry;
        let cylinder = geometry.locate(block).cylinder;
        let mut end = geometry.track(block).end;
        while end < limit && geometry.locate(end).cylinder == cylinder {
            end = geometry.track(end).end;
        }
        end
    }

    /// To the end of the track of the next block; where all of the track before it is in the buffer,
    /// another track.
    fn two_tracks(&self, end: u64) -> u64 {
        let geometry = &self.model.geometry;
        if end >= geometry.blocks() {
            return end;
        }
        let track = geometry.track(end);
        let came_from_before = match self.buffer.find(end - 1, end, None) {
            Found::Whole(index) => self.buffer.get(index).start < track.first,
            _ => false,
        };
        let more = if came_from_before {
            u64::from(track.sectors)
        } else {
            0
        };
        (track.end + more).min(geometry.blocks())
    }

    /// A new command may have the arm.
    fn is_free(&self) -> bool {
        matches!(self.work, Work::Nothing | Work::Sweep(_))
    }

    /// The arm has done its work: the next command, else what is to be written.
    fn work_on(&mut self, now: Instant) {
        match self.work {
            Work::Command { ends_at, then } if ends_at <= now => {
                self.work = then.map_or(Work::Nothing, Work::Sweep);
            }
            Work::Destage {
                ends_at,
                segment,
                up_to,
            } if ends_at <= now => {
                self.destaged(segment, up_to);
                self.ledger.write_behind(now, false);
                self.work = Work::Nothing;
            }
            _ => return,
        }
        let flushes = self.model.buffer.flushes_first && self.buffer.dirty() > 0;
        while self.is_free() && !self.waiting.is_empty() && !flushes {
            match self.turn(now) {
                Turn::Command(next) => {
                    let waiting = self.waiting.remove(next).expect("one that waits");
                    self.start(now, waiting);
                }
                Turn::Destage(segment) => {
                    self.stop_sweep(now);
                    self.destage_segment(now, segment);
                }
            }
        }
        if self.is_free() {
            self.destage(now);
        }
    }

    /// What the arm does next. A drive that knows positions ranks what its buffer is to write among the
    /// commands that wait; a write without room in the buffer waits until there is some.
    fn turn(&mut self, now: Instant) -> Turn {
        let Scheduling::ShortestPositioning(foresight) = self.model.scheduling else {
            return Turn::Command(self.choose(now));
        };
        if self.buffer.dirty() == 0 {
            return Turn::Command(self.choose(now));
        }
        let reading = self.catch_up(now);
        let position = self.position(now, reading);
        let commands = schedule::candidates(&position, &self.waiting)
            .filter(|(_, one)| one.command.is_read || self.has_room(&one.command))
            .map(|(index, one)| (position.rank(one, foresight), Turn::Command(index)));
        let segments = self.buffer.dirty_segments().map(|(index, segment)| {
            let rank = position.rank_of_segment(segment, foresight);
            (rank, Turn::Destage(index))
        });
        let best = commands.chain(segments).min_by_key(|&(rank, _)| rank);
        best.map_or(Turn::Command(0), |(_, turn)| turn)
    }

    fn position(&self, now: Instant, reading: Option<Id<Segment>>) -> Position<'_> {
        Position {
            media: self.media(),
            buffer: &self.buffer,
            reading,
            arm: self.arm,
            last: (self.next_block, self.was_read),
            now,
        }
    }

    fn choose(&mut self, now: Instant) -> usize {
        if self.waiting.len() == 1 {
            return 0;
        }
        let reading = self.catch_up(now);
        let mut is_rising = self.is_rising;
        let next = schedule::next(&self.position(now, reading), &self.waiting, &mut is_rising);
        self.is_rising = is_rising;
        next
    }

    /// The sweep has come this far; its segment holds that much more.
    fn catch_up(&mut self, now: Instant) -> Option<Id<Segment>> {
        let Work::Sweep(mut sweep) = self.work else {
            return None;
        };
        let reached = sweep.advance(&self.media(), now);
        let segment = self.buffer.get_mut(sweep.segment);
        segment.end = segment.end.max(reached);
        self.buffer.wrap(sweep.segment);
        self.arm = sweep.arm();
        if reached >= sweep.limit {
            self.arm_free_at = self.arm_free_at.max(now);
            self.work = Work::Nothing;
            return None;
        }
        self.work = Work::Sweep(sweep);
        Some(sweep.segment)
    }
}

mod service;
mod writes;

#[cfg(test)]
mod tests;
