//! One movable instant per component.

use crate::Instant;

/// The word of a node below which no alarm is set.
const NOT_SET: u64 = u64::MAX;

/// Nodes below one: their words fill a cache line.
const WIDTH: usize = 8;

/// The nodes below one.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Family([u64; WIDTH]);

impl Family {
    /// The first of them, without a branch that a processor would have to guess.
    #[inline(always)]
    fn first(&self) -> u64 {
        let nodes = &self.0;
        let pairs = [0, 2, 4, 6].map(|place| nodes[place].min(nodes[place + 1]));
        let fours = [pairs[0].min(pairs[1]), pairs[2].min(pairs[3])];
        fours[0].min(fours[1])
    }
}

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
    /// The root.
    first: u64,
    /// Generation after generation: below the root are the nodes of family 0, below node `i` those of
    /// family `i + 1`, and node `i` is in family `i / 8`.
    families: Vec<Family>,
    /// The first leaf among all nodes.
    leaves: usize,
    id_bits: u32,
    id_mask: u64,
    horizon: Instant,
}

impl Alarms {
    /// Alarms for this many components, none set.
    pub fn new(components: usize) -> Self {
        let id_bits = components.max(2).next_power_of_two().trailing_zeros();
        let (mut leaves, mut youngest) = (0, WIDTH);
        while youngest < components {
            leaves += youngest;
            youngest *= WIDTH;
        }
        let nodes = leaves + components.max(1);
        Self {
            first: NOT_SET,
            families: vec![Family([NOT_SET; WIDTH]); nodes.div_ceil(WIDTH)],
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
        let leaf = self.leaves + component as usize;
        self.time_of(self.families[leaf / WIDTH].0[leaf % WIDTH])
    }

    /// The first alarm to ring, [`Instant::NEVER`] when none is set.
    #[inline]
    pub fn first(&self) -> (Instant, u32) {
        // The id is in the low half; a conversion that could fail would be tested at every event.
        let [a, b, c, d, ..] = (self.first & self.id_mask).to_le_bytes();
        (self.time_of(self.first), u32::from_le_bytes([a, b, c, d]))
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
        let families = &mut self.families[..];
        let mut node = self.leaves + component as usize;
        let mut winner = key;
        loop {
            let family = node / WIDTH;
            let place = &mut families[family].0[node % WIDTH];
            let before = std::mem::replace(place, winner);
            let parent = family.checked_sub(1);
            let above = match parent {
                Some(parent) => families[parent / WIDTH].0[parent % WIDTH],
                None => self.first,
            };
            if winner >= above {
                if before != above {
                    return; // another member of the family is earlier, and stays it
                }
                winner = families[family].first();
            }
            let Some(parent) = parent else {
                self.first = winner;
                return;
            };
            node = parent;
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
        // One family, a full one and one more, and several generations.
        for components in [1, 2, 8, 9, 64, 65, 100, 513] {
            against_a_list(components);
        }
    }

    fn against_a_list(components: usize) {
        let mut alarms = Alarms::new(components);
        let mut times = vec![Instant::NEVER; components];
        let mut draws = RandomStream::new(components as u64, "alarms");
        for _ in 0..5_000 {
            let component = draws.below(components as u64) as usize;
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
            assert_eq!(alarms.get(component as u32), times[component]);
            let all = times.iter().zip(0..);
            let (&at, id) = all.min().expect("it has components");
            assert_eq!(alarms.first().0, at);
            assert!(at == Instant::NEVER || alarms.first().1 == id);
        }
    }
}
