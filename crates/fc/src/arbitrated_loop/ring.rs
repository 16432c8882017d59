//! Positions on a loop.

use sanlab_kernel::{Id, IdVec, Span};

/// A place on a loop, in the order of its ring.
pub enum LoopPlace {}

/// A closed chain of ports.
///
/// A port acts on a word when the word has passed its elasticity buffer and stands at its output, so
/// the time from port to port is measured from output to output: the cable between them and the delay
/// of the port it ends at. A word that goes all the way round takes the same time from any port.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    /// Output of each port, as the time a word takes to it from the output of the last.
    outputs: IdVec<LoopPlace, Span>,
    round: Span,
}

impl Ring {
    /// A ring of ports in this order; each step is the time from the output of the port before, the
    /// last one's for the first, to the port's own output.
    ///
    /// ```
    /// use sanlab_fc::Ring;
    /// use sanlab_kernel::{Id, Span};
    /// let ring = Ring::new([5, 10, 20].map(Span::from_ps));
    /// let (first, last) = (Id::new(0), Id::new(2));
    /// assert_eq!(ring.between(first, last), Span::from_ps(30));
    /// assert_eq!(ring.between(last, first), Span::from_ps(5));
    /// assert_eq!(ring.round(), Span::from_ps(35));
    /// ```
    pub fn new(steps: impl IntoIterator<Item = Span>) -> Self {
        let mut round = Span::ZERO;
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
    pub fn round(&self) -> Span {
        self.round
    }

    /// Time of a word from one port to another; 0 from a port to itself.
    #[inline]
    pub fn between(&self, from: Id<LoopPlace>, to: Id<LoopPlace>) -> Span {
        let (from, to) = (self.outputs[from], self.outputs[to]);
        if to >= from {
            to - from
        } else {
            self.round - (from - to)
        }
    }
}
