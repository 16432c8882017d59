//! Third-party copies of writes to another array.

use std::collections::VecDeque;

use sanlab_kernel::{Arena, Id, Instant};

use crate::elsewhere::{Device, Flow, Port, Task};
use crate::lag::{Lag, LagInterval, LagPlace};
use crate::parts::Lun;

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
    /// Writes that will not be copied, because the mirror is suspended.
    pub lost: u64,
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
            lag: Lag::default(),
            counters: MirrorCounters::default(),
        }
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
        if !has_room && matches!(self.mode, MirrorMode::Journal { suspends: true, .. }) {
            self.suspend(now);
        }
        let id = self.writes.insert(MirroredWrite {
            address,
            bytes,
            task,
            state: CopyState::Waiting,
            place: None,
        });
        if self.suspended_at.is_some() {
            self.writes[id].state = CopyState::Lost;
            self.counters.lost += 1;
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
        let id = self.queued.pop_front()?;
        self.writes[id].state = CopyState::Open;
        self.open += 1;
        self.counters.most_open = self.counters.most_open.max(self.open);
        self.counters.first_at.get_or_insert(now);
        Some(id)
    }

    /// A copy that began then is done.
    pub fn end(&mut self, now: Instant, began_at: Instant, id: Id<MirroredWrite>) {
        let write = &mut self.writes[id];
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
        let MirroredWrite { state, bytes, .. } = self.writes[id];
        match state {
            CopyState::Done => self.writes.remove(id),
            CopyState::Lost => {
                self.lag.acknowledge_lost(now, bytes);
                self.writes.remove(id);
            }
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
        u64::from(self.open) + (self.queued.len() + self.waiting.len()) as u64
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
        let is_behind = if self.suspended_at.is_some() {
            self.lag.bytes() >= behind
        } else {
            self.lag.bytes() == behind
        };
        is_behind && writes == copies + lost + self.unfinished()
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
        self.lag.read(now);
        for id in std::mem::take(&mut self.queued) {
            self.counters.lost += 1;
            let write = &mut self.writes[id];
            write.state = CopyState::Lost;
            if let Some(place) = write.place {
                self.lag.lose(place);
                self.writes.remove(id);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests {
    use super::*;
    use sanlab_kernel::Span;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    fn mirror(mode: MirrorMode, max_outstanding: u32) -> Mirror {
        let route = MirrorRoute {
            array: Id::new(0),
            lun: Id::new(0),
            source_n_port: Id::new(0),
            target_n_port: Id::new(1),
            flow: Id::new(0),
            one_round_trip_bytes: 0,
        };
        Mirror::new(route, mode, max_outstanding)
    }

    #[test]
    fn one_copy_at_a_time_and_the_others_in_order() {
        let mut mirror = mirror(MirrorMode::Synchronous, 1);
        let writes = [7, 8, 9].map(|task| mirror.write(at(10), Id::new(task), 0, 512));
        assert_eq!(mirror.begin(at(10)), Some(writes[0]));
        assert_eq!(
            (mirror.begin(at(11)), mirror.accept_waiting()),
            (None, None)
        );
        for (nth, done_at) in [20, 35, 40].into_iter().enumerate() {
            assert!(!mirror.lets_acknowledge(writes[nth]));
            mirror.end(at(done_at), at(done_at - 10), writes[nth]);
            assert!(mirror.lets_acknowledge(writes[nth]));
            assert_eq!(mirror.task_of(writes[nth]), Id::new(7 + nth as u32));
            mirror.acknowledge(at(done_at), writes[nth]);
            assert_eq!(mirror.accept_waiting(), writes.get(nth + 1).copied());
            assert_eq!(mirror.begin(at(done_at)), writes.get(nth + 1).copied());
            assert!(mirror.is_conserved());
        }
        let counters = mirror.counters();
        assert_eq!(
            (counters.copies, counters.bytes, counters.response),
            (3, 1536, 30)
        );
        assert_eq!(
            (counters.first_at, counters.last_at, counters.most_open),
            (Some(at(10)), at(40), 1)
        );
        assert_eq!((counters.waits, mirror.lag().worst()), (2, Span::ZERO));
    }

    #[test]
    fn a_full_journal_lets_writes_wait() {
        let journal = MirrorMode::Journal {
            bytes: 1024,
            suspends: false,
        };
        let mut mirror = mirror(journal, 1);
        let writes = [7, 8, 9].map(|task| mirror.write(at(0), Id::new(task), 0, 512));
        assert_eq!(
            writes.map(|id| mirror.lets_acknowledge(id)),
            [true, true, false]
        );
        mirror.acknowledge(at(1), writes[0]);
        assert_eq!(mirror.begin(at(1)), Some(writes[0]));
        mirror.end(at(9), at(1), writes[0]);
        assert_eq!(mirror.accept_waiting(), Some(writes[2]));
        assert!(mirror.lets_acknowledge(writes[2]) && mirror.is_conserved());
        assert_eq!(mirror.lag().worst(), Span::from_ps(8));
    }

    #[test]
    fn a_full_journal_suspends_the_mirror() {
        let journal = MirrorMode::Journal {
            bytes: 1024,
            suspends: true,
        };
        let mut mirror = mirror(journal, 1);
        let writes = [7, 8].map(|task| mirror.write(at(0), Id::new(task), 0, 512));
        assert_eq!(mirror.begin(at(0)), Some(writes[0]));
        mirror.acknowledge(at(1), writes[0]);
        mirror.acknowledge(at(2), writes[1]);
        let late = mirror.write(at(5), Id::new(9), 0, 512);
        assert!(mirror.lets_acknowledge(late));
        mirror.end(at(6), at(0), writes[0]);
        mirror.acknowledge(at(7), late);
        assert_eq!(mirror.begin(at(7)), None);
        assert_eq!(mirror.suspended_at(), Some(at(5)));
        assert_eq!(
            (mirror.lag().bytes(), mirror.lag().age(at(10))),
            (1024, Span::from_ps(8))
        );
        assert_eq!((mirror.counters().lost, mirror.is_conserved()), (2, true));
    }
}
