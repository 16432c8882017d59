//! Numbers as columns have them.

use sanlab_kernel::{Instant, Span};

/// A share, 0 of nothing.
pub(super) fn ratio(part: Span, whole: Span) -> f64 {
    if whole.is_zero() {
        0.0
    } else {
        part.as_ps() as f64 / whole.as_ps() as f64
    }
}

/// Time of a run that ended now.
pub(super) fn run_time(now: Instant) -> Span {
    now - Instant::START
}

/// Something per second of this time, which is taken as one picosecond if it is zero.
pub(super) fn per_second(amount: u64, span: Span) -> f64 {
    amount as f64 / (span.as_ps().max(1) as f64 * 1e-12)
}

/// A time that was summed, cut to the range of the column.
pub(super) fn span_of(sum: u128) -> Span {
    Span::from_ps(whole_of(sum))
}

/// A sum, no more than a column holds.
pub(super) fn whole_of(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}
