//! Bits that arrive inverted.

use sanlab_kernel::RandomStream;

/// Bits that arrive inverted, independently of each other.
#[derive(Clone, Debug)]
pub struct BitErrors {
    /// Bits from one to the next, in the mean.
    mean_bits: u64,
    /// Bits up to the next.
    left_bits: u64,
    draws: RandomStream,
}

impl BitErrors {
    /// One bit in so many is inverted.
    pub fn new(mean_bits: u64, mut draws: RandomStream) -> Self {
        let left_bits = draws.exponential(mean_bits);
        Self {
            mean_bits,
            left_bits,
            draws,
        }
    }

    /// Whether one of the next bits is inverted. A frame with more than one is as lost as with one.
    pub(crate) fn hit(&mut self, bits: u64) -> bool {
        let is_hit = self.left_bits < bits;
        if is_hit {
            self.left_bits = self.draws.exponential(self.mean_bits);
        } else {
            self.left_bits -= bits;
        }
        is_hit
    }
}
