//! What has been counted at the task set of a LUN.

use sanlab_kernel::Instant;

/// Counts since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LunTotals {
    /// Commands admitted.
    pub admitted: u64,
    /// Commands that were answered TASK SET FULL, by the LUN or by its port.
    pub refused: u64,
    /// Reads answered with status GOOD.
    pub reads: u64,
    /// The same for writes.
    pub writes: u64,
    /// Bytes of the reads.
    pub read_bytes: u64,
    /// Bytes of the writes.
    pub write_bytes: u64,
    /// Commands present, integrated over picoseconds: the time they spent in the task set, summed.
    pub area: u128,
}

impl LunTotals {
    /// What was counted since an earlier reading.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            admitted: self.admitted - before.admitted,
            refused: self.refused - before.refused,
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
            read_bytes: self.read_bytes - before.read_bytes,
            write_bytes: self.write_bytes - before.write_bytes,
            area: self.area.saturating_sub(before.area),
        }
    }
}

/// A command that has been answered with status GOOD.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// It reads.
    pub is_read: bool,
    /// Its bytes.
    pub bytes: u64,
}

/// Counts while commands come and go, in any order of their times.
#[derive(Clone, Copy, Debug, Default)]
pub struct LunMeter {
    totals: LunTotals,
    /// Times at which commands went less times at which they came, in picoseconds.
    balance: i128,
}

impl LunMeter {
    /// A command is refused.
    pub(crate) fn refuse(&mut self) {
        self.totals.refused += 1;
    }

    /// A command comes.
    pub(crate) fn admit(&mut self, now: Instant) {
        self.balance -= i128::from(now.as_ps());
        self.totals.admitted += 1;
    }

    /// A command goes; without an answer where a fault took it.
    pub(crate) fn release(&mut self, now: Instant, answered: Option<Answered>) {
        self.balance += i128::from(now.as_ps());
        let totals = &mut self.totals;
        match answered {
            Some(command) if command.is_read => {
                totals.reads += 1;
                totals.read_bytes += command.bytes;
            }
            Some(command) => {
                totals.writes += 1;
                totals.write_bytes += command.bytes;
            }
            None => {}
        }
    }

    /// Totals up to now, with so many commands open.
    pub(crate) fn totals(&self, now: Instant, open: u32) -> LunTotals {
        let spent = self.balance + i128::from(open) * i128::from(now.as_ps());
        LunTotals {
            area: u128::try_from(spent).unwrap_or(0),
            ..self.totals
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_the_task_set_is_that_of_all_commands() {
        let at = Instant::from_ps;
        let mut meter = LunMeter::default();
        meter.admit(at(100));
        meter.admit(at(150));
        meter.release(
            at(300),
            Some(Answered {
                is_read: true,
                bytes: 512,
            }),
        );
        assert_eq!(meter.totals(at(400), 1).area, (300 - 100) + (400 - 150));
        meter.release(at(500), None);
        let totals = meter.totals(at(900), 0);
        assert_eq!(totals.area, (300 - 100) + (500 - 150));
        assert_eq!(
            (totals.admitted, totals.reads, totals.read_bytes),
            (2, 1, 512)
        );
    }
}
