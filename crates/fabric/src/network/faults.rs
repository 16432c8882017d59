//! Links that go dark, bits that arrive inverted, credit that gets lost, and routes around them.
//!
//! The plan says when a link goes dark and when it is lit again, so the fate of a frame is known when
//! the frame starts: nothing that was announced is taken back.

use sanlab_fc::{Exchange, Frame, NPort};
use sanlab_kernel::{Id, Instant};

use super::state::Network;
use crate::bit_errors::BitErrors;
use crate::fibre::{Fibre, Link, Sink, Source, fibres_of};
use crate::probe::Fate;
use crate::transmission::LOST;
use crate::trunk::{Trunk, TrunkMember};

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// Bits of this fibre arrive inverted from now on.
    pub fn disturb(&mut self, fibre: Id<Fibre>, errors: BitErrors) {
        let fibre = &mut self.fibres[fibre];
        fibre.errors = Some(Box::new(errors));
        fibre.on_slow_path = true;
        fibre.faultless_until = Instant::START;
    }

    /// A link will go dark at this instant; [`Instant::NEVER`] if it will not.
    pub fn expect_outage(&mut self, link: Id<Link>, from: Instant) {
        for fibre in fibres_of(link) {
            let fibre = &mut self.fibres[fibre];
            fibre.dark_from = from;
            fibre.on_slow_path |= from != Instant::NEVER;
            let always = fibre.errors.is_some() || fibre.faultless_until == Instant::START;
            fibre.faultless_until = if always { Instant::START } else { from };
        }
    }

    /// A cable of a trunk will be pulled at this instant; [`Instant::NEVER`] if it will not.
    pub fn expect_pull(&mut self, link: Id<Link>, member: Id<TrunkMember>, at: Instant) {
        for fibre in fibres_of(link) {
            let fibre = &mut self.fibres[fibre];
            fibre.faultless_until = Instant::START;
            if let Some(trunk) = &mut fibre.features_mut().trunk {
                trunk.expect_cut(member, at);
            }
        }
    }

    /// A cable of a trunk is pulled now, until an instant: the others carry on.
    pub fn pull_member(
        &mut self,
        link: Id<Link>,
        member: Id<TrunkMember>,
        now: Instant,
        until: Instant,
    ) {
        for id in fibres_of(link) {
            // A wait for credit ends here, and may begin again.
            let waited = self.lasting_credit_wait(id, now);
            let fibre = &mut self.fibres[id];
            let Some(trunk) = &mut fibre.features_mut().trunk else {
                continue;
            };
            let was_sending = trunk.pull(member, now, until);
            fibre.free_at = trunk.next_free(now);
            fibre.counters.credit_wait += waited;
            if EVERY_EVENT {
                self.reference.forget_starving(id);
                self.reference.lose_member(id, was_sending, until);
            }
            // What the lost frames held is known to both ends at once.
            self.recover_credit(id, now);
            self.rearm(id, now);
        }
    }

    /// Whether the link of an N_Port carries frames now; the places of a loop always do.
    pub fn is_lit(&self, n_port: Id<NPort>, now: Instant) -> bool {
        self.is_on_loop(n_port) || !self.uplink(n_port).is_dark(now)
    }

    /// What becomes of a frame whose last bit comes in after the instant of trouble?
    #[cold]
    #[inline(never)]
    pub(crate) fn fate(&mut self, id: Id<Fibre>, frame: Id<Frame>, tail_at: Instant) -> Fate {
        let (wire_bytes, channel) = (self.frames[frame].wire_bytes, self.frames[frame].channel);
        let fibre = &mut self.fibres[id];
        let arrives_at = tail_at + fibre.delay;
        let trunk = fibre
            .features
            .as_ref()
            .and_then(|features| features.trunk.as_ref());
        let cut_at = trunk
            .map_or(Instant::NEVER, Trunk::cut_at)
            .min(fibre.dark_from);
        let is_cut_off = arrives_at > cut_at;
        let bits = 8 * u64::from(wire_bytes);
        let is_hit = fibre.errors.as_mut().is_some_and(|errors| errors.hit(bits));
        if is_cut_off {
            fibre.lost_credit += 1;
        } else if is_hit {
            // The receiver finds the CRC wrong, and its buffer free again.
            let back_at = arrives_at + fibre.credit_return;
            self.give_credit(id, channel, back_at);
        } else {
            return Fate::Whole;
        }
        self.fibres[id].counters.dropped += 1;
        self.dropped += 1;
        if is_cut_off {
            Fate::CutOff
        } else {
            Fate::Corrupted
        }
    }

    /// A frame has no way on: its buffer is free when it is in.
    #[cold]
    #[inline(never)]
    pub(crate) fn discard(
        &mut self,
        id: Id<Fibre>,
        frame: Id<Frame>,
        output: Id<Fibre>,
        tail_at: Instant,
    ) -> Instant {
        let fibre = &self.fibres[id];
        let back_at = tail_at + fibre.delay + fibre.credit_return;
        let channel = self.frames[frame].channel;
        self.give_credit(id, channel, back_at);
        self.fibres[output].counters.dropped += 1;
        self.dropped += 1;
        LOST
    }

    /// A link goes dark now and is lit again at `back_at`. What waits for it is lost; the link then
    /// begins with the whole of its credit.
    pub fn fail_link(&mut self, link: Id<Link>, now: Instant, back_at: Instant) {
        for id in fibres_of(link) {
            // A wait for credit ends here, whatever it waited for.
            let waited = self.lasting_credit_wait(id, now);
            self.orphan(id);
            self.drop_waiting(id, now);
            let fibre = &mut self.fibres[id];
            fibre.counters.credit_wait += waited;
            fibre.renew_credit(back_at);
            fibre.could_start_at = Instant::NEVER;
            if EVERY_EVENT {
                self.reference.begin_anew(id, back_at);
            }
            if let Source::NPort(n_port) = fibre.source {
                self.lost += self.n_ports[n_port].clear(back_at);
            }
            self.rearm(id, now);
        }
    }

    /// Frames that came by this fibre and still wait in the switch, or to be stored, hold none of its
    /// credit any more.
    pub(crate) fn orphan(&mut self, id: Id<Fibre>) {
        for port in &self.buses.ports {
            for &frame in &port.landing {
                let frame = &mut self.frames[frame];
                if frame.came_by == id.same().into() {
                    frame.came_by = self.topology.null_fibre.same().into();
                }
            }
        }
        let Sink::Switch { switch, .. } = self.fibres[id].sink else {
            return;
        };
        for &output in self.switches[switch].outputs.iter().flatten() {
            let waiting = self.fibres[output].queues.waiting(&self.frames);
            let waiting: Vec<Id<Frame>> = waiting.collect();
            for frame in waiting {
                let frame = &mut self.frames[frame];
                if frame.came_by == id.same().into() {
                    let null_fibre = self.topology.null_fibre.same();
                    (frame.came_by, frame.channel) = (null_fibre.into(), 0);
                }
            }
        }
    }

    /// Frames that wait for this output are lost, and their buffers free.
    fn drop_waiting(&mut self, id: Id<Fibre>, now: Instant) {
        let fibre = &self.fibres[id];
        let waiting: Vec<Id<Frame>> = fibre.queues.waiting(&self.frames).collect();
        for &frame in &waiting {
            self.drop_frame(frame, now);
        }
        let fibre = &mut self.fibres[id];
        fibre.queues.clear();
        fibre.counters.dropped += waiting.len() as u64;
        self.dropped += waiting.len() as u64;
    }

    /// A frame in a switch is lost, and its buffer free. Returns the fibre it came by.
    pub(crate) fn drop_frame(&mut self, id: Id<Frame>, now: Instant) -> Id<Fibre> {
        let Frame {
            came_by, channel, ..
        } = self.frames[id];
        let came_by = came_by.certain().same();
        let back_at = now + self.fibres[came_by].credit_return;
        self.give_credit(came_by, channel, back_at);
        self.frames.remove(id);
        came_by
    }

    /// Every switch computes its routes over the links that are lit now.
    pub fn update_routes(&mut self, now: Instant) {
        let fibres = &self.fibres;
        let is_up = |fibre: Id<Fibre>| !fibres[fibre].is_dark(now);
        self.topology.route(&mut self.switches, is_up);
    }

    /// Whether a frame of this exchange is on its way, or waits to be sent.
    pub fn holds_frame_of(&self, exchange: Id<Exchange>) -> bool {
        let waits = self.n_ports.iter().any(|port| port.holds(exchange));
        let on_loop = self.loops.ports.iter().any(|port| port.holds(exchange));
        waits
            || on_loop
            || self
                .landing()
                .any(|id| self.frames[id].exchange == exchange.into())
            || self.fibres.iter().any(|fibre| {
                let mut waiting = fibre.queues.waiting(&self.frames);
                waiting.any(|id| self.frames[id].exchange == exchange.into())
            })
    }

    /// R_RDYs for this transmitter are lost: those that come next, also for frames that are still on their
    /// way. Returns how many, at most all of the credit that is left.
    pub fn lose_credit(&mut self, id: Id<Fibre>, most: u32, now: Instant) -> u32 {
        let lost = self.fibres[id].lose_credit(most, now);
        self.note_no_credit(id, now);
        if EVERY_EVENT {
            self.reference.lose_credit(id, lost, now);
        } else {
            // Not armed anew: a wait that lasts may be older than the first frame that still waits.
            self.reset_alarm(id);
        }
        lost
    }

    /// What was lost of a transmitter's credit is back: by BB_SC recovery, or by a link reset.
    pub fn recover_credit(&mut self, id: Id<Fibre>, now: Instant) {
        let lost = std::mem::take(&mut self.fibres[id].lost_credit);
        for _ in 0..lost {
            self.restore_credit(id, now);
        }
    }
}
