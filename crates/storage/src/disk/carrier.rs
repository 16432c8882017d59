//! Transfer of a read over an interface that the controller gives back while it has no block.
//!
//! A transfer is a series of runs: each carries the blocks that are in the buffer when it begins.
//! Behind the last of them the controller either keeps the interface for the next block, or gives it
//! back and takes it again once enough blocks are there.

use sanlab_kernel::{Instant, Span};

/// What stays the same during a transfer.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Blocks of the read.
    pub blocks: u64,
    /// Transfer of a block.
    pub per_block: Span,
    /// Blocks that let it take the interface again before the read is complete.
    pub enough: u64,
    /// It keeps the interface once it has it.
    pub holds: bool,
    /// To take the interface again, up to the first block.
    pub contact: Span,
    /// To give it back.
    pub disconnect: Span,
}

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
pub struct Carrier {
    terms: Terms,
    state: State,
    /// Blocks in the buffer.
    there: u64,
    /// Blocks carried, those of the run that is under way included.
    carried: u64,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The interface has been given back at this time.
    Released(Instant),
    /// The first block of a run goes then.
    Contact(Instant),
    /// The last block of a run is through then.
    Run(Instant),
    /// It waits for a block with the interface.
    Holds,
}

impl Carrier {
    /// A transfer whose first blocks, `there` of them, begin then.
    pub fn in_contact(terms: Terms, at: Instant, there: u64) -> Self {
        Self {
            terms,
            state: State::Contact(at),
            there,
            carried: 0,
        }
    }

    /// A transfer that takes the interface at that time or once enough blocks are there.
    pub fn released(terms: Terms, at: Instant, there: u64) -> Self {
        Self {
            terms,
            state: State::Released(at),
            there,
            carried: 0,
        }
    }

    /// The next block of the read is in the buffer.
    pub fn arrive(&mut self, at: Instant) {
        self.advance(at);
        self.there += 1;
        match self.state {
            State::Holds => self.run(at),
            State::Released(since) if since <= at && self.is_enough() => {
                self.state = State::Contact(at + self.terms.contact);
            }
            _ => {}
        }
    }

    /// When the last block is through; all of them have arrived.
    pub fn end(mut self) -> Instant {
        debug_assert!(self.there >= self.terms.blocks, "all blocks are there");
        self.advance(Instant::NEVER);
        match self.state {
            State::Run(at) | State::Contact(at) | State::Released(at) => at,
            State::Holds => Instant::NEVER,
        }
    }

    /// What happens before this time.
    fn advance(&mut self, to: Instant) {
        loop {
            match self.state {
                State::Contact(at) if at < to => self.run(at),
                State::Run(at) if at < to && self.carried < self.terms.blocks => {
                    if self.there > self.carried {
                        self.run(at);
                    } else if self.terms.holds {
                        self.state = State::Holds;
                    } else {
                        self.state = State::Released(at + self.terms.disconnect);
                    }
                }
                State::Released(at) if at < to && self.is_enough() => {
                    self.state = State::Contact(at + self.terms.contact);
                }
                _ => return,
            }
        }
    }

    fn run(&mut self, at: Instant) {
        let blocks = self.there - self.carried;
        self.carried = self.there;
        self.state = State::Run(at + self.terms.per_block * blocks);
    }

    fn is_enough(&self) -> bool {
        let waiting = self.there - self.carried;
        waiting > 0 && (self.there >= self.terms.blocks || waiting >= self.terms.enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Span = Span::from_ps(1_000_000);

    fn at(us: u64) -> Instant {
        Instant::START + US * us
    }

    /// Four blocks that arrive every 10 us from `first` on.
    fn ends(mut carrier: Carrier, first: u64) -> Instant {
        for block in 0..4 {
            carrier.arrive(at(first + 10 * block));
        }
        carrier.end()
    }

    fn terms() -> Terms {
        Terms {
            blocks: 4,
            per_block: US,
            enough: 1,
            holds: true,
            contact: Span::ZERO,
            disconnect: Span::ZERO,
        }
    }

    #[test]
    fn the_last_block_goes_when_it_is_there() {
        assert_eq!(ends(Carrier::released(terms(), at(0), 0), 100), at(131));
        assert_eq!(ends(Carrier::in_contact(terms(), at(0), 0), 100), at(131));
        let slow = Terms {
            per_block: US * 50,
            ..terms()
        };
        assert_eq!(ends(Carrier::released(slow, at(0), 0), 100), at(300));
    }

    #[test]
    fn an_interface_that_is_given_back_costs_a_contact_for_each_run() {
        let released = Terms {
            holds: false,
            contact: US * 3,
            disconnect: US * 2,
            ..terms()
        };
        // Each block comes alone: 3 us to take the interface, 1 us, 2 us to give it back.
        assert_eq!(ends(Carrier::released(released, at(0), 0), 100), at(134));
        // A contact of 25 us finds two more blocks: a run of three, then one of one.
        let long = Terms {
            contact: US * 25,
            ..released
        };
        assert_eq!(ends(Carrier::released(long, at(0), 0), 100), at(156));
        // Held, it waits for the last block without another contact.
        let held = Terms {
            holds: true,
            ..long
        };
        assert_eq!(ends(Carrier::released(held, at(0), 0), 100), at(131));
    }

    #[test]
    fn it_waits_for_enough_blocks_or_the_last_one() {
        let half = Terms {
            enough: 2,
            holds: false,
            ..terms()
        };
        assert_eq!(ends(Carrier::released(half, at(0), 0), 100), at(132));
        let most = Terms { enough: 3, ..half };
        assert_eq!(ends(Carrier::released(most, at(0), 0), 100), at(131));
    }
}
