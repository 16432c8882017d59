//! Time in picoseconds, and rates that turn bytes into it.

use std::fmt;
use std::iter::Sum;
use std::num::NonZeroU64;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub, SubAssign};

/// A point of simulated time: picoseconds since the start of the run. A `u64` of them lasts 213 days.
///
/// ```
/// use sanlab_kernel::{Instant, Span};
/// let sent_at = Instant::START + Span::from_ps(40);
/// assert_eq!(sent_at - Instant::START, Span::from_ps(40));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Instant(u64);

/// A length of simulated time, in picoseconds.
///
/// ```
/// use sanlab_kernel::Span;
/// let word = Span::from_ps(37_647);
/// assert_eq!(word * 6 / word, 6);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Span(u64);

impl Instant {
    /// The beginning of a run.
    pub const START: Self = Self(0);
    /// Later than everything: an alarm that is not set.
    pub const NEVER: Self = Self(u64::MAX);

    /// This many picoseconds after the start of the run.
    #[inline]
    pub const fn from_ps(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// Picoseconds since the start of the run.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Not [`Instant::NEVER`].
    #[inline]
    pub const fn is_set(self) -> bool {
        self.0 != u64::MAX
    }

    /// Time since an earlier instant; no time since a later one.
    #[inline]
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// This much later, at most [`Instant::NEVER`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// This much earlier, at the earliest the start of the run.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest one.
    pub const MAX: Self = Self(u64::MAX);

    /// This many picoseconds.
    #[inline]
    pub const fn from_ps(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// Picoseconds.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// No time at all.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// What is left when a part is taken away; nothing if the part is longer.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, part: Self) -> Self {
        Self(self.0.saturating_sub(part.0))
    }

    /// Both together, at most [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// This many times as long, at most [`Span::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }

    /// This part of a whole that lasts so long: `self * part / whole` without overflow in between, rounded
    /// down.
    #[inline]
    #[must_use]
    pub fn share(self, part: u64, whole: u64) -> Self {
        Self(share_of(self.0, part, whole))
    }

    /// The shortest number of steps that lasts at least this long.
    #[inline]
    pub const fn div_ceil(self, step: Self) -> u64 {
        self.0.div_ceil(step.0)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NEVER => f.write_str("never"),
            Self(picoseconds) => write!(f, "at {picoseconds} ps"),
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ps", self.0)
    }
}

impl Add<Span> for Instant {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Instant {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub<Span> for Instant {
    type Output = Self;
    #[inline]
    fn sub(self, span: Span) -> Self {
        Self(self.0 - span.0)
    }
}

impl SubAssign<Span> for Instant {
    #[inline]
    fn sub_assign(&mut self, span: Span) {
        self.0 -= span.0;
    }
}

impl Sub for Instant {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, part: Self) -> Self {
        Self(self.0 - part.0)
    }
}

impl SubAssign for Span {
    #[inline]
    fn sub_assign(&mut self, part: Self) {
        self.0 -= part.0;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Div<u64> for Span {
    type Output = Self;
    #[inline]
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

/// Whole steps that fit.
impl Div for Span {
    type Output = u64;
    #[inline]
    fn div(self, step: Self) -> u64 {
        self.0 / step.0
    }
}

/// What remains after the whole steps that fit.
impl Rem for Span {
    type Output = Self;
    #[inline]
    fn rem(self, step: Self) -> Self {
        Self(self.0 % step.0)
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl<'a> Sum<&'a Self> for Span {
    fn sum<I: Iterator<Item = &'a Self>>(spans: I) -> Self {
        spans.copied().sum()
    }
}

/// A data rate as the exact ratio of picoseconds to bytes.
///
/// ```
/// use sanlab_kernel::Rate;
/// // A full frame at 2GFC, 212.5 MB/s: 2148 / 212.5e6 s, rounded once.
/// assert_eq!(Rate::from_bytes_per_s(212_500_000).time_for(2148).as_ps(), 10_108_235);
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
    pub fn time_for(self, bytes: u64) -> Span {
        match bytes.checked_mul(self.picoseconds) {
            Some(product) => Span((product + self.bytes / 2) / self.bytes),
            None => self.time_for_many(bytes),
        }
    }

    /// The same where the product needs 128 bits: gigabytes at rates with large denominators.
    #[cold]
    fn time_for_many(self, bytes: u64) -> Span {
        let product = u128::from(bytes) * u128::from(self.picoseconds);
        let rounded = (product + u128::from(self.bytes / 2)) / u128::from(self.bytes);
        Span(u64::try_from(rounded).expect("a transfer of less than 213 days"))
    }
}

/// `amount * part / whole` without overflow in between, rounded down.
///
/// ```
/// assert_eq!(sanlab_kernel::share_of(u64::MAX, 1, 2), u64::MAX / 2);
/// ```
#[inline]
pub fn share_of(amount: u64, part: u64, whole: u64) -> u64 {
    match amount.checked_mul(part) {
        Some(product) => product / whole,
        None => share_of_much(amount, part, whole),
    }
}

/// The same where the product needs 128 bits, whose division takes several times as long.
#[cold]
fn share_of_much(amount: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(amount) * u128::from(part) / u128::from(whole);
    u64::try_from(share).expect("a share that fits the word of the whole")
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
            let sending = Rate::from_bytes_per_s(bytes_per_s).time_for(2172);
            assert_eq!(sending, Span::from_ps(expected));
        }
    }

    #[test]
    fn large_transfers_do_not_overflow() {
        let rate = Rate::from_bytes_per_s(25_000_001);
        let second = Span::from_ps(1_000_000_000_000);
        assert_eq!(rate.time_for(25_000_001_000), second * 1_000);
    }
}
