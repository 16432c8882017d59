//! Reads of a disk: hits in the buffer, reads that join a read-ahead, reads from the media.

use sanlab_kernel::{Id, Instant, Span};

use super::buffer::{Found, Holds, Segment};
use super::carrier::{Carrier, Terms};
use super::media::{Access, Sweep};
use super::model::{Interface, ReadAhead};
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
                self.destage_oldest(now);
            }
        }
    }

    /// The transfer of a hit may begin.
    fn hit_ready(&self, now: Instant, waiting: &Waiting) -> Instant {
        let overheads = &self.model.overheads;
        let handled_at = self.handled_at(waiting);
        let command_at = handled_at + overheads.read_hit.after(self.was_read);
        let contact_at = if handled_at < now {
            // It gave the interface back when it came.
            now.max(command_at + overheads.read_disconnect.after(self.was_read))
                + overheads.reselect
        } else {
            command_at
        };
        contact_at.max(now) + overheads.data_preparation
    }

    /// The command of a read that is not in the buffer has been processed, and the controller is
    /// ready to transfer.
    fn command_through(&self, waiting: &Waiting) -> Instant {
        let overheads = &self.model.overheads;
        waiting.came_at
            + overheads.request
            + overheads.read_miss.after(self.was_read)
            + overheads.data_preparation
    }

    /// A read that is not in the buffer has given the interface back.
    fn released(&self, waiting: &Waiting) -> Instant {
        let overheads = &self.model.overheads;
        waiting.came_at
            + overheads.request
            + overheads.read_miss.after(self.was_read)
            + overheads.read_disconnect.after(self.was_read)
    }

    /// The transfer of a read block by block; `None` where giving the interface back costs nothing, so
    /// that a formula gives its end. `there` is how many of its first blocks are in the buffer, if
    /// it is a partial hit.
    fn carrier(&self, now: Instant, waiting: &Waiting, there: Option<u64>) -> Option<Carrier> {
        let (overheads, buffer) = (&self.model.overheads, &self.model.buffer);
        let contact = overheads.reselect + overheads.data_preparation;
        let disconnect = overheads.read_disconnect.after(self.was_read);
        let is_free = (contact + disconnect).is_zero() && buffer.read_watermark_ppm == 0;
        if buffer.interface == Interface::Held || (is_free && !buffer.partial_hits_wait) {
            return None;
        }
        let terms = Terms {
            blocks: waiting.command.blocks,
            per_block: self.model.block_transfer.read,
            enough: self.watermark(waiting.command.blocks),
            holds: buffer.interface == Interface::HeldInTransfer,
            contact,
            disconnect,
        };
        Some(match there {
            Some(there) if !buffer.partial_hits_wait || there >= terms.enough => {
                let at = self.hit_ready(now, waiting).max(self.interface_free_at);
                Carrier::in_contact(terms, at, there)
            }
            _ => {
                let at = self.released(waiting).max(self.interface_free_at).max(now);
                Carrier::released(terms, at, there.unwrap_or(0))
            }
        })
    }

    /// A read that is in the buffer.
    pub(super) fn hit(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        let ready_at = self.hit_ready(now, waiting);
        let begins_at = ready_at.max(self.interface_free_at);
        self.interface_free_at =
            begins_at + self.model.block_transfer.read * waiting.command.blocks;
        let times = Times {
            began_at: now,
            held_up: begins_at - ready_at,
            seek: ready_at - now,
            rotation: Span::ZERO,
            ends_at: self.interface_free_at + self.model.overheads.read_completion,
            is_hit: true,
        };
        self.buffer.touch(segment);
        self.buffer.drop_requested(segment, waiting.command.end());
        self.finish(waiting, times);
    }

    /// Reading ahead after a hit.
    fn sweep_on(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        let limit = self.sweep_limit(&waiting.command);
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
        let restarts = restarts && self.is_within_reach(segment);
        let (end, holds) = (self.buffer.get(segment).end, self.buffer.get(segment).holds);
        if restarts && limit > end && holds == Holds::Clean {
            let at = self.miss_ready(now, waiting);
            self.work = Work::Sweep(Sweep::new(self.arm, at, end, limit, segment));
        }
    }

    /// Reading ahead to the end of a track or cylinder does not move the arm to another one.
    fn is_within_reach(&self, segment: Id<Segment>) -> bool {
        let geometry = &self.model.geometry;
        let end = self.buffer.get(segment).end;
        if end >= geometry.blocks() {
            return false;
        }
        let to = geometry.locate(end);
        match self.model.buffer.read_ahead {
            ReadAhead::Track => (to.cylinder, to.head) == (self.arm.cylinder, self.arm.head),
            ReadAhead::Cylinder => to.cylinder == self.arm.cylinder,
            ReadAhead::Off | ReadAhead::Segment | ReadAhead::TwoTracks => true,
        }
    }

    /// The movement of a read may begin.
    fn miss_ready(&self, now: Instant, waiting: &Waiting) -> Instant {
        let overhead = self.model.overheads.read_miss.after(self.was_read);
        self.departs_at(now, self.handled_at(waiting) + overhead)
    }

    /// A read whose first blocks are in the segment that is being filled.
    fn join_sweep(&mut self, now: Instant, waiting: &Waiting, segment: Id<Segment>) {
        let Work::Sweep(mut sweep) = self.work else {
            return;
        };
        let (end, per_block) = (waiting.command.end(), self.model.block_transfer.read);
        sweep.limit = sweep.limit.max(self.sweep_limit(&waiting.command)).max(end);
        let missing_from = self.buffer.get(segment).end;
        let media = self.media();
        let mut far = sweep;
        let next_at = far.time_of(&media, missing_from);
        let last_at = far.time_of(&media, end - 1);
        let ready_at = self.hit_ready(now, waiting);
        let begins_at = ready_at.max(self.interface_free_at);
        let there = missing_from.saturating_sub(waiting.command.block);
        let through = match self.carrier(now, waiting, Some(there)) {
            Some(mut carrier) => {
                for block in missing_from..end {
                    carrier.arrive(sweep.time_of(&media, block));
                }
                carrier.end()
            }
            None => (begins_at + per_block * waiting.command.blocks)
                .max(next_at + per_block * (end - missing_from))
                .max(last_at + per_block),
        };
        sweep.time_of(&media, end - 1);
        self.interface_free_at = through;
        self.filled(segment, end);
        self.buffer.drop_requested(segment, end);
        self.arm = sweep.arm();
        let ends_at = through + self.model.overheads.read_completion;
        self.hold_arm(
            ends_at,
            self.model.overheads.read_completion,
            last_at,
            Some(sweep),
        );
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
        let there = from.saturating_sub(waiting.command.block);
        let mut carrier = self.carrier(now, waiting, Some(there));
        let (mut arm, rest) = (self.arm, from..waiting.command.end());
        let access = self
            .media()
            .read(&mut arm, ready_at, rest, 1, carrier.as_mut());
        self.arm = arm;
        self.filled(segment, waiting.command.end());
        let through = self.through(waiting, begins_at, access, carrier);
        self.deliver(now, waiting, segment, (ready_at, through), access);
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
            return self.destage_oldest(now);
        };
        let ready_at = self.miss_ready(now, waiting);
        let (mut arm, needed) = (self.arm, self.watermark(command.blocks));
        let blocks = command.block..command.end();
        let mut carrier = self.carrier(now, waiting, None);
        let access = self
            .media()
            .read(&mut arm, ready_at, blocks, needed, carrier.as_mut());
        self.arm = arm;
        let filled = self.buffer.get_mut(segment);
        (filled.start, filled.end) = (access.kept_from, command.end());
        (filled.holds, filled.was_written) = (Holds::Clean, false);
        self.filled(segment, command.end());
        // Only an interface that is held, or costs nothing, is reckoned without a carrier.
        let begins_at = access.ready_at.max(self.command_through(waiting));
        let begins_at = begins_at.max(self.interface_free_at);
        let through = self.through(waiting, begins_at, access, carrier);
        self.deliver(now, waiting, segment, (ready_at, through), access);
    }

    /// The last block of a read is through, whose transfer begins at that time.
    fn through(
        &self,
        waiting: &Waiting,
        begins_at: Instant,
        access: Access,
        carrier: Option<Carrier>,
    ) -> Instant {
        carrier.map_or_else(
            || {
                let through = begins_at + self.model.block_transfer.read * waiting.command.blocks;
                through.max(access.drained_at).max(access.ends_at)
            },
            Carrier::end,
        )
    }

    /// The end of a read from the media.
    fn deliver(
        &mut self,
        now: Instant,
        waiting: &Waiting,
        segment: Id<Segment>,
        (ready_at, through): (Instant, Instant),
        access: Access,
    ) {
        let command = waiting.command;
        self.interface_free_at = through;
        self.buffer.drop_requested(segment, command.end());
        let ends_at = through + self.model.overheads.read_completion;
        let limit = self.sweep_limit(&command);
        let sweep = (limit > command.end())
            .then(|| Sweep::new(self.arm, access.ends_at, command.end(), limit, segment));
        let completion = self.model.overheads.read_completion;
        self.hold_arm(ends_at, completion, access.ends_at, sweep);
        self.finish(waiting, Times::from_media(now, ready_at, access, ends_at));
    }

    /// Blocks of a read that must be in the buffer before its transfer.
    fn watermark(&self, blocks: u64) -> u64 {
        let buffer = &self.model.buffer;
        let share = buffer.read_watermark_ppm;
        let enough = if buffer.interface == Interface::Held {
            1
        } else if buffer.watermark_of_segment {
            (buffer.segment_blocks * share).div_ceil(1_000_000)
        } else {
            blocks.min(buffer.segment_blocks) * share / 1_000_000
        };
        enough.clamp(1, blocks)
    }
}
