//! Parts of the run whose figures are reported apart.

use sanlab_kernel::{Id, IdVec, Instant, Span};

use super::open_ios::OpenIos;
use super::phase_meter::PhaseMeter;
use super::workload::WorkloadState;
use crate::plan::PhasePlan;

/// Phases in the order of time. None overlaps the next.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    spans: Vec<(Instant, Instant)>,
    /// The phase that is on, or the next one.
    current: usize,
    is_on: bool,
    rows: Vec<PhaseRow>,
    checked: u64,
}

/// Time that open requests have lasted, of writes and reads of every workload.
pub(crate) type OpenFor = IdVec<WorkloadState, [u128; 2]>;

/// Open requests of every workload: the time they have lasted, and their bytes that have arrived.
pub(crate) struct OpenNow {
    pub(crate) lasted: OpenFor,
    pub(crate) bytes: IdVec<WorkloadState, [u64; 2]>,
}

/// Conservation or Little's law does not hold in a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BrokenPhase {
    /// Its number among the phases of the plan.
    pub(crate) phase: usize,
    pub(crate) workload: Id<WorkloadState>,
    pub(crate) missing: i128,
}

/// Writes or reads of one workload in one phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseRow {
    /// Its number among the phases of the plan.
    pub(crate) phase: usize,
    pub(crate) workload: Id<WorkloadState>,
    pub(crate) is_read: bool,
    pub(crate) from: Instant,
    pub(crate) to: Instant,
    /// Requests of the phase; `open` at its end.
    pub(crate) ios: OpenIos,
    pub(crate) bytes: u64,
    /// Requests open, integrated over the phase.
    pub(crate) open_area: u128,
    pub(crate) response_mean: f64,
    /// Percentiles 50, 95, 99 and 99.9, and the longest.
    pub(crate) response_at: [Span; 5],
}

impl Phases {
    pub(crate) fn new(phases: &[PhasePlan]) -> Self {
        let spans = phases.iter().map(|phase| {
            let ends_at = phase
                .to_ps
                .map_or(Instant::NEVER, |at| Instant::from_ps(at.get()));
            (Instant::from_ps(phase.from_ps), ends_at)
        });
        Self {
            spans: spans.collect(),
            ..Self::default()
        }
    }

    /// When a phase begins or ends next.
    pub(crate) fn next_at(&self) -> Instant {
        let span = self.spans.get(self.current);
        span.map_or(
            Instant::NEVER,
            |&(from, to)| {
                if self.is_on { to } else { from }
            },
        )
    }

    /// Whether a phase is on, so that the end of the run ends it.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Rows of the phases that are over.
    pub(crate) fn rows(&self) -> &[PhaseRow] {
        &self.rows
    }

    /// Phases of workloads whose laws were checked.
    pub(crate) fn checked(&self) -> u64 {
        self.checked
    }

    /// The phase begins, or ends, now, with these requests open.
    pub(crate) fn turn(
        &mut self,
        now: Instant,
        workloads: &mut IdVec<WorkloadState>,
        open: &OpenNow,
    ) -> Result<(), BrokenPhase> {
        if !self.is_on {
            self.is_on = true;
            for (id, workload) in workloads.pairs_mut() {
                let meters = [0, 1].map(|direction| {
                    let ios = workload.ios[direction].at(now);
                    PhaseMeter::new(ios, open.lasted[id][direction], open.bytes[id][direction])
                });
                workload.phase = Some(Box::new(meters));
            }
            return Ok(());
        }
        let phase = self.current;
        let from = self.spans[phase].0;
        self.is_on = false;
        self.current += 1;
        for (workload, state) in workloads.pairs_mut() {
            let Some(meters) = state.phase.take() else {
                continue;
            };
            for (direction, meter) in meters.iter().enumerate() {
                let ios = state.ios[direction].at(now).since(&meter.before);
                let lasted = open.lasted[workload][direction];
                self.checked += 1;
                meter.check(&ios, lasted).map_err(|missing| BrokenPhase {
                    phase,
                    workload,
                    missing,
                })?;
                if now > from {
                    let flow = (phase, workload, direction == 1);
                    let open_bytes = open.bytes[workload][direction];
                    self.rows
                        .push(row_of(flow, (from, now), ios, meter, open_bytes));
                }
            }
        }
        Ok(())
    }
}

fn row_of(
    (phase, workload, is_read): (usize, Id<WorkloadState>, bool),
    (from, to): (Instant, Instant),
    ios: OpenIos,
    meter: &PhaseMeter,
    open_bytes: u64,
) -> PhaseRow {
    let response = &meter.response;
    let [p50, p95, p99, p99_9] = [0.5, 0.95, 0.99, 0.999].map(|share| response.quantile(share));
    PhaseRow {
        phase,
        workload,
        is_read,
        from,
        to,
        ios,
        bytes: meter.arrived(open_bytes),
        open_area: ios.area(),
        response_mean: response.mean(),
        response_at: [p50, p95, p99, p99_9, response.most()],
    }
}
