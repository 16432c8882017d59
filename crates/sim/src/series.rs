//! What happened in each interval.

use sanlab_fabric::FibreCounters;
use sanlab_kernel::{NEVER, Picoseconds};
use sanlab_metrics::IoTotals;

use crate::world::World;

/// Snapshots at the end of every interval. Nothing is counted for them while frames move: a row is
/// the difference of two readings.
#[derive(Debug)]
pub(crate) struct Series {
    interval: Picoseconds,
    pub(crate) next_at: Picoseconds,
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
            last: vec![FibreCounters::default(); if interval == 0 { 0 } else { fibres }],
            fibres: Vec::new(),
            workloads: Vec::new(),
        }
    }

    /// Close the interval that ends now.
    pub(crate) fn close<const E: bool>(world: &mut World<E>, now: Picoseconds) {
        let series = &mut world.series;
        if series.interval == 0 {
            return;
        }
        let span = now - (series.next_at - series.interval);
        for (id, (fibre, last)) in world
            .network
            .fibres
            .iter()
            .zip(&mut series.last)
            .enumerate()
        {
            let counters = &fibre.counters;
            series.fibres.push(FibreRow {
                fibre: id as u32,
                ends_at: now,
                span,
                bytes: counters.bytes - last.bytes,
                payload_bytes: counters.payload_bytes - last.payload_bytes,
                busy: counters.busy - last.busy,
                credit_wait: counters.credit_wait - last.credit_wait,
            });
            *last = *counters;
        }
        for (id, workload) in world.workloads.iter_mut().enumerate() {
            for (direction, meter) in workload.meters.iter_mut().enumerate() {
                series.workloads.push(WorkloadRow {
                    workload: id as u32,
                    is_read: direction == 1,
                    ends_at: now,
                    totals: std::mem::take(&mut meter.interval),
                });
            }
        }
        series.next_at += series.interval;
    }
}
