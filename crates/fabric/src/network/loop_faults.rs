//! Faults of arbitrated loops.

use sanlab_fc::{LoopAccess, Ring};
use sanlab_kernel::{Picoseconds, id_of};

use super::state::Network;
use crate::loops::{CircuitPhase, Loop, LoopCounters, LoopFault, Medium, Role, SharedLoop};

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// A fault happens now. Returns the N_Ports that are gone.
    pub fn fail_loop(&mut self, id: u32, fault: &LoopFault, now: Picoseconds) -> Vec<u32> {
        let mut gone = Vec::new();
        match fault {
            LoopFault::Stop { until } => self.stop_loop(id, *until),
            LoopFault::Remove(places) => gone = self.remove_places(id, places, now),
            LoopFault::Insert(places) => {
                let first = self.loops.loops[id as usize].first_port;
                for &place in places {
                    self.loops.ports[(first + place) as usize].is_inserted = true;
                }
                self.rebuild_ring(id);
            }
            LoopFault::Cut {
                first,
                end,
                above,
                below,
            } => {
                let dark: Vec<u32> = (*first..*end).collect();
                gone = self.remove_places(id, &dark, now);
                self.cut_ring(id, *first, *end, (*above, *below), now);
            }
            LoopFault::Darken(crossbar) => {
                if let Medium::Switched(switched) = &mut self.loops.loops[id as usize].medium {
                    switched.darken(*crossbar);
                    let dark: Vec<u32> = switched.places_on(*crossbar).collect();
                    gone = self.remove_places(id, &dark, now);
                }
            }
        }
        self.rearm_loop(id);
        gone
    }

    fn stop_loop(&mut self, id: u32, until: Picoseconds) {
        let ring = self.ring_of(id);
        let this_loop = &mut self.loops.loops[id as usize];
        if let (Medium::Shared(shared), Some(ring)) = (&mut this_loop.medium, ring) {
            let until = until.max(shared.released_at);
            shared.arbitration.initialise(ring, until);
        }
    }

    /// Ports leave: what they wait to send is lost, and what others wait to send to them.
    fn remove_places(&mut self, id: u32, places: &[u32], now: Picoseconds) -> Vec<u32> {
        let first = self.loops.loops[id as usize].first_port;
        let mut gone = Vec::new();
        for &place in places {
            let port = first + place;
            self.loops.ports[port as usize].is_inserted = false;
            gone.push(self.loops.ports[port as usize].settings.n_port);
            self.drop_queue(port, None, now);
        }
        let last = first + id_of(self.ports_of(id));
        for port in first..last {
            for &place in places {
                self.drop_queue(port, Some(first + place), now);
            }
        }
        self.rebuild_ring(id);
        gone
    }

    fn ports_of(&self, id: u32) -> usize {
        let ports = self.loops.ports.iter();
        ports.filter(|port| port.loop_id == id).count()
    }

    /// Forget the sequences of a port, all or those for one partner.
    fn drop_queue(&mut self, id: u32, partner: Option<u32>, now: Picoseconds) {
        let port = &mut self.loops.ports[id as usize];
        let port_of = &self.loops.port_of;
        let n_port = &mut self.n_ports[port.settings.n_port as usize];
        let before = port.queue.len();
        port.queue.retain(|sequence| {
            let goes_to = port_of[sequence.destination as usize];
            let stays = partner.is_some_and(|partner| goes_to != partner);
            if !stays {
                n_port.close_on_loop(sequence.seq_id);
            }
            stays
        });
        self.lost += (before - port.queue.len()) as u64;
        if !port.queue.is_empty() || before == 0 {
            return;
        }
        let (place, loop_id, phase) = (port.place, port.loop_id as usize, port.phase);
        match &mut self.loops.loops[loop_id].medium {
            Medium::Shared(shared) => shared.arbitration.withdraw(place, now),
            Medium::Switched(switched) => {
                switched.withdraw(place);
                if let CircuitPhase::Granted { partner } = phase {
                    let first = self.loops.loops[loop_id].first_port;
                    self.give_grant_back(id, partner, first);
                }
            }
        }
    }

    /// A way that was kept free is not needed.
    fn give_grant_back(&mut self, id: u32, partner: u32, first: u32) {
        let port = &mut self.loops.ports[id as usize];
        port.phase = CircuitPhase::Idle;
        port.role = Role::Free;
        let (place, loop_id) = (port.place, port.loop_id as usize);
        if let Medium::Switched(switched) = &mut self.loops.loops[loop_id].medium {
            switched.free(place, partner - first, 0);
        }
    }

    /// The ring with the delays of the ports that are on it.
    fn ring_of(&self, id: u32) -> Option<Ring> {
        let this_loop = &self.loops.loops[id as usize];
        let Medium::Shared(shared) = &this_loop.medium else {
            return None;
        };
        let ports = &self.loops.ports[this_loop.first_port as usize..];
        let steps = shared.steps.iter().zip(ports).map(|(&step, port)| {
            if port.is_inserted {
                step
            } else {
                step - port.settings.repeat.min(step)
            }
        });
        Some(Ring::new(steps))
    }

    fn rebuild_ring(&mut self, id: u32) {
        let ring = self.ring_of(id);
        let this_loop = &mut self.loops.loops[id as usize];
        if let (Medium::Shared(shared), Some(ring)) = (&mut this_loop.medium, ring) {
            // The circuit that is open, or closes, ends first.
            let closed_until = shared.arbitration.closed_until().max(shared.released_at);
            shared.arbitration.initialise(ring, closed_until);
        }
    }

    /// The ports below a dark enclosure become a loop of their own, the last of all loops.
    fn cut_ring(
        &mut self,
        id: u32,
        first: u32,
        end: u32,
        (above, below): (Picoseconds, Picoseconds),
        now: Picoseconds,
    ) {
        let lower_id = id_of(self.loops.loops.len());
        let closed_until = now.max(self.end_of_circuit(id));
        let this_loop = &mut self.loops.loops[id as usize];
        let (first_port, word, gap) = (this_loop.first_port, this_loop.word, this_loop.gap);
        let Medium::Shared(shared) = &mut this_loop.medium else {
            return;
        };
        let access = shared.arbitration.access();
        let mut steps = shared.steps.split_off(end as usize);
        shared.steps.truncate(first as usize);
        if let Some(step) = shared.steps.first_mut() {
            *step = above;
        }
        let upper = shared.steps.clone();
        *shared = ring_loop(&upper, word, &access[..first as usize], closed_until);
        if let Some(step) = steps.first_mut() {
            *step = below;
        }
        let lower = ring_loop(&steps, word, &access[end as usize..], closed_until);
        self.loops.loops.push(Loop {
            medium: Medium::Shared(lower),
            counters: LoopCounters::default(),
            first_port: first_port + end,
            word,
            gap,
        });
        let upper_ports = first_port..first_port + first;
        let lower_ports = first_port + end..first_port + end + id_of(steps.len());
        for port in lower_ports.clone() {
            let moved = &mut self.loops.ports[port as usize];
            (moved.loop_id, moved.place) = (lower_id, moved.place - end);
        }
        for port in upper_ports.chain(lower_ports) {
            self.start_again(port, now);
        }
        self.rearm_loop(lower_id);
    }

    /// The circuit that is open on a shared loop, or was open last, ends then.
    fn end_of_circuit(&mut self, id: u32) -> Picoseconds {
        let this_loop = &self.loops.loops[id as usize];
        let Medium::Shared(shared) = &this_loop.medium else {
            return 0;
        };
        match shared.owner {
            Some(owner) => {
                let circuit =
                    &mut self.loops.ports[(this_loop.first_port + owner) as usize].circuit;
                circuit.close(circuit.dry_at())
            }
            None => shared.released_at,
        }
    }

    /// A port on a ring that was closed anew: it loses what it has for ports that it no longer
    /// reaches, and asks for the loop if it has more.
    fn start_again(&mut self, id: u32, now: Picoseconds) {
        let port = &mut self.loops.ports[id as usize];
        (port.role, port.phase) = (Role::Free, CircuitPhase::Idle);
        let loop_id = port.loop_id;
        let partners: Vec<u32> = self.loops.ports[id as usize]
            .queue
            .iter()
            .map(|sequence| self.loops.port_of[sequence.destination as usize])
            .filter(|&partner| self.loops.ports[partner as usize].loop_id != loop_id)
            .collect();
        for partner in partners {
            self.drop_queue(id, Some(partner), now);
        }
        if !self.loops.ports[id as usize].queue.is_empty() {
            self.request_loop(id, now);
        }
    }
}

/// A ring on which no port arbitrates before this instant.
fn ring_loop(
    steps: &[Picoseconds],
    word: Picoseconds,
    access: &[LoopAccess],
    closed_until: Picoseconds,
) -> SharedLoop {
    let mut shared = SharedLoop::new(steps.to_vec(), word, access);
    let ring = shared.arbitration.ring().clone();
    shared.arbitration.initialise(ring, closed_until);
    shared
}
