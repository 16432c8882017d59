//! Fabric Shortest Path First: the cheapest paths between switches (FC-SW, "FSPF").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sanlab_kernel::{Id, IdVec};

use crate::fibre::Fibre;
use crate::parts::Switch;

/// One direction of an inter-switch link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Switch it leaves.
    pub from: Id<Switch>,
    /// Switch it reaches.
    pub to: Id<Switch>,
    /// Its fibre.
    pub fibre: Id<Fibre>,
    /// Its cost.
    pub cost: u64,
}

/// For every switch the fibres on a cheapest path to `destination`, in order of their number.
///
/// An empty list is a switch that cannot reach it, or the destination itself.
///
/// ```
/// use sanlab_fabric::{Fibre, Hop, Switch, shortest_paths};
/// use sanlab_kernel::Id;
/// let switches: [Id<Switch>; 3] = [0, 1, 2].map(Id::new);
/// let fibres: [Id<Fibre>; 4] = [0, 1, 2, 3].map(Id::new);
/// let hop = |from: usize, to: usize, fibre: usize| Hop {
///     from: switches[from],
///     to: switches[to],
///     fibre: fibres[fibre],
///     cost: 500,
/// };
/// // Two links of cost 500 from 0 to 1, and a detour over 2 that costs more.
/// let hops = [hop(0, 1, 0), hop(0, 1, 1), hop(0, 2, 2), hop(2, 1, 3)];
/// let paths = shortest_paths(3, &hops, switches[1]);
/// assert_eq!(paths.as_slice(), [fibres[..2].to_vec(), vec![], fibres[3..].to_vec()]);
/// ```
pub fn shortest_paths(
    switches: usize,
    hops: &[Hop],
    destination: Id<Switch>,
) -> IdVec<Switch, Vec<Id<Fibre>>> {
    let distance = distances_to(switches, hops, destination);
    let mut next = IdVec::filled(Vec::new(), switches);
    for hop in hops {
        let (from, to) = (distance[hop.from], distance[hop.to]);
        if from != u64::MAX && to != u64::MAX && from == to + hop.cost {
            next[hop.from].push(hop.fibre);
        }
    }
    for fibres in &mut next {
        fibres.sort_unstable();
    }
    next
}

/// Dijkstra from the destination against the direction of the hops.
fn distances_to(switches: usize, hops: &[Hop], destination: Id<Switch>) -> IdVec<Switch, u64> {
    let mut into = IdVec::filled(Vec::new(), switches);
    for hop in hops {
        into[hop.to].push(*hop);
    }
    let mut distance = IdVec::filled(u64::MAX, switches);
    distance[destination] = 0;
    let mut frontier = BinaryHeap::from([Reverse((0, destination))]);
    while let Some(Reverse((cost, switch))) = frontier.pop() {
        if cost > distance[switch] {
            continue;
        }
        for hop in &into[switch] {
            let through = cost + hop.cost;
            if through < distance[hop.from] {
                distance[hop.from] = through;
                frontier.push(Reverse((through, hop.from)));
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    /// Every path is as short as the best of all, found by trying every link again and again.
    #[test]
    #[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
    fn next_hops_are_those_on_a_shortest_path() {
        let mut draws = RandomStream::new(4, "fspf");
        for _ in 0..300 {
            let count = 2 + draws.below(6);
            let hops: Vec<_> = (0..draws.below(20))
                .map(|fibre| Hop {
                    from: Id::new(draws.below(count) as u32),
                    to: Id::new(draws.below(count) as u32),
                    fibre: Id::new(fibre as u32),
                    cost: 1 + draws.below(4),
                })
                .collect();
            let mut distance = IdVec::filled(u64::MAX, count as usize);
            distance[Id::new(0)] = 0;
            for hop in std::iter::repeat_n(&hops, count as usize).flatten() {
                let through = distance[hop.to].saturating_add(hop.cost);
                let from = &mut distance[hop.from];
                *from = through.min(*from);
            }
            let is_best = |hop: &&Hop| {
                let (from, to) = (distance[hop.from], distance[hop.to]);
                to != u64::MAX && from == to + hop.cost
            };
            for (switch, next) in shortest_paths(count as usize, &hops, Id::new(0)).pairs() {
                let best = hops.iter().filter(is_best);
                let mut best: Vec<_> = best.filter(|hop| hop.from == switch).collect();
                best.sort_unstable_by_key(|hop| hop.fibre);
                assert!(best.iter().map(|hop| hop.fibre).eq(next.iter().copied()));
            }
        }
    }
}
