//! Faults of arbitrated loops.

use sanlab_fc::{LoopAccess, LoopPlace, NPort, Ring};
use sanlab_kernel::{Id, Instant, Span};

use super::state::Network;
use crate::ahead::Ahead;
use crate::loops::{
    CircuitPhase, Loop, LoopCounters, LoopFault, LoopPort, Medium, Places, Role, SharedLoop,
};

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// A fault happens now. Returns the N_Ports that are gone.
    pub fn fail_loop(&mut self, id: Id<Loop>, fault: &LoopFault, now: Instant) -> Vec<Id<NPort>> {
        let mut gone = Vec::new();
        match fault {
            LoopFault::Stop { until } => self.stop_loop(id, *until),
            LoopFault::Remove(places) => gone = self.remove_places(id, places, now),
            LoopFault::Insert(places) => {
                let ports = self.loops.loops[id].places;
                for &place in places {
                    self.loops.ports[ports.port(place)].is_inserted = true;
                }
                self.rebuild_ring(id);
            }
            LoopFault::Cut {
                first,
                end,
                above,
                below,
            } => {
                let dark: Vec<_> = (first.number()..end.number()).map(Id::new).collect();
                gone = self.remove_places(id, &dark, now);
                self.cut_ring(id, *first, *end, (*above, *below), now);
            }
            LoopFault::Darken(crossbar) => {
                if let Medium::Switched(switched) = &mut self.loops.loops[id].medium {
                    switched.darken(*crossbar);
                    let dark: Vec<_> = switched.places_on(*crossbar).collect();
                    gone = self.remove_places(id, &dark, now);
                }
            }
        }
        self.rearm_loop(id);
        gone
    }

    fn stop_loop(&mut self, id: Id<Loop>, until: Instant) {
        let ring = self.ring_of(id);
        let this_loop = &mut self.loops.loops[id];
        if let (Medium::Shared(shared), Some(ring)) = (&mut this_loop.medium, ring) {
            let until = until.max(shared.released_at);
            shared.arbitration.initialise(ring, until);
        }
    }

    /// Ports leave: what they wait to send is lost, and what others wait to send to them.
    fn remove_places(
        &mut self,
        id: Id<Loop>,
        places: &[Id<LoopPlace>],
        now: Instant,
    ) -> Vec<Id<NPort>> {
        let ports = self.loops.loops[id].places;
        let mut gone = Vec::new();
        for &place in places {
            let port = ports.port(place);
            self.loops.ports[port].is_inserted = false;
            gone.extend(self.loops.ports[port].settings.n_port.get());
            self.drop_queue(port, None, now);
        }
        for here in (0..self.ports_of(id)).map(Id::from_place) {
            for &place in places {
                self.drop_queue(ports.port(here), Some(ports.port(place)), now);
            }
        }
        self.rebuild_ring(id);
        gone
    }

    fn ports_of(&self, id: Id<Loop>) -> usize {
        let ports = self.loops.ports.iter();
        ports.filter(|port| port.loop_id == id).count()
    }

    /// Forget the sequences of a port, all or those for one partner.
    fn drop_queue(&mut self, id: Id<LoopPort>, partner: Option<Id<LoopPort>>, now: Instant) {
        let port = &mut self.loops.ports[id];
        let Some(n_port) = port.settings.n_port.get() else {
            self.offer_frames(id, now);
            return;
        };
        let n_port = &mut self.n_ports[n_port];
        let mut queue = std::mem::take(&mut port.queue);
        let before = queue.len();
        queue.retain(|waiting| {
            let stays = partner.is_some_and(|partner| waiting.partner != partner);
            if !stays {
                n_port.close_on_loop(waiting.sequence.seq_id);
            }
            stays
        });
        port.queue = queue;
        self.lost += (before - port.queue.len()) as u64;
        if !port.queue.is_empty() || before == 0 {
            return;
        }
        let (place, loop_id, phase) = (port.place, port.loop_id, port.phase);
        match &mut self.loops.loops[loop_id].medium {
            Medium::Shared(shared) => shared.arbitration.withdraw(place, now),
            Medium::Switched(switched) => {
                switched.withdraw(place);
                if let CircuitPhase::Granted { partner } = phase {
                    self.give_grant_back(id, partner);
                }
            }
        }
    }

    /// A way that was kept free is not needed.
    fn give_grant_back(&mut self, id: Id<LoopPort>, partner: Id<LoopPort>) {
        let port = &mut self.loops.ports[id];
        port.phase = CircuitPhase::Idle;
        port.role = Role::Free;
        let (place, loop_id) = (port.place, port.loop_id);
        let this_loop = &mut self.loops.loops[loop_id];
        let partner_place = this_loop.places.of(partner);
        if let Medium::Switched(switched) = &mut this_loop.medium {
            switched.free(place, partner_place, Span::ZERO);
        }
    }

    /// The ring with the delays of the ports that are on it.
    fn ring_of(&self, id: Id<Loop>) -> Option<Ring> {
        let this_loop = &self.loops.loops[id];
        let Medium::Shared(shared) = &this_loop.medium else {
            return None;
        };
        let ports = self.loops.ports.iter().skip(this_loop.places.first.place());
        let steps = shared.steps.iter().zip(ports).map(|(&step, port)| {
            if port.is_inserted {
                step
            } else {
                step - port.settings.repeat.min(step)
            }
        });
        Some(Ring::new(steps))
    }

    fn rebuild_ring(&mut self, id: Id<Loop>) {
        let ring = self.ring_of(id);
        let this_loop = &mut self.loops.loops[id];
        if let (Medium::Shared(shared), Some(ring)) = (&mut this_loop.medium, ring) {
            // The circuit that is open, or closes, ends first.
            let closed_until = shared.arbitration.closed_until().max(shared.released_at);
            shared.arbitration.initialise(ring, closed_until);
        }
    }

    /// The ports below a dark enclosure become a loop of their own, the last of all loops.
    fn cut_ring(
        &mut self,
        id: Id<Loop>,
        first: Id<LoopPlace>,
        end: Id<LoopPlace>,
        (above, below): (Span, Span),
        now: Instant,
    ) {
        let lower_id = self.loops.loops.next_id();
        let closed_until = now.max(self.end_of_circuit(id));
        let this_loop = &mut self.loops.loops[id];
        let (ports, word, gap) = (this_loop.places, this_loop.word, this_loop.gap);
        let Medium::Shared(shared) = &mut this_loop.medium else {
            return;
        };
        let access = shared.arbitration.access();
        let mut steps = shared.steps.split_off(end.place());
        shared.steps.truncate(first.place());
        if let Some(step) = shared.steps.first_mut() {
            *step = above;
        }
        let upper = shared.steps.clone();
        *shared = ring_loop(&upper, word, &access[..first.place()], closed_until);
        if let Some(step) = steps.first_mut() {
            *step = below;
        }
        let lower = ring_loop(&steps, word, &access[end.place()..], closed_until);
        let lower_ports = Places {
            first: ports.port(end),
        };
        self.loops.loops.push(Loop {
            medium: Medium::Shared(lower),
            counters: LoopCounters::default(),
            ahead: Ahead::default(),
            reached: Instant::START,
            places: lower_ports,
            word,
            gap,
        });
        for place in (0..steps.len()).map(Id::from_place) {
            let moved = &mut self.loops.ports[lower_ports.port(place)];
            (moved.loop_id, moved.place) = (lower_id, place);
        }
        let above = (0..first.number()).map(|place| ports.port(Id::new(place)));
        let below = (0..steps.len()).map(|place| lower_ports.port(Id::from_place(place)));
        for port in above.chain(below) {
            self.start_again(port, now);
        }
        self.rearm_loop(lower_id);
    }

    /// The circuit that is open on a shared loop, or was open last, ends then.
    fn end_of_circuit(&mut self, id: Id<Loop>) -> Instant {
        let this_loop = &self.loops.loops[id];
        let Medium::Shared(shared) = &this_loop.medium else {
            return Instant::START;
        };
        match shared.owner {
            Some(owner) => {
                let circuit = &mut self.loops.ports[this_loop.places.port(owner)].circuit;
                circuit.close(circuit.dry_at())
            }
            None => shared.released_at,
        }
    }

    /// A port on a ring that was closed anew: it loses what it has for ports that it no longer
    /// reaches, and asks for the loop if it has more.
    fn start_again(&mut self, id: Id<LoopPort>, now: Instant) {
        let port = &mut self.loops.ports[id];
        (port.role, port.phase) = (Role::Free, CircuitPhase::Idle);
        let loop_id = port.loop_id;
        let partners: Vec<Id<LoopPort>> = self.loops.ports[id]
            .queue
            .iter()
            .map(|waiting| waiting.partner)
            .filter(|&partner| self.loops.ports[partner].loop_id != loop_id)
            .collect();
        for partner in partners {
            self.drop_queue(id, Some(partner), now);
        }
        if !self.loops.ports[id].queue.is_empty() {
            self.request_loop(id, now);
        }
    }
}

/// A ring on which no port arbitrates before this instant.
fn ring_loop(
    steps: &[Span],
    word: Span,
    access: &[LoopAccess],
    closed_until: Instant,
) -> SharedLoop {
    let mut shared = SharedLoop::new(steps.to_vec(), word, access);
    let ring = shared.arbitration.ring().clone();
    shared.arbitration.initialise(ring, closed_until);
    shared
}
