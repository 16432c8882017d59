//! Latencies kept whole: log-linear buckets.

use sanlab_kernel::Span;

/// A histogram with buckets whose width is at most 1/64 of their value (0.8 % either way), from one
/// picosecond to 213 days. Two histograms of parts merge into that of the whole.
///
/// ```
/// use sanlab_kernel::Span;
/// let mut histogram = sanlab_metrics::Histogram::default();
/// let us = Span::from_ps(1_000_000);
/// (1..=1000).for_each(|times| histogram.record(us * times));
/// let median = histogram.quantile(0.5);
/// assert!((us * 495..us * 505).contains(&median));
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
}

const SUB_BITS: u32 = 6;
const SUBS: u64 = 1 << SUB_BITS;

impl Default for Histogram {
    fn default() -> Self {
        let buckets = index(u64::from(u64::BITS - SUB_BITS + 1) * SUBS);
        Self {
            counts: vec![0; buckets],
            count: 0,
            sum: 0,
            least: u64::MAX,
            most: 0,
        }
    }
}

impl Histogram {
    /// Count a value.
    #[inline(always)]
    pub fn record(&mut self, value: Span) {
        let value = value.as_ps();
        self.counts[bucket(value)] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// Values counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Their mean; 0 without values.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64
        }
    }

    /// The least value; 0 without values.
    pub fn least(&self) -> Span {
        Span::from_ps(if self.count == 0 { 0 } else { self.least })
    }

    /// The greatest value.
    pub fn most(&self) -> Span {
        Span::from_ps(self.most)
    }

    /// The value that this share of all values does not exceed: the middle of its bucket, and never
    /// outside what was seen. 0 without values.
    pub fn quantile(&self, share: f64) -> Span {
        Span::from_ps(self.quantile_ps(share))
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share between 0 and 1 of a count"
    )]
    fn quantile_ps(&self, share: f64) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let rank = ((share * self.count as f64).ceil() as u64).clamp(1, self.count);
        let mut seen = 0;
        for (index, &count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let (low, high) = bounds(index);
                return low.midpoint(high - 1).clamp(self.least, self.most);
            }
        }
        self.most
    }

    /// Add another's values.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// Buckets that hold values: from, to (exclusive), count.
    pub fn buckets(&self) -> impl Iterator<Item = (Span, Span, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(index, &count)| {
                let (low, high) = bounds(index);
                (Span::from_ps(low), Span::from_ps(high), count)
            })
    }
}

#[inline]
fn bucket(value: u64) -> usize {
    if value < SUBS {
        return index(value);
    }
    let shift = u64::BITS - SUB_BITS - 1 - value.leading_zeros();
    index(u64::from(shift + 1) * SUBS + (value >> shift) - SUBS)
}

/// The index of a bucket; there are about 3800 buckets.
#[inline]
#[allow(
    clippy::cast_possible_truncation,
    reason = "in the path of every frame, and no machine has a narrower usize than 16 bits"
)]
fn index(bucket: u64) -> usize {
    bucket as usize
}

fn bounds(index: usize) -> (u64, u64) {
    let (octave, sub) = (index as u64 / SUBS, index as u64 % SUBS);
    if octave == 0 {
        return (sub, sub + 1);
    }
    let shift = octave - 1;
    let low = (SUBS + sub) << shift;
    (low, low.saturating_add(1 << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(histogram: &mut Histogram, ps: u64) {
        histogram.record(Span::from_ps(ps));
    }

    #[test]
    fn every_value_is_within_its_bucket() {
        for exponent in 0..63 {
            for value in [
                1u64 << exponent,
                (1 << exponent) + 1,
                (1 << exponent) * 3 / 2,
            ] {
                let (low, high) = bounds(bucket(value));
                assert!(low <= value && value < high, "{value} in {low}..{high}");
                assert!(high - low <= (low / 64).max(1));
            }
        }
    }

    #[test]
    fn parts_merge_into_the_whole() {
        let (mut whole, mut left, mut right) = (
            Histogram::default(),
            Histogram::default(),
            Histogram::default(),
        );
        for value in 0..10_000u64 {
            let value = value * value;
            record(&mut whole, value);
            if value % 3 == 0 {
                record(&mut left, value);
            } else {
                record(&mut right, value);
            }
        }
        left.merge(&right);
        assert_eq!(left.counts, whole.counts);
        assert_eq!(left.quantile(0.99), whole.quantile(0.99));
        assert_eq!((left.least(), left.most()), (whole.least(), whole.most()));
    }

    /// Within half a bucket of the value that sorting gives, at every rank.
    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut draws = sanlab_kernel::RandomStream::new(9, "quantiles");
        for count in [1u32, 2, 3, 99, 1000] {
            let mut histogram = Histogram::default();
            let mut values: Vec<_> = (0..count).map(|_| draws.exponential(1 << 40)).collect();
            for &value in &values {
                record(&mut histogram, value);
            }
            values.sort_unstable();
            for (rank, &value) in (1u32..).zip(&values) {
                let share = (f64::from(rank) - 0.5) / f64::from(count);
                let error = histogram.quantile(share).as_ps().abs_diff(value);
                assert!(error <= value / 128 + 1, "{rank} of {count}: {error}");
            }
            assert_eq!(histogram.quantile(0.0), histogram.quantile(1e-9));
            assert!(histogram.quantile(1.0) <= histogram.most());
        }
        let mut histogram = Histogram::default();
        histogram.record(Span::MAX);
        assert_eq!(histogram.quantile(0.5), Span::MAX);
    }
}
