//! Flow control of a link.

use sanlab_kernel::Instant;

use crate::BbCredit;

/// How the receiver of a fibre keeps its transmitter from sending more than it has room for.
///
/// A closed set: a transmitter matches on it, without dynamic dispatch. With one kind the match costs
/// nothing.
#[derive(Clone, Debug)]
pub enum FlowControl {
    /// Buffer-to-buffer credit of Fibre Channel.
    BbCredit(BbCredit),
}

impl FlowControl {
    /// BB credit, as many as the receiver granted at login.
    pub fn bb_credit(granted: u32) -> Self {
        Self::BbCredit(BbCredit::new(granted))
    }

    /// When the next frame may be sent, as far as the receiver is concerned;
    /// [`Instant::NEVER`] while that is not known.
    #[inline(always)]
    pub fn next_at(&self) -> Instant {
        let Self::BbCredit(credit) = self;
        credit.next_at()
    }

    /// Reads what the next frame needs, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self) -> u64 {
        let Self::BbCredit(credit) = self;
        credit.read_ahead()
    }

    /// A frame starts now.
    #[inline(always)]
    pub fn take(&mut self, now: Instant) {
        let Self::BbCredit(credit) = self;
        credit.take(now);
    }

    /// A buffer that a frame held is free for the transmitter from this instant on.
    #[inline(always)]
    pub fn give(&mut self, at: Instant) {
        let Self::BbCredit(credit) = self;
        credit.give(at);
    }

    /// The link begins anew at this instant, with all buffers free.
    pub fn renew(&mut self, at: Instant) {
        let Self::BbCredit(credit) = self;
        credit.renew(at);
    }

    /// The next messages from the receiver get lost, so many of those known as there are. Returns when
    /// each was, or would have been, here.
    pub fn lose(&mut self, most: u32) -> impl Iterator<Item = Instant> {
        let Self::BbCredit(credit) = self;
        credit.lose(most)
    }

    /// Messages from the receiver that would be here after one instant and before another are here then.
    pub fn delay(&mut self, after: Instant, until: Instant) {
        let Self::BbCredit(credit) = self;
        credit.delay(after, until);
    }

    /// Buffers the receiver offers.
    pub fn granted(&self) -> u32 {
        let Self::BbCredit(credit) = self;
        credit.granted()
    }

    /// Buffers known to be free, or to be free at a known time.
    pub fn known(&self) -> u32 {
        let Self::BbCredit(credit) = self;
        credit.known()
    }

    /// Most buffers in use at once.
    pub fn most_in_use(&self) -> u32 {
        let Self::BbCredit(credit) = self;
        credit.most_in_use()
    }
}
