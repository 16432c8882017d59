//! The arm over the turning platter: how long it takes to reach, read and write blocks.

use sanlab_kernel::{Id, Instant, Span, share_of};

use super::buffer::Segment;
use super::carrier::Carrier;
use super::geometry::{Place, Spot, Track};
use super::model::{DriveModel, Rotation};

/// Rounding of angles may bring a sector that follows at once before the end of the last one.
const ROUNDING: Span = Span::from_ps(3_000);

/// Where the arm is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    /// Cylinder.
    pub cylinder: u32,
    /// Head in use.
    pub head: u32,
}

/// Blocks of one track that pass in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Piece {
    /// First block.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Sectors that pass, slipped ones included.
    pub sectors: u64,
    /// The arm is there.
    pub landed_at: Instant,
    /// The first sector begins.
    pub starts_at: Instant,
    /// The last sector has passed.
    pub ends_at: Instant,
}

impl Piece {
    /// How many of its blocks have passed. A slipped sector between them counts like a block, which
    /// is a sector too much at most.
    pub fn passed(&self, now: Instant) -> u64 {
        if now >= self.ends_at {
            return self.end - self.first;
        }
        let gone = now.saturating_since(self.starts_at);
        let span = (self.ends_at - self.starts_at).max(Span::from_ps(1));
        share_of(self.sectors, gone.as_ps(), span.as_ps()).min(self.end - self.first)
    }

    /// When this block of it has passed.
    pub fn time_of(&self, block: u64) -> Instant {
        if block + 1 >= self.end {
            return self.ends_at;
        }
        let span = self.ends_at - self.starts_at;
        self.starts_at + span.share(block + 1 - self.first, self.sectors)
    }
}

/// What a transfer from or to the media took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Access {
    /// Movement to the first track.
    pub seek: Span,
    /// Wait for the sector, beyond the passing of those wanted.
    pub rotation: Span,
    /// The last block has passed.
    pub ends_at: Instant,
    /// First block of the track that was read on the way to the wanted ones.
    pub kept_from: u64,
    /// The transfer over the interface cannot end before.
    pub drained_at: Instant,
    /// As many blocks as the transfer waits for have passed.
    pub ready_at: Instant,
}

/// A disk's mechanics at work.
#[derive(Clone, Copy, Debug)]
pub struct Media<'a> {
    /// Of this kind.
    pub model: &'a DriveModel,
    /// How far the platter was at time zero.
    pub phase: Span,
}

impl Media<'_> {
    /// Time to move to a track.
    pub fn movement(&self, from: Arm, to: Place, is_read: bool) -> Span {
        let mechanics = &self.model.mechanics;
        if let Rotation::Constant(time) = mechanics.rotation {
            return time;
        }
        let switch = if from.head == to.head {
            Span::ZERO
        } else {
            mechanics.head_switch
        };
        let seek = mechanics.seek.time(from.cylinder.abs_diff(to.cylinder));
        let time = seek.max(switch);
        if is_read || time.is_zero() {
            time
        } else {
            let settled = time
                .as_ps()
                .saturating_add_signed(mechanics.write_settle_ps);
            Span::from_ps(settled)
        }
    }

    /// Wait for a sector.
    pub fn wait(&self, now: Instant, to: Place) -> Span {
        self.wait_for_angle(now, self.model.geometry.angle(to))
    }

    /// Wait for what is at this angle, which is less than a turn.
    fn wait_for_angle(&self, now: Instant, to: Span) -> Span {
        let revolution = self.model.geometry.revolution();
        match self.model.mechanics.rotation {
            Rotation::Constant(_) => return Span::ZERO,
            Rotation::Average => return revolution / 2,
            Rotation::Exact => {}
        }
        let angle = (now - Instant::START + self.phase) % revolution;
        let wait = if to >= angle {
            to - angle
        } else {
            to + revolution - angle
        };
        if wait + ROUNDING >= revolution {
            Span::ZERO
        } else {
            wait
        }
    }

    /// Movement and wait to a spot, which rank commands by their positioning.
    pub fn positioning(&self, from: Arm, now: Instant, to: Spot, is_read: bool) -> (Span, Span) {
        let movement = self.movement(from, to.place, is_read);
        (movement, self.wait_for_angle(now + movement, to.angle))
    }

    /// The next piece in order, from `block` to the end of its track or to `end`; the arm goes there.
    pub fn piece(&self, arm: &mut Arm, now: Instant, block: u64, end: u64, is_read: bool) -> Piece {
        let geometry = &self.model.geometry;
        let place = geometry.locate(block);
        let landed_at = now + self.movement(*arm, place, is_read);
        *arm = Arm {
            cylinder: place.cylinder,
            head: place.head,
        };
        let starts_at = landed_at + self.wait(landed_at, place);
        let track = geometry.track(block);
        let mut end = end.min(track.end);
        // A replaced block is a piece of its own.
        if let Some(replaced) = geometry.first_replaced(block..end) {
            end = replaced.max(block + 1);
        }
        let sectors = self.sectors(place, end);
        Piece {
            first: block,
            end,
            sectors,
            landed_at,
            starts_at,
            ends_at: starts_at + self.passing(sectors, track.sectors),
        }
    }

    /// Sectors from a place to the end of the last block before `end`, which is on the same track.
    fn sectors(&self, from: Place, end: u64) -> u64 {
        let last = self.model.geometry.locate(end - 1);
        u64::from(last.sector.saturating_sub(from.sector)) + 1
    }

    /// Time for this many sectors to pass.
    fn passing(&self, sectors: u64, track_sectors: u32) -> Span {
        let revolution = self.model.geometry.revolution();
        revolution.share(sectors, u64::from(track_sectors))
    }

    /// Read blocks, from `now` on; `ready_blocks` of them let the transfer begin. A carrier
    /// learns the time of each block.
    pub fn read(
        &self,
        arm: &mut Arm,
        now: Instant,
        blocks: std::ops::Range<u64>,
        ready_blocks: u64,
        mut carrier: Option<&mut Carrier>,
    ) -> Access {
        let buffer = &self.model.buffer;
        let first = self.piece(arm, now, blocks.start, blocks.end, true);
        let mut access = Access {
            seek: first.landed_at - now,
            kept_from: blocks.start,
            ..Access::default()
        };
        let ready_block = blocks.start + ready_blocks.clamp(1, blocks.end - blocks.start) - 1;
        let mut last = first.end - 1;
        access.ends_at = first.ends_at;
        if buffer.reads_out_of_order || buffer.keeps_passing_blocks {
            let landed = self.landing(&first);
            if buffer.keeps_passing_blocks {
                access.kept_from = landed.kept_from;
            }
            if let Some(turned) = landed.turned {
                // The end of the track was read on landing: it is there when its beginning is.
                last = turned.middle - 1;
                access.ends_at = turned.ends_at;
            }
        }
        let span = first.ends_at - first.starts_at;
        access.rotation = (access.ends_at - first.landed_at).saturating_sub(span);
        access.drained_at = self.drained(&first, last, blocks.end);
        access.ready_at = first.time_of(ready_block.min(last));
        if let Some(carrier) = carrier.as_deref_mut() {
            for block in first.first..first.end {
                carrier.arrive(first.time_of(block.min(last)));
            }
        }
        let mut piece = first;
        while piece.end < blocks.end {
            piece = self.piece(arm, access.ends_at, piece.end, blocks.end, true);
            access.ends_at = piece.ends_at;
            let drained = self.drained(&piece, piece.end - 1, blocks.end);
            access.drained_at = access.drained_at.max(drained);
            if ready_block >= piece.first {
                access.ready_at = piece.time_of(ready_block);
            }
            if let Some(carrier) = carrier.as_deref_mut() {
                for block in piece.first..piece.end {
                    carrier.arrive(piece.time_of(block));
                }
            }
        }
        access
    }

    /// The interface, which never waits while there is a block, is done with the last of a read not
    /// before any block has passed and it and those behind it are through.
    fn drained(&self, piece: &Piece, last: u64, end: u64) -> Instant {
        let per_block = self.model.block_transfer.read;
        let through = |block: u64| piece.time_of(block) + per_block * (end - block);
        through(piece.first).max(through(last))
    }

    /// What the head meets where it lands on the track of a piece.
    fn landing(&self, piece: &Piece) -> Landing {
        let geometry = &self.model.geometry;
        let mut landing = Landing {
            kept_from: piece.first,
            turned: None,
        };
        if self.model.mechanics.rotation != Rotation::Exact || geometry.is_replaced(piece.first) {
            return landing;
        }
        let track = geometry.track(piece.first);
        let before = self.sectors_to(&track, piece.starts_at - piece.landed_at);
        let (sector, sectors) = (
            u64::from(geometry.locate(piece.first).sector),
            u64::from(track.sectors),
        );
        if before <= sector {
            landing.kept_from =
                (piece.first - before.min(piece.first - track.first)).max(track.first);
            return landing;
        }
        landing.kept_from = track.first;
        // The head lands `before` sectors ahead of the first one, the end of the turn between.
        let behind = sectors - before;
        if behind < piece.sectors && behind > 0 {
            let middle = piece.first + behind.min(piece.end - piece.first - 1);
            let ends_at = piece.starts_at + self.passing(behind, track.sectors);
            landing.turned = Some(Turned { middle, ends_at });
        }
        landing
    }

    /// Whole sectors that pass in this time, no longer than a turn.
    fn sectors_to(&self, track: &Track, time: Span) -> u64 {
        let revolution = self.model.geometry.revolution();
        let time = time + ROUNDING;
        let sectors = u64::from(track.sectors);
        share_of(sectors, time.as_ps(), revolution.as_ps()).min(sectors)
    }

    /// The end of a write whose head lands within it: the blocks behind that are in the buffer in time
    /// are written at once, and those before them when they come round.
    fn turned_write(
        &self,
        piece: &Piece,
        turned: Turned,
        arrived: impl Fn(u64) -> Instant,
    ) -> Instant {
        let revolution = self.model.geometry.revolution();
        let sector = (piece.ends_at - piece.starts_at) / piece.sectors;
        let tail = piece.starts_at + sector * (turned.middle - piece.first);
        let tail = tail.saturating_sub(revolution);
        let in_time = (turned.middle..piece.end).find(|&block| {
            let at = tail + sector * (block - turned.middle);
            lateness(piece, block, at, &arrived) <= ROUNDING
        });
        if let Some(first) = in_time {
            return piece.starts_at + sector * (first - piece.first);
        }
        let late = lateness(piece, piece.first, piece.starts_at, arrived);
        piece.ends_at + revolution * late.div_ceil(revolution)
    }

    /// Write blocks, from `now` on.
    pub fn write(
        &self,
        arm: &mut Arm,
        now: Instant,
        least_seek: Span,
        blocks: std::ops::Range<u64>,
        data: Data,
    ) -> Access {
        let mut from = now;
        let movement = self.movement(*arm, self.model.geometry.locate(blocks.start), false);
        from += least_seek.saturating_sub(movement);
        let mut access = Access::default();
        let mut block = blocks.start;
        loop {
            let mut piece = self.piece(arm, from, block, blocks.end, false);
            let span = piece.ends_at - piece.starts_at;
            let arrived = |block: u64| {
                let at = data.at + self.model.block_transfer.write * (block - blocks.start);
                at.max(data.enough_at)
            };
            if block == blocks.start {
                access.seek = piece.landed_at - now;
            }
            let landed = self.landing(&piece);
            match landed.turned {
                Some(turned) if self.model.buffer.writes_out_of_order => {
                    piece.ends_at = self.turned_write(&piece, turned, arrived);
                }
                _ => {
                    let late = lateness(&piece, piece.first, piece.starts_at, arrived);
                    let revolution = self.model.geometry.revolution();
                    piece.ends_at += revolution * late.div_ceil(revolution);
                }
            }
            if block == blocks.start {
                access.rotation = (piece.ends_at - piece.landed_at).saturating_sub(span);
            }
            access.ends_at = piece.ends_at;
            (block, from) = (piece.end, piece.ends_at);
            if block >= blocks.end {
                return access;
            }
        }
    }
}

/// How long after its sector the latest block of a piece is in the buffer, from `block` on, which
/// passes at `at`. Blocks come and pass at steady rates, so it is the first or the last one.
fn lateness(piece: &Piece, block: u64, at: Instant, arrived: impl Fn(u64) -> Instant) -> Span {
    let sector = (piece.ends_at - piece.starts_at) / piece.sectors;
    let last = piece.end - 1;
    let last_at = at + sector * (last - block);
    let first_late = arrived(block).saturating_since(at);
    first_late.max(arrived(last).saturating_since(last_at))
}

/// When the blocks of a write are in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    /// The first one; each further one the transfer of a block later.
    pub at: Instant,
    /// None goes to the media before.
    pub enough_at: Instant,
}

/// What the head meets where it lands.
#[derive(Clone, Copy, Debug)]
struct Landing {
    /// First block that passes before the first wanted one without a gap.
    kept_from: u64,
    /// It lands within the wanted blocks.
    turned: Option<Turned>,
}

/// The end of the wanted blocks first, then their beginning.
#[derive(Clone, Copy, Debug)]
struct Turned {
    /// First block of those read on landing.
    middle: u64,
    /// The last of those before it has passed.
    ends_at: Instant,
}

/// Read-ahead in the background. Its position is computed on demand.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Segment it fills.
    pub segment: Id<Segment>,
    /// Where it stops.
    pub limit: u64,
    piece: Piece,
    arm: Arm,
}

/// How a sweep ends for a command.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Where the arm is.
    pub arm: Arm,
    /// It may move from then on.
    pub free_at: Instant,
}

impl Sweep {
    /// Read on from a block at which the arm is at this time.
    pub fn new(arm: Arm, now: Instant, block: u64, limit: u64, segment: Id<Segment>) -> Self {
        let begun = Piece {
            first: block,
            end: block,
            sectors: 0,
            landed_at: now,
            starts_at: now,
            ends_at: now,
        };
        Self {
            segment,
            limit,
            piece: begun,
            arm,
        }
    }

    fn last(&self, media: &Media<'_>) -> u64 {
        media.model.geometry.blocks().max(self.limit)
    }

    /// One past the last block read at this time.
    pub fn advance(&mut self, media: &Media<'_>, now: Instant) -> u64 {
        while self.piece.ends_at <= now && self.piece.end < self.limit {
            self.next_piece(media);
        }
        (self.piece.first + self.piece.passed(now)).min(self.limit)
    }

    /// When this block has been read.
    pub fn time_of(&mut self, media: &Media<'_>, block: u64) -> Instant {
        while self.piece.end <= block {
            self.next_piece(media);
        }
        self.piece.time_of(block)
    }

    /// Where the head is and when it may leave.
    pub fn stop(&mut self, media: &Media<'_>, now: Instant) -> Stop {
        let reached = self.advance(media, now);
        let buffer = &media.model.buffer;
        let free_at = if reached >= self.limit {
            now
        } else if now < self.piece.landed_at {
            if buffer.stops_in_seek {
                now
            } else {
                self.piece.landed_at
            }
        } else if buffer.stops_in_sector {
            now
        } else if now < self.piece.starts_at {
            self.piece.starts_at
        } else {
            self.piece.time_of(reached).max(now)
        };
        Stop {
            arm: self.arm,
            free_at,
        }
    }

    /// The arm is on this track at this time.
    pub fn arm(&self) -> Arm {
        self.arm
    }

    fn next_piece(&mut self, media: &Media<'_>) {
        let (at, block, last) = (self.piece.ends_at, self.piece.end, self.last(media));
        self.piece = media.piece(&mut self.arm, at, block, last.max(block + 1), true);
    }
}
