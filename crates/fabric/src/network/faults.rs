//! Links that go dark, bits that arrive inverted, credit that gets lost, and routes around them.
//!
//! The plan says when a link goes dark and when it is lit again, so the fate of a frame is known when
//! the frame starts: nothing that was announced is taken back.

use sanlab_kernel::{NEVER, NONE, Picoseconds};

use super::state::Network;
use crate::bit_errors::BitErrors;
use crate::fibre::{Sink, Source};
use crate::probe::Fate;
use crate::transmission::LOST;
use crate::trunk::Trunk;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// Bits of this fibre arrive inverted from now on.
    pub fn disturb(&mut self, fibre: u32, errors: BitErrors) {
        let fibre = &mut self.fibres[fibre as usize];
        fibre.errors = Some(Box::new(errors));
        fibre.on_slow_path = true;
        fibre.faultless_until = 0;
    }

    /// A link will go dark at this instant; [`NEVER`] if it will not.
    pub fn expect_outage(&mut self, link: u32, from: Picoseconds) {
        for fibre in [2 * link, 2 * link + 1] {
            let fibre = &mut self.fibres[fibre as usize];
            fibre.dark_from = from;
            fibre.on_slow_path |= from != NEVER;
            let always = fibre.errors.is_some() || fibre.faultless_until == 0;
            fibre.faultless_until = if always { 0 } else { from };
        }
    }

    /// A cable of a trunk will be pulled at this instant; [`NEVER`] if it will not.
    pub fn expect_pull(&mut self, link: u32, member: u32, at: Picoseconds) {
        for fibre in [2 * link, 2 * link + 1] {
            let fibre = &mut self.fibres[fibre as usize];
            fibre.faultless_until = 0;
            if let Some(trunk) = &mut fibre.features_mut().trunk {
                trunk.expect_cut(member, at);
            }
        }
    }

    /// A cable of a trunk is pulled now, until an instant: the others carry on.
    pub fn pull_member(&mut self, link: u32, member: u32, now: Picoseconds, until: Picoseconds) {
        for id in [2 * link, 2 * link + 1] {
            // A wait for credit ends here, and may begin again.
            let waited = self.lasting_credit_wait(id, now);
            let fibre = &mut self.fibres[id as usize];
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
    pub fn is_lit(&self, n_port: u32, now: Picoseconds) -> bool {
        self.is_on_loop(n_port) || !self.uplink(n_port).is_dark(now)
    }

    /// What becomes of a frame whose last bit comes in after the instant of trouble?
    #[cold]
    #[inline(never)]
    pub(crate) fn fate(&mut self, id: u32, frame: u32, tail_at: Picoseconds) -> Fate {
        let (wire_bytes, channel) = (self.frames[frame].wire_bytes, self.frames[frame].channel);
        let fibre = &mut self.fibres[id as usize];
        let arrives_at = tail_at + fibre.delay;
        let trunk = fibre
            .features
            .as_ref()
            .and_then(|features| features.trunk.as_ref());
        let cut_at = trunk.map_or(NEVER, Trunk::cut_at).min(fibre.dark_from);
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
        self.fibres[id as usize].counters.dropped += 1;
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
        id: u32,
        frame: u32,
        output: u32,
        tail_at: Picoseconds,
    ) -> Picoseconds {
        let fibre = &self.fibres[id as usize];
        let back_at = tail_at + fibre.delay + fibre.credit_return;
        let channel = self.frames[frame].channel;
        self.give_credit(id, channel, back_at);
        self.fibres[output as usize].counters.dropped += 1;
        self.dropped += 1;
        LOST
    }

    /// A link goes dark now and is lit again at `back_at`. What waits for it is lost; the link then
    /// begins with the whole of its credit.
    pub fn fail_link(&mut self, link: u32, now: Picoseconds, back_at: Picoseconds) {
        for id in [2 * link, 2 * link + 1] {
            // A wait for credit ends here, whatever it waited for.
            let waited = self.lasting_credit_wait(id, now);
            self.orphan(id);
            self.drop_waiting(id, now);
            let fibre = &mut self.fibres[id as usize];
            fibre.counters.credit_wait += waited;
            fibre.renew_credit(back_at);
            fibre.lost_credit = 0;
            fibre.could_start_at = NEVER;
            if EVERY_EVENT {
                self.reference.begin_anew(id, back_at);
            }
            if let Source::NPort(n_port) = fibre.source {
                self.lost += self.n_ports[n_port as usize].clear(back_at);
            }
            self.rearm(id, now);
        }
    }

    /// Frames that came by this fibre and still wait in the switch, or to be stored, hold none of its
    /// credit any more.
    fn orphan(&mut self, id: u32) {
        for port in &self.buses.ports {
            for &frame in &port.landing {
                let frame = &mut self.frames[frame];
                if frame.came_by == id {
                    frame.came_by = self.topology.null_fibre;
                }
            }
        }
        let Sink::Switch { switch, .. } = self.fibres[id as usize].sink else {
            return;
        };
        for &output in &self.switches[switch as usize].outputs {
            if output == NONE {
                continue;
            }
            let waiting = self.fibres[output as usize].queues.waiting(&self.frames);
            let waiting: Vec<u32> = waiting.collect();
            for frame in waiting {
                let frame = &mut self.frames[frame];
                if frame.came_by == id {
                    (frame.came_by, frame.channel) = (self.topology.null_fibre, 0);
                }
            }
        }
    }

    /// Frames that wait for this output are lost, and their buffers free.
    fn drop_waiting(&mut self, id: u32, now: Picoseconds) {
        let fibre = &self.fibres[id as usize];
        let waiting: Vec<u32> = fibre.queues.waiting(&self.frames).collect();
        for &frame in &waiting {
            let (came_by, channel) = (self.frames[frame].came_by, self.frames[frame].channel);
            let back_at = now + self.fibres[came_by as usize].credit_return;
            self.give_credit(came_by, channel, back_at);
            self.frames.remove(frame);
        }
        let fibre = &mut self.fibres[id as usize];
        fibre.queues.clear();
        fibre.counters.dropped += waiting.len() as u64;
        self.dropped += waiting.len() as u64;
    }

    /// Every switch computes its routes over the links that are lit now.
    pub fn update_routes(&mut self, now: Picoseconds) {
        let fibres = &self.fibres;
        let is_up = |fibre: u32| !fibres[fibre as usize].is_dark(now);
        self.topology.route(&mut self.switches, is_up);
    }

    /// Whether a frame of this exchange is on its way, or waits to be sent.
    pub fn holds_frame_of(&self, exchange: u32) -> bool {
        let waits = self.n_ports.iter().any(|port| port.holds(exchange));
        let on_loop = self.loops.ports.iter().any(|port| port.holds(exchange));
        waits
            || on_loop
            || self
                .landing()
                .any(|id| self.frames[id].exchange == exchange)
            || self.fibres.iter().any(|fibre| {
                let mut waiting = fibre.queues.waiting(&self.frames);
                waiting.any(|id| self.frames[id].exchange == exchange)
            })
    }

    /// R_RDYs on their way to this transmitter are lost, as many as it knows of at most. Returns how many.
    pub fn lose_credit(&mut self, id: u32, most: u32, now: Picoseconds) -> u32 {
        let fibre = &mut self.fibres[id as usize];
        let lost = fibre.credit_mut(0).lose(most);
        fibre.lost_credit += lost;
        if EVERY_EVENT {
            self.reference.lose_credit(id, lost, now);
        } else {
            self.rearm(id, now);
        }
        lost
    }

    /// What was lost of a transmitter's credit is back: by BB_SC recovery, or by a link reset.
    pub fn recover_credit(&mut self, id: u32, now: Picoseconds) {
        let lost = std::mem::take(&mut self.fibres[id as usize].lost_credit);
        for _ in 0..lost {
            self.give_credit(id, 0, now);
        }
    }
}
