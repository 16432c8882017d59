//! What happened in each interval.

use sanlab_fabric::{Fibre, Network};
use sanlab_kernel::{Id, IdVec, Instant, STAGE_COUNT, Span};
use sanlab_metrics::{IoTotals, Spread};
use sanlab_storage::{Array, CacheSums, LagInterval, Lun};

use super::parts::PartSeries;
use super::readings::Readings;
use super::stations::{Machines, StationPlace};
use super::workload::WorkloadState;

/// Intervals kept at most. When there are more, neighbours are merged and the interval doubles, so
/// that memory does not grow with simulated time.
const MOST_INTERVALS: usize = 1024;

/// Readings at the end of every interval. Nothing is counted for them while frames move: a row is the
/// difference of two readings, taken when the rows are asked for.
#[derive(Debug)]
pub(crate) struct Series {
    interval: Span,
    pub(crate) next_at: Instant,
    closed_at: Instant,
    /// Ends of the intervals closed so far.
    pub(super) ends: Vec<Instant>,
    /// Of every fibre at the end of each of those intervals.
    fibres: Readings<FibreReading>,
    /// Of every cache, likewise.
    caches: Vec<CacheSums>,
    /// Of every station, likewise, in the order of their places.
    stations: Readings<StationReading>,
    /// Which they are, and their numbers of servers.
    station_places: Vec<(StationPlace, usize)>,
    /// Of LUNs, loops, strings, limits, pairs and file systems, likewise.
    pub(super) parts: PartSeries,
    pub(crate) workloads: Vec<WorkloadRow>,
    /// Asynchronous mirrors, in the order of arrays and LUNs.
    pub(crate) mirrors: Vec<MirrorRow>,
}

/// The copy of one LUN in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MirrorRow {
    pub(crate) array: Id<Array>,
    pub(crate) lun: Id<Lun>,
    pub(crate) ends_at: Instant,
    pub(crate) span: Span,
    pub(crate) lag: LagInterval,
    pub(crate) is_suspended: bool,
    /// At its end the mirror copies what it did not copy while it was suspended.
    pub(crate) resynchronises: bool,
}

/// What the transmitter of a fibre has counted since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct FibreReading {
    bytes: u64,
    payload_bytes: u64,
    busy: Span,
    credit_wait: Span,
    queue_wait: u128,
    dropped: u64,
}

/// One direction of a link in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FibreRow {
    pub(crate) fibre: Id<Fibre>,
    pub(crate) ends_at: Instant,
    pub(crate) span: Span,
    pub(crate) bytes: u64,
    pub(crate) payload_bytes: u64,
    pub(crate) busy: Span,
    pub(crate) credit_wait: Span,
    /// Waiting times of the frames sent, in picoseconds.
    pub(crate) queue_wait: u128,
    pub(crate) dropped: u64,
}

/// Reads or writes of one workload in one interval.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadRow {
    pub(crate) workload: Id<WorkloadState>,
    pub(crate) is_read: bool,
    pub(crate) ends_at: Instant,
    pub(crate) totals: IoTotals,
    /// Response times of the I/Os done.
    pub(crate) spread: Spread,
    /// Times of the stages of the I/Os done, summed.
    pub(crate) stages: [Span; STAGE_COUNT],
}

/// What a station has counted since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct StationReading {
    arrivals: u64,
    busy: u128,
    area: u128,
}

/// A station in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StationRow {
    pub(crate) place: StationPlace,
    pub(crate) servers: usize,
    pub(crate) ends_at: Instant,
    pub(crate) span: Span,
    pub(crate) arrivals: u64,
    /// Time of service, summed over the servers.
    pub(crate) busy: u128,
    /// Customers present, integrated over picoseconds.
    pub(crate) area: u128,
}

/// A cache in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheRow {
    /// Its place among the caches of all arrays.
    pub(crate) cache: usize,
    pub(crate) ends_at: Instant,
    pub(crate) span: Span,
    /// Bytes not on disk at its end.
    pub(crate) dirty: u64,
    /// Bytes not on disk, integrated over picoseconds.
    pub(crate) dirty_area: u128,
    pub(crate) waits: u64,
    pub(crate) full: Span,
    pub(crate) through: u64,
    pub(crate) alone: Span,
}

impl Series {
    /// Intervals are kept.
    pub(super) fn is_kept(&self) -> bool {
        !self.interval.is_zero()
    }

    pub(crate) fn new(interval: Span, fibres: usize) -> Self {
        Self {
            interval,
            next_at: if interval.is_zero() {
                Instant::NEVER
            } else {
                Instant::START + interval
            },
            closed_at: Instant::START,
            ends: Vec::new(),
            fibres: Readings::new(if interval.is_zero() { 0 } else { fibres }),
            caches: Vec::new(),
            stations: Readings::new(0),
            station_places: Vec::new(),
            parts: PartSeries::new(),
            workloads: Vec::new(),
            mirrors: Vec::new(),
        }
    }

    /// Close every interval that has ended by now, and with `at_end` the one that has not.
    pub(crate) fn close_until<const E: bool>(
        &mut self,
        (now, at_end): (Instant, bool),
        machines: &mut Machines<'_, E>,
        workloads: &mut IdVec<WorkloadState>,
        open: &IdVec<WorkloadState, [u64; 2]>,
    ) {
        while self.next_at <= now {
            self.close(self.next_at, machines, workloads, open);
        }
        if at_end && !self.interval.is_zero() && self.closed_at < now {
            self.close(now, machines, workloads, open);
        }
    }

    fn close<const E: bool>(
        &mut self,
        now: Instant,
        machines: &mut Machines<'_, E>,
        workloads: &mut IdVec<WorkloadState>,
        open: &IdVec<WorkloadState, [u64; 2]>,
    ) {
        self.read_fibres(now, machines.network);
        self.read_stations(now, machines);
        self.parts.close(now, machines);
        let arrays = machines.array.arrays_mut();
        let controllers = arrays.iter().flat_map(|array| &array.controllers);
        let totals = controllers.filter_map(|controller| controller.cache_totals(now));
        self.caches.extend(totals.map(|(_, sums)| sums));
        for (id, workload) in workloads.pairs_mut() {
            for direction in [0, 1] {
                let (totals, spread, stages) =
                    workload.end_interval(direction, open[id][direction]);
                self.workloads.push(WorkloadRow {
                    workload: id,
                    is_read: direction == 1,
                    ends_at: now,
                    totals,
                    spread,
                    stages,
                });
            }
        }
        let mirrors = self.close_mirrors(now, arrays);
        self.closed_at = now;
        self.ends.push(now);
        if self.ends.len() == MOST_INTERVALS {
            let caches = self.caches.len() / self.ends.len();
            self.halve(2 * workloads.len(), caches, mirrors);
        }
        self.next_at = now + self.interval;
    }

    fn read_stations<const E: bool>(&mut self, now: Instant, machines: &mut Machines<'_, E>) {
        let is_first = self.ends.is_empty();
        let mut part = 0;
        machines.visit(now, |place, servers, totals| {
            if is_first {
                self.station_places.push((place, servers));
                self.stations.add_part();
            }
            let reading = StationReading {
                arrivals: totals.arrivals,
                busy: totals.busy,
                area: totals.area,
            };
            self.stations.read(part, reading);
            part += 1;
        });
        self.stations.end_interval();
    }

    fn read_fibres<const E: bool>(&mut self, now: Instant, network: &Network<E>) {
        for place in 0..self.fibres.parts() {
            let counters = network.counters(Id::from_place(place), now);
            let reading = FibreReading {
                bytes: counters.bytes,
                payload_bytes: counters.payload_bytes,
                busy: counters.busy,
                credit_wait: counters.credit_wait,
                queue_wait: counters.queue_wait,
                dropped: counters.dropped,
            };
            self.fibres.read(place, reading);
        }
        self.fibres.end_interval();
    }

    /// A row for each asynchronous mirror; how many there are.
    fn close_mirrors(&mut self, now: Instant, arrays: &mut IdVec<Array>) -> usize {
        let before = self.mirrors.len();
        let span = now - self.closed_at;
        for (array, state) in arrays.pairs_mut() {
            for (lun, unit) in state.luns.pairs_mut() {
                let mirror = unit.mirror.as_mut();
                let Some(mirror) = mirror.filter(|mirror| !mirror.is_synchronous()) else {
                    continue;
                };
                self.mirrors.push(MirrorRow {
                    array,
                    lun,
                    ends_at: now,
                    span,
                    lag: mirror.end_interval(now),
                    is_suspended: mirror.suspended_at().is_some(),
                    resynchronises: mirror.resync_since().is_some(),
                });
            }
        }
        self.mirrors.len() - before
    }

    /// Merge neighbours; the interval doubles.
    fn halve(&mut self, meters: usize, caches: usize, mirrors: usize) {
        merge_blocks(&mut self.ends, 1, |end, later| *end = *later);
        self.fibres.halve();
        self.stations.halve();
        self.parts.halve();
        merge_blocks(&mut self.caches, caches, |sums, later| *sums = *later);
        merge_blocks(&mut self.workloads, meters, WorkloadRow::merge);
        merge_blocks(&mut self.mirrors, mirrors, MirrorRow::merge);
        self.interval = self.interval * 2;
    }

    /// Rows of the caches, interval after interval.
    pub(crate) fn cache_rows(&self) -> Vec<CacheRow> {
        let caches = self.caches.len() / self.ends.len().max(1);
        let mut rows = Vec::with_capacity(self.caches.len());
        for (place, sums) in self.caches.iter().enumerate() {
            let nth = place / caches;
            let before = place.checked_sub(caches);
            let before = before.map_or(CacheSums::default(), |place| self.caches[place]);
            let (ends_at, span) = self.span_of(nth);
            rows.push(CacheRow {
                cache: place % caches,
                ends_at,
                span,
                dirty: sums.dirty,
                dirty_area: sums.dirty_area - before.dirty_area,
                waits: sums.waits - before.waits,
                full: sums.full - before.full,
                through: sums.through - before.through,
                alone: sums.alone - before.alone,
            });
        }
        rows
    }

    /// When an interval ends, and its length.
    pub(super) fn span_of(&self, interval: usize) -> (Instant, Span) {
        let ends_at = self.ends[interval];
        let before = interval.checked_sub(1);
        let began_at = before.map_or(Instant::START, |before| self.ends[before]);
        (ends_at, ends_at - began_at)
    }

    /// Rows of the stations that have served something, interval after interval.
    pub(crate) fn station_rows(&self) -> Vec<StationRow> {
        let have_served = self.stations.latest().iter().enumerate();
        let have_served = have_served.filter(|(_, latest)| latest.arrivals > 0);
        let have_served: Vec<usize> = have_served.map(|(number, _)| number).collect();
        let mut rows = Vec::with_capacity(have_served.len() * self.ends.len());
        self.stations.visit(|interval, before, after| {
            let (ends_at, span) = self.span_of(interval);
            rows.extend(have_served.iter().map(|&number| {
                let (place, servers) = self.station_places[number];
                StationRow {
                    place,
                    servers,
                    ends_at,
                    span,
                    arrivals: after[number].arrivals - before[number].arrivals,
                    busy: after[number].busy - before[number].busy,
                    area: after[number].area - before[number].area,
                }
            }));
        });
        rows
    }

    /// Rows of the fibres, interval after interval.
    pub(crate) fn fibre_rows(&self) -> Vec<FibreRow> {
        let mut rows = Vec::with_capacity(self.fibres.parts() * self.ends.len());
        self.fibres.visit(|interval, before, after| {
            let period = self.span_of(interval);
            let readings = before.iter().zip(after).enumerate();
            rows.extend(readings.map(|(place, (&before, &after))| {
                FibreRow::between(Id::from_place(place), period, before, after)
            }));
        });
        rows
    }
}

/// Rows come in blocks, one for each interval: every odd block is merged into the even one before it.
fn merge_blocks<R: Clone>(rows: &mut Vec<R>, block: usize, merge: impl Fn(&mut R, &R)) {
    if block == 0 {
        return;
    }
    let merged = rows.len() / block / 2;
    for pair in 0..merged {
        for place in 0..block {
            let mut row = rows[2 * pair * block + place].clone();
            merge(&mut row, &rows[(2 * pair + 1) * block + place]);
            rows[pair * block + place] = row;
        }
    }
    rows.truncate(merged * block);
}

impl FibreRow {
    /// What a fibre has counted from one reading to the next, at the end of a span.
    fn between(
        fibre: Id<Fibre>,
        (ends_at, span): (Instant, Span),
        before: FibreReading,
        after: FibreReading,
    ) -> Self {
        Self {
            fibre,
            ends_at,
            span,
            bytes: after.bytes - before.bytes,
            payload_bytes: after.payload_bytes - before.payload_bytes,
            busy: after.busy - before.busy,
            credit_wait: after.credit_wait - before.credit_wait,
            queue_wait: after.queue_wait - before.queue_wait,
            dropped: after.dropped - before.dropped,
        }
    }
}

impl MirrorRow {
    fn merge(&mut self, later: &Self) {
        self.ends_at = later.ends_at;
        self.span += later.span;
        self.lag.merge(&later.lag);
        self.is_suspended = later.is_suspended;
        self.resynchronises = later.resynchronises;
    }
}

impl WorkloadRow {
    fn merge(&mut self, later: &Self) {
        self.ends_at = later.ends_at;
        self.totals.count += later.totals.count;
        self.totals.errors += later.totals.errors;
        self.totals.retried += later.totals.retried;
        self.totals.delayed += later.totals.delayed;
        self.totals.bytes += later.totals.bytes;
        self.totals.response_sum += later.totals.response_sum;
        self.totals.response_most = self.totals.response_most.max(later.totals.response_most);
        self.spread.merge(&later.spread);
        for (sum, &stage) in self.stages.iter_mut().zip(&later.stages) {
            *sum += stage;
        }
    }
}
