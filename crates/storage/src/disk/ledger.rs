//! What a disk has seen, and the law it must obey.

use sanlab_kernel::{Instant, StationTotals};

/// Totals of a disk. Commands may overtake, so that their ends are not known when they come.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    totals: StationTotals,
    present: u64,
    /// Times of arrival of those present, summed.
    came: u128,
    is_writing_behind: bool,
    changed_at: Instant,
}

impl Ledger {
    /// A command came.
    pub fn arrive(&mut self, now: Instant) {
        self.advance(now);
        self.present += 1;
        self.came += u128::from(now.as_ps());
        self.totals.arrivals += 1;
        self.totals.most = self.totals.most.max(self.present);
    }

    /// A command that came then is answered.
    pub fn leave(&mut self, now: Instant, came_at: Instant) {
        self.advance(now);
        self.present -= 1;
        self.came -= u128::from(came_at.as_ps());
        self.totals.departures += 1;
        self.totals.residence += u128::from((now - came_at).as_ps());
    }

    /// The arm begins or ends to write what has been answered before.
    pub fn write_behind(&mut self, now: Instant, is_writing: bool) {
        self.advance(now);
        self.is_writing_behind = is_writing;
    }

    /// Commands present.
    pub fn present(&self) -> u64 {
        self.present
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        self.advance(now);
        self.totals
    }

    /// Little's law, exactly: the number present integrated over time is the sum of the residence
    /// times, of those present so far. The error is what is missing.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        self.advance(now);
        let present = u128::from(self.present) * u128::from(now.as_ps()) - self.came;
        let residence = self.totals.residence + present;
        let conserved = self.totals.arrivals == self.totals.departures + self.present;
        match residence.cast_signed() - self.totals.area.cast_signed() {
            0 if conserved => Ok(()),
            missing => Err(missing),
        }
    }

    fn advance(&mut self, now: Instant) {
        let span = u128::from((now - self.changed_at).as_ps());
        self.totals.area += u128::from(self.present) * span;
        if self.present > 0 || self.is_writing_behind {
            self.totals.busy += span;
        }
        self.changed_at = now;
    }
}
