//! LUNs, loops, strings, limits, pairs and file systems in each interval.

use sanlab_fabric::{LoopCounters, PairCounters, StringCounters};
use sanlab_storage::{LimitCounters, LunTotals};

use super::parts::{FileSystemReading, PartRow};
use super::readings::Readings;
use super::series::Series;

impl Series {
    /// Rows of the LUNs that commands came to.
    pub(crate) fn lun_rows(&self) -> Vec<PartRow<LunTotals>> {
        self.part_rows(&self.parts.luns, |latest| {
            latest.admitted + latest.refused > 0
        })
    }

    pub(crate) fn loop_rows(&self) -> Vec<PartRow<LoopCounters>> {
        self.part_rows(&self.parts.loops, |_| true)
    }

    pub(crate) fn string_rows(&self) -> Vec<PartRow<StringCounters>> {
        self.part_rows(&self.parts.strings, |_| true)
    }

    pub(crate) fn limit_rows(&self) -> Vec<PartRow<LimitCounters>> {
        self.part_rows(&self.parts.limits, |_| true)
    }

    /// Rows of the pairs that have sent something.
    pub(crate) fn pair_rows(&self) -> Vec<PartRow<PairCounters>> {
        self.part_rows(&self.parts.pairs, |latest| latest.frames > 0)
    }

    pub(crate) fn file_system_rows(&self) -> Vec<PartRow<FileSystemReading>> {
        self.part_rows(&self.parts.file_systems, |_| true)
    }

    /// Rows of the parts whose latest reading is wanted, interval after interval.
    fn part_rows<R: Copy + Default + PartialEq>(
        &self,
        readings: &Readings<R>,
        is_wanted: impl Fn(&R) -> bool,
    ) -> Vec<PartRow<R>> {
        let latest = readings.latest().iter().enumerate();
        let wanted: Vec<usize> = latest
            .filter(|(_, latest)| is_wanted(latest))
            .map(|(part, _)| part)
            .collect();
        let mut rows = Vec::with_capacity(wanted.len() * self.ends.len());
        readings.visit(|interval, before, after| {
            let (ends_at, span) = self.span_of(interval);
            rows.extend(wanted.iter().map(|&part| PartRow {
                part,
                ends_at,
                span,
                before: before[part],
                after: after[part],
            }));
        });
        rows
    }
}
