//! Third-party copies of writes to another array.

use std::collections::VecDeque;

use sanlab_kernel::{Arena, Id, Instant, Span};

use crate::elsewhere::{Device, Flow, Port, Task};
use crate::lag::{Lag, LagInterval, LagPlace};
use crate::parts::Lun;
use crate::resync::{Resume, Resync};

/// Where a LUN is copied to, and by which way.
#[derive(Clone, Copy, Debug)]
pub struct MirrorRoute {
    /// Array copied to.
    pub array: Id<Device>,
    /// Its LUN.
    pub lun: Id<Lun>,
    /// N_Port the copies leave by.
    pub source_n_port: Id<Port>,
    /// N_Port they go to.
    pub target_n_port: Id<Port>,
    /// What its frames are counted under.
    pub flow: Id<Flow>,
    /// The data of copies up to this length follow their command without an XFER_RDY.
    pub one_round_trip_bytes: u64,
}

/// When a write that is copied may be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorMode {
    /// When its copy is done.
    Synchronous,
    /// When its copy has begun: what the copy lacks is bounded by the copies in progress.
    Asynchronous,
    /// When it has room in the journal, from which it is copied.
    Journal {
        /// Bytes that the journal holds. An empty one takes a write of any length.
        bytes: u64,
        /// A write that finds no room ends the copying instead of waiting for room.
        suspends: bool,
    },
}

/// The copy engine of one LUN. At most `max_outstanding` copies are in progress; others follow in order.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Where to, and by which way.
    pub route: MirrorRoute,
    mode: MirrorMode,
    max_outstanding: u32,
    writes: Arena<MirroredWrite>,
    /// Writes that are not accepted yet.
    waiting: VecDeque<Id<MirroredWrite>>,
    /// Accepted writes whose copy has not begun.
    queued: VecDeque<Id<MirroredWrite>>,
    open: u32,
    /// Bytes of accepted writes whose copy is not done.
    held_bytes: u64,
    suspended_at: Option<Instant>,
    /// Since when it copies what it did not copy while it was suspended.
    resync_since: Option<Instant>,
    /// Marked regions, if it resumes.
    resync: Option<Resync>,
    /// Bytes of acknowledged writes that were given up and are not copied by their regions.
    lacking_bytes: u64,
    /// Writes that were given up and are not acknowledged: their regions are not marked yet.
    unmarked: u64,
    lag: Lag,
    counters: MirrorCounters,
}

/// What a mirror has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct MirrorCounters {
    /// Writes that came.
    pub writes: u64,
    /// Writes that waited for room in the journal, or for a place among the copies in progress.
    pub waits: u64,
    /// Writes that are not copied themselves, because the mirror was suspended.
    pub lost: u64,
    /// Suspensions.
    pub suspensions: u64,
    /// Time suspended, without a suspension that lasts.
    pub suspended: Span,
    /// Time of copying marked regions, without what lasts.
    pub resync: Span,
    /// Bytes of marked regions copied.
    pub resync_bytes: u64,
    /// Copies done.
    pub copies: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their response times, summed.
    pub response: u128,
    /// The first began.
    pub first_at: Option<Instant>,
    /// The last was done.
    pub last_at: Instant,
    /// Most in progress at once.
    pub most_open: u32,
    /// Most bytes of accepted writes whose copy was not done.
    pub most_held_bytes: u64,
}

/// A write to a mirrored LUN, until it is acknowledged and copied.
#[derive(Clone, Copy, Debug)]
pub struct MirroredWrite {
    /// First byte.
    pub address: u64,
    /// Length.
    pub bytes: u64,
    task: Id<Task>,
    state: CopyState,
    /// Its place in the lag; none before it is acknowledged.
    place: Option<LagPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CopyState {
    Waiting,
    Queued,
    Open,
    Done,
    Lost,
    /// The copy of a region, and the bytes there that the copy lacks.
    Region(u64),
}

impl Mirror {
    /// A copy engine from one array's LUN to another's.
    pub fn new(route: MirrorRoute, mode: MirrorMode, max_outstanding: u32) -> Self {
        Self {
            route,
            mode,
            max_outstanding: max_outstanding.max(1),
            writes: Arena::default(),
            waiting: VecDeque::new(),
            queued: VecDeque::new(),
            open: 0,
            held_bytes: 0,
            suspended_at: None,
            resync_since: None,
            resync: None,
            lacking_bytes: 0,
            unmarked: 0,
            lag: Lag::default(),
            counters: MirrorCounters::default(),
        }
    }

    /// The same, which goes on after a suspension.
    #[must_use]
    pub fn resuming(mut self, resume: Option<Resume>) -> Self {
        self.resync = resume.map(Resync::new);
        self
    }

    /// A write has come, as work of this task.
    pub fn write(
        &mut self,
        now: Instant,
        task: Id<Task>,
        address: u64,
        bytes: u64,
    ) -> Id<MirroredWrite> {
        self.counters.writes += 1;
        let has_room = self.waiting.is_empty() && self.has_room(bytes);
        let is_marked = self.resync_since.is_some()
            && (self.resync.as_ref()).is_some_and(|resync| resync.touches(address, bytes));
        if !has_room
            && !is_marked
            && matches!(self.mode, MirrorMode::Journal { suspends: true, .. })
        {
            self.suspend(now);
        }
        let id = self.writes.insert(MirroredWrite {
            address,
            bytes,
            task,
            state: CopyState::Waiting,
            place: None,
        });
        if self.suspended_at.is_some() || is_marked {
            self.writes[id].state = CopyState::Lost;
            self.counters.lost += 1;
            self.unmarked += 1;
        } else if has_room {
            self.accept(id);
        } else {
            self.counters.waits += 1;
            self.waiting.push_back(id);
        }
        id
    }

    /// Whether a write may be acknowledged as far as its copy is concerned.
    pub fn lets_acknowledge(&self, id: Id<MirroredWrite>) -> bool {
        let state = self.writes[id].state;
        match self.mode {
            MirrorMode::Synchronous => state == CopyState::Done,
            MirrorMode::Asynchronous | MirrorMode::Journal { .. } => state != CopyState::Waiting,
        }
    }

    /// Accept the write that has waited longest, if it has room now.
    pub fn accept_waiting(&mut self) -> Option<Id<MirroredWrite>> {
        let id = *self.waiting.front()?;
        if !self.has_room(self.writes[id].bytes) {
            return None;
        }
        self.waiting.pop_front();
        self.accept(id);
        Some(id)
    }

    /// Begin the next copy, if one may begin now.
    pub fn begin(&mut self, now: Instant) -> Option<Id<MirroredWrite>> {
        if self.open >= self.max_outstanding {
            return None;
        }
        let id = match self.queued.pop_front() {
            Some(id) => id,
            None => self.next_region(now)?,
        };
        if self.writes[id].state == CopyState::Queued {
            self.writes[id].state = CopyState::Open;
        }
        self.open += 1;
        self.counters.most_open = self.counters.most_open.max(self.open);
        self.counters.first_at.get_or_insert(now);
        Some(id)
    }

    /// A copy that began then is done.
    pub fn end(&mut self, now: Instant, began_at: Instant, id: Id<MirroredWrite>) {
        let write = &mut self.writes[id];
        if let CopyState::Region(lacking) = write.state {
            let bytes = write.bytes;
            self.writes.remove(id);
            self.end_region(now, bytes, lacking);
            return;
        }
        write.state = CopyState::Done;
        let MirroredWrite { bytes, place, .. } = *write;
        self.open -= 1;
        self.held_bytes -= bytes;
        self.counters.copies += 1;
        self.counters.bytes += bytes;
        self.counters.response += u128::from((now - began_at).as_ps());
        self.counters.last_at = now;
        if let Some(place) = place {
            self.lag.copied(now, place, bytes);
            self.writes.remove(id);
        }
    }

    /// The host's write is acknowledged.
    pub fn acknowledge(&mut self, now: Instant, id: Id<MirroredWrite>) {
        let MirroredWrite {
            state,
            address,
            bytes,
            ..
        } = self.writes[id];
        match state {
            CopyState::Done => self.writes.remove(id),
            CopyState::Lost => {
                self.lag.acknowledge_lost(now, bytes);
                self.writes.remove(id);
                self.unmarked -= 1;
                self.mark(address, bytes);
            }
            CopyState::Region(_) => unreachable!("no host waits for a region"),
            CopyState::Waiting | CopyState::Queued | CopyState::Open => {
                self.writes[id].place = Some(self.lag.acknowledge(now, bytes));
            }
        }
    }

    /// A write that is not acknowledged, or not copied.
    pub fn written(&self, id: Id<MirroredWrite>) -> &MirroredWrite {
        &self.writes[id]
    }

    /// The task of a write that is not acknowledged yet.
    pub fn task_of(&self, id: Id<MirroredWrite>) -> Id<Task> {
        self.writes[id].task
    }

    /// The write waits for its copy.
    pub fn is_synchronous(&self) -> bool {
        self.mode == MirrorMode::Synchronous
    }

    /// Since when nothing is copied any more.
    pub fn suspended_at(&self) -> Option<Instant> {
        self.suspended_at
    }

    /// Since when it copies what it did not copy while it was suspended.
    pub fn resync_since(&self) -> Option<Instant> {
        self.resync_since
    }

    /// When a suspension that has just begun ends; once for each.
    pub fn resumes_at(&mut self) -> Option<Instant> {
        self.resync.as_mut()?.resumes_at(self.suspended_at?)
    }

    /// Copy again, and what was not copied.
    pub fn resume(&mut self, now: Instant) {
        let Some(since) = self.suspended_at.take() else {
            return;
        };
        self.counters.suspended += now - since;
        self.resync_since = Some(now);
        self.end_resync(now);
    }

    /// When to look again for regions, which wait for their rate; once for each wait.
    pub fn wake_at(&mut self, now: Instant) -> Option<Instant> {
        self.resync_since?;
        self.resync.as_mut()?.wake_at(now)
    }

    /// The time to look for regions has come.
    pub fn wake(&mut self) {
        if let Some(resync) = &mut self.resync {
            resync.wake();
        }
    }

    /// What it has done.
    pub fn counters(&self) -> &MirrorCounters {
        &self.counters
    }

    /// What the copy lacks.
    pub fn lag(&self) -> &Lag {
        &self.lag
    }

    /// Bring the lag up to now.
    pub fn read_lag(&mut self, now: Instant) {
        self.lag.read(now);
    }

    /// The lag since the last call.
    pub fn end_interval(&mut self, now: Instant) -> LagInterval {
        self.lag.end_interval(now)
    }

    /// Writes whose copy is not done and not given up.
    pub fn unfinished(&self) -> u64 {
        let regions = self.resync.as_ref().map_or(0, |resync| resync.open);
        u64::from(self.open - regions) + (self.queued.len() + self.waiting.len()) as u64
    }

    /// Every write is copied, on its way or given up; all that the copy lacks is one of these.
    pub fn is_conserved(&self) -> bool {
        let MirrorCounters {
            writes,
            copies,
            lost,
            ..
        } = self.counters;
        let acknowledged = self.writes.live().map(|id| &self.writes[id]);
        let behind = acknowledged.filter(|write| write.place.is_some());
        let behind: u64 = behind.map(|write| write.bytes).sum();
        self.lag.bytes() == behind + self.lacking_bytes
            && writes == copies + lost + self.unfinished()
    }

    fn has_room(&self, bytes: u64) -> bool {
        match self.mode {
            MirrorMode::Synchronous | MirrorMode::Asynchronous => {
                self.queued.is_empty() && self.open < self.max_outstanding
            }
            MirrorMode::Journal { bytes: limit, .. } => {
                self.held_bytes == 0 || self.held_bytes + bytes <= limit
            }
        }
    }

    fn accept(&mut self, id: Id<MirroredWrite>) {
        let write = &mut self.writes[id];
        write.state = CopyState::Queued;
        self.held_bytes += write.bytes;
        self.counters.most_held_bytes = self.counters.most_held_bytes.max(self.held_bytes);
        self.queued.push_back(id);
    }

    /// Stop copying. Copies in progress end; what is queued will not be copied.
    fn suspend(&mut self, now: Instant) {
        if self.suspended_at.is_some() {
            return;
        }
        self.suspended_at = Some(now);
        self.counters.suspensions += 1;
        if let Some(since) = self.resync_since.take() {
            self.counters.resync += now - since;
        }
        self.lag.read(now);
        for id in std::mem::take(&mut self.queued) {
            self.counters.lost += 1;
            let write = &mut self.writes[id];
            write.state = CopyState::Lost;
            let MirroredWrite {
                address,
                bytes,
                place,
                ..
            } = *write;
            if let Some(place) = place {
                self.lag.lose(place);
                self.writes.remove(id);
                self.mark(address, bytes);
            } else {
                self.unmarked += 1;
            }
        }
    }

    /// The copy lacks an acknowledged write, until its regions are copied.
    fn mark(&mut self, address: u64, bytes: u64) {
        self.lacking_bytes += bytes;
        if let Some(resync) = &mut self.resync {
            resync.mark(address, bytes);
        }
    }

    /// The next marked region, if it may be copied now.
    fn next_region(&mut self, now: Instant) -> Option<Id<MirroredWrite>> {
        self.resync_since?;
        let region = self.resync.as_mut()?.take(now)?;
        Some(self.writes.insert(MirroredWrite {
            address: region.address,
            bytes: region.bytes,
            task: Id::new(u32::MAX),
            state: CopyState::Region(region.lacking),
            place: None,
        }))
    }

    /// The copy of a region of this length is done.
    fn end_region(&mut self, now: Instant, bytes: u64, lacking: u64) {
        self.open -= 1;
        if let Some(resync) = &mut self.resync {
            resync.open -= 1;
        }
        self.counters.resync_bytes += bytes;
        self.lacking_bytes -= lacking;
        self.lag.regained(now, lacking);
        self.end_resync(now);
    }

    /// All regions are copied: the copy is as it would be without the suspension.
    fn end_resync(&mut self, now: Instant) {
        let is_done = self.resync.as_ref().is_some_and(Resync::is_done);
        if let (Some(since), true) = (self.resync_since, is_done && self.unmarked == 0) {
            self.counters.resync += now - since;
            self.resync_since = None;
            self.lag.restore(now);
        }
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests;
