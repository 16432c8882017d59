//! Which of the commands that wait is next.

use std::collections::VecDeque;

use sanlab_kernel::{Id, Instant, Span};

use super::buffer::{Buffer, Found, Segment};
use super::geometry::Spot;
use super::media::{Arm, Media};
use super::model::{DriveModel, Foresight, Scheduling};
use super::{DiskCommand, Waiting};

/// What a drive knows when it chooses.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Its mechanics.
    pub media: Media<'a>,
    /// Its buffer.
    pub buffer: &'a Buffer,
    /// The segment that is being filled.
    pub reading: Option<Id<Segment>>,
    /// Where the arm is.
    pub arm: Arm,
    /// Where the last command ended, and whether it read.
    pub last: (u64, bool),
    /// The time.
    pub now: Instant,
}

impl Position<'_> {
    /// The buffer answers a command, or what is being read ahead, or it goes on in a stream: the
    /// arm need not move for it.
    fn needs_no_movement(&self, command: &DiskCommand) -> bool {
        if self.media.model.streaming && self.last == (command.block, command.is_read) {
            return true;
        }
        let found = || self.buffer.find(command.block, command.end(), self.reading);
        match command.is_read.then(found) {
            Some(Found::Whole(_)) => true,
            Some(Found::Beginning(segment)) => self.reading == Some(segment),
            _ => false,
        }
    }

    /// Until the first sector of a command, as the drive expects it: movement and wait, and a turn
    /// times the probability that the sector is missed. The drive knows where it is while it stays
    /// on its track, and the skew behind the last block is made for the switch to the next one.
    fn expected(&self, one: &Waiting, margin: Span) -> Span {
        let command = &one.command;
        if self.needs_no_movement(command) {
            return Span::ZERO;
        }
        self.until_first_sector((command.block, one.spot), command.is_read, margin)
    }

    /// The same for the media, whatever is in the buffer.
    fn until_first_sector(&self, (block, spot): (u64, Spot), is_read: bool, margin: Span) -> Span {
        let (movement, wait) = self.media.positioning(self.arm, self.now, spot, is_read);
        let is_known = movement.is_zero() || block == self.last.0;
        let late = if is_known {
            Span::ZERO
        } else {
            margin.saturating_sub(wait)
        };
        let turn = self.media.model.geometry.revolution();
        movement + wait + turn.share(late.as_ps(), margin.as_ps().max(1))
    }

    /// What ranks a waiting command: less is earlier.
    pub fn rank(&self, one: &Waiting, foresight: Foresight) -> i128 {
        let expected = self.expected(one, foresight.margin);
        self.aged(expected, one.came_at, foresight)
    }

    /// What ranks blocks that the buffer is to write, likewise.
    pub fn rank_of_segment(&self, segment: &Segment, foresight: Foresight) -> i128 {
        let spot = self.media.model.geometry.spot(segment.unwritten);
        let expected = self.until_first_sector((segment.unwritten, spot), false, foresight.margin);
        self.aged(expected, segment.arrival.1, foresight)
    }

    fn aged(&self, expected: Span, came_at: Instant, foresight: Foresight) -> i128 {
        let waited = self.now.saturating_since(came_at);
        let aged = waited.share(foresight.ageing_ppm, 1_000_000);
        i128::from(expected.as_ps()) - i128::from(aged.as_ps())
    }
}

/// Commands that a drive chooses among, each with its place.
pub fn candidates<'a>(
    position: &Position<'_>,
    waiting: &'a VecDeque<Waiting>,
) -> impl Iterator<Item = (usize, &'a Waiting)> {
    let most = position.media.model.queue_depth.max(1);
    waiting.iter().take(most).enumerate()
}

/// Index of the next command. The elevator keeps its direction in `is_rising`.
pub fn next(position: &Position<'_>, waiting: &VecDeque<Waiting>, is_rising: &mut bool) -> usize {
    let (model, arm): (&DriveModel, Arm) = (position.media.model, position.arm);
    let candidates = || candidates(position, waiting);
    let cylinder = |one: &Waiting| one.spot.place.cylinder;
    let least = |cost: &dyn Fn(&Waiting) -> Option<i128>| {
        candidates()
            .filter_map(|(index, one)| Some((cost(one)?, index)))
            .min()
            .map(|(_, index)| index)
    };
    let next = match model.scheduling {
        Scheduling::Fifo => None,
        Scheduling::ShortestSeek => {
            least(&|one| Some(i128::from(cylinder(one).abs_diff(arm.cylinder))))
        }
        Scheduling::ShortestPositioning(foresight) => {
            least(&|one| Some(position.rank(one, foresight)))
        }
        Scheduling::Elevator => {
            let ahead = |is_rising: bool| {
                least(&|one| {
                    let (to, from) = (cylinder(one), arm.cylinder);
                    let distance = if is_rising {
                        to.checked_sub(from)
                    } else {
                        from.checked_sub(to)
                    };
                    distance.map(i128::from)
                })
            };
            ahead(*is_rising).or_else(|| {
                *is_rising = !*is_rising;
                ahead(*is_rising)
            })
        }
        Scheduling::CyclicElevator => least(&|one| {
            let to = cylinder(one);
            let behind = if to < arm.cylinder { 1 << 32 } else { 0 };
            Some(behind + i128::from(to))
        }),
    };
    next.unwrap_or(0)
}
