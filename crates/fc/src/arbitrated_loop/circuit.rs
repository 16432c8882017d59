//! A pair of ports that talk.

use sanlab_kernel::{Instant, Span};

use super::CircuitCredit;

/// What a port offers to its partner in a circuit.
#[derive(Clone, Copy, Debug)]
pub struct LoopBuffers {
    /// BB_Credit of its login: frames a partner may send to it before any R_RDY. Disks say 0.
    pub login: u32,
    /// Receive buffers in all.
    pub buffers: u32,
}

/// Delays on the way between the two ports of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitPath {
    /// From the owner to its partner.
    pub out: Span,
    /// From the partner to the owner.
    pub back: Span,
    /// One transmission word.
    pub word: Span,
    /// Fill words between two frames.
    pub gap: Span,
}

impl CircuitPath {
    /// There and back.
    pub fn round(&self) -> Span {
        self.out + self.back
    }

    /// Delay of a frame in a lane, and of the R_RDY for it.
    fn towards(&self, lane: Lane) -> (Span, Span) {
        match lane {
            Lane::Out => (self.out, self.back),
            Lane::Back => (self.back, self.out),
        }
    }
}

/// Which way a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// From the port that opened the circuit.
    Out,
    /// From the port that was opened.
    Back,
}

#[derive(Clone, Debug, Default)]
struct Direction {
    credit: CircuitCredit,
    /// The next frame may begin then as far as the lane is concerned, the gap behind the one before
    /// it included.
    free_at: Instant,
}

/// When a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTimes {
    /// First bit out.
    pub starts_at: Instant,
    /// Last bit in at the other side.
    pub arrives_at: Instant,
    /// Part of the wait before it that was for credit alone.
    pub credit_wait: Span,
}

/// An open circuit (OPNyx, both ways at once).
///
/// The owner sends OPN when it wins; frames may follow behind it as far as the partner's login credit
/// goes, more when the partner's R_RDYs are there. The partner may send from the moment it is opened,
/// as many frames as the owner has buffers, and one more for each R_RDY of the owner. The owner closes
/// when it has nothing left to send, and gives no R_RDY behind its CLS. The partner answers CLS with
/// CLS when it has sent what it had begun.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    path: Option<CircuitPath>,
    lanes: [Direction; 2],
    /// The owner sends, or has sent, CLS at this instant.
    closes_at: Option<Instant>,
}

impl Circuit {
    /// The owner has won at this instant.
    pub fn open(
        &mut self,
        won_at: Instant,
        path: CircuitPath,
        owner: LoopBuffers,
        partner: LoopBuffers,
    ) {
        let behind_opn = path.word + path.gap;
        let [out, back] = &mut self.lanes;
        let first_r_rdy_at = won_at + path.round() + path.word;
        out.credit
            .open(partner.login, partner.buffers, first_r_rdy_at);
        out.free_at = won_at + behind_opn;
        back.credit
            .open(owner.buffers, owner.buffers, Instant::START);
        back.free_at = won_at + path.out + behind_opn;
        self.path = Some(path);
        self.closes_at = None;
    }

    /// When the next frame of this lane could begin; [`Instant::NEVER`] without credit.
    #[inline]
    pub fn next_at(&self, lane: Lane) -> Instant {
        let direction = &self.lanes[lane as usize];
        let credit_at = direction.credit.next_at();
        if lane == Lane::Back && !self.leaves_before_close(credit_at) {
            return Instant::NEVER;
        }
        direction.free_at.max(credit_at)
    }

    /// Whether an R_RDY of the owner that arrives then is ahead of its CLS, which it sends when it has
    /// nothing left to send: not before all that it has now is sent.
    #[inline]
    fn leaves_before_close(&self, arrives_at: Instant) -> bool {
        let closes_at = self.closes_at.unwrap_or(self.dry_at());
        let behind = self.path.map_or(Span::ZERO, |path| path.out + path.word);
        arrives_at < closes_at.saturating_add(behind)
    }

    /// Whether a frame that is ready now can still go.
    pub fn takes(&self, lane: Lane, now: Instant) -> bool {
        let may = match (lane, self.closes_at) {
            (_, None) => true,
            (Lane::Out, Some(_)) => false,
            (Lane::Back, Some(_)) => now <= self.partner_closes_at(),
        };
        may && self.next_at(lane) != Instant::NEVER
    }

    /// Send a frame that takes `sending` from first to last bit. `freed_at` tells for the arrival of
    /// its last bit when its buffer is free again.
    #[inline]
    pub fn send(
        &mut self,
        lane: Lane,
        now: Instant,
        sending: Span,
        freed_at: impl FnOnce(Instant) -> Instant,
    ) -> FrameTimes {
        let Some(path) = self.path else {
            unreachable!("a frame in a circuit that was never opened")
        };
        let (there, home) = path.towards(lane);
        let direction = &mut self.lanes[lane as usize];
        let could_start_at = direction.free_at.max(now);
        let starts_at = could_start_at.max(direction.credit.next_at());
        direction.credit.take();
        direction.free_at = starts_at + sending + path.gap;
        let arrives_at = starts_at + sending + there;
        let freed_at = freed_at(arrives_at);
        direction.credit.give(freed_at + home + path.word);
        FrameTimes {
            starts_at,
            arrives_at,
            credit_wait: starts_at - could_start_at,
        }
    }

    /// Send a frame to a port whose buffers outlive its circuits, and whose next one is announced free
    /// from `free_at` on. What becomes of that buffer is for the caller to know.
    #[inline]
    pub fn send_with(
        &mut self,
        lane: Lane,
        now: Instant,
        sending: Span,
        free_at: Instant,
    ) -> FrameTimes {
        let Some(path) = self.path else {
            unreachable!("a frame in a circuit that was never opened")
        };
        let (there, home) = path.towards(lane);
        let direction = &mut self.lanes[lane as usize];
        let could_start_at = direction.free_at.max(now);
        let credit_at = direction.credit.next_at_with(now, free_at, home);
        let starts_at = could_start_at.max(credit_at);
        direction.credit.take();
        direction.free_at = starts_at + sending + path.gap;
        FrameTimes {
            starts_at,
            arrives_at: starts_at + sending + there,
            credit_wait: starts_at - could_start_at,
        }
    }

    /// The owner has sent all it had at this instant.
    pub fn dry_at(&self) -> Instant {
        self.lanes[Lane::Out as usize].free_at
    }

    /// The owner sends CLS now. Returns when the answer is back: the loop is free. Frames that the
    /// partner still sends move that instant.
    pub fn close(&mut self, now: Instant) -> Instant {
        self.closes_at = Some(now);
        self.released_at()
    }

    /// The owner sends, or has sent, CLS at this instant.
    pub fn closes_at(&self) -> Option<Instant> {
        self.closes_at
    }

    /// The partner's CLS reaches the owner then; [`Instant::NEVER`] before the owner has sent
    /// its own.
    pub fn released_at(&self) -> Instant {
        let back = self.path.map_or(Span::ZERO, |path| path.back);
        self.partner_closes_at().saturating_add(back)
    }

    fn partner_closes_at(&self) -> Instant {
        let (Some(path), Some(closes_at)) = (self.path, self.closes_at) else {
            return Instant::NEVER;
        };
        (closes_at + path.out).max(self.lanes[Lane::Back as usize].free_at)
    }
}
