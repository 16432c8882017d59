//! The requests of a block trace, in its order: at their recorded times, or as fast as a depth allows.
//!
//! A trace may be longer than memory: it is read in blocks, and only one block of it is kept.

use std::fmt::Debug;
use std::sync::Arc;

use sanlab_kernel::{Id, Instant, Span};

use crate::request::Request;

/// Requests that are read at once.
const BLOCK: usize = 1024;
/// Parts per million of a whole.
const WHOLE_PPM: u128 = 1_000_000;

/// One request of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceIo {
    /// When it came, since the first request of the trace.
    pub at: Span,
    /// First byte on the recorded device.
    pub address: u64,
    /// Length.
    pub bytes: u32,
    /// Requests of its device that were open when it had come, itself included; 0 where unknown.
    pub depth: u32,
    /// Read or write.
    pub is_read: bool,
}

/// Where the requests of a trace come from.
pub trait TraceSource: Debug + Send + Sync {
    /// Append requests in the order of the trace, the first of them by its number, until `into` is full
    /// or the trace ends.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, or what of it is out of bounds.
    fn read(&self, first: u64, into: &mut Vec<TraceIo>) -> Result<(), String>;
}

/// When the requests of a trace are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// At their recorded times, or as soon as the depth of the job allows.
    Timed {
        /// How many times as fast as recorded, in parts per million.
        speed_ppm: u64,
    },
    /// As soon as the depth of the job allows.
    Asap,
    /// As soon as no more requests are open than were at each in the trace.
    Closed,
}

impl Replay {
    /// When a request is due, since the start of the job.
    pub fn due(self, at: Span) -> Span {
        let Self::Timed { speed_ppm } = self else {
            return Span::ZERO;
        };
        let scaled = u128::from(at.as_ps()) * WHOLE_PPM / u128::from(speed_ppm);
        Span::from_ps(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

/// A trace that a job replays.
#[derive(Clone, Debug)]
pub struct Trace {
    source: Arc<dyn TraceSource>,
    replay: Replay,
    /// Where the address 0 of the recorded device is.
    offset: u64,
    /// Requests of the trace.
    count: u64,
    /// Number of the next request.
    next: u64,
    /// Requests read, and the place of the next one among them.
    block: Vec<TraceIo>,
    place: usize,
    /// When the last request that was made had been due.
    due_at: Instant,
    /// When the next request is due, and the number of the last request whose time was reported.
    wakes_at: Instant,
    told: u64,
    fault: Option<String>,
}

impl Trace {
    /// A trace of so many requests, none of them made yet.
    pub fn new(source: Arc<dyn TraceSource>, count: u64, replay: Replay, offset: u64) -> Self {
        Self {
            source,
            replay,
            offset,
            count,
            next: 0,
            block: Vec::with_capacity(BLOCK),
            place: 0,
            due_at: Instant::NEVER,
            wakes_at: Instant::NEVER,
            told: u64::MAX,
            fault: None,
        }
    }

    /// Whether requests come at times of their own.
    pub fn is_timed(&self) -> bool {
        matches!(self.replay, Replay::Timed { .. })
    }

    /// When the last request that was made had been due; [`Instant::NEVER`] for one without a time.
    pub fn due_at(&self) -> Instant {
        self.due_at
    }

    /// The next request of a job that started then, if it may be made now with so many open.
    pub(crate) fn next(&mut self, now: Instant, start: Instant, open: u32) -> Option<Request> {
        if self.place == self.block.len() && !self.refill() {
            return None;
        }
        let io = self.block[self.place];
        match self.replay {
            Replay::Timed { .. } => {
                self.due_at = start.saturating_add(self.replay.due(io.at));
                if self.due_at > now {
                    self.wakes_at = self.due_at;
                    return None;
                }
            }
            Replay::Asap => {}
            Replay::Closed => {
                if open >= io.depth.max(1) {
                    return None;
                }
            }
        }
        self.place += 1;
        self.next += 1;
        Some(Request {
            is_read: io.is_read,
            target: Id::new(0),
            address: self.offset + io.address,
            bytes: u64::from(io.bytes),
            reply_bytes: 0,
        })
    }

    /// When the next request is due, reported once for each.
    pub(crate) fn take_wake(&mut self) -> Option<Instant> {
        let at = std::mem::replace(&mut self.wakes_at, Instant::NEVER);
        let is_news = at < Instant::NEVER && self.told != self.next;
        if is_news {
            self.told = self.next;
        }
        is_news.then_some(at)
    }

    /// Why the trace could not be read on, reported once.
    pub(crate) fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }

    /// Read the next block. False at the end.
    #[cold]
    fn refill(&mut self) -> bool {
        self.block.clear();
        self.place = 0;
        if self.next >= self.count {
            return false;
        }
        let read = self.source.read(self.next, &mut self.block);
        if let Err(reason) = read {
            self.block.clear();
            self.count = self.next;
            self.fault = Some(reason);
        }
        !self.block.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Listed(Vec<TraceIo>);

    impl TraceSource for Listed {
        fn read(&self, first: u64, into: &mut Vec<TraceIo>) -> Result<(), String> {
            let first = usize::try_from(first).expect("a small number");
            let room = into.capacity() - into.len();
            into.extend(self.0[first..].iter().take(room));
            Ok(())
        }
    }

    fn trace(count: u64, replay: Replay) -> Trace {
        let ios = (0..count).map(|number| TraceIo {
            at: Span::from_ps(100 * number),
            address: 512 * number,
            bytes: 512,
            depth: 1 + u32::try_from(number % 3).expect("a small number"),
            is_read: number % 2 == 0,
        });
        Trace::new(Arc::new(Listed(ios.collect())), count, replay, 4096)
    }

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    /// Over several blocks: each request once, in order, at its time and not before.
    #[test]
    fn requests_come_at_their_times() {
        let count = 3 * BLOCK as u64 + 5;
        let mut trace = trace(
            count,
            Replay::Timed {
                speed_ppm: 2_000_000,
            },
        );
        for number in 0..count {
            let due = at(1000 + 50 * number);
            if number > 0 {
                assert!(trace.next(due - Span::from_ps(1), at(1000), 0).is_none());
                assert_eq!(trace.take_wake(), Some(due));
                assert!(trace.next(due - Span::from_ps(1), at(1000), 0).is_none());
                assert_eq!(trace.take_wake(), None, "reported once");
            }
            let request = trace.next(due, at(1000), 0).expect("a request that is due");
            assert_eq!(request.address, 4096 + 512 * number);
            assert_eq!(trace.due_at(), due);
        }
        assert!(trace.next(Instant::NEVER, at(1000), 0).is_none());
        assert_eq!(trace.take_wake(), None);
    }

    #[test]
    fn a_closed_replay_keeps_the_recorded_depth() {
        let mut trace = trace(6, Replay::Closed);
        for number in 0..6 {
            let depth = 1 + number % 3;
            assert!(trace.next(at(0), at(0), depth).is_none());
            assert!(trace.next(at(0), at(0), depth - 1).is_some());
        }
    }
}
