//! A run in one number.

/// A hash over the facts of a run in order, every start of a frame and every I/O that is done: two runs
/// with the same fingerprint did the same.
///
/// Each word is folded in by a multiplication (the constant is that of FxHash), so that order counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Add a fact.
    #[inline]
    pub fn add(&mut self, fact: u64) {
        self.0 = (self.0.rotate_left(5) ^ fact).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// The number, after a last mixing of its bits.
    pub fn value(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }
}
