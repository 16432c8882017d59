//! Writes of a disk: into the buffer, to the media, and from one to the other.

use sanlab_kernel::{Id, Instant, Span};

use super::buffer::{Holds, Segment};
use super::model::WriteCache;
use super::service::Times;
use super::{Disk, DiskCommand, Waiting, Work};

impl Disk {
    /// The command is answered from the buffer when its data are there.
    pub(super) fn answers_early(&self, command: &DiskCommand) -> bool {
        let fits = command.blocks <= self.model.buffer.segment_blocks;
        match self.model.buffer.write_cache {
            WriteCache::Off => false,
            WriteCache::On => fits,
            WriteCache::Sequential => {
                fits && self.buffer.to_join(command.block, command.end()).is_some()
            }
        }
    }

    pub(super) fn start_write(&mut self, now: Instant, waiting: Waiting) {
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
    pub(super) fn take_write(&mut self, now: Instant, waiting: &Waiting, index: Id<Segment>) {
        let DiskCommand { block, blocks, .. } = waiting.command;
        let overheads = self.model.overheads;
        let again = if waiting.came_at < now {
            overheads.reselect
        } else {
            Span::ZERO
        };
        let overhead = overheads.request + overheads.write_hit.after(self.was_read);
        let ready_at = (now + again).max(waiting.came_at + overhead) + overheads.data_preparation;
        let begins_at = ready_at.max(self.interface_free_at);
        self.interface_free_at = begins_at + self.model.block_transfer * blocks;
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
            rotation: Span::ZERO,
            ends_at: self.interface_free_at + overheads.write_completion,
            is_hit: true,
        };
        let controller_at = waiting.came_at + overhead;
        self.arm_free_at = self.arm_free_at.max(controller_at);
        self.finish(waiting, times);
    }

    /// Blocks to be written are in a segment, the first of them at that time.
    fn keep_write(&mut self, index: Id<Segment>, block: u64, end: u64, at: Instant) {
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
    fn write(&mut self, now: Instant, waiting: &Waiting, index: Id<Segment>) {
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
        self.interface_free_at = begins_at + per_block * blocks;
        let least_seek = if goes_on {
            Span::ZERO
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
    pub(super) fn destage(&mut self, now: Instant) {
        let Some(index) = self.buffer.oldest_dirty() else {
            return;
        };
        let segment = *self.buffer.get(index);
        let (arrived, at) = segment.arrival;
        let per_block = self.model.block_transfer;
        let data_at = if segment.unwritten >= arrived {
            at + per_block * (segment.unwritten - arrived)
        } else {
            at.saturating_sub(per_block * (arrived - segment.unwritten))
        };
        let mut arm = self.arm;
        let from = now.max(self.arm_free_at);
        let range = segment.unwritten..segment.end;
        let access = self
            .media()
            .write(&mut arm, from, Span::ZERO, range, data_at);
        self.arm = arm;
        self.arm_free_at = access.ends_at;
        self.ledger.write_behind(now, true);
        self.work = Work::Destage {
            ends_at: access.ends_at,
            segment: index,
            up_to: segment.end,
        };
    }

    pub(super) fn destaged(&mut self, index: Id<Segment>, up_to: u64) {
        let segment = self.buffer.get_mut(index);
        segment.unwritten = up_to;
        if up_to >= segment.end {
            segment.holds = Holds::Clean;
            self.buffer.wrap(index);
        }
    }
}
