//! Bursts of writes that a front-end port has asked for: at most so many at once.

use std::collections::VecDeque;

use sanlab_kernel::Id;

use crate::elsewhere::Exchange;

/// Writes of one port: those whose burst is on its way, and those that wait for their XFER_RDY.
///
/// A target plans buffer space for each burst it asks for (FCP-4, "FCP_XFER_RDY IU"), so a port asks for
/// as many as it has room for.
#[derive(Clone, Debug)]
pub struct OpenBursts {
    limit: usize,
    open: Vec<Id<Exchange>>,
    waiting: VecDeque<Id<Exchange>>,
}

impl OpenBursts {
    /// A port that waits for this many bursts at once, at least 1.
    pub fn new(limit: u32) -> Self {
        Self {
            limit: limit.max(1) as usize,
            open: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// A write wants its next burst: true if the port may ask for it now. Otherwise it waits.
    pub fn admit(&mut self, exchange: Id<Exchange>) -> bool {
        let has_room = self.open.len() < self.limit;
        if has_room {
            self.open.push(exchange);
        } else {
            self.waiting.push_back(exchange);
        }
        has_room
    }

    /// The burst of a write has come, or the write is given up. Returns the write whose turn it is.
    pub fn end(&mut self, exchange: Id<Exchange>) -> Option<Id<Exchange>> {
        let Some(place) = self.open.iter().position(|&open| open == exchange) else {
            self.waiting.retain(|&waiting| waiting != exchange);
            return None;
        };
        self.open.swap_remove(place);
        let next = self.waiting.pop_front()?;
        self.open.push(next);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_beyond_the_limit_wait_in_order() {
        let mut port = OpenBursts::new(2);
        let ids: Vec<_> = (0..5).map(Id::new).collect();
        let admitted: Vec<_> = ids.iter().map(|&id| port.admit(id)).collect();
        assert_eq!(admitted, [true, true, false, false, false]);
        assert_eq!(port.end(ids[3]), None); // given up while it waited
        assert_eq!(port.end(ids[0]), Some(ids[2]));
        assert_eq!(port.end(ids[0]), None); // it has ended before
        assert_eq!(port.end(ids[1]), Some(ids[4]));
        assert_eq!(port.end(ids[2]), None);
    }
}
