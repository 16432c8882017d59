//! What an operating system does with a request before the adapter gets it: large ones become pieces.

use sanlab_kernel::Span;

/// What a request is to the block layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// A request of an application that is one command.
    Whole,
    /// A request of an application that becomes several commands.
    Split,
    /// One of those commands.
    Piece,
}

/// How requests become commands.
#[derive(Clone, Copy, Debug)]
pub struct BlockLayer {
    /// Largest command; [`u64::MAX`] splits nothing.
    pub max_request: u64,
    /// The next piece is issued when the one before is done; else all at once.
    pub is_serial: bool,
}

impl BlockLayer {
    /// Every request is a command.
    pub const WHOLE: Self = Self {
        max_request: u64::MAX,
        is_serial: false,
    };

    /// What a request of this size is.
    #[inline]
    pub fn role_of(&self, bytes: u64) -> Role {
        if bytes > self.max_request {
            Role::Split
        } else {
            Role::Whole
        }
    }

    /// Of a request of this size, how much may be under way once `done` bytes are.
    pub fn may_be_issued(&self, bytes: u64, done: u64) -> u64 {
        if self.is_serial {
            bytes.min(done.saturating_add(self.max_request))
        } else {
            bytes
        }
    }
}

/// Time of the processors for each step, by [`Role`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuCosts {
    submit: [Span; 3],
    complete: [Span; 3],
    interrupt: Span,
}

impl CpuCosts {
    /// Costs of an application's call out and back, of a command, and of an interrupt.
    pub fn new((call_out, call_back): (Span, Span), command: Span, interrupt: Span) -> Self {
        Self {
            submit: [call_out + command, call_out, command],
            complete: [call_back + interrupt, call_back, interrupt],
            interrupt,
        }
    }

    /// Before the adapter has it, or, of a request that is split, before its pieces.
    #[inline]
    pub fn submit(&self, role: Role) -> Span {
        self.submit[role as usize]
    }

    /// After the adapter is done with it, where the interrupt told of others too and is paid for.
    #[inline]
    pub fn complete_too(&self, role: Role) -> Span {
        self.complete[role as usize] - self.interrupt
    }

    /// After the adapter is done with it, or, of a request that is split, after its pieces.
    #[inline]
    pub fn complete(&self, role: Role) -> Span {
        self.complete[role as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_in_pieces_costs_one_call_and_as_many_commands() {
        let ps = Span::from_ps;
        let costs = CpuCosts::new((ps(5), ps(7)), ps(20), ps(30));
        let whole = costs.submit(Role::Whole) + costs.complete(Role::Whole);
        let split = costs.submit(Role::Split) + costs.complete(Role::Split);
        let piece = costs.submit(Role::Piece) + costs.complete(Role::Piece);
        assert_eq!(whole, split + piece);
        assert_eq!((split, piece), (ps(12), ps(50)));
    }

    #[test]
    fn serial_pieces_go_one_by_one() {
        let serial = BlockLayer {
            max_request: 100,
            is_serial: true,
        };
        assert_eq!(serial.role_of(100), Role::Whole);
        assert_eq!(serial.role_of(101), Role::Split);
        assert_eq!(serial.may_be_issued(250, 0), 100);
        assert_eq!(serial.may_be_issued(250, 200), 250);
        assert_eq!(BlockLayer::WHOLE.may_be_issued(250, 0), 250);
        assert_eq!(BlockLayer::WHOLE.role_of(u64::MAX - 1), Role::Whole);
    }
}
