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

    /// The time of the next request.
    #[inline]
    pub fn draw(&mut self) -> Picoseconds {
        match &mut self.distribution {
            Distribution::Constant => self.mean,
            Distribution::Exponential(draws) => draws.exponential(self.mean),
        }
    }
}
