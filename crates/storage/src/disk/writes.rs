//! Writes of a disk: into the buffer, to the media, and from one to the other.

use sanlab_kernel::{Id, Instant, Span};

use super::buffer::{Holds, Segment};
use super::media::Data;
use super::model::{ExtraDisconnect, Scheduling, WriteCache};
use super::service::Times;
use super::{Disk, DiskCommand, Waiting, Work};

/// What the controller does for a write, and when.
#[derive(Clone, Copy, Debug)]
struct Handling {
    /// The arm may move.
    moves_at: Instant,
    /// The transfer to the buffer may begin.
    begins_at: Instant,
    /// To give the interface back behind the data.
    disconnect: Span,
    /// To take it again for the status.
    reselect: Span,
}

impl Disk {
    /// The command is answered from the buffer when its data are there.
    pub(super) fn answers_early(&self, command: &DiskCommand) -> bool {
        let fits = command.blocks <= self.model.buffer.segment_blocks;
        match self.model.buffer.write_cache {
            WriteCache::Off => false,
            WriteCache::On => fits,
        }
    }

    /// Whether the buffer has a place for a write, and nothing that must be written before it.
    pub(super) fn has_room(&self, command: &DiskCommand) -> bool {
        let DiskCommand { block, .. } = *command;
        let end = command.end();
        if self.answers_early(command) && self.buffer.to_join(block, end).is_some() {
            return true;
        }
        !self.buffer.is_full() && !self.buffer.is_dirty(block, end)
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
            return self.destage_oldest(now);
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
        let handling = self.handling(now, waiting, index, true);
        let ready_at = handling.begins_at;
        let begins_at = ready_at.max(self.interface_free_at);
        let per_block = self.model.block_transfer.write;
        self.interface_free_at = begins_at + per_block * blocks;
        self.keep_write(index, block, block + blocks, begins_at + per_block);
        let times = Times {
            began_at: now,
            held_up: begins_at - ready_at,
            seek: ready_at - now,
            rotation: Span::ZERO,
            ends_at: self.interface_free_at + self.model.overheads.write_completion,
            is_hit: true,
        };
        self.arm_free_at = if self.is_free() {
            self.departs_at(now, handling.moves_at)
        } else {
            self.arm_free_at.max(handling.moves_at)
        };
        self.finish(waiting, times);
    }

    /// What the controller does for a write to a segment.
    fn handling(
        &self,
        now: Instant,
        waiting: &Waiting,
        index: Id<Segment>,
        is_early: bool,
    ) -> Handling {
        let overheads = &self.model.overheads;
        let base = self.handled_at(waiting);
        let has_waited = base < now;
        let is_apart = !has_waited && self.buffer.is_apart(index, waiting.command.block);
        if let Some(extra) = overheads.extra_disconnect.filter(|_| is_apart) {
            let released_at = base + extra.command + extra.disconnect + extra.between;
            return Handling {
                moves_at: base + extra.movement,
                begins_at: released_at + overheads.reselect + overheads.data_preparation,
                disconnect: extra.second_disconnect,
                reselect: extra.reselect,
            };
        }
        let (overhead, disconnect) = if is_early {
            (overheads.write_hit, overheads.write_disconnect)
        } else {
            (overheads.write_miss, Span::ZERO)
        };
        let command_at = base + overhead.after(self.was_read);
        let contact_at = if has_waited {
            // It gave the interface back when it came.
            now.max(command_at + disconnect) + overheads.reselect
        } else {
            command_at
        };
        Handling {
            moves_at: command_at,
            begins_at: contact_at.max(now) + overheads.data_preparation,
            disconnect: overheads.write_disconnect,
            reselect: overheads.reselect,
        }
    }

    /// When the blocks of a write are in the buffer whose transfer begins at that time.
    fn data(&self, begins_at: Instant, blocks: u64) -> Data {
        let per_block = self.model.block_transfer.write;
        let extra = self.model.overheads.extra_disconnect;
        let enough_at = extra.map_or(Instant::START, |_| {
            begins_at + per_block * ExtraDisconnect::buffered(blocks)
        });
        Data {
            at: begins_at + per_block,
            enough_at,
        }
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
        let handling = self.handling(now, waiting, index, false);
        let ready_at = self.departs_at(now, handling.moves_at);
        let begins_at = handling.begins_at.max(self.interface_free_at);
        self.interface_free_at = begins_at + self.model.block_transfer.write * blocks;
        let overheads = self.model.overheads;
        let (mut arm, range) = (self.arm, block..block + blocks);
        let data = self.data(begins_at, blocks);
        let access =
            self.media()
                .write(&mut arm, ready_at, overheads.least_write_seek, range, data);
        self.arm = arm;
        self.keep_write(index, block, block + blocks, begins_at);
        self.buffer.clean(index);
        let released_at = self.interface_free_at + handling.disconnect;
        let ends_at =
            access.ends_at.max(released_at) + handling.reselect + overheads.write_completion;
        self.hold_arm(ends_at, overheads.write_completion, access.ends_at, None);
        self.finish(waiting, Times::from_media(now, ready_at, access, ends_at));
    }

    /// The arm writes what the buffer has held longest, if anything.
    pub(super) fn destage_oldest(&mut self, now: Instant) {
        if let Some(index) = self.buffer.oldest_dirty() {
            self.destage_segment(now, index);
        }
    }

    /// The arm writes what the buffer holds, if anything.
    pub(super) fn destage(&mut self, now: Instant) {
        if let Some(index) = self.next_to_destage(now) {
            self.destage_segment(now, index);
        }
    }

    /// The oldest, or with known positions the one that is reached first.
    fn next_to_destage(&self, now: Instant) -> Option<Id<Segment>> {
        let Scheduling::ShortestPositioning(foresight) = self.model.scheduling else {
            return self.buffer.oldest_dirty();
        };
        let position = self.position(now, None);
        self.buffer
            .dirty_segments()
            .min_by_key(|(_, segment)| position.rank_of_segment(segment, foresight))
            .map(|(index, _)| index)
    }

    /// The arm writes what this segment holds.
    pub(super) fn destage_segment(&mut self, now: Instant, index: Id<Segment>) {
        let segment = *self.buffer.get(index);
        let (arrived, at) = segment.arrival;
        let per_block = self.model.block_transfer.write;
        let data = if segment.unwritten == arrived {
            self.data(at.saturating_sub(per_block), segment.end - arrived)
        } else {
            Data {
                at: at.saturating_sub(per_block * arrived.saturating_sub(segment.unwritten))
                    + per_block * segment.unwritten.saturating_sub(arrived),
                enough_at: Instant::START,
            }
        };
        let least_seek = if segment.unwritten > segment.start {
            Span::ZERO // it continues the last write
        } else {
            self.model.overheads.least_write_seek
        };
        let mut arm = self.arm;
        let from = now.max(self.arm_free_at);
        let range = segment.unwritten..segment.end;
        let access = self.media().write(&mut arm, from, least_seek, range, data);
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
            self.buffer.clean(index);
        }
    }
}
