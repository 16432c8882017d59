//! R_RDYs that a fault takes on their way to a transmitter.

use sanlab_fc::FlowControl;
use sanlab_kernel::Instant;

/// What a fault takes of a transmitter's credit: always the R_RDYs that would be back first, in whatever
/// order they become known.
#[derive(Clone, Debug, Default)]
pub struct CreditLoss {
    /// Credits in use whose R_RDYs will be lost.
    to_come: u32,
    /// When those that are lost would have been back.
    lost: Vec<Instant>,
}

impl CreditLoss {
    /// So many credits get lost: those known, and of the others the R_RDYs that come next. Returns how
    /// many were known.
    pub(crate) fn lose(&mut self, credit: &mut FlowControl, count: u32, now: Instant) -> u32 {
        self.lost.retain(|&at| at > now);
        let mut known = 0;
        for at in credit.lose(count) {
            known += 1;
            self.lost.push(at);
        }
        self.to_come += count - known;
        known
    }

    /// An R_RDY will be back at this instant. Returns when the transmitter receives one for it: a later
    /// one, if this one is lost instead; none, if this one is lost too.
    pub(crate) fn pass(&mut self, at: Instant) -> Option<Instant> {
        if self.to_come > 0 {
            self.to_come -= 1;
            self.lost.push(at);
            return None;
        }
        match self.lost.iter_mut().max() {
            Some(last) if *last > at => Some(std::mem::replace(last, at)),
            _ => Some(at),
        }
    }

    /// R_RDYs that would be back after one instant and before another would be back then.
    pub(crate) fn delay(&mut self, after: Instant, until: Instant) {
        for at in &mut self.lost {
            if *at > after && *at < until {
                *at = until;
            }
        }
    }

    /// Credits in use whose R_RDYs will be lost.
    pub fn to_come(&self) -> u32 {
        self.to_come
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of three are lost, one of them in use: the first two to be back, learnt in either order.
    #[test]
    fn the_first_to_be_back_are_lost() {
        let at = Instant::from_ps;
        for order in [[700, 900], [900, 700]] {
            let mut credit = FlowControl::bb_credit(3);
            for now in [0, 1, 2] {
                credit.take(at(now));
            }
            credit.give(at(800));
            let mut loss = CreditLoss::default();
            assert_eq!(loss.lose(&mut credit, 2, at(10)), 1);
            assert_eq!((loss.to_come(), credit.known()), (1, 0));
            for back_at in order {
                if let Some(back_at) = loss.pass(at(back_at)) {
                    credit.give(back_at);
                }
            }
            assert_eq!((loss.to_come(), credit.known()), (0, 1));
            assert_eq!(credit.next_at(), at(900));
        }
    }
}
