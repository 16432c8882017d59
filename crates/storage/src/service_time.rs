//! The time that a medium takes for a request, and how it varies.

use sanlab_kernel::{Picoseconds, RandomStream};

/// A service time with its distribution.
#[derive(Clone, Debug)]
pub struct ServiceTime {
    mean: Picoseconds,
    distribution: Distribution,
}

#[derive(Clone, Debug)]
enum Distribution {
    Constant,
    Exponential(RandomStream),
    Uniform {
        least: Picoseconds,
        width: Picoseconds,
        draws: RandomStream,
    },
}

impl ServiceTime {
    /// Always the mean.
    pub fn constant(mean: Picoseconds) -> Self {
        Self {
            mean,
            distribution: Distribution::Constant,
        }
    }

    /// Exponential times, drawn from a stream.
    pub fn exponential(mean: Picoseconds, draws: RandomStream) -> Self {
        Self {
            mean,
            distribution: Distribution::Exponential(draws),
        }
    }

    /// Uniform times between `mean - mean * spread` and `mean + mean * spread`, drawn from a stream;
    /// `spread_ppm` is at most a million. The variance is `(mean * spread)^2 / 3`.
    pub fn uniform(mean: Picoseconds, spread_ppm: u32, draws: RandomStream) -> Self {
        let half = u128::from(mean) * u128::from(spread_ppm) / 1_000_000;
        let half = u64::try_from(half).unwrap_or(mean).min(mean);
        Self {
            mean,
            distribution: Distribution::Uniform {
                least: mean - half,
                width: 2 * half,
                draws,
            },
        }
    }

    /// The time of the next request.
    #[inline]
    pub fn draw(&mut self) -> Picoseconds {
        match &mut self.distribution {
            Distribution::Constant => self.mean,
            Distribution::Exponential(draws) => draws.exponential(self.mean),
            Distribution::Uniform {
                least,
                width,
                draws,
            } => *least + draws.below(*width + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_times_have_the_mean_and_the_variance_of_the_closed_form() {
        let (mean, count) = (1_000_000, 100_000);
        let mut time = ServiceTime::uniform(mean, 300_000, RandomStream::new(1, "test"));
        let times: Vec<u64> = (0..count).map(|_| time.draw()).collect();
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
