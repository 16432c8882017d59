//! Observations become numbers: histograms, sums, series, tables, captures.

mod capture;
mod frames;
mod histogram;
mod io;
mod table;

pub use capture::{Capture, CaptureError, CapturePlace, CapturePort, Captured};
pub use frames::{FlowTotals, FrameLatencies};
pub use histogram::Histogram;
pub use io::{IoTotals, WorkloadMeter};
pub use table::{Column, Table};
