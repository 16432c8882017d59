//! The time that a medium takes for a request, and how it varies.

use sanlab_kernel::{RandomStream, Span};

/// A service time with its distribution.
#[derive(Clone, Debug)]
pub struct ServiceTime {
    mean: Span,
    distribution: Distribution,
}

#[derive(Clone, Debug)]
enum Distribution {
    Constant,
    Exponential(RandomStream),
    /// A constant part, and an exponential one with this mean.
    Shifted {
        least: Span,
        beyond: Span,
        draws: RandomStream,
    },
    Uniform {
        least: Span,
        width: Span,
        draws: RandomStream,
    },
}

impl ServiceTime {
    /// Always the mean.
    pub fn constant(mean: Span) -> Self {
        Self {
            mean,
            distribution: Distribution::Constant,
        }
    }

    /// Exponential times, drawn from a stream.
    pub fn exponential(mean: Span, draws: RandomStream) -> Self {
        Self {
            mean,
            distribution: Distribution::Exponential(draws),
        }
    }

    /// Uniform times between `mean - mean * spread` and `mean + mean * spread`, drawn from a stream;
    /// `spread_ppm` is at most a million. The variance is `(mean * spread)^2 / 3`.
    pub fn uniform(mean: Span, spread_ppm: u32, draws: RandomStream) -> Self {
        let half = mean.share(u64::from(spread_ppm.min(1_000_000)), 1_000_000);
        Self {
            mean,
            distribution: Distribution::Uniform {
                least: mean - half,
                width: half * 2,
                draws,
            },
        }
    }

    /// Times whose standard deviation is this share of their mean: a constant part and an exponential
    /// one, `mean * (1 - v)` and `mean * v`. 0 is constant, a million exponential.
    pub fn varying(mean: Span, variation_ppm: u32, draws: RandomStream) -> Self {
        let beyond = mean.share(u64::from(variation_ppm.min(1_000_000)), 1_000_000);
        if beyond.is_zero() {
            return Self::constant(mean);
        }
        Self {
            mean,
            distribution: Distribution::Shifted {
                least: mean - beyond,
                beyond,
                draws,
            },
        }
    }

    /// The time of the next request.
    #[inline]
    pub fn draw(&mut self) -> Span {
        match &mut self.distribution {
            Distribution::Constant => self.mean,
            Distribution::Exponential(draws) => draws.exponential_span(self.mean),
            Distribution::Shifted {
                least,
                beyond,
                draws,
            } => *least + draws.exponential_span(*beyond),
            Distribution::Uniform {
                least,
                width,
                draws,
            } => *least + Span::from_ps(draws.below(width.as_ps() + 1)),
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]
mod tests {
    use super::*;

    fn moments(times: &[u64]) -> (f64, f64) {
        let count = times.len() as f64;
        let average = times.iter().sum::<u64>() as f64 / count;
        let square = |time: &u64| (*time as f64 - average).powi(2);
        (average, times.iter().map(square).sum::<f64>() / count)
    }

    /// Mean and deviation as stated, and of `n` times one in `p` lies above
    /// `mean * (1 + v * (ln p - 1))`.
    #[test]
    fn varying_times_have_the_mean_the_deviation_and_the_tail_of_the_closed_form() {
        let (mean, share, count) = (1_000_000, 0.18, 200_000);
        let draws = RandomStream::new(1, "test");
        let mut time = ServiceTime::varying(Span::from_ps(mean), 180_000, draws);
        let mut times: Vec<u64> = (0..count).map(|_| time.draw().as_ps()).collect();
        let (average, variance) = moments(&times);
        assert!((average / mean as f64 - 1.0).abs() < 0.002);
        assert!((variance.sqrt() / (share * mean as f64) - 1.0).abs() < 0.02);
        times.sort_unstable();
        for rarity in [2.0, 100.0, 1000.0_f64] {
            let above = times.iter().rev().nth((f64::from(count) / rarity) as usize);
            let expected = mean as f64 * (1.0 + share * (rarity.ln() - 1.0));
            let got = *above.expect("many times") as f64;
            assert!((got / expected - 1.0).abs() < 0.03, "1 of {rarity}: {got}");
        }
        assert_eq!(times[0] / 1000, 820, "the constant part");
        let draws = RandomStream::new(1, "test");
        let mut constant = ServiceTime::varying(Span::from_ps(mean), 0, draws);
        assert_eq!(constant.draw(), Span::from_ps(mean));
    }

    #[test]
    fn uniform_times_have_the_mean_and_the_variance_of_the_closed_form() {
        let (mean, count) = (1_000_000, 100_000);
        let draws = RandomStream::new(1, "test");
        let mut time = ServiceTime::uniform(Span::from_ps(mean), 300_000, draws);
        let times: Vec<u64> = (0..count).map(|_| time.draw().as_ps()).collect();
        assert!(
            times
                .iter()
                .all(|time| (700_000..=1_300_000).contains(time))
        );
        let (average, variance) = moments(&times);
        let expected = (0.3 * mean as f64).powi(2) / 3.0;
        assert!((average / mean as f64 - 1.0).abs() < 0.002);
        assert!((variance / expected - 1.0).abs() < 0.02);
    }
}
