//! Positions on a loop.

use sanlab_kernel::Picoseconds;

/// A closed chain of ports.
///
/// A port acts on a word when the word has passed its elasticity buffer and stands at its output, so
/// the time from port to port is measured from output to output: the cable between them and the delay
/// of the port it ends at. A word that goes all the way round takes the same time from any port.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    /// Output of each port, as the time a word takes to it from the output of the last.
    outputs: Vec<Picoseconds>,
    round: Picoseconds,
}

impl Ring {
    /// A ring of ports in this order; each step is the time from the output of the port before, the
    /// last one's for the first, to the port's own output.
    ///
    /// ```
    /// use sanlab_fc::Ring;
    /// let ring = Ring::new([5, 10, 20]);
    /// assert_eq!((ring.between(0, 2), ring.between(2, 0)), (30, 5));
    /// assert_eq!(ring.round(), 35);
    /// ```
    pub fn new(steps: impl IntoIterator<Item = Picoseconds>) -> Self {
        let mut round = 0;
        let outputs = steps
            .into_iter()
            .map(|step| {
                round += step;
                round
            })
            .collect();
        Self { outputs, round }
    }

    /// Time of a word all the way round.
    pub fn round(&self) -> Picoseconds {
        self.round
    }

    /// Time of a word from one port to another; 0 from a port to itself.
    #[inline]
    pub fn between(&self, from: u32, to: u32) -> Picoseconds {
        let (from, to) = (self.outputs[from as usize], self.outputs[to as usize]);
        if to >= from {
            to - from
        } else {
            self.round - (from - to)
        }
    }
}
