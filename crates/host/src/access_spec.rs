//! Requests as an Iometer worker makes them from its access specification.
//!
//! The rules are those of Iometer's worker loop (`Grunt::Do_IOs`, `TargetDisk::Seek` in its public
//! source): a line is drawn for each burst; read or write for each transaction; random or sequential
//! for each I/O. One burst, with its pause before it, is shared by all targets of the worker. Each
//! target has a cursor of its own, which goes on from the last I/O, also from a random one.

use std::collections::VecDeque;

use sanlab_kernel::{Id, IdVec, Instant, RandomStream, Span};

use crate::request::{Request, Target};

/// One line of an access specification.
#[derive(Clone, Copy, Debug)]
pub struct AccessLine {
    /// Size of a request.
    pub bytes: u64,
    /// Share of bursts, in parts per million; the lines of a specification sum to a million.
    pub share_ppm: u32,
    /// Share of transactions that begin with a read.
    pub read_ppm: u32,
    /// Share of I/Os at a random address.
    pub random_ppm: u32,
    /// Pause before each burst.
    pub delay: Span,
    /// Transactions in a burst.
    pub burst: u32,
    /// Addresses are rounded up to whole multiples of this.
    pub align: u64,
    /// Size of a second transfer in the opposite direction; 0 makes none.
    pub reply: u32,
}

/// The part of a LUN that a worker uses.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// First byte.
    pub offset: u64,
    /// Size.
    pub span: u64,
}

/// A place for a transaction on one target, free or between its two transfers.
#[derive(Clone, Copy, Debug)]
struct Slot {
    target: Id<Target>,
    /// The second transfer that is owed: its size, and whether it is a read.
    reply: Option<(u32, bool)>,
}

/// What a worker does.
#[derive(Clone, Debug)]
pub struct AccessSpec {
    lines: IdVec<AccessLine>,
    regions: IdVec<Target, Region>,
    /// Where the last I/O on each target ended.
    cursors: IdVec<Target, u64>,
    /// Free slots, those first that became free first; of an open loop only owed replies.
    free: VecDeque<Slot>,
    is_open_loop: bool,
    next_target: Id<Target>,
    /// Line of the current burst.
    line: Id<AccessLine>,
    left_in_burst: u32,
    /// The burst that was drawn begins then.
    begins_at: Instant,
    /// That time, until the host has read it.
    wake_at: Option<Instant>,
}

impl AccessSpec {
    /// A worker with so many outstanding I/Os on each of its targets; `u32::MAX` is an open loop, whose
    /// transactions go to the targets in turn.
    pub fn new(lines: IdVec<AccessLine>, regions: IdVec<Target, Region>, outstanding: u32) -> Self {
        let is_open_loop = outstanding == u32::MAX;
        let rounds = if is_open_loop { 0 } else { outstanding };
        let free = (0..rounds)
            .flat_map(|_| {
                regions.ids().map(|target| Slot {
                    target,
                    reply: None,
                })
            })
            .collect();
        Self {
            cursors: regions.iter().map(|region| region.offset).collect(),
            lines,
            regions,
            free,
            is_open_loop,
            next_target: Id::new(0),
            line: Id::new(0),
            left_in_burst: 0,
            begins_at: Instant::START,
            wake_at: None,
        }
    }

    /// Whether the next I/O is the second of its transaction.
    pub fn owes_reply(&self) -> bool {
        self.free.front().is_some_and(|slot| slot.reply.is_some())
    }

    /// The next I/O, if there is a free slot and no pause before a burst.
    pub fn next(&mut self, now: Instant, draws: &mut RandomStream) -> Option<Request> {
        if now < self.begins_at {
            return None;
        }
        let slot = *self.free.front().or(self.turn().as_ref())?;
        let (is_read, bytes, reply_bytes) = if let Some((bytes, is_read)) = slot.reply {
            (is_read, u64::from(bytes), 0)
        } else {
            if self.left_in_burst == 0 {
                self.begin_burst(now, draws);
                if now < self.begins_at {
                    return None;
                }
            }
            self.left_in_burst -= 1;
            let line = self.lines[self.line];
            (draws.chance_ppm(line.read_ppm), line.bytes, line.reply)
        };
        if self.free.pop_front().is_none() {
            let behind = Id::new(slot.target.number() + 1);
            self.next_target = if behind == self.regions.next_id() {
                Id::new(0)
            } else {
                behind
            };
        }
        Some(Request {
            is_read,
            target: slot.target,
            address: self.seek(slot.target, bytes, draws),
            bytes,
            reply_bytes,
        })
    }

    /// An I/O is done; its slot is free again, or owes a reply.
    pub fn on_done(&mut self, done: &Request) {
        let reply = (done.reply_bytes > 0).then_some((done.reply_bytes, !done.is_read));
        if reply.is_some() || !self.is_open_loop {
            self.free.push_back(Slot {
                target: done.target,
                reply,
            });
        }
    }

    /// When a pause before a burst is over, told once.
    pub fn take_wake(&mut self) -> Option<Instant> {
        self.wake_at.take()
    }

    fn turn(&self) -> Option<Slot> {
        self.is_open_loop.then_some(Slot {
            target: self.next_target,
            reply: None,
        })
    }

    fn begin_burst(&mut self, now: Instant, draws: &mut RandomStream) {
        let drawn = u32::try_from(draws.below(1_000_000)).expect("below a million");
        let mut below = 0;
        let drawn_line = self.lines.pairs().find(|(_, line)| {
            below += line.share_ppm;
            drawn < below
        });
        (self.line, _) = drawn_line.expect("the shares sum to a million");
        let line = self.lines[self.line];
        self.left_in_burst = line.burst;
        if !line.delay.is_zero() {
            self.begins_at = now.saturating_add(line.delay);
            self.wake_at = Some(self.begins_at);
        }
    }

    /// A random place of the region or the one behind the last I/O, rounded up to the alignment of the
    /// current burst's line, or the first of the region where the request would end beyond it.
    fn seek(&mut self, target: Id<Target>, bytes: u64, draws: &mut RandomStream) -> u64 {
        let line = &self.lines[self.line];
        let region = self.regions[target];
        let place = if draws.chance_ppm(line.random_ppm) {
            region.offset + draws.below(region.span)
        } else {
            self.cursors[target]
        };
        let mut address = place.next_multiple_of(line.align);
        if address + bytes > region.offset + region.span {
            address = region.offset.next_multiple_of(line.align);
        }
        self.cursors[target] = address + bytes;
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: AccessLine = AccessLine {
        bytes: 4096,
        share_ppm: 1_000_000,
        read_ppm: 1_000_000,
        random_ppm: 0,
        delay: Span::ZERO,
        burst: 1,
        align: 512,
        reply: 0,
    };
    const REGION: Region = Region {
        offset: 1 << 20,
        span: 1 << 20,
    };

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    fn worker(lines: Vec<AccessLine>, targets: usize, outstanding: u32) -> AccessSpec {
        AccessSpec::new(lines.into(), IdVec::filled(REGION, targets), outstanding)
    }

    /// Requests one after the other, each done at once.
    fn ask(spec: &mut AccessSpec, count: usize) -> Vec<Request> {
        let mut draws = RandomStream::new(1, "worker");
        let mut now = Instant::START;
        let mut requests = Vec::new();
        while requests.len() < count {
            if let Some(request) = spec.next(now, &mut draws) {
                spec.on_done(&request);
                requests.push(request);
            } else {
                now = spec.take_wake().expect("a pause before a burst");
            }
        }
        requests
    }

    #[test]
    fn lines_have_their_shares_and_directions() {
        let small = AccessLine {
            share_ppm: 600_000,
            read_ppm: 800_000,
            ..LINE
        };
        let large = AccessLine {
            bytes: 65_536,
            share_ppm: 400_000,
            read_ppm: 250_000,
            ..LINE
        };
        let requests = ask(&mut worker(vec![small, large], 1, 4), 100_000);
        for (bytes, share, reads) in [(4096, 0.6, 0.8), (65_536, 0.4, 0.25)] {
            let of_line: Vec<_> = requests
                .iter()
                .filter(|request| request.bytes == bytes)
                .collect();
            let read = of_line.iter().filter(|request| request.is_read).count();
            assert!((of_line.len() as f64 / 1e5 - share).abs() < 0.006);
            assert!((read as f64 / of_line.len() as f64 - reads).abs() < 0.01);
        }
    }

    /// A random I/O takes the cursor along: what follows it in sequence begins where it ended.
    #[test]
    fn a_sequence_goes_on_from_a_random_place() {
        let line = AccessLine {
            random_ppm: 300_000,
            ..LINE
        };
        let requests = ask(&mut worker(vec![line], 1, 1), 20_000);
        let follows = requests
            .windows(2)
            .filter(|pair| pair[1].address == pair[0].address + pair[0].bytes)
            .count();
        let share = follows as f64 / 19_999.0;
        // 70 % but for those few that would end beyond the region.
        assert!((share - 0.7).abs() < 0.02, "{share}");
    }

    #[test]
    fn addresses_are_rounded_up_and_wrap_at_the_end() {
        let line = AccessLine {
            bytes: 3072,
            random_ppm: 500_000,
            align: 4096,
            ..LINE
        };
        for request in ask(&mut worker(vec![line], 1, 1), 20_000) {
            assert_eq!(request.address % 4096, 0);
            assert!(request.address >= 1 << 20 && request.address + 3072 <= 2 << 20);
        }
        let line = AccessLine {
            bytes: 400 << 10,
            ..LINE
        };
        let starts: Vec<_> = ask(&mut worker(vec![line], 1, 1), 4)
            .iter()
            .map(|request| request.address - (1 << 20))
            .collect();
        assert_eq!(starts, [0, 400 << 10, 0, 400 << 10]);
    }

    /// Bursts are of one line, and the pause comes before each of them.
    #[test]
    fn a_pause_comes_before_each_burst() {
        let line = AccessLine {
            delay: Span::from_ps(1000),
            burst: 3,
            ..LINE
        };
        let mut spec = worker(vec![line], 2, 8);
        let mut draws = RandomStream::new(1, "worker");
        assert!(spec.next(at(0), &mut draws).is_none());
        assert_eq!(spec.take_wake(), Some(at(1000)));
        assert_eq!(spec.take_wake(), None);
        assert!(spec.next(at(999), &mut draws).is_none());
        for _ in 0..3 {
            assert!(spec.next(at(1000), &mut draws).is_some());
        }
        assert!(spec.next(at(1500), &mut draws).is_none());
        assert_eq!(spec.take_wake(), Some(at(2500)));
    }

    #[test]
    fn outstanding_requests_are_those_of_each_target() {
        let mut spec = worker(vec![LINE], 3, 2);
        let mut draws = RandomStream::new(1, "worker");
        let open: Vec<_> = std::iter::from_fn(|| spec.next(at(0), &mut draws)).collect();
        let targets: Vec<_> = open.iter().map(|request| request.target).collect();
        assert_eq!(targets, [0, 1, 2, 0, 1, 2].map(Id::new));
        // Each target has a cursor of its own.
        let places: Vec<_> = open
            .iter()
            .map(|request| request.address - (1 << 20))
            .collect();
        assert_eq!(places, [0, 0, 0, 4096, 4096, 4096]);
        spec.on_done(&open[4]);
        assert_eq!(
            spec.next(at(0), &mut draws).map(|request| request.target),
            Some(Id::new(1))
        );
        assert!(spec.next(at(0), &mut draws).is_none());
    }

    #[test]
    fn a_reply_goes_the_other_way_in_the_same_slot() {
        let line = AccessLine { reply: 512, ..LINE };
        for outstanding in [1, u32::MAX] {
            let mut spec = worker(vec![line], 1, outstanding);
            let requests = ask(&mut spec, 4);
            let told: Vec<_> = requests
                .iter()
                .map(|request| (request.is_read, request.bytes))
                .collect();
            assert_eq!(
                told,
                [(true, 4096), (false, 512), (true, 4096), (false, 512)]
            );
        }
    }
}
