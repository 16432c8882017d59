//! What happened in each interval.

use sanlab_fabric::{FibreCounters, Network};
use sanlab_kernel::{NEVER, Picoseconds, id_of};
use sanlab_metrics::IoTotals;

use super::workload::WorkloadState;

/// Intervals kept at most. When there are more, neighbours are merged and the interval doubles, so
/// that memory does not grow with simulated time.
const MOST_INTERVALS: usize = 1024;

/// Snapshots at the end of every interval. Nothing is counted for them while frames move: a row is
/// the difference of two readings.
#[derive(Debug)]
pub(crate) struct Series {
    interval: Picoseconds,
    pub(crate) next_at: Picoseconds,
    closed_at: Picoseconds,
    closed: usize,
    last: Vec<FibreCounters>,
    pub(crate) fibres: Vec<FibreRow>,
    pub(crate) workloads: Vec<WorkloadRow>,
}

/// One direction of a link in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FibreRow {
    pub(crate) fibre: u32,
    pub(crate) ends_at: Picoseconds,
    pub(crate) span: Picoseconds,
    pub(crate) bytes: u64,
    pub(crate) payload_bytes: u64,
    pub(crate) busy: Picoseconds,
    pub(crate) credit_wait: Picoseconds,
}

/// Reads or writes of one workload in one interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkloadRow {
    pub(crate) workload: u32,
    pub(crate) is_read: bool,
    pub(crate) ends_at: Picoseconds,
    pub(crate) totals: IoTotals,
}

impl Series {
    pub(crate) fn new(interval: Picoseconds, fibres: usize) -> Self {
        Self {
            interval,
            next_at: if interval == 0 { NEVER } else { interval },
            closed_at: 0,
            closed: 0,
            last: vec![FibreCounters::default(); if interval == 0 { 0 } else { fibres }],
            fibres: Vec::new(),
            workloads: Vec::new(),
        }
    }

    /// Close every interval that has ended by now, and with `at_end` the one that has not.
    pub(crate) fn close_until<const E: bool>(
        &mut self,
        now: Picoseconds,
        at_end: bool,
        network: &Network<E>,
        workloads: &mut [WorkloadState],
    ) {
        while self.next_at <= now {
            self.close(self.next_at, network, workloads);
        }
        if at_end && self.interval > 0 && self.closed_at < now {
            self.close(now, network, workloads);
        }
    }

    fn close<const E: bool>(
        &mut self,
        now: Picoseconds,
        network: &Network<E>,
        workloads: &mut [WorkloadState],
    ) {
        let span = now - self.closed_at;
        for (id, last) in self.last.iter_mut().enumerate() {
            let fibre = id_of(id);
            let counters = network.counters(fibre, now);
            self.fibres.push(FibreRow {
                fibre,
                ends_at: now,
                span,
                bytes: counters.bytes - last.bytes,
                payload_bytes: counters.payload_bytes - last.payload_bytes,
                busy: counters.busy - last.busy,
                credit_wait: counters.credit_wait - last.credit_wait,
            });
            *last = counters;
        }
        for (id, workload) in workloads.iter_mut().enumerate() {
            for (direction, meter) in workload.meters.iter_mut().enumerate() {
                self.workloads.push(WorkloadRow {
                    workload: id_of(id),
                    is_read: direction == 1,
                    ends_at: now,
                    totals: std::mem::take(&mut meter.interval),
                });
            }
        }
        self.closed_at = now;
        self.closed += 1;
        if self.closed == MOST_INTERVALS {
            self.halve(self.last.len(), 2 * workloads.len());
        }
        self.next_at = now + self.interval;
    }

    /// Merge neighbours; the interval doubles.
    fn halve(&mut self, fibres: usize, meters: usize) {
        merge_blocks(&mut self.fibres, fibres, FibreRow::merge);
        merge_blocks(&mut self.workloads, meters, WorkloadRow::merge);
        self.closed /= 2;
        self.interval *= 2;
    }
}

/// Rows come in blocks, one for each interval: every odd block is merged into the even one before it.
fn merge_blocks<R: Copy>(rows: &mut Vec<R>, block: usize, merge: impl Fn(&mut R, &R)) {
    if block == 0 {
        return;
    }
    let merged = rows.len() / block / 2;
    for pair in 0..merged {
        for place in 0..block {
            let mut row = rows[2 * pair * block + place];
            merge(&mut row, &rows[(2 * pair + 1) * block + place]);
            rows[pair * block + place] = row;
        }
    }
    rows.truncate(merged * block);
}

impl FibreRow {
    fn merge(&mut self, later: &Self) {
        self.ends_at = later.ends_at;
        self.span += later.span;
        self.bytes += later.bytes;
        self.payload_bytes += later.payload_bytes;
        self.busy += later.busy;
        self.credit_wait += later.credit_wait;
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
    }
}
