//! Time in picoseconds, and rates that turn bytes into it.

use std::num::NonZeroU64;

/// An instant or a span of simulated time. A `u64` of picoseconds lasts 213 days.
pub type Picoseconds = u64;

/// Later than everything: an alarm that is not set.
pub const NEVER: Picoseconds = u64::MAX;

/// A data rate as the exact ratio of picoseconds to bytes.
///
/// ```
/// use sanlab_kernel::Rate;
/// // A full frame at 2GFC, 212.5 MB/s: 2148 / 212.5e6 s, rounded once.
/// assert_eq!(Rate::from_bytes_per_s(212_500_000).time_for(2148), 10_108_235);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    picoseconds: u64,
    bytes: u64,
}

impl From<NonZeroU64> for Rate {
    /// A rate in bytes per second.
    fn from(bytes_per_s: NonZeroU64) -> Self {
        Self::from_bytes_per_s(bytes_per_s.get())
    }
}

impl Rate {
    /// A rate in bytes per second; must not be 0.
    pub fn from_bytes_per_s(bytes_per_s: u64) -> Self {
        assert!(
            bytes_per_s > 0,
            "a rate of 0 bytes per second sends nothing"
        );
        let second = 1_000_000_000_000;
        let divisor = gcd(second, bytes_per_s);
        Self {
            picoseconds: second / divisor,
            bytes: bytes_per_s / divisor,
        }
    }

    /// More bytes in the same time.
    #[inline]
    pub fn is_faster_than(self, other: Self) -> bool {
        u128::from(self.bytes) * u128::from(other.picoseconds)
            > u128::from(other.bytes) * u128::from(self.picoseconds)
    }

    /// Time for this many bytes, rounded to the nearest picosecond.
    #[inline]
    pub fn time_for(self, bytes: u64) -> Picoseconds {
        match bytes.checked_mul(self.picoseconds) {
            Some(product) => (product + self.bytes / 2) / self.bytes,
            None => self.time_for_many(bytes),
        }
    }

    /// The same where the product needs 128 bits: gigabytes at rates with large denominators.
    #[cold]
    fn time_for_many(self, bytes: u64) -> Picoseconds {
        let product = u128::from(bytes) * u128::from(self.picoseconds);
        u64::try_from((product + u128::from(self.bytes / 2)) / u128::from(self.bytes))
            .expect("a transfer of less than 213 days")
    }
}

/// `amount * part / whole` without overflow in between, rounded down.
///
/// ```
/// assert_eq!(sanlab_kernel::share_of(u64::MAX, 1, 2), u64::MAX / 2);
/// ```
#[inline]
pub fn share_of(amount: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(amount) * u128::from(part) / u128::from(whole);
    u64::try_from(product).expect("a share that fits the word of the whole")
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_times_of_every_generation_round_once() {
        for (bytes_per_s, expected) in [
            (106_250_000, 20_442_353), // 2172 bytes at 1GFC
            (1_700_000_000, 1_277_647),
            (6_800_000_000, 319_412),
        ] {
            assert_eq!(Rate::from_bytes_per_s(bytes_per_s).time_for(2172), expected);
        }
    }

    #[test]
    fn large_transfers_do_not_overflow() {
        let rate = Rate::from_bytes_per_s(25_000_001);
        assert_eq!(rate.time_for(25_000_001_000), 1_000 * 1_000_000_000_000);
    }
}
