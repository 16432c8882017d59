//! Tables of traces: files of equal records beside the plan, which names each by its digest.
//!
//! A file begins with [`TRACE_MAGIC`]. Each record has 24 bytes, little endian: picoseconds since the first
//! request of the trace (8), first byte on the device (8), length in the lower 31 bits and a bit for a
//! read (4), requests that were open when it had come (4).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sanlab_host::{TraceIo, TraceSource};
use sanlab_kernel::Span;

use crate::outcome::RunError;
use crate::plan::{PatternPlan, Plan};

/// The first bytes of a table.
pub const TRACE_MAGIC: &[u8; 16] = b"sanlab trace 1\n\0";
const RECORD: usize = 24;
const READ_BIT: u32 = 1 << 31;

/// Write a table; the times of its requests do not fall.
///
/// # Errors
///
/// Those of writing.
pub fn write_trace_table(
    mut to: impl Write,
    requests: impl Iterator<Item = TraceIo>,
) -> io::Result<()> {
    to.write_all(TRACE_MAGIC)?;
    for io in requests {
        let bytes = io.bytes | if io.is_read { READ_BIT } else { 0 };
        to.write_all(&io.at.as_ps().to_le_bytes())?;
        to.write_all(&io.address.to_le_bytes())?;
        to.write_all(&bytes.to_le_bytes())?;
        to.write_all(&io.depth.to_le_bytes())?;
    }
    to.flush()
}

/// The tables of a plan's jobs.
#[derive(Default)]
pub(crate) struct TraceTables(Vec<Option<Arc<TraceTable>>>);

impl TraceTables {
    /// Find the tables of a plan in a folder.
    pub(crate) fn open(plan: &Plan, folder: Option<&Path>) -> Result<Self, RunError> {
        let tables = plan.jobs.iter().map(|job| -> Result<_, RunError> {
            let PatternPlan::Trace {
                digest,
                requests,
                length_ps,
                ..
            } = &job.pattern
            else {
                return Ok(None);
            };
            let failed = |reason: String| RunError::Trace {
                workload: plan.workloads[job.workload as usize].name.clone(),
                reason,
            };
            let folder = folder.ok_or_else(|| failed("no folder of tables is named".into()))?;
            let table = TraceTable {
                path: folder.join(format!("{digest}.trace")),
                requests: requests.get(),
                length: Span::from_ps(*length_ps),
                span_bytes: job.span_bytes,
                largest: job.block_bytes.get(),
            };
            table.check().map_err(failed)?;
            Ok(Some(Arc::new(table)))
        });
        tables.collect::<Result<_, _>>().map(Self)
    }

    /// The table of the job at this place of the plan, which replays one.
    pub(crate) fn of_job(&self, place: usize) -> Arc<dyn TraceSource> {
        let table = self.0[place].as_ref();
        Arc::<TraceTable>::clone(table.expect("a job that replays a trace has its table")) as _
    }
}

/// A table, opened only while a block is read: a run may have more of them than files may be open.
#[derive(Debug)]
struct TraceTable {
    path: PathBuf,
    requests: u64,
    length: Span,
    /// Size of the region that its addresses are in, and of its largest request.
    span_bytes: u64,
    largest: u64,
}

impl TraceTable {
    fn named(&self, reason: &dyn std::fmt::Display) -> String {
        format!("{}: {reason}", self.path.display())
    }

    fn check(&self) -> Result<(), String> {
        let failed = |error: io::Error| self.named(&error);
        let mut file = File::open(&self.path).map_err(failed)?;
        let mut magic = [0; TRACE_MAGIC.len()];
        file.read_exact(&mut magic).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let rest = bytes.saturating_sub(magic.len() as u64);
        if &magic != TRACE_MAGIC || Some(rest) != self.requests.checked_mul(RECORD as u64) {
            return Err(self.named(&"it is not the table of the plan"));
        }
        Ok(())
    }

    fn parse(&self, record: &[u8; RECORD]) -> Option<TraceIo> {
        let (at, rest) = record.split_first_chunk()?;
        let (address, rest) = rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let (depth, _) = rest.split_first_chunk()?;
        let word = u32::from_le_bytes(*bytes);
        let io = TraceIo {
            at: Span::from_ps(u64::from_le_bytes(*at)),
            address: u64::from_le_bytes(*address),
            bytes: word & !READ_BIT,
            depth: u32::from_le_bytes(*depth),
            is_read: word & READ_BIT != 0,
        };
        let bytes = u64::from(io.bytes);
        let end = io.address.checked_add(bytes)?;
        let is_inside = bytes > 0 && bytes <= self.largest && end <= self.span_bytes;
        (is_inside && io.at <= self.length).then_some(io)
    }
}

impl TraceSource for TraceTable {
    fn read(&self, first: u64, into: &mut Vec<TraceIo>) -> Result<(), String> {
        let failed = |error: io::Error| self.named(&error);
        let room = (into.capacity() - into.len()) as u64;
        let count = room.min(self.requests.saturating_sub(first));
        let mut file = File::open(&self.path).map_err(failed)?;
        let start = TRACE_MAGIC.len() as u64 + first * RECORD as u64;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut buffer = vec![0; usize::try_from(count).unwrap_or(0) * RECORD];
        file.read_exact(&mut buffer).map_err(failed)?;
        let mut before = Span::ZERO;
        for (number, record) in (first..).zip(buffer.as_chunks().0) {
            let io = self.parse(record).filter(|io| io.at >= before);
            let io = io.ok_or_else(|| self.named(&format!("request {number} is damaged")))?;
            before = io.at;
            into.push(io);
        }
        Ok(())
    }
}
