//! Numbers as columns have them.

/// A share, 0 of nothing.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// A sum, no more than a column holds.
pub(super) fn whole_of(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}
