//! Latencies of one interval in few buckets; empty ones are not kept.

use sanlab_kernel::Span;

/// Parts of an octave: buckets are at most 1/16 of their value wide (3 % either way).
const SUB_BITS: u32 = 4;
const SUBS: u64 = 1 << SUB_BITS;
/// Enough for every 64-bit value.
const BUCKETS: usize = ((u64::BITS - SUB_BITS + 1) as usize) << SUB_BITS;

/// Collects the values of an interval.
#[derive(Clone, Debug)]
pub struct SpreadMeter {
    counts: Vec<u32>,
    /// Buckets that hold values, in the order of their first ones.
    touched: Vec<u16>,
}

impl Default for SpreadMeter {
    fn default() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            touched: Vec::new(),
        }
    }
}

impl SpreadMeter {
    /// Count a value.
    #[inline]
    pub fn record(&mut self, value: Span) {
        let bucket = bucket(value.as_ps());
        let count = &mut self.counts[usize::from(bucket)];
        if *count == 0 {
            self.touched.push(bucket);
        }
        *count += 1;
    }

    /// The interval ends: what it held; the next one begins.
    pub fn take(&mut self) -> Spread {
        self.touched.sort_unstable();
        let counts = &mut self.counts;
        let taken = self.touched.drain(..);
        let taken = taken.map(|bucket| (bucket, std::mem::take(&mut counts[usize::from(bucket)])));
        Spread(taken.collect())
    }
}

/// The values of an interval: buckets in order, each with its count. Two merge into that of both.
///
/// ```
/// use sanlab_kernel::Span;
/// let mut meter = sanlab_metrics::SpreadMeter::default();
/// let us = Span::from_ps(1_000_000);
/// (1..=1000).for_each(|times| meter.record(us * times));
/// let spread = meter.take();
/// assert!((us * 480..us * 520).contains(&spread.quantile(0.5, us * 1000)));
/// assert!(meter.take().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread(Vec<(u16, u32)>);

impl Spread {
    /// It holds no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value that this share of all values does not exceed: the middle of its bucket, and not more
    /// than the greatest, `most`. 0 without values.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share between 0 and 1 of a count"
    )]
    pub fn quantile(&self, share: f64, most: Span) -> Span {
        let count = self
            .0
            .iter()
            .map(|&(_, count)| u64::from(count))
            .sum::<u64>();
        let rank = ((share * count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for &(bucket, count) in &self.0 {
            seen += u64::from(count);
            if seen >= rank {
                return middle(bucket).min(most);
            }
        }
        Span::ZERO
    }

    /// Add the values of a later interval.
    pub fn merge(&mut self, later: &Self) {
        let mut merged = Vec::with_capacity(self.0.len().max(later.0.len()));
        let mut theirs = later.0.as_slice();
        for &(bucket, count) in &self.0 {
            let before = theirs.partition_point(|&(other, _)| other < bucket);
            merged.extend_from_slice(&theirs[..before]);
            theirs = &theirs[before..];
            let same = theirs.first().filter(|&&(other, _)| other == bucket);
            merged.push((bucket, count + same.map_or(0, |&(_, more)| more)));
            theirs = &theirs[usize::from(same.is_some())..];
        }
        merged.extend_from_slice(theirs);
        self.0 = merged;
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "there are fewer than 1000 buckets"
)]
fn bucket(value: u64) -> u16 {
    if value < SUBS {
        return value as u16;
    }
    let shift = u64::BITS - SUB_BITS - 1 - value.leading_zeros();
    (u64::from(shift + 1) * SUBS + (value >> shift) - SUBS) as u16
}

fn middle(bucket: u16) -> Span {
    let (octave, sub) = (u64::from(bucket) / SUBS, u64::from(bucket) % SUBS);
    let Some(shift) = octave.checked_sub(1) else {
        return Span::from_ps(sub);
    };
    let low = (SUBS + sub) << shift;
    Span::from_ps(low.midpoint(low.saturating_add((1 << shift) - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_near_the_middle_of_its_bucket() {
        for exponent in 0..64 {
            for value in [
                1u64 << exponent,
                (1 << exponent) | 1,
                (1 << exponent) / 2 * 3,
            ] {
                let middle = middle(bucket(value)).as_ps();
                assert!(
                    middle.abs_diff(value) <= value / 32 + 1,
                    "{value}: {middle}"
                );
                assert!(usize::from(bucket(value)) < BUCKETS);
            }
        }
    }

    #[test]
    fn parts_merge_into_the_whole() {
        let mut meters = [(); 3].map(|()| SpreadMeter::default());
        for value in 0..3_000u64 {
            let at = Span::from_ps(value * value * value);
            meters[0].record(at);
            meters[1 + usize::from(value % 3 == 0)].record(at);
        }
        let [whole, mut left, right] = meters.map(|mut meter| meter.take());
        left.merge(&right);
        assert_eq!(left, whole);
        assert_eq!(Spread::default().quantile(0.5, Span::ZERO), Span::ZERO);
    }
}
