//! One movable instant per component.

use crate::Instant;

/// The word of a node below which no alarm is set.
const NOT_SET: u64 = u64::MAX;

/// A winner tree over components: each has at most one alarm, which may be moved while it waits.
///
/// Setting one costs a walk from its leaf towards the root, reading it costs nothing. A node holds
/// the time and the component in one word, so that equal times ring in order of component.
///
/// ```
/// use sanlab_kernel::{Alarms, Instant};
/// let mut alarms = Alarms::new(3);
/// alarms.set(2, Instant::from_ps(50));
/// alarms.set(0, Instant::from_ps(80));
/// alarms.set(0, Instant::from_ps(40));
/// assert_eq!(alarms.first(), (Instant::from_ps(40), 0));
/// alarms.clear(0);
/// assert_eq!(alarms.first(), (Instant::from_ps(50), 2));
/// ```
#[derive(Clone, Debug)]
pub struct Alarms {
    /// Node 1 is the root, the children of `i` are `2i` and `2i + 1`, leaves start at `leaves`.
    nodes: Vec<u64>,
    leaves: usize,
    id_bits: u32,
    id_mask: u64,
    horizon: Instant,
}

impl Alarms {
    /// Alarms for this many components, none set.
    pub fn new(components: usize) -> Self {
        let leaves = components.max(2).next_power_of_two();
        let id_bits = leaves.trailing_zeros();
        Self {
            nodes: vec![NOT_SET; 2 * leaves],
            leaves,
            id_bits,
            id_mask: (1 << id_bits) - 1,
            horizon: Instant::from_ps((NOT_SET >> id_bits) - 1),
        }
    }

    /// The latest instant that can be set: 2.5 hours with 2048 components, twice that with half.
    pub fn horizon(&self) -> Instant {
        self.horizon
    }

    /// Set or move a component's alarm. One beyond the horizon is kept there, where no run comes.
    #[inline]
    pub fn set(&mut self, component: u32, at: Instant) {
        let at = at.min(self.horizon);
        self.write(component, at.as_ps() << self.id_bits | u64::from(component));
    }

    /// Take a component's alarm back.
    #[inline]
    pub fn clear(&mut self, component: u32) {
        self.write(component, NOT_SET);
    }

    /// Set or move a component's alarm, or take it back if it never rings.
    #[inline]
    pub fn set_or_clear(&mut self, component: u32, at: Instant) {
        if at == Instant::NEVER {
            self.clear(component);
        } else {
            self.set(component, at);
        }
    }

    /// When a component's alarm rings; [`Instant::NEVER`] when it is not set.
    #[inline]
    pub fn get(&self, component: u32) -> Instant {
        self.time_of(self.nodes[self.leaves + component as usize])
    }

    /// The first alarm to ring, [`Instant::NEVER`] when none is set.
    #[inline]
    pub fn first(&self) -> (Instant, u32) {
        let key = self.nodes[1];
        // The id is in the low half; a conversion that could fail would be tested at every event.
        let [a, b, c, d, ..] = (key & self.id_mask).to_le_bytes();
        (self.time_of(key), u32::from_le_bytes([a, b, c, d]))
    }

    #[inline]
    fn time_of(&self, key: u64) -> Instant {
        if key == NOT_SET {
            Instant::NEVER
        } else {
            Instant::from_ps(key >> self.id_bits)
        }
    }

    #[inline]
    fn write(&mut self, component: u32, key: u64) {
        let mut node = self.leaves + component as usize;
        let nodes = &mut self.nodes[..];
        nodes[node] = key;
        let mut winner = key;
        while node > 1 {
            winner = winner.min(nodes[node ^ 1]);
            node >>= 1;
            if nodes[node] == winner {
                return;
            }
            nodes[node] = winner;
        }
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests {
    use super::*;
    use crate::RandomStream;

    #[test]
    fn rings_in_order_of_time_then_component() {
        let mut alarms = Alarms::new(100);
        let mut times = [Instant::NEVER; 100];
        let mut draws = RandomStream::new(1, "alarms");
        for _ in 0..10_000 {
            let component = draws.below(100) as usize;
            let at = if draws.below(5) == 0 {
                Instant::NEVER
            } else {
                Instant::from_ps(draws.below(1000))
            };
            times[component] = at;
            if at == Instant::NEVER {
                alarms.clear(component as u32);
            } else {
                alarms.set(component as u32, at);
            }
            let (at, id) = (0..100).map(|id| (times[id], id as u32)).min().unwrap();
            assert_eq!(alarms.first().0, at);
            assert!(at == Instant::NEVER || alarms.first().1 == id);
        }
    }
}
