//! Fabric Shortest Path First: the cheapest paths between switches (FC-SW, "FSPF").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One direction of an inter-switch link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Switch it leaves.
    pub from: u32,
    /// Switch it reaches.
    pub to: u32,
    /// Its fibre.
    pub fibre: u32,
    /// Its cost.
    pub cost: u64,
}

/// For every switch the fibres on a cheapest path to `destination`, in order of their number.
///
/// An empty list is a switch that cannot reach it, or the destination itself.
///
/// ```
/// use sanlab_fabric::{Hop, shortest_paths};
/// let hop = |from, to, fibre, cost| Hop { from, to, fibre, cost };
/// // Two links of cost 500 from 0 to 1, and a detour over 2 that costs more.
/// let hops = [hop(0, 1, 0, 500), hop(0, 1, 1, 500), hop(0, 2, 2, 500), hop(2, 1, 3, 500)];
/// assert_eq!(shortest_paths(3, &hops, 1), [vec![0, 1], vec![], vec![3]]);
/// ```
pub fn shortest_paths(switches: usize, hops: &[Hop], destination: u32) -> Vec<Vec<u32>> {
    let distance = distances_to(switches, hops, destination);
    let mut next = vec![Vec::new(); switches];
    for hop in hops {
        let (from, to) = (distance[hop.from as usize], distance[hop.to as usize]);
        if from != u64::MAX && to != u64::MAX && from == to + hop.cost {
            next[hop.from as usize].push(hop.fibre);
        }
    }
    for fibres in &mut next {
        fibres.sort_unstable();
    }
    next
}

/// Dijkstra from the destination against the direction of the hops.
fn distances_to(switches: usize, hops: &[Hop], destination: u32) -> Vec<u64> {
    let mut into = vec![Vec::new(); switches];
    for hop in hops {
        into[hop.to as usize].push(*hop);
    }
    let mut distance = vec![u64::MAX; switches];
    distance[destination as usize] = 0;
    let mut frontier = BinaryHeap::from([Reverse((0, destination))]);
    while let Some(Reverse((cost, switch))) = frontier.pop() {
        if cost > distance[switch as usize] {
            continue;
        }
        for hop in &into[switch as usize] {
            let through = cost + hop.cost;
            if through < distance[hop.from as usize] {
                distance[hop.from as usize] = through;
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
                    from: draws.below(count) as u32,
                    to: draws.below(count) as u32,
                    fibre: fibre as u32,
                    cost: 1 + draws.below(4),
                })
                .collect();
            let mut distance = vec![u64::MAX; count as usize];
            distance[0] = 0;
            for hop in std::iter::repeat_n(&hops, count as usize).flatten() {
                let through = distance[hop.to as usize].saturating_add(hop.cost);
                let from = &mut distance[hop.from as usize];
                *from = through.min(*from);
            }
            let is_best = |hop: &&Hop| {
                let (from, to) = (distance[hop.from as usize], distance[hop.to as usize]);
                to != u64::MAX && from == to + hop.cost
            };
            for (switch, next) in shortest_paths(count as usize, &hops, 0).iter().enumerate() {
                let best = hops.iter().filter(is_best);
                let mut best: Vec<_> = best.filter(|hop| hop.from as usize == switch).collect();
                best.sort_unstable_by_key(|hop| hop.fibre);
                assert!(best.iter().map(|hop| hop.fibre).eq(next.iter().copied()));
            }
        }
    }
}
