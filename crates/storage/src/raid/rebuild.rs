//! Reconstruction of a lost disk on a spare.

use sanlab_kernel::{Id, Instant, Span};

use crate::disk::Disk;

use super::mapping::Slot;

/// Points of the time line of a rebuild.
const POINTS: u64 = 100;
const PS_PER_S: u128 = 1_000_000_000_000;

/// Rows that are reconstructed at once, the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RebuildStep {
    /// First row.
    pub first: u64,
    /// Last row.
    pub last: u64,
}

/// The reconstruction of one disk, row by row.
///
/// A step reads the survivors, computes and writes the spare. Steps begin no faster than the rate
/// allows, and `steps_at_once` of them may be under way.
#[derive(Clone, Debug)]
pub struct Rebuild {
    /// Place of the lost disk.
    pub slot: Id<Slot>,
    /// Disk that takes its place.
    pub spare: Id<Disk>,
    /// Begins this long after the failure, or after the rebuild before it.
    pub delay: Span,
    rows: u64,
    unit: u64,
    rows_per_step: u64,
    bytes_per_s: u64,
    steps_at_once: u32,
    next_row: u64,
    rebuilt_rows: u64,
    /// Steps that were quicker than one before them.
    early: Vec<RebuildStep>,
    open: u32,
    /// Its time has come; it begins when no other is running.
    pub is_due: bool,
    /// The instant at which it has asked to be woken.
    pub wakes_at: Instant,
    /// Its first step began.
    pub began_at: Option<Instant>,
    /// Its last step ended.
    pub ended_at: Option<Instant>,
    /// Time line: instant and bytes rebuilt.
    pub points: Vec<(Instant, u64)>,
}

impl Rebuild {
    /// A rebuild of so many rows of units of so many bytes, that has not begun.
    pub fn new(slot: Id<Slot>, spare: Id<Disk>, (rows, unit): (u64, u64), delay: Span) -> Self {
        Self {
            slot,
            spare,
            delay,
            rows,
            unit,
            rows_per_step: 1,
            bytes_per_s: u64::MAX,
            steps_at_once: 1,
            next_row: 0,
            rebuilt_rows: 0,
            early: Vec::new(),
            open: 0,
            is_due: false,
            wakes_at: Instant::NEVER,
            began_at: None,
            ended_at: None,
            points: Vec::new(),
        }
    }

    /// At this many bytes per second at most, in steps of this many bytes, so many at once.
    #[must_use]
    pub fn paced(mut self, bytes_per_s: u64, step_bytes: u64, steps_at_once: u32) -> Self {
        self.bytes_per_s = bytes_per_s.max(1);
        self.rows_per_step = (step_bytes / self.unit).max(1);
        self.steps_at_once = steps_at_once.max(1);
        self
    }

    /// It has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.began_at.is_some() && self.ended_at.is_none()
    }

    /// Rows on the spare, from the first on.
    pub fn rebuilt_rows(&self) -> u64 {
        self.rebuilt_rows
    }

    /// Bytes on the spare.
    pub fn rebuilt_bytes(&self) -> u64 {
        self.rebuilt_rows * self.unit
    }

    /// Bytes to be rebuilt.
    pub fn bytes(&self) -> u64 {
        self.rows * self.unit
    }

    /// Bytes per second it keeps to; `None` if it is not limited.
    pub fn limit(&self) -> Option<u64> {
        (self.bytes_per_s < u64::MAX).then_some(self.bytes_per_s)
    }

    pub(super) fn begin(&mut self, now: Instant) {
        self.began_at = Some(now);
        self.points.push((now, 0));
    }

    /// When the rate allows the next step; [`Instant::NEVER`] without a step, or if enough are in progress.
    pub fn next_at(&self) -> Instant {
        match self.began_at {
            Some(began_at) if self.next_row < self.rows && self.open < self.steps_at_once => {
                let bytes = u128::from(self.next_row) * u128::from(self.unit);
                let since = (bytes * PS_PER_S).div_ceil(u128::from(self.bytes_per_s));
                began_at.saturating_add(u64::try_from(since).map_or(Span::MAX, Span::from_ps))
            }
            _ => Instant::NEVER,
        }
    }

    /// Take the next step.
    pub fn take_step(&mut self) -> RebuildStep {
        let first = self.next_row;
        self.next_row = (first + self.rows_per_step).min(self.rows);
        self.open += 1;
        RebuildStep {
            first,
            last: self.next_row - 1,
        }
    }

    pub(super) fn done(&mut self, now: Instant, step: RebuildStep) {
        let before = self.rebuilt_rows;
        self.open -= 1;
        self.early.push(step);
        while let Some(place) = self
            .early
            .iter()
            .position(|window| window.first == self.rebuilt_rows)
        {
            self.rebuilt_rows = self.early.swap_remove(place).last + 1;
        }
        let share = |rows: u64| u128::from(rows) * u128::from(POINTS) / u128::from(self.rows);
        if share(self.rebuilt_rows) > share(before) {
            self.points.push((now, self.rebuilt_bytes()));
        }
        if self.rebuilt_rows == self.rows {
            self.ended_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_keep_to_the_rate_and_to_their_number() {
        let at = Instant::from_ps;
        let mut rebuild = Rebuild::new(Id::new(1), Id::new(5), (10, 100), Span::ZERO);
        rebuild = rebuild.paced(1000, 300, 2);
        assert_eq!(rebuild.next_at(), Instant::NEVER);
        rebuild.begin(at(7));
        assert_eq!(rebuild.next_at(), at(7));
        let first = rebuild.take_step();
        assert_eq!(first, RebuildStep { first: 0, last: 2 });
        assert_eq!(rebuild.next_at(), at(7 + 300_000_000_000));
        let second = rebuild.take_step();
        assert_eq!(rebuild.next_at(), Instant::NEVER, "two are under way");
        rebuild.done(at(8), second);
        assert_eq!(rebuild.rebuilt_rows(), 0, "the first is not there yet");
        rebuild.done(at(9), first);
        assert_eq!((rebuild.rebuilt_rows(), rebuild.rebuilt_bytes()), (6, 600));
        for now in [10, 11].map(at) {
            let step = rebuild.take_step();
            rebuild.done(now, step);
        }
        assert_eq!(
            (rebuild.ended_at, rebuild.next_at()),
            (Some(at(11)), Instant::NEVER)
        );
        assert_eq!(rebuild.points.last(), Some(&(at(11), 1000)));
    }
}
