//! Observations become numbers: histograms, sums, series, tables, captures.

mod capture;
mod frames;
mod histogram;
mod io;
mod slowest;
mod spread;
mod table;

pub use capture::{
    Capture, CaptureError, CaptureLoops, CapturePlace, CapturePort, Captured, ExchangeKey,
};
pub use frames::{FlowTotals, FrameLatencies};
pub use histogram::Histogram;
pub use io::{IoTotals, WorkloadMeter};
pub use slowest::Slowest;
pub use spread::{Spread, SpreadMeter};
pub use table::{Column, Table};
