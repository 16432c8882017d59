//! What is counted while the world runs.

mod open_ios;
mod part_rows;
mod parts;
mod phase_meter;
mod phases;
mod readings;
mod series;
mod stations;
mod windows;
mod workload;

use sanlab_fc::Frame;
use sanlab_kernel::{Id, IdVec, Instant};
use sanlab_metrics::FrameLatencies;

pub(crate) use parts::{PartRow, pairs_of};
pub(crate) use phases::{BrokenPhase, OpenFor, OpenNow, PhaseRow, Phases};
pub(crate) use series::{Series, StationRow};
pub(crate) use stations::{Machines, StationPlace};
pub(crate) use windows::Windows;
pub(crate) use workload::WorkloadState;

/// Latencies of frames, workloads, and what happened in each interval.
pub(crate) struct Meters {
    workloads: IdVec<WorkloadState>,
    latencies: FrameLatencies,
    series: Series,
    windows: Windows,
    phases: Phases,
}

impl Meters {
    pub(crate) fn new(
        workloads: usize,
        flows: usize,
        series: Series,
        windows: Windows,
        phases: Phases,
    ) -> Self {
        let workload = if series.is_kept() {
            WorkloadState::with_intervals
        } else {
            WorkloadState::default
        };
        Self {
            workloads: std::iter::repeat_with(workload).take(workloads).collect(),
            latencies: FrameLatencies::new(flows),
            series,
            windows,
            phases,
        }
    }

    #[inline]
    pub(crate) fn workload(&mut self, id: Id<WorkloadState>) -> &mut WorkloadState {
        &mut self.workloads[id]
    }

    pub(crate) fn workloads(&self) -> &IdVec<WorkloadState> {
        &self.workloads
    }

    pub(crate) fn latencies(&self) -> &FrameLatencies {
        &self.latencies
    }

    pub(crate) fn series(&self) -> &Series {
        &self.series
    }

    /// A frame reaches its destination then.
    #[inline(always)]
    pub(crate) fn record_frame(&mut self, frame: &Frame, landed_at: Instant) {
        self.latencies.record(
            frame.flow,
            frame.payload_bytes,
            landed_at - frame.sent_at,
            landed_at - frame.framed_at,
        );
    }

    pub(crate) fn phases(&self) -> &Phases {
        &self.phases
    }

    /// A phase begins or ends now.
    pub(crate) fn turn_phase(&mut self, now: Instant, open: &OpenNow) -> Result<(), BrokenPhase> {
        self.phases.turn(now, &mut self.workloads, open)
    }

    /// When the current interval ends, a measured window begins, or a phase begins or ends.
    #[inline]
    pub(crate) fn next_at(&self) -> Instant {
        let boundary = self.phases.next_at().min(self.windows.next_at());
        self.series.next_at.min(boundary)
    }

    /// A measured window will begin then.
    pub(crate) fn begin_window_at(&mut self, at: Instant) {
        self.windows.add(at);
    }

    /// Take the next measured window that has begun by now.
    pub(crate) fn take_begun(&mut self, now: Instant) -> Option<Instant> {
        self.windows.take_begun(now)
    }

    /// Close the intervals that have ended by now, and with `at_end` the one that has not. Of the I/Os
    /// that are open now so many bytes have arrived, writes and reads of each workload.
    pub(crate) fn close_series<const E: bool>(
        &mut self,
        now: Instant,
        at_end: bool,
        machines: &mut Machines<'_, E>,
        open: &IdVec<WorkloadState, [u64; 2]>,
    ) {
        self.series
            .close_until((now, at_end), machines, &mut self.workloads, open);
    }

    /// I/Os done by hosts, warm-up included.
    pub(crate) fn ios(&self) -> u64 {
        self.workloads.iter().map(WorkloadState::ios_done).sum()
    }
}
