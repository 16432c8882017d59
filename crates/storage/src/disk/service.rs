//! How a disk serves one command: from the buffer, or with the arm.

use std::cmp::Reverse;

use sanlab_kernel::{Id, Instant, Span};

use super::buffer::{Found, Segment};
use super::media::{Access, Sweep};
use super::model::Departure;
use super::{Disk, DiskCommand, DiskCompletion, Waiting, Work};

/// The times of a command as it is served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// The disk turned to it.
    pub(super) began_at: Instant,
    /// The transfer had to wait this long for the interface.
    pub(super) held_up: Span,
    pub(super) seek: Span,
    pub(super) rotation: Span,
    pub(super) ends_at: Instant,
    pub(super) is_hit: bool,
}

impl DiskCommand {
    pub(super) fn end(&self) -> u64 {
        self.block + self.blocks
    }
}

impl Disk {
    /// Turn to a command; the arm is free, or sweeps.
    pub(super) fn start(&mut self, now: Instant, waiting: Waiting) {
        let command = waiting.command;
        let now = now.max(self.handled_at(&waiting));
        if self.finishes_sweep(now, &command) {
            self.waiting.push_front(waiting);
        } else if self.goes_on(&command) {
            self.stream(now, &waiting);
        } else if command.is_read {
            self.start_read(now, waiting);
        } else {
            self.start_write(now, waiting);
        }
    }

    /// Serve a command from the buffer while the arm is busy, if the disk does so.
    pub(super) fn overtakes(&mut self, now: Instant, waiting: &Waiting) -> bool {
        let DiskCommand { block, is_read, .. } = waiting.command;
        let (end, model) = (waiting.command.end(), self.model.buffer);
        let now = now.max(self.handled_at(waiting));
        if is_read {
            let hit = model
                .hits_overtake
                .then(|| self.buffer.find(block, end, None));
            if let Some(Found::Whole(segment)) = hit {
                self.hit(now, waiting, segment);
                return true;
            }
            return false;
        }
        if !self.answers_early(&waiting.command) {
            return false;
        }
        let place = match self.buffer.to_join(block, end) {
            Some(segment) => Some(segment),
            None if model.writes_overtake && !self.buffer.is_dirty(block, end) => {
                let reading = match self.work {
                    Work::Command {
                        then: Some(sweep), ..
                    } => Some(sweep.segment),
                    _ => None,
                };
                let joined = self.buffer.for_write(block, end, reading);
                joined.filter(|&segment| Some(segment) != reading)
            }
            None => None,
        };
        if let Some(segment) = place {
            self.take_write(now, waiting, segment);
        }
        place.is_some()
    }

    /// Whether the disk is streaming and the command starts where the last one ended.
    fn goes_on(&self, command: &DiskCommand) -> bool {
        self.model.streaming && command.block == self.next_block && command.is_read == self.was_read
    }

    fn stream(&mut self, now: Instant, waiting: &Waiting) {
        let command = waiting.command;
        let geometry = &self.model.geometry;
        let ends_at =
            now.max(self.arm_free_at) + geometry.streaming_time(command.block, command.blocks);
        let last = geometry.locate(command.end() - 1);
        (self.arm.cylinder, self.arm.head) = (last.cylinder, last.head);
        self.work = Work::Command {
            ends_at,
            then: None,
        };
        let times = Times::from_media(now, now, Access::default(), ends_at);
        self.finish(waiting, times);
    }

    /// The controller turns to a command.
    pub(super) fn handled_at(&self, waiting: &Waiting) -> Instant {
        waiting.came_at + self.model.overheads.request
    }

    /// The drive first reads on as far as it reads at least, unless the command finds its beginning
    /// in what is being read.
    fn finishes_sweep(&mut self, now: Instant, command: &DiskCommand) -> bool {
        let least = self.model.buffer.least_read_ahead;
        let Work::Sweep(mut sweep) = self.work else {
            return false;
        };
        let goal = (self.next_block + least).min(sweep.limit);
        let media = self.media();
        if least == 0 || goal <= sweep.advance(&media, now) {
            return false;
        }
        let reached_at = sweep.time_of(&media, goal - 1);
        if reached_at <= now {
            return false;
        }
        let reading = self.catch_up(now);
        if command.is_read && reading.is_some() {
            let found = self.buffer.find(command.block, command.end(), reading);
            if matches!(found, Found::Whole(segment) | Found::Beginning(segment) if Some(segment) == reading)
            {
                return false;
            }
        }
        if let Work::Sweep(mut sweep) = self.work {
            sweep.limit = goal;
            self.work = Work::Command {
                ends_at: reached_at,
                then: Some(sweep),
            };
        }
        true
    }

    /// The arm may move for a command that is ready then, once it has left what it reads ahead. As
    /// in DiskSim, both waits add up.
    pub(super) fn departs_at(&self, now: Instant, ready_at: Instant) -> Instant {
        now.max(ready_at) + self.arm_free_at.saturating_since(now)
    }

    pub(super) fn filled(&mut self, segment: Id<Segment>, end: u64) {
        let filling = self.buffer.get_mut(segment);
        filling.end = filling.end.max(end);
        self.buffer.wrap(segment);
        self.buffer.touch(segment);
    }

    /// The arm is a command's until its status has been sent at `ends_at`, or as long as the drive
    /// keeps it; `completion` is what the status takes.
    pub(super) fn hold_arm(
        &mut self,
        ends_at: Instant,
        completion: Span,
        free_at: Instant,
        then: Option<Sweep>,
    ) {
        self.arm_free_at = free_at;
        let ends_at = match self.model.buffer.departure {
            Departure::AfterStatus => ends_at,
            Departure::WithStatus => ends_at.saturating_sub(completion),
            Departure::AfterMedia => free_at,
        };
        self.work = Work::Command { ends_at, then };
    }

    /// The arm leaves what it reads ahead.
    pub(super) fn stop_sweep(&mut self, now: Instant) {
        self.catch_up(now);
        let Work::Sweep(mut sweep) = self.work else {
            return;
        };
        let stop = sweep.stop(&self.media(), now);
        self.arm = stop.arm;
        self.arm_free_at = self.arm_free_at.max(stop.free_at);
        self.work = Work::Nothing;
    }

    /// The command will be answered.
    pub(super) fn finish(&mut self, waiting: &Waiting, times: Times) {
        let command = waiting.command;
        let Times {
            began_at,
            held_up,
            seek,
            rotation,
            ends_at,
            is_hit,
        } = times;
        let request = self.model.overheads.request;
        let completion = DiskCompletion {
            tag: command.tag,
            came_at: waiting.came_at,
            queue: began_at - waiting.came_at - request + held_up,
            seek: seek + request,
            rotation,
            transfer: ends_at - began_at - held_up - seek - rotation,
            is_hit,
        };
        self.count += 1;
        self.done.push(Reverse((ends_at, self.count, completion)));
        self.was_read = command.is_read;
        self.next_block = command.end();
    }
}

impl Times {
    /// With the arm: ready at that time.
    pub(super) fn from_media(
        began_at: Instant,
        ready_at: Instant,
        access: Access,
        ends_at: Instant,
    ) -> Self {
        Self {
            began_at,
            held_up: Span::ZERO,
            seek: ready_at - began_at + access.seek,
            rotation: access.rotation,
            ends_at,
            is_hit: false,
        }
    }
}
