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

    /// The time of the next request.
    #[inline]
    pub fn draw(&mut self) -> Span {
        match &mut self.distribution {
            Distribution::Constant => self.mean,
            Distribution::Exponential(draws) => draws.exponential_span(self.mean),
            Distribution::Uniform {
                least,
                width,
                draws,
            } => *least + Span::from_ps(draws.below(width.as_ps() + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let average = times.iter().sum::<u64>() as f64 / f64::from(count);
        let square = |time: &u64| (*time as f64 - average).powi(2);
        let variance = times.iter().map(square).sum::<f64>() / f64::from(count);
        let expected = (0.3 * mean as f64).powi(2) / 3.0;
        assert!((average / mean as f64 - 1.0).abs() < 0.002);
        assert!((variance / expected - 1.0).abs() < 0.02);
    }
}
