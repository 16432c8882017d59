//! Which output a frame leaves a switch by.

use sanlab_fc::{Frame, NPort};
use sanlab_kernel::{Id, IdVec};

use crate::fibre::Fibre;
use crate::parts::{SwitchPort, area_of};

/// How a switch chooses among equal-cost paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutePolicy {
    /// The first.
    OnePath,
    /// By the port the frame came in by.
    IngressPort,
    /// By the port of the destination's switch, in turn.
    Destination,
    /// By source and destination.
    SourceDestination,
    /// By source, destination and exchange.
    Exchange,
}

/// The outputs of one switch towards every N_Port.
#[derive(Clone, Debug)]
pub struct Routes {
    policy: RoutePolicy,
    /// What this switch puts into its hash, so that a choice is not repeated at the next switch.
    salt: u32,
    /// For each N_Port the first of its fibres in `fibres` and their number. Neighbours with the same fibres
    /// share them, so that `fibres` stays short where thousands of N_Ports are behind one link.
    towards: IdVec<NPort, (u32, u32)>,
    fibres: Vec<Id<Fibre>>,
}

impl Routes {
    /// No routes yet. Switches with other salts choose apart from each other.
    pub fn new(policy: RoutePolicy, salt: u32) -> Self {
        Self {
            policy,
            salt,
            towards: IdVec::new(),
            fibres: Vec::new(),
        }
    }

    /// Removes all outputs, before new ones are added.
    pub fn clear(&mut self) {
        self.towards = IdVec::new();
        self.fibres.clear();
    }

    /// The outputs to the next N_Port, in their order of preference; all cost the same.
    pub fn add(&mut self, fibres: &[Id<Fibre>]) {
        let latest = self.towards.iter().next_back();
        if let Some(&latest) = latest
            && self.slice(latest) == fibres
        {
            self.towards.push(latest);
            return;
        }
        self.towards
            .push((count(self.fibres.len()), count(fibres.len())));
        self.fibres.extend(fibres);
    }

    /// The equal-cost outputs towards an N_Port.
    pub fn towards(&self, n_port: Id<NPort>) -> &[Id<Fibre>] {
        self.slice(self.towards[n_port])
    }

    fn slice(&self, (first, count): (u32, u32)) -> &[Id<Fibre>] {
        &self.fibres[first as usize..(first + count) as usize]
    }

    /// The output of this frame; `addresses` are those of the N_Ports.
    #[inline(always)]
    pub fn output(
        &self,
        frame: &Frame,
        input: Id<SwitchPort>,
        addresses: &IdVec<NPort, u32>,
    ) -> Id<Fibre> {
        let (first, count) = self.towards[frame.destination];
        let choice = if count == 1 {
            0
        } else {
            self.choose(frame, input, addresses) % count
        };
        self.fibres[(first + choice) as usize]
    }

    fn choose(&self, frame: &Frame, input: Id<SwitchPort>, addresses: &IdVec<NPort, u32>) -> u32 {
        let s_id = addresses[frame.source];
        let d_id = addresses[frame.destination];
        match self.policy {
            RoutePolicy::OnePath => 0,
            RoutePolicy::IngressPort => input.number(),
            RoutePolicy::Destination => area_of(d_id),
            RoutePolicy::SourceDestination => hash(s_id, d_id, 0, self.salt),
            RoutePolicy::Exchange => hash(s_id, d_id, u32::from(frame.ox_id), self.salt),
        }
    }
}

/// A number of fibres.
fn count(fibres: usize) -> u32 {
    u32::try_from(fibres).expect("fewer than 2^32 fibres")
}

/// The same at one switch for both directions of a conversation.
fn hash(s_id: u32, d_id: u32, exchange: u32, salt: u32) -> u32 {
    let pair = u64::from(s_id ^ d_id) << 32 | u64::from(s_id.wrapping_add(d_id));
    let what = pair ^ u64::from(exchange) << 13 ^ u64::from(salt) << 40;
    let mixed = what.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What neighbours share is what each was given.
    #[test]
    fn every_n_port_has_the_outputs_it_was_given() {
        let lists: [&[u32]; 6] = [&[4], &[4], &[4, 5], &[4, 5], &[], &[4]];
        let lists = lists.map(|list| list.iter().copied().map(Id::new).collect::<Vec<_>>());
        let mut routes = Routes::new(RoutePolicy::OnePath, 0);
        for list in &lists {
            routes.add(list);
        }
        for (n_port, list) in (0..).zip(&lists) {
            assert_eq!(routes.towards(Id::new(n_port)), list);
        }
        assert_eq!(routes.fibres.len(), 4);
    }

    /// A choice between two paths at one switch says nothing about the choice at the next.
    #[test]
    fn switches_choose_apart_from_each_other() {
        let mut counts = [[0u32; 2]; 2];
        for exchange in 0..4000 {
            let choice = |salt| hash(0x01_0100, 0x02_0200, exchange, salt) as usize % 2;
            counts[choice(1)][choice(2)] += 1;
        }
        for count in counts.into_iter().flatten() {
            assert!((800..1200).contains(&count), "{counts:?}");
        }
    }
}
