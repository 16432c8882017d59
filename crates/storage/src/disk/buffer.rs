//! The buffer of a disk: segments that keep what was read, read ahead, or is to be written.

use sanlab_kernel::{Id, IdVec, Instant};

use super::model::{BufferModel, Requested};

/// What a segment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing.
    Nothing,
    /// Blocks that are on the media too.
    Clean,
    /// Blocks that are to be written.
    Dirty,
}

/// Consecutive blocks.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// First block.
    pub start: u64,
    /// One past the last block.
    pub end: u64,
    /// First block that is not on the media, where it is dirty.
    pub unwritten: u64,
    /// A block that came over the interface last, and when.
    pub arrival: (u64, Instant),
    /// What it holds.
    pub holds: Holds,
    /// Its blocks came from the interface.
    pub was_written: bool,
    /// When it was last used, counted in uses.
    used: u64,
}

/// The one for writes only, where there is one.
const WRITE_SEGMENT: Id<Segment> = Id::new(0);

/// How much of a read is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// All of it: the segment.
    Whole(Id<Segment>),
    /// Its beginning.
    Beginning(Id<Segment>),
    /// Nothing that helps.
    Nothing,
    /// Blocks that are to be written and that reads do not see: it must wait for them.
    Hidden,
}

/// All segments.
#[derive(Clone, Debug)]
pub struct Buffer {
    model: BufferModel,
    segments: IdVec<Segment>,
    uses: u64,
}

impl Buffer {
    /// An empty buffer.
    pub fn new(model: BufferModel) -> Self {
        let least = 1 + usize::from(model.has_write_segment);
        let empty = Segment {
            start: 0,
            end: 0,
            unwritten: 0,
            arrival: (0, Instant::START),
            holds: Holds::Nothing,
            was_written: false,
            used: 0,
        };
        Self {
            model,
            segments: IdVec::filled(empty, model.segments.max(least)),
            uses: 0,
        }
    }

    /// A segment.
    pub fn get(&self, index: Id<Segment>) -> &Segment {
        &self.segments[index]
    }

    /// Change a segment.
    pub fn get_mut(&mut self, index: Id<Segment>) -> &mut Segment {
        &mut self.segments[index]
    }

    /// It is the most recently used from now on.
    pub fn touch(&mut self, index: Id<Segment>) {
        self.uses += 1;
        self.segments[index].used = self.uses;
    }

    /// The segment used last.
    #[cfg(test)]
    pub fn latest(&self) -> Id<Segment> {
        let segments = self.segments.pairs();
        let latest = segments.max_by_key(|(_, segment)| segment.used);
        latest.map_or(WRITE_SEGMENT, |(index, _)| index)
    }

    /// Look for a read; `reading` is the segment that is being filled.
    pub fn find(&self, block: u64, end: u64, reading: Option<Id<Segment>>) -> Found {
        let mut best = (0, Found::Nothing);
        for (index, segment) in self.segments.pairs() {
            // Most segments are far from the blocks; nothing below concerns them.
            let is_far = segment.end < block || end <= segment.start;
            if is_far || segment.holds == Holds::Nothing {
                continue;
            }
            let is_hidden = self.is_for_writes(index)
                || (segment.was_written && !self.model.hits_written)
                || !self.model.keeps_reads;
            let overlaps = block < segment.end && segment.start < end;
            if segment.holds == Holds::Dirty && overlaps && (is_hidden || block < segment.start) {
                return Found::Hidden;
            }
            if is_hidden {
                continue;
            }
            let is_next =
                self.model.hits_next_block && block == segment.end && reading == Some(index);
            if !(segment.start..segment.end).contains(&block) && !is_next {
                continue;
            }
            let freshness = match segment.holds {
                Holds::Dirty => 3,
                _ if reading == Some(index) => 2,
                _ => 1,
            };
            let candidate = if end <= segment.end {
                (4 + freshness, Found::Whole(index))
            } else {
                (freshness, Found::Beginning(index))
            };
            if candidate.0 > best.0 {
                best = candidate;
            }
        }
        best.1
    }

    /// The segment for blocks to be read: an empty one, or the clean one used least recently.
    /// `reading`, the one being filled, is the last choice.
    pub fn for_read(&mut self, reading: Option<Id<Segment>>) -> Option<Id<Segment>> {
        self.choose(reading, |this, index| !this.is_for_writes(index), None)
    }

    /// The segment for blocks to be written: one whose contents they replace, else as for a read.
    pub fn for_write(
        &mut self,
        block: u64,
        end: u64,
        reading: Option<Id<Segment>>,
    ) -> Option<Id<Segment>> {
        if self.is_full() {
            return None;
        }
        let fits = |this: &Self, index: Id<Segment>| {
            !this.model.has_write_segment || this.is_for_writes(index)
        };
        self.choose(reading, fits, Some((block, end)))
    }

    /// A dirty segment whose last block is the one before, with room behind it.
    pub fn to_join(&self, block: u64, end: u64) -> Option<Id<Segment>> {
        if !self.model.joins_writes {
            return None;
        }
        let fits = |segment: &Segment| {
            segment.holds == Holds::Dirty
                && segment.end == block
                && end - segment.unwritten <= self.model.segment_blocks
        };
        let mut segments = self.segments.pairs();
        segments
            .find(|&(_, segment)| fits(segment))
            .map(|(index, _)| index)
    }

    /// Blocks that are to be written overlap these.
    pub fn is_dirty(&self, block: u64, end: u64) -> bool {
        self.segments.iter().any(|segment| {
            segment.holds == Holds::Dirty && block < segment.end && segment.start < end
        })
    }

    /// Clean contents that a write makes stale are dropped.
    pub fn forget(&mut self, block: u64, end: u64, but: Id<Segment>) {
        for (index, segment) in self.segments.pairs_mut() {
            let overlaps = block < segment.end && segment.start < end;
            if index != but && segment.holds == Holds::Clean && overlaps {
                segment.holds = Holds::Nothing;
            }
        }
    }

    /// The dirty segment used least recently.
    pub fn oldest_dirty(&self) -> Option<Id<Segment>> {
        let dirty = self.segments.pairs();
        dirty
            .filter(|(_, segment)| segment.holds == Holds::Dirty)
            .min_by_key(|(_, segment)| segment.used)
            .map(|(index, _)| index)
    }

    /// No more segments may hold blocks to be written.
    pub fn is_full(&self) -> bool {
        self.dirty() >= self.model.write_segments.max(1)
    }

    /// Segments with blocks to be written.
    pub fn dirty_segments(&self) -> impl Iterator<Item = (Id<Segment>, &Segment)> {
        let segments = self.segments.pairs();
        segments.filter(|(_, segment)| segment.holds == Holds::Dirty)
    }

    /// Segments that hold blocks to be written.
    pub fn dirty(&self) -> usize {
        let segments = self.segments.iter();
        segments
            .filter(|segment| segment.holds == Holds::Dirty)
            .count()
    }

    /// Keep at most a segment of blocks, the last ones.
    pub fn wrap(&mut self, index: Id<Segment>) {
        let segment = &mut self.segments[index];
        let least = segment.end.saturating_sub(self.model.segment_blocks.max(1));
        segment.start = segment.start.max(least);
    }

    /// A read up to this block has been transferred from the segment.
    pub fn drop_requested(&mut self, index: Id<Segment>, end: u64) {
        if self.model.requested == Requested::Dropped {
            let segment = &mut self.segments[index];
            segment.start = segment.start.max(end.min(segment.end));
        }
    }

    /// What was to be written is on the media.
    pub fn clean(&mut self, index: Id<Segment>) {
        let keeps = self.model.keeps_reads && self.model.hits_written;
        self.segments[index].holds = if keeps { Holds::Clean } else { Holds::Nothing };
        self.wrap(index);
    }

    /// A write to this segment follows a write to the same one that it does not continue, with no
    /// other segment used since.
    pub fn is_apart(&self, index: Id<Segment>, block: u64) -> bool {
        let segment = &self.segments[index];
        self.uses > 0 && segment.used == self.uses && segment.was_written && segment.end != block
    }

    fn is_for_writes(&self, index: Id<Segment>) -> bool {
        self.model.has_write_segment && index == WRITE_SEGMENT
    }

    fn choose(
        &mut self,
        reading: Option<Id<Segment>>,
        fits: impl Fn(&Self, Id<Segment>) -> bool,
        replaced: Option<(u64, u64)>,
    ) -> Option<Id<Segment>> {
        let rank = |index: Id<Segment>, segment: &Segment| {
            let overlaps = replaced.is_some_and(|(block, end)| {
                segment.holds == Holds::Clean && block < segment.end && segment.start < end
            });
            let class = match segment.holds {
                _ if reading == Some(index) => 3,
                _ if overlaps => 0,
                Holds::Nothing => 1,
                _ => 2,
            };
            (class, segment.used)
        };
        let usable = self
            .segments
            .pairs()
            .filter(|&(index, segment)| segment.holds != Holds::Dirty && fits(self, index));
        usable
            .min_by_key(|&(index, segment)| rank(index, segment))
            .map(|(index, _)| index)
    }
}
