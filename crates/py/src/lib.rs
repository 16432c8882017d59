//! The border to Python: a plan comes in as JSON, tables go out as columns. Nothing is computed here.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView};
use sanlab_kernel::{Id, Instant};
use sanlab_metrics::{Column, ExchangeKey, Table};
use sanlab_sim::drive::TraceLine;
use sanlab_sim::drive_load::RandomReads;
use sanlab_sim::plan::DrivePlan;
use sanlab_sim::{CaptureRequest, IoName, NO_HOLD, Outcome, RunOptions};

create_exception!(
    _native,
    PlanError,
    PyException,
    "The plan does not hold together."
);
create_exception!(
    _native,
    RunError,
    PyException,
    "A law does not hold, or a run could not go on."
);

/// How a run goes: read it, hold the run and stop it from another thread.
#[pyclass(frozen)]
#[derive(Default)]
struct Control(Arc<sanlab_sim::Control>);

#[pymethods]
impl Control {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Simulated time reached, in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.0.now_ps.load(Ordering::Relaxed)
    }

    /// Events handled so far.
    #[getter]
    fn events(&self) -> u64 {
        self.0.events.load(Ordering::Relaxed)
    }

    /// Stop the run; the results so far are returned, marked incomplete.
    fn stop(&self) {
        self.0.stop();
    }

    /// Where the run waits, in picoseconds; none if it does not.
    #[getter]
    fn hold_at_ps(&self) -> Option<u64> {
        let at_ps = self.0.hold_at_ps.load(Ordering::Relaxed);
        (at_ps != NO_HOLD).then_some(at_ps)
    }

    /// Do nothing that is due later, until this is called again; without a time, go on.
    #[pyo3(signature = (at_ps = None))]
    fn hold(&self, at_ps: Option<u64>) {
        self.0.hold(at_ps.unwrap_or(NO_HOLD));
    }

    /// What the run has counted up to now; none if it is over or does not answer in time.
    #[pyo3(signature = (patience_s = 1.0))]
    fn snapshot(&self, py: Python<'_>, patience_s: f64) -> PyResult<Option<Snapshot>> {
        let patience = Duration::try_from_secs_f64(patience_s)
            .map_err(|error| PyValueError::new_err(format!("patience_s: {error}")))?;
        let answer = py.detach(|| self.0.snapshot(patience));
        Ok(answer.map(Snapshot))
    }
}

/// What a run had counted at an instant since its start.
#[pyclass(frozen)]
struct Snapshot(Arc<sanlab_sim::Snapshot>);

#[pymethods]
impl Snapshot {
    /// Simulated time, in picoseconds.
    #[getter]
    fn at_ps(&self) -> u64 {
        self.0.at_ps
    }

    /// Events handled so far.
    #[getter]
    fn events(&self) -> u64 {
        self.0.events
    }

    /// Names of the transmitters.
    #[getter]
    fn ports(&self) -> Vec<String> {
        self.0.names.ports.clone()
    }

    /// Names of the workloads.
    #[getter]
    fn workloads(&self) -> Vec<String> {
        self.0.names.workloads.clone()
    }

    /// Bytes sent by each transmitter, as in the table `ports`.
    #[getter]
    fn tx_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.0.tx_bytes)
    }

    /// Payload among them.
    #[getter]
    fn tx_payload_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.0.tx_payload_bytes)
    }

    /// Time with a frame to send and no BB credit.
    #[getter]
    fn tx_credit_wait_ps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.0.tx_credit_wait_ps)
    }

    /// I/Os of each workload that are done.
    #[getter]
    fn io_count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.0.ios)
    }

    /// Their bytes.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.0.bytes)
    }
}

/// Simulate a plan. The interpreter is free meanwhile.
#[pyfunction]
#[pyo3(signature = (plan_json, control = None, *, capture = None, capture_path = None, capture_limit = u64::MAX, capture_only = None, ladder = None, reference = false, traces = None))]
#[allow(
    clippy::too_many_arguments,
    reason = "they are the keywords of one Python function"
)]
fn run(
    py: Python<'_>,
    plan_json: &str,
    control: Option<&Control>,
    capture: Option<Vec<(u32, u32)>>,
    capture_path: Option<PathBuf>,
    capture_limit: u64,
    capture_only: Option<Vec<(u32, u16, u64)>>,
    ladder: Option<(u32, u64)>,
    reference: bool,
    traces: Option<PathBuf>,
) -> PyResult<Py<PyDict>> {
    let capture = match (capture, capture_path) {
        (Some(ends), Some(path)) => Some(CaptureRequest {
            ends,
            path,
            limit: capture_limit,
            only: capture_only.map(|only| only.into_iter().map(exchange_key).collect()),
        }),
        _ => None,
    };
    let options = RunOptions {
        every_event: reference,
        capture,
        ladder: ladder.map(|(job, number)| IoName { job, number }),
        traces,
    };
    let shared = control
        .map(|control| Arc::clone(&control.0))
        .unwrap_or_default();
    let outcome = py
        .detach(|| sanlab_sim::run_json(plan_json, &options, &shared))
        .map_err(raise)?;
    to_python(py, &outcome)
}

fn exchange_key((initiator, ox_id, opened_ps): (u32, u16, u64)) -> ExchangeKey {
    ExchangeKey {
        initiator: Id::new(initiator),
        ox_id,
        opened_at: Instant::from_ps(opened_ps),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn refused(error: sanlab_sim::PlanError) -> PyErr {
    PlanError::new_err(error.to_string())
}

fn drive_of(plan_json: &str) -> PyResult<DrivePlan> {
    sanlab_sim::plan::from_json(plan_json).map_err(refused)
}

/// Blocks of a drive.
#[pyfunction]
fn drive_blocks(plan_json: &str) -> PyResult<u64> {
    let plan = drive_of(plan_json)?;
    let model = sanlab_sim::drive::drive_model(&plan, "drive");
    let model = model.map_err(|error| PlanError::new_err(error.to_string()))?;
    Ok(model.geometry.blocks())
}

/// Replay a trace on a drive, one command at a time; times are picoseconds, in the order of the trace.
#[pyfunction]
fn replay(
    py: Python<'_>,
    plan_json: &str,
    is_read: Vec<bool>,
    blocks: Vec<(u64, u64)>,
    wait_ps: Vec<u64>,
) -> PyResult<Py<PyDict>> {
    let plan = drive_of(plan_json)?;
    let lines: Vec<TraceLine> = is_read
        .into_iter()
        .zip(blocks)
        .zip(wait_ps)
        .map(|((is_read, (block, blocks)), wait_ps)| TraceLine {
            block,
            blocks,
            is_read,
            wait_ps,
        })
        .collect();
    let found = py
        .detach(|| sanlab_sim::drive::replay(&plan, &lines))
        .map_err(|error| PlanError::new_err(error.to_string()))?;
    let result = PyDict::new(py);
    result.set_item("response_ps", whole(py, &found.response_ps)?)?;
    result.set_item("queue_ps", whole(py, &found.queue_ps)?)?;
    result.set_item("seek_ps", whole(py, &found.seek_ps)?)?;
    result.set_item("rotation_ps", whole(py, &found.rotation_ps)?)?;
    result.set_item("transfer_ps", whole(py, &found.transfer_ps)?)?;
    result.set_item("is_hit", found.is_hit)?;
    Ok(result.unbind())
}

/// Random reads on a drive, `depth` of them outstanding; times are picoseconds, in the order of completion.
#[pyfunction]
fn drive_load(
    py: Python<'_>,
    plan_json: &str,
    blocks: u64,
    depth: u32,
    count: u64,
    seed: u64,
) -> PyResult<Py<PyDict>> {
    let plan = drive_of(plan_json)?;
    let load = RandomReads {
        blocks,
        depth,
        count,
        seed,
    };
    let found = py
        .detach(|| sanlab_sim::drive_load::serve(&plan, load))
        .map_err(|error| PlanError::new_err(error.to_string()))?;
    let result = PyDict::new(py);
    result.set_item("ended_ps", whole(py, &found.ended_ps)?)?;
    result.set_item("queue_ps", whole(py, &found.queue_ps)?)?;
    result.set_item("seek_ps", whole(py, &found.seek_ps)?)?;
    result.set_item("rotation_ps", whole(py, &found.rotation_ps)?)?;
    result.set_item("transfer_ps", whole(py, &found.transfer_ps)?)?;
    Ok(result.unbind())
}

fn raise(error: sanlab_sim::RunError) -> PyErr {
    match error {
        sanlab_sim::RunError::Plan(reason) => PlanError::new_err(reason.to_string()),
        other => RunError::new_err(other.to_string()),
    }
}

fn to_python(py: Python<'_>, outcome: &Outcome) -> PyResult<Py<PyDict>> {
    let result = PyDict::new(py);
    let summary = serde_json::to_string(&outcome.summary)
        .map_err(|error| RunError::new_err(error.to_string()))?;
    let summary = py.import("json")?.call_method1("loads", (summary,))?;
    result.set_item("summary", summary)?;
    let tables = PyDict::new(py);
    for table in &outcome.tables {
        tables.set_item(table.name, table_to_python(py, table)?)?;
    }
    result.set_item("tables", tables)?;
    if !outcome.ladder.is_empty() {
        let ladder = PyDict::new(py);
        for table in &outcome.ladder {
            ladder.set_item(table.name, table_to_python(py, table)?)?;
        }
        result.set_item("ladder", ladder)?;
    }
    if let Some(captured) = outcome.captured {
        let capture = PyDict::new(py);
        capture.set_item("frames_count", captured.frames)?;
        capture.set_item("exchanges_count", captured.exchanges)?;
        capture.set_item("is_cut", captured.is_cut)?;
        result.set_item("capture", capture)?;
    }
    Ok(result.unbind())
}

/// Numbers as typed views of memory, text as lists of strings.
fn table_to_python<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in &table.columns {
        match column {
            Column::Whole(values) => columns.set_item(name, whole(py, values)?)?,
            Column::Real(values) => {
                let bytes = values.iter().map(|value| value.to_ne_bytes());
                columns.set_item(name, view(py, "d", bytes)?)?;
            }
            Column::Text(values) => columns.set_item(name, values)?,
        }
    }
    Ok(columns)
}

/// Whole numbers as a view that Python, numpy and Arrow read without another copy.
fn whole<'py>(py: Python<'py>, values: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    view(py, "Q", values.iter().map(|value| value.to_ne_bytes()))
}

/// A one-dimensional `memoryview` of numbers; the format is that of Python's `struct`.
fn view<'py>(
    py: Python<'py>,
    format: &str,
    numbers: impl ExactSizeIterator<Item = [u8; 8]>,
) -> PyResult<Bound<'py, PyAny>> {
    let memory = PyBytes::new_with(py, 8 * numbers.len(), |bytes| {
        for (place, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
            *place = number;
        }
        Ok(())
    })?;
    PyMemoryView::from(memory.as_any())?.call_method1("cast", (format,))
}

/// The compiled part of sanlab.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Control, PlanError, RunError, Snapshot, drive_blocks, drive_load, replay, run};
}
