//! How a drive serves one command: from the buffer, or with the arm.

use std::cmp::Reverse;

use sanlab_kernel::Picoseconds;

use super::buffer::{Found, Holds};
use super::media::{Access, Sweep};
use super::model::WriteCache;
use super::{Disk, DiskCommand, DiskCompletion, Waiting, Work};

/// The times of a command as it is served.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// The drive turned to it.
    began_at: Picoseconds,
    /// The transfer had to wait this long for the interface.
    held_up: Picoseconds,
    seek: Picoseconds,
    rotation: Picoseconds,
    ends_at: Picoseconds,
    is_hit: bool,
}

impl DiskCommand {
    fn end(&self) -> u64 {
        self.block + self.blocks
    }
}

impl Disk {
    /// Turn to a command; the arm is free, or sweeps.
    pub(super) fn start(&mut self, now: Picoseconds, waiting: Waiting) {
        let command = waiting.command;
        if self.goes_on(&command) {
            self.stream(now, &waiting);
        } else if command.is_read {
            self.start_read(now, waiting);
        } else {
            self.start_write(now, waiting);
        }
    }

    /// Serve a command from the buffer while the arm is busy, if the drive does so.
    pub(super) fn overtakes(&mut self, now: Picoseconds, waiting: &Waiting) -> bool {
        let DiskCommand { block, is_read, .. } = waiting.command;
        let (end, model) = (waiting.command.end(), self.model.buffer);
        if is_read {
            let found = model
                .hits_overtake
                .then(|| self.buffer.find(block, end, None));
            if let Some(Found::Whole(segment)) = found {
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
            None if model.hits_overtake && !self.buffer.is_dirty(block, end) => {
                let reading = match self.work {
                    Work::Command {
                        then: Some(sweep), ..
                    } => Some(sweep.segment),
                    _ => None,
                };
                let found = self.buffer.for_write(block, end, reading);
                found.filter(|&segment| Some(segment) != reading)
            }
            None => None,
        };
        if let Some(segment) = place {
            self.take_write(now, waiting, segment);
        }
        place.is_some()
    }

    /// A streaming drive, and a command that goes on where the last one ended.
    fn goes_on(&self, command: &DiskCommand) -> bool {
        self.model.streaming && command.block == self.next_block && command.is_read == self.was_read
    }

    fn stream(&mut self, now: Picoseconds, waiting: &Waiting) {
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

    fn start_read(&mut self, now: Picoseconds, waiting: Waiting) {
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
    fn hit_ready(&self, now: Picoseconds, waiting: &Waiting) -> Picoseconds {
        let overheads = &self.model.overheads;
        let overhead = overheads.request + overheads.read_hit.after(self.was_read);
        let again = if waiting.came_at < now {
            overheads.reselect
        } else {
            0
        };
        (now + again).max(waiting.came_at + overhead) + overheads.data_preparation
    }

    /// A read that is in the buffer.
    fn hit(&mut self, now: Picoseconds, waiting: &Waiting, segment: usize) {
        let ready_at = self.hit_ready(now, waiting);
        let begins_at = ready_at.max(self.interface_free_at);
        self.interface_free_at = begins_at + waiting.command.blocks * self.model.block_transfer;
        let times = Times {
            began_at: now,
            held_up: begins_at - ready_at,
            seek: ready_at - now,
            rotation: 0,
            ends_at: self.interface_free_at + self.model.overheads.read_completion,
            is_hit: true,
        };
        self.buffer.touch(segment);
        self.finish(waiting, times);
    }

    /// Reading ahead after a hit.
    fn sweep_on(&mut self, now: Picoseconds, waiting: &Waiting, segment: usize) {
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
    fn miss_ready(&self, now: Picoseconds, waiting: &Waiting) -> Picoseconds {
        let overheads = &self.model.overheads;
        let overhead = overheads.request + overheads.read_miss.after(self.was_read);
        now.max(waiting.came_at + overhead).max(self.arm_free_at)
    }

    /// A read whose first blocks are in the segment that is being filled.
    fn join_sweep(&mut self, now: Picoseconds, waiting: &Waiting, segment: usize) {
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
        let through = (begins_at + waiting.command.blocks * per_block)
            .max(next_at + (end - missing_from) * per_block)
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
            rotation: 0,
            ends_at,
            is_hit: true,
        };
        self.finish(waiting, times);
    }

    /// A read whose first blocks are in a segment; the arm fetches the rest.
    fn read_rest(&mut self, now: Picoseconds, waiting: &Waiting, segment: usize) {
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
    fn read(&mut self, now: Picoseconds, waiting: &Waiting) {
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
        now: Picoseconds,
        waiting: &Waiting,
        segment: usize,
        (ready_at, begins_at): (Picoseconds, Picoseconds),
        access: Access,
    ) {
        let command = waiting.command;
        let through = begins_at + command.blocks * self.model.block_transfer;
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

    fn filled(&mut self, segment: usize, end: u64) {
        let of = self.buffer.get_mut(segment);
        of.end = of.end.max(end);
        self.buffer.wrap(segment);
        self.buffer.touch(segment);
    }

    fn hold_arm(&mut self, ends_at: Picoseconds, free_at: Picoseconds, then: Option<Sweep>) {
        self.arm_free_at = free_at;
        self.work = Work::Command { ends_at, then };
    }

    /// The arm leaves what it reads ahead.
    pub(super) fn stop_sweep(&mut self, now: Picoseconds) {
        self.catch_up(now);
        let Work::Sweep(mut sweep) = self.work else {
            return;
        };
        let least = self.model.buffer.least_read_ahead;
        let media = self.media();
        let mut stop = sweep.stop(&media, now);
        let goal = self
            .buffer
            .get(sweep.segment)
            .end
            .max(self.next_block.min(sweep.limit) + least);
        if least > 0 && goal > sweep.advance(&media, now) && goal <= sweep.limit {
            stop.free_at = stop.free_at.max(sweep.time_of(&media, goal - 1));
            stop.arm = sweep.arm();
            self.buffer.get_mut(sweep.segment).end = goal;
        }
        self.arm = stop.arm;
        self.arm_free_at = self.arm_free_at.max(stop.free_at);
        self.work = Work::Nothing;
    }

    /// The command is answered from the buffer when its data are there.
    fn answers_early(&self, command: &DiskCommand) -> bool {
        let fits = command.blocks <= self.model.buffer.segment_blocks;
        match self.model.buffer.write_cache {
            WriteCache::Off => false,
            WriteCache::On => fits,
            WriteCache::Sequential => {
                fits && self.buffer.to_join(command.block, command.end()).is_some()
            }
        }
    }

    fn start_write(&mut self, now: Picoseconds, waiting: Waiting) {
        let DiskCommand { block, .. } = waiting.command;
        let (end, reading) = (waiting.command.end(), self.catch_up(now));
        let is_early = self.answers_early(&waiting.command);
        let joined = is_early.then(|| self.buffer.to_join(block, end)).flatten();
        let place = match joined {
            Some(segment) => Some(segment),
            None if self.buffer.is_dirty(block, end) => None,
            None => self.buffer.for_write(block, end, reading),
        };
        let Some(segment) = place else {
            self.stop_sweep(now);
            self.waiting.push_front(waiting);
            return self.destage(now);
        };
        self.stop_sweep(now);
        if is_early {
            self.take_write(now, &waiting, segment);
            self.destage(now);
        } else {
            self.write(now, &waiting, segment);
        }
    }

    /// A write whose data go to the buffer, and which is answered then.
    fn take_write(&mut self, now: Picoseconds, waiting: &Waiting, index: usize) {
        let DiskCommand { block, blocks, .. } = waiting.command;
        let overheads = self.model.overheads;
        let again = if waiting.came_at < now {
            overheads.reselect
        } else {
            0
        };
        let overhead = overheads.request + overheads.write_hit.after(self.was_read);
        let ready_at = (now + again).max(waiting.came_at + overhead) + overheads.data_preparation;
        let begins_at = ready_at.max(self.interface_free_at);
        self.interface_free_at = begins_at + blocks * self.model.block_transfer;
        self.keep_write(
            index,
            block,
            block + blocks,
            begins_at + self.model.block_transfer,
        );
        let times = Times {
            began_at: now,
            held_up: begins_at - ready_at,
            seek: ready_at - now,
            rotation: 0,
            ends_at: self.interface_free_at + overheads.write_completion,
            is_hit: true,
        };
        let controller_at = waiting.came_at + overhead;
        self.arm_free_at = self.arm_free_at.max(controller_at);
        self.finish(waiting, times);
    }

    /// Blocks to be written are in a segment, the first of them at that time.
    fn keep_write(&mut self, index: usize, block: u64, end: u64, at: Picoseconds) {
        let segment = self.buffer.get_mut(index);
        if segment.holds != Holds::Dirty {
            (segment.start, segment.unwritten) = (block, block);
        }
        (segment.end, segment.arrival) = (end, (block, at));
        (segment.holds, segment.was_written) = (Holds::Dirty, true);
        self.buffer.forget(block, end, index);
        self.buffer.touch(index);
    }

    /// A write that is answered when it is on the media.
    fn write(&mut self, now: Picoseconds, waiting: &Waiting, index: usize) {
        let DiskCommand { block, blocks, .. } = waiting.command;
        let (overheads, per_block) = (self.model.overheads, self.model.block_transfer);
        let base = waiting.came_at + overheads.request;
        let overhead = overheads.write_miss.after(self.was_read);
        let goes_on = !self.was_read && block == self.next_block;
        let extra = overheads
            .extra_disconnect
            .filter(|_| !self.was_read && !goes_on);
        let (moves_at, data_at, reselect) = match extra {
            None => (base + overhead, base + overhead, overheads.reselect),
            Some(extra) => (
                base + extra.movement,
                base + extra.command + extra.disconnect + extra.between + overheads.reselect,
                extra.reselect,
            ),
        };
        let ready_at = now.max(moves_at).max(self.arm_free_at);
        let begins_at = (now.max(data_at) + overheads.data_preparation).max(self.interface_free_at);
        self.interface_free_at = begins_at + blocks * per_block;
        let least_seek = if goes_on {
            0
        } else {
            overheads.least_write_seek
        };
        let mut arm = self.arm;
        let range = block..block + blocks;
        let access =
            self.media()
                .write(&mut arm, ready_at, least_seek, range, begins_at + per_block);
        self.arm = arm;
        self.keep_write(index, block, block + blocks, begins_at);
        self.buffer.get_mut(index).holds = Holds::Clean;
        self.buffer.wrap(index);
        let ends_at =
            access.ends_at.max(self.interface_free_at) + reselect + overheads.write_completion;
        self.hold_arm(ends_at, access.ends_at, None);
        self.finish(waiting, Times::from_media(now, ready_at, access, ends_at));
    }

    /// The arm writes what the buffer holds, if anything.
    pub(super) fn destage(&mut self, now: Picoseconds) {
        let Some(index) = self.buffer.oldest_dirty() else {
            return;
        };
        let segment = *self.buffer.get(index);
        let (arrived, at) = segment.arrival;
        let per_block = self.model.block_transfer;
        let data_at = if segment.unwritten >= arrived {
            at + (segment.unwritten - arrived) * per_block
        } else {
            at.saturating_sub((arrived - segment.unwritten) * per_block)
        };
        let mut arm = self.arm;
        let from = now.max(self.arm_free_at);
        let range = segment.unwritten..segment.end;
        let access = self.media().write(&mut arm, from, 0, range, data_at);
        self.arm = arm;
        self.arm_free_at = access.ends_at;
        self.ledger.write_behind(now, true);
        self.work = Work::Destage {
            ends_at: access.ends_at,
            segment: index,
            up_to: segment.end,
        };
    }

    pub(super) fn destaged(&mut self, index: usize, up_to: u64) {
        let segment = self.buffer.get_mut(index);
        segment.unwritten = up_to;
        if up_to >= segment.end {
            segment.holds = Holds::Clean;
            self.buffer.wrap(index);
        }
    }

    /// The command will be answered.
    fn finish(&mut self, waiting: &Waiting, times: Times) {
        let command = waiting.command;
        let Times {
            began_at,
            held_up,
            seek,
            rotation,
            ends_at,
            is_hit,
        } = times;
        let completion = DiskCompletion {
            tag: command.tag,
            came_at: waiting.came_at,
            queue: began_at - waiting.came_at + held_up,
            seek,
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
    fn from_media(
        began_at: Picoseconds,
        ready_at: Picoseconds,
        access: Access,
        ends_at: Picoseconds,
    ) -> Self {
        Self {
            began_at,
            held_up: 0,
            seek: ready_at - began_at + access.seek,
            rotation: access.rotation,
            ends_at,
            is_hit: false,
        }
    }
}
