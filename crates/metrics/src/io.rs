//! What was seen of I/Os.

use sanlab_kernel::{Instant, STAGE_COUNT, Span, Stage, Timeline};

use crate::{Histogram, SpreadMeter};

/// Counts of I/Os in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoTotals {
    /// I/Os done.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their response times, summed.
    pub response_sum: u128,
    /// The greatest of them.
    pub response_most: Span,
    /// I/Os that failed; they count nowhere else.
    pub errors: u64,
    /// I/Os that are done, and were sent again on the way.
    pub retried: u64,
    /// I/Os that are done, and had to wait for a fault to pass.
    pub delayed: u64,
}

impl IoTotals {
    /// An I/O is done.
    pub fn add(&mut self, bytes: u64, response: Span) {
        self.count += 1;
        self.bytes += bytes;
        self.response_sum += u128::from(response.as_ps());
        self.response_most = self.response_most.max(response);
    }

    /// Mean response time; 0 without I/Os.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.response_sum as f64 / self.count as f64
        }
    }
}

/// Reads or writes of one workload.
#[derive(Clone, Debug, Default)]
pub struct WorkloadMeter {
    /// Counts, warm-up left out.
    pub totals: IoTotals,
    /// Response times, warm-up left out.
    pub response: Histogram,
    /// Time of each stage, summed.
    pub stages: [u128; STAGE_COUNT],
    /// Counts of the present interval, warm-up included.
    pub interval: IoTotals,
    /// Time of each stage in it, summed.
    pub interval_stages: [Span; STAGE_COUNT],
    /// Response times in it, where intervals are kept.
    pub interval_spread: Option<SpreadMeter>,
    /// Commands of I/Os that ended, warm-up left out: an I/O in pieces has several.
    pub commands: u64,
}

impl WorkloadMeter {
    /// An I/O has ended that took so many commands; they count unless it belongs to the warm-up.
    pub fn count_commands(&mut self, commands: u32, is_counted: bool) {
        self.commands += if is_counted { u64::from(commands) } else { 0 };
    }

    /// An I/O has failed; it counts unless it belongs to the warm-up.
    pub fn fail(&mut self, is_counted: bool) {
        self.interval.errors += 1;
        self.totals.errors += u64::from(is_counted);
    }

    /// An I/O is done: did a fault concern it?
    #[inline]
    pub fn note_trouble(&mut self, is_retried: bool, timeline: &Timeline, is_counted: bool) {
        let is_delayed = timeline.stages()[Stage::Recovery as usize] > Span::ZERO;
        if !(is_retried || is_delayed) {
            return;
        }
        let counted = is_counted.then_some(&mut self.totals);
        for totals in [Some(&mut self.interval), counted].into_iter().flatten() {
            totals.retried += u64::from(is_retried);
            totals.delayed += u64::from(is_delayed);
        }
    }

    /// An I/O is done now; it counts unless it belongs to the warm-up. The error is what its stages
    /// miss of its response time.
    pub fn record(
        &mut self,
        now: Instant,
        bytes: u64,
        timeline: &Timeline,
        is_counted: bool,
    ) -> Result<(), Span> {
        let response = now - timeline.began_at;
        let told: Span = timeline.told().map(|(_, span)| span).sum();
        if told != response {
            return Err(response.max(told) - response.min(told));
        }
        self.interval.add(bytes, response);
        if let Some(spread) = &mut self.interval_spread {
            spread.record(response);
        }
        for (stage, span) in timeline.told() {
            self.interval_stages[stage] += span;
            if is_counted {
                self.stages[stage] += u128::from(span.as_ps());
            }
        }
        if is_counted {
            self.totals.add(bytes, response);
            self.response.record(response);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sanlab_kernel::Stage;

    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn stages_that_do_not_sum_to_the_response_time_are_refused() {
        let mut meter = WorkloadMeter::default();
        let mut timeline = Timeline::begin(at(100));
        timeline.until(at(250), Stage::Media);
        assert_eq!(
            meter.record(at(300), 4096, &timeline, true),
            Err(Span::from_ps(50))
        );
        assert_eq!(meter.totals, IoTotals::default());
        timeline.until(at(300), Stage::Wire);
        assert_eq!(meter.record(at(300), 4096, &timeline, true), Ok(()));
        assert_eq!(meter.totals.response_sum, 200);
    }

    #[test]
    fn the_warm_up_is_in_the_interval_alone() {
        let mut meter = WorkloadMeter::default();
        assert_eq!(
            meter.record(at(100), 512, &Timeline::begin(at(100)), false),
            Ok(())
        );
        assert_eq!((meter.interval.count, meter.totals.count), (1, 0));
    }
}
