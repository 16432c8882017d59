//! Chance, one stream per component.

use crate::Span;

/// A stream of random numbers that belongs to one component by name, so that a component added to
/// a scenario does not change the draws of others.
///
/// The generator is xoshiro256++ (Blackman and Vigna, 2019), seeded by SplitMix64. Logarithms and
/// powers come from a library in Rust, not the system's, so that every machine draws the same.
#[derive(Clone, Debug)]
pub struct RandomStream {
    state: [u64; 4],
}

impl RandomStream {
    /// The stream of this name under this seed.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut mixed = seed ^ 0x9e37_79b9_7f4a_7c15;
        for byte in name.bytes() {
            mixed = split_mix(&mut (mixed ^ u64::from(byte)));
        }
        let state = std::array::from_fn(|_| split_mix(&mut mixed));
        Self { state }
    }

    /// Reads its state, so that it is in the caches by the next draw.
    #[inline]
    pub fn read_ahead(&self) -> u64 {
        self.state[0] ^ self.state[3]
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A whole number in `0..limit`, each alike (Lemire's multiplication; its bias is below
    /// `limit / 2^64`). `limit` must not be 0.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "below a limit of 64 bits")]
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    /// A number in `[0, 1)` of 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with this many chances in a million.
    #[inline]
    pub fn chance_ppm(&mut self, ppm: u32) -> bool {
        ppm > 0 && (ppm >= 1_000_000 || self.below(1_000_000) < u64::from(ppm))
    }

    /// An exponential time with this mean.
    pub fn exponential_span(&mut self, mean: Span) -> Span {
        Span::from_ps(self.exponential(mean.as_ps()))
    }

    /// An exponential number with this mean, rounded.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number, far below 2^63"
    )]
    pub fn exponential(&mut self, mean: u64) -> u64 {
        (-libm::log(1.0 - self.unit()) * mean as f64 + 0.5) as u64
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Draws ranks `0..n` with probability proportional to `1 / (rank + 1)^theta`.
///
/// Rejection-inversion (Hörmann and Derflinger, 1996): no table, constant memory for any `n`.
#[derive(Clone, Debug)]
pub struct Zipf {
    n: f64,
    theta: f64,
    h_first: f64,
    h_last: f64,
    shortcut: f64,
}

impl Zipf {
    /// Over `n` ranks, with an exponent above 0.
    pub fn new(n: u64, theta: f64) -> Self {
        let mut zipf = Self {
            n: n as f64,
            theta,
            h_first: 0.0,
            h_last: 0.0,
            shortcut: 0.0,
        };
        zipf.h_first = zipf.integral(1.5) - 1.0;
        zipf.h_last = zipf.integral(zipf.n + 0.5);
        zipf.shortcut = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// One rank.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and n, and n was a u64"
    )]
    pub fn draw(&self, draws: &mut RandomStream) -> u64 {
        loop {
            let u = self.h_last + draws.unit() * (self.h_first - self.h_last);
            let x = self.inverse(u);
            let rank = libm::floor(x + 0.5).clamp(1.0, self.n);
            if rank - x <= self.shortcut || u >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64 - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        libm::exp(-self.theta * libm::log(x))
    }

    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        log * expm1_over((1.0 - self.theta) * log)
    }

    fn inverse(&self, x: f64) -> f64 {
        let t = (x * (1.0 - self.theta)).max(-1.0);
        libm::exp(x * log1p_over(t))
    }
}

/// `(e^x - 1) / x`, also near 0.
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        libm::expm1(x) / x
    } else {
        1.0 + x / 2.0
    }
}

/// `ln(1 + x) / x`, also near 0.
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        libm::log1p(x) / x
    } else {
        1.0 - x / 2.0
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests {
    use super::*;

    #[test]
    fn streams_of_other_names_differ_and_repeat() {
        let draw = |name| RandomStream::new(7, name).next_u64();
        assert_eq!(draw("host1"), draw("host1"));
        assert_ne!(draw("host1"), draw("host2"));
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut draws = RandomStream::new(3, "mean");
        let sum: u64 = (0..100_000).map(|_| draws.exponential(1_000_000)).sum();
        let mean = sum as f64 / 1e5;
        assert!((mean / 1e6 - 1.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn zipf_has_its_frequencies() {
        for theta in [0.8, 1.0, 1.2] {
            let zipf = Zipf::new(1000, theta);
            let mut draws = RandomStream::new(3, "zipf");
            let mut counts = [0u32; 1000];
            for _ in 0..200_000 {
                counts[zipf.draw(&mut draws) as usize] += 1;
            }
            let norm: f64 = (1..=1000).map(|k| f64::from(k).powf(-theta)).sum();
            for rank in [0, 1, 4, 9] {
                let expected = 2e5 * f64::from(rank as u32 + 1).powf(-theta) / norm;
                let got = f64::from(counts[rank]);
                assert!(
                    (got - expected).abs() < 5.0 * expected.sqrt(),
                    "{theta} {rank}"
                );
            }
        }
    }
}
