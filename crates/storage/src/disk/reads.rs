//! Reads of a disk: hits in the buffer, reads that join a read-ahead, reads from the media.

use sanlab_kernel::{Id, Instant, Span};

use super::buffer::{Found, Holds, Segment};
use super::media::{Access, Sweep};
use super::service::Times;
use super::{Disk, Waiting, Work};

impl Disk {
    pub(super) fn start_read(&mut self, now: Instant, waiting: Waiting) {
        let command = waiting.command;
        let reading = self.catch_up(now);
        match self.buffer.find(command.block, command.end(), reading) {
            Found::Whole(segment) => {
                self.hit(now, &waiting, segment);
                self.sweep_on(now, &waiting, segment);
            }
            Found::Beginning(segment) if reading == Some(segment) => {
                self.join_sweep(now, &waiting, segment);
            }
            Found::Beginning(segment) => self.read_rest(now, &waiting, segment),
            Found::Nothing => self.read(now, &waiting),
            Found::Hidden => {
                self.waiting.push_front(waiting);
                self.destage(now);
            }
        }
    }

    /// The transfer of a hit may begin.
    fn hit_ready(&self, now: Instant, waiting: &Waiting) -> Instant {
        let overheads = &self.model.overheads;
        let overhead = overheads.request + overheads.read_hit.after(self.was_read);
        let again = if waiting.came_at < now {
            overheads.reselect
        } else {
            Span::ZERO
        };
        (now + again).max(waiting.came_at + overhead) + overheads.data_preparation
    }

    /// A read that is in the buffer.
    pub(super) fn hit(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        let ready_at = self.hit_ready(now, waiting);
        let begins_at = ready_at.max(self.interface_free_at);
        self.interface_free_at = begins_at + self.model.block_transfer * waiting.command.blocks;
        let times = Times {
            began_at: now,
            held_up: begins_at - ready_at,
            seek: ready_at - now,
            rotation: Span::ZERO,
            ends_at: self.interface_free_at + self.model.overheads.read_completion,
            is_hit: true,
        };
        self.buffer.touch(segment);
        self.finish(waiting, times);
    }

    /// Reading ahead after a hit.
    fn sweep_on(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        let limit = self.sweep_limit(waiting.command.end());
        let model = &self.model.buffer;
        match &mut self.work {
            Work::Sweep(sweep) if sweep.segment == segment => {
                sweep.limit = sweep.limit.max(limit);
                return;
            }
            Work::Sweep(_) if model.hits_overtake => return,
            _ => {}
        }
        let restarts = model.reads_ahead_after_hit;
        self.stop_sweep(now);
        let (end, holds) = (self.buffer.get(segment).end, self.buffer.get(segment).holds);
        if restarts && limit > end && holds == Holds::Clean {
            let at = self.miss_ready(now, waiting);
            self.work = Work::Sweep(Sweep::new(self.arm, at, end, limit, segment));
        }
    }

    /// The movement of a read may begin.
    fn miss_ready(&self, now: Instant, waiting: &Waiting) -> Instant {
        let overheads = &self.model.overheads;
        let overhead = overheads.request + overheads.read_miss.after(self.was_read);
        now.max(waiting.came_at + overhead).max(self.arm_free_at)
    }

    /// A read whose first blocks are in the segment that is being filled.
    fn join_sweep(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        let Work::Sweep(mut sweep) = self.work else {
            return;
        };
        let (end, per_block) = (waiting.command.end(), self.model.block_transfer);
        sweep.limit = sweep.limit.max(self.sweep_limit(end)).max(end);
        let missing_from = self.buffer.get(segment).end;
        let media = self.media();
        let next_at = sweep.time_of(&media, missing_from);
        let last_at = sweep.time_of(&media, end - 1);
        let ready_at = self.hit_ready(now, waiting);
        let begins_at = ready_at.max(self.interface_free_at);
        let through = (begins_at + per_block * waiting.command.blocks)
            .max(next_at + per_block * (end - missing_from))
            .max(last_at + per_block);
        self.interface_free_at = through;
        self.filled(segment, end);
        self.arm = sweep.arm();
        let ends_at = through + self.model.overheads.read_completion;
        self.hold_arm(ends_at, last_at, Some(sweep));
        let times = Times {
            began_at: now,
            held_up: begins_at - ready_at,
            seek: ready_at - now,
            rotation: Span::ZERO,
            ends_at,
            is_hit: true,
        };
        self.finish(waiting, times);
    }

    /// A read whose first blocks are in a segment; the arm fetches the rest.
    fn read_rest(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        self.stop_sweep(now);
        let from = self.buffer.get(segment).end;
        if self.buffer.get(segment).holds == Holds::Dirty {
            return self.read(now, waiting);
        }
        let begins_at = self.hit_ready(now, waiting).max(self.interface_free_at);
        let ready_at = self.miss_ready(now, waiting);
        let mut arm = self.arm;
        let access = self
            .media()
            .read(&mut arm, ready_at, from..waiting.command.end(), 1);
        self.arm = arm;
        self.filled(segment, waiting.command.end());
        self.deliver(now, waiting, segment, (ready_at, begins_at), access);
    }

    /// A read from the media.
    fn read(&mut self, now: Instant, waiting: &Waiting) {
        let command = waiting.command;
        let reading = match self.work {
            Work::Sweep(sweep) => Some(sweep.segment),
            _ => None,
        };
        self.stop_sweep(now);
        let Some(segment) = self.buffer.for_read(reading) else {
            // Everything is to be written first.
            self.waiting.push_front(*waiting);
            return self.destage(now);
        };
        let ready_at = self.miss_ready(now, waiting);
        let (mut arm, needed) = (self.arm, self.watermark(command.blocks));
        let blocks = command.block..command.end();
        let access = self.media().read(&mut arm, ready_at, blocks, needed);
        self.arm = arm;
        let filled = self.buffer.get_mut(segment);
        (filled.start, filled.end) = (access.kept_from, command.end());
        (filled.holds, filled.was_written) = (Holds::Clean, false);
        self.filled(segment, command.end());
        let overheads = &self.model.overheads;
        let given_back = waiting.came_at
            + overheads.request
            + overheads.read_miss.after(self.was_read)
            + overheads.read_disconnect.after(self.was_read);
        let begins_at =
            access.ready_at.max(given_back) + overheads.reselect + overheads.data_preparation;
        let begins_at = begins_at.max(self.interface_free_at);
        self.deliver(now, waiting, segment, (ready_at, begins_at), access);
    }

    /// The end of a read from the media whose transfer begins at that time.
    fn deliver(
        &mut self,
        now: Instant,
        waiting: &Waiting,
        segment: Id<Segment>,
        (ready_at, begins_at): (Instant, Instant),
        access: Access,
    ) {
        let command = waiting.command;
        let through = begins_at + self.model.block_transfer * command.blocks;
        let through = through.max(access.drained_at).max(access.ends_at);
        self.interface_free_at = through;
        let ends_at = through + self.model.overheads.read_completion;
        let limit = self.sweep_limit(command.end());
        let sweep = (limit > command.end())
            .then(|| Sweep::new(self.arm, access.ends_at, command.end(), limit, segment));
        self.hold_arm(ends_at, access.ends_at, sweep);
        self.finish(waiting, Times::from_media(now, ready_at, access, ends_at));
    }

    /// Blocks of a read that must be in the buffer before its transfer.
    fn watermark(&self, blocks: u64) -> u64 {
        let buffer = &self.model.buffer;
        let whole = if buffer.watermark_of_segment {
            buffer.segment_blocks
        } else {
            blocks.min(buffer.segment_blocks)
        };
        (whole * buffer.read_watermark_ppm / 1_000_000).clamp(1, blocks)
    }
}
