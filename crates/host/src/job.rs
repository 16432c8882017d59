//! A stream of requests from one host, in fio's terms or after another pattern.

use sanlab_kernel::{Id, Instant, Load, RandomStream, Span, Zipf};

use crate::access_spec::AccessSpec;
use crate::request::Request;
use crate::stream::Stream;
use crate::trace::Trace;

/// What a job does; what every request asks for comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct JobSettings {
    /// Share of reads in parts per million.
    pub read_ppm: u32,
    /// Requests kept open; `u32::MAX` is an open loop.
    pub iodepth: u32,
    /// Size of a request.
    pub block_bytes: u64,
    /// Bytes to ask for before the job ends; `u64::MAX` has no such end.
    pub total_bytes: u64,
    /// First byte of its region.
    pub offset: u64,
    /// Size of its region.
    pub span: u64,
    /// When it stops asking.
    pub stop_at: Instant,
    /// Whether requests come at times of their own.
    pub pacing: Option<Pacing>,
    /// The rate over time; without it, it is always the whole rate.
    pub load: Option<Box<Load>>,
    /// Whether it makes requests only on [`Job::demand`].
    pub is_on_demand: bool,
    /// Requests that complete earlier are not counted.
    pub counted_from: Instant,
    /// Pause between a completion and the request that takes its place.
    pub think: Span,
    /// Where requests go.
    pub addresses: Addresses,
}

/// Requests at times of their own.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    /// Mean time between two.
    pub interval: Span,
    /// Exponential times, a Poisson process; else constant.
    pub is_poisson: bool,
}

/// Where requests go.
#[derive(Clone, Debug)]
pub enum Addresses {
    /// Adjacent blocks, starting again at the end of the region; reads and writes separately.
    Sequential,
    /// Any block of the region, each alike.
    Uniform,
    /// Blocks with Zipf's frequencies, scattered over the region.
    Zipf(Zipf),
}

/// What a job asks for.
#[derive(Clone, Debug, Default)]
pub enum Pattern {
    /// Blocks of one size on one LUN, as the settings say.
    #[default]
    Blocks,
    /// Lines of an access specification on one or several LUNs.
    Access(Box<AccessSpec>),
    /// A stream of a benchmark over a volume.
    Stream(Box<Stream>),
    /// The requests of a trace.
    Trace(Box<Trace>),
}

/// A running job; what every request needs comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Job {
    open: u32,
    /// Requests whose time has come and that found no place yet.
    due: u64,
    asked_bytes: u64,
    arrivals: RandomStream,
    draws: RandomStream,
    pattern: Pattern,
    /// What it does.
    pub settings: JobSettings,
    /// Next sequential offset within the region, of writes and of reads.
    cursors: [u64; 2],
    /// When it started; its load's work up to the next request.
    started_at: Instant,
    work: u128,
}

impl Job {
    /// A job that has not started.
    pub fn new(settings: JobSettings, seed: u64, name: &str) -> Self {
        Self {
            settings,
            open: 0,
            due: 0,
            started_at: Instant::START,
            work: 0,
            asked_bytes: 0,
            cursors: [0; 2],
            pattern: Pattern::Blocks,
            draws: RandomStream::new(seed, &format!("{name}/addresses")),
            arrivals: RandomStream::new(seed, &format!("{name}/arrivals")),
        }
    }

    /// The same job after another pattern.
    #[must_use]
    pub fn after(mut self, pattern: Pattern) -> Self {
        self.pattern = pattern;
        self
    }

    /// When the first paced request is due, for a job that starts now: a Poisson process begins with a
    /// pause like any other, a constant one at once. None without pacing.
    pub fn first_due(&mut self, now: Instant) -> Option<Instant> {
        self.started_at = now;
        let pacing = self.settings.pacing?;
        if pacing.is_poisson {
            self.next_due(now)
        } else {
            self.due_after(now, Span::ZERO)
        }
    }

    /// The time of a paced request has come. False if the job makes no more.
    pub fn on_due(&mut self, now: Instant) -> bool {
        let is_wanted = !self.is_spent(now);
        self.due += u64::from(is_wanted);
        is_wanted
    }

    /// When the request after the one that is due now is due. None if the load ends before.
    pub fn next_due(&mut self, now: Instant) -> Option<Instant> {
        let pacing = self.settings.pacing?;
        let pause = if pacing.is_poisson {
            self.arrivals.exponential_span(pacing.interval)
        } else {
            pacing.interval
        };
        self.due_after(now, pause)
    }

    /// The end of a pause that has this length at the full rate.
    fn due_after(&mut self, now: Instant, pause: Span) -> Option<Instant> {
        let Some(load) = &self.settings.load else {
            return Some(now.saturating_add(pause));
        };
        self.work += Load::full(pause);
        let since = load.reaches(self.work)?;
        Some(self.started_at.saturating_add(since))
    }

    /// One more request is wanted.
    pub fn demand(&mut self) {
        self.due += 1;
    }

    /// Count its times from here on: those of its settings were from the start of the run.
    pub fn put_off(&mut self, to: Instant) {
        let by = to - Instant::START;
        let settings = &mut self.settings;
        settings.counted_from = settings.counted_from.saturating_add(by);
        settings.stop_at = settings.stop_at.saturating_add(by);
    }

    /// A request of this job is over, its pause included.
    pub fn on_slot_free(&mut self) {
        self.open -= 1;
    }

    /// A request is done. What an access specification does next depends on which it was.
    pub fn on_done(&mut self, done: &Request) {
        if let Pattern::Access(spec) = &mut self.pattern {
            spec.on_done(done);
        }
    }

    /// When a pause before a burst of an access specification is over, or the next request of a trace is
    /// due: told once for each.
    pub fn take_wake(&mut self) -> Option<Instant> {
        match &mut self.pattern {
            Pattern::Access(spec) => spec.take_wake(),
            // What would come after the job has stopped does not keep the run going.
            Pattern::Trace(trace) => trace.take_wake().map(|at| at.min(self.settings.stop_at)),
            Pattern::Blocks | Pattern::Stream(_) => None,
        }
    }

    /// Whether requests come at recorded times.
    pub fn is_timed_replay(&self) -> bool {
        matches!(&self.pattern, Pattern::Trace(trace) if trace.is_timed())
    }

    /// When the last request that was made had been due by its trace; [`Instant::NEVER`] without one.
    pub fn recorded_at(&self) -> Instant {
        match &self.pattern {
            Pattern::Trace(trace) => trace.due_at(),
            _ => Instant::NEVER,
        }
    }

    /// Why its trace could not be read on, told once.
    pub fn take_fault(&mut self) -> Option<String> {
        match &mut self.pattern {
            Pattern::Trace(trace) => trace.take_fault(),
            _ => None,
        }
    }

    /// When it started.
    pub fn started_at(&self) -> Instant {
        self.started_at
    }

    /// Returns the next request, if it may be made now. Called until it returns None.
    pub fn next_request(&mut self, now: Instant) -> Option<Request> {
        // A transfer that completes what was begun is neither bounded nor paced.
        let goes_on = match &self.pattern {
            Pattern::Blocks | Pattern::Trace(_) => false,
            Pattern::Access(spec) => spec.owes_reply(),
            Pattern::Stream(stream) => stream.has_rest(),
        };
        if self.is_spent(now) || (!goes_on && self.open >= self.depth()) {
            return None;
        }
        let waits_for_its_time = self.settings.pacing.is_some() || self.settings.is_on_demand;
        let is_paced = waits_for_its_time && !goes_on;
        if is_paced && self.due == 0 {
            return None;
        }
        let request = match &mut self.pattern {
            Pattern::Blocks => self.next_block(),
            Pattern::Access(spec) => spec.next(now, &mut self.draws)?,
            Pattern::Stream(stream) => stream.next(&mut self.draws),
            Pattern::Trace(trace) => trace.next(now, self.started_at, self.open)?,
        };
        self.due -= u64::from(is_paced);
        self.open += 1;
        self.asked_bytes += request.bytes;
        Some(request)
    }

    /// Requests that may be open. A worker with an access specification has that many for each target,
    /// and keeps account of them itself.
    fn depth(&self) -> u32 {
        match &self.pattern {
            Pattern::Access(_) => u32::MAX,
            Pattern::Blocks | Pattern::Stream(_) | Pattern::Trace(_) => self.settings.iodepth,
        }
    }

    fn next_block(&mut self) -> Request {
        let left = self.settings.total_bytes - self.asked_bytes;
        let bytes = self.settings.block_bytes.min(left);
        let is_read = self.draws.chance_ppm(self.settings.read_ppm);
        let address = self.settings.offset + self.next_offset(is_read, bytes);
        Request {
            is_read,
            target: Id::new(0),
            address,
            bytes,
            reply_bytes: 0,
        }
    }

    /// Reads what its next request needs, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self) -> u64 {
        let settings = &self.settings;
        self.due
            ^ self.arrivals.read_ahead()
            ^ self.draws.read_ahead()
            ^ settings.block_bytes
            ^ settings.stop_at.as_ps()
            ^ settings.think.as_ps()
    }

    /// No request will come any more, and none is open.
    pub fn is_over(&self, now: Instant) -> bool {
        self.open == 0 && self.is_spent(now)
    }

    /// When it stops to ask, where that is not because it has asked for all its bytes.
    pub fn stopped_at(&self) -> Option<Instant> {
        let is_short = self.asked_bytes < self.settings.total_bytes;
        is_short.then_some(self.settings.stop_at)
    }

    /// Requests open.
    pub fn open(&self) -> u32 {
        self.open
    }

    /// Bytes asked for.
    pub fn asked_bytes(&self) -> u64 {
        self.asked_bytes
    }

    fn is_spent(&self, now: Instant) -> bool {
        self.asked_bytes >= self.settings.total_bytes || now >= self.settings.stop_at
    }

    fn next_offset(&mut self, is_read: bool, bytes: u64) -> u64 {
        let block = self.settings.block_bytes;
        let blocks = (self.settings.span / block).max(1);
        match &self.settings.addresses {
            Addresses::Sequential => {
                let cursor = &mut self.cursors[usize::from(is_read)];
                if *cursor + bytes > self.settings.span {
                    *cursor = 0;
                }
                *cursor += bytes;
                *cursor - bytes
            }
            Addresses::Uniform => self.draws.below(blocks) * block,
            Addresses::Zipf(zipf) => scatter(zipf.draw(&mut self.draws), blocks) * block,
        }
    }
}

/// Spread ranks over the region: multiplication by a prime is one to one unless the prime divides
/// the number of blocks.
fn scatter(rank: u64, blocks: u64) -> u64 {
    const PRIME: u64 = 0xffff_ffff_ffff_ffc5;
    let scattered = u128::from(rank) * u128::from(PRIME) % u128::from(blocks);
    u64::try_from(scattered).expect("below the number of blocks")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    fn settings() -> JobSettings {
        JobSettings {
            read_ppm: 700_000,
            addresses: Addresses::Uniform,
            block_bytes: 4096,
            iodepth: 4,
            total_bytes: 10_000,
            offset: 1 << 20,
            span: 1 << 16,
            counted_from: Instant::START,
            stop_at: Instant::NEVER,
            pacing: None,
            load: None,
            think: Span::ZERO,
            is_on_demand: false,
        }
    }

    #[test]
    fn a_job_ends_after_its_bytes_with_a_short_request() {
        let mut job = Job::new(settings(), 1, "job");
        let sizes: Vec<_> = std::iter::from_fn(|| job.next_request(at(0)))
            .map(|r| r.bytes)
            .collect();
        assert_eq!(sizes, [4096, 4096, 10_000 - 8192]);
        assert!(!job.is_over(at(0)));
        (0..3).for_each(|_| job.on_slot_free());
        assert!(job.is_over(at(0)));
    }

    #[test]
    fn requests_stay_in_their_region_and_depth() {
        let mut settings = settings();
        settings.total_bytes = u64::MAX;
        let mut job = Job::new(settings, 1, "job");
        for _ in 0..1000 {
            while let Some(request) = job.next_request(at(0)) {
                assert!(request.address >= 1 << 20);
                assert!(request.address + request.bytes <= (1 << 20) + (1 << 16));
            }
            assert_eq!(job.open(), 4);
            job.on_slot_free();
        }
    }

    #[test]
    fn scattered_ranks_are_a_permutation() {
        let mut seen: Vec<_> = (0..1000).map(|rank| scatter(rank, 1000)).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..1000));
    }

    /// Requests that were due while the depth was used up are made as soon as there is room.
    #[test]
    fn a_paced_job_catches_up() {
        let mut settings = settings();
        settings.iodepth = 1;
        settings.total_bytes = u64::MAX;
        settings.stop_at = at(1000);
        settings.pacing = Some(Pacing {
            interval: Span::from_ps(100),
            is_poisson: false,
        });
        let mut job = Job::new(settings, 1, "job");
        assert!(job.next_request(at(0)).is_none());
        for now in [0, 100, 200] {
            assert!(job.on_due(at(now)));
            assert_eq!(job.next_due(at(now)), Some(at(now + 100)));
        }
        for _ in 0..3 {
            assert!(job.next_request(at(250)).is_some() && job.next_request(at(250)).is_none());
            job.on_slot_free();
        }
        assert!(job.next_request(at(250)).is_none());
        assert!(!job.on_due(at(1000)));
        assert!(job.is_over(at(1000)));
        assert_eq!(job.stopped_at(), Some(at(1000)));
    }

    #[test]
    fn sequential_reads_and_writes_go_round_each_on_their_own() {
        let mut settings = settings();
        settings.addresses = Addresses::Sequential;
        settings.iodepth = u32::MAX;
        settings.total_bytes = u64::MAX;
        settings.span = 10_000; // two blocks and a bit that no block fits in
        let mut job = Job::new(settings, 1, "job");
        let mut next = [0, 0];
        for _ in 0..50 {
            let request = job.next_request(at(0)).expect("an open loop");
            let cursor = &mut next[usize::from(request.is_read)];
            assert_eq!(request.address, (1 << 20) + *cursor);
            *cursor = (*cursor + 4096) % 8192;
        }
    }
}
