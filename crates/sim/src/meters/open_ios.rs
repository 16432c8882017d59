//! I/Os of one direction from their request to their end, and Little's law for them.

use sanlab_kernel::{Instant, Span};

/// Reads or writes of a workload: how many, and how many are open over time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenIos {
    /// Requests made.
    pub(crate) asked: u64,
    /// Requests done, warm-up included.
    pub(crate) done: u64,
    /// Requests that failed.
    pub(crate) failed: u64,
    /// Requests open, integrated over time, and the response times that must add up to it.
    pub(crate) open: u64,
    area: u128,
    changed_at: Instant,
    pub(crate) response_sum: u128,
}

impl OpenIos {
    /// A request is made.
    pub(super) fn begin(&mut self, now: Instant) {
        self.change_open(now, 1);
        self.asked += 1;
    }

    /// A request is done after this response time.
    pub(super) fn complete(&mut self, now: Instant, response: Span) {
        self.change_open(now, -1);
        self.response_sum += u128::from(response.as_ps());
        self.done += 1;
    }

    /// A request has failed after this time.
    pub(super) fn fail(&mut self, now: Instant, open_for: Span) {
        self.change_open(now, -1);
        self.response_sum += u128::from(open_for.as_ps());
        self.failed += 1;
    }

    /// So many requests more, or fewer, are open from now on.
    fn change_open(&mut self, now: Instant, change: i64) {
        self.area += u128::from(self.open) * u128::from((now - self.changed_at).as_ps());
        self.changed_at = now;
        self.open = self.open.wrapping_add_signed(change);
    }

    /// The same with the area up to now.
    pub(super) fn at(mut self, now: Instant) -> Self {
        self.change_open(now, 0);
        self
    }

    /// Every request made is done, has failed or is open.
    pub(crate) fn are_conserved(&self) -> bool {
        self.asked == self.done + self.failed + self.open
    }

    /// Little's law up to now: requests open, integrated over time, are the response times summed,
    /// those of open requests counted up to now. The error is the difference.
    pub(crate) fn little(self, now: Instant, open_for: u128) -> Result<(), i128> {
        equal(self.at(now).area, self.response_sum + open_for)
    }

    /// What was counted since an earlier reading; `open` stays what is open now.
    pub(super) fn since(mut self, before: &Self) -> Self {
        self.asked -= before.asked;
        self.done -= before.done;
        self.failed -= before.failed;
        self.area -= before.area;
        self.response_sum -= before.response_sum;
        self
    }

    /// Requests open, integrated over time.
    pub(super) fn area(&self) -> u128 {
        self.area
    }
}

/// Two sums that must be equal; the error is their difference.
pub(super) fn equal(left: u128, right: u128) -> Result<(), i128> {
    if left == right {
        Ok(())
    } else {
        Err(i128::try_from(left).unwrap_or(0) - i128::try_from(right).unwrap_or(0))
    }
}
