//! Ends of links that accelerate writes: frames that they take out of the fabric and put in again.
//!
//! The near end answers a write in place of its target, and the far end keeps the data until the target
//! asks for them. What is answered and kept, the layers above decide: here an exchange is only marked, the
//! frames that concern the ends leave the fabric, and others enter it.

use sanlab_fc::{Exchange, Frame, FrameKind};
use sanlab_kernel::{Id, Instant, MaybeId, slot_of};

use super::state::Network;
use crate::fibre::{Fibre, Sink, way_back};
use crate::parts::SwitchPort;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// From now on the ends of the link of this fibre take out what concerns a write: its data at the far
    /// end of the fibre, and there what its target sends back but for the answer to an abort.
    pub fn accelerate(&mut self, exchange: Id<Exchange>, fibre: Id<Fibre>) {
        let slot = slot_of(exchange);
        if self.accelerated.len() <= slot {
            self.accelerated.resize(slot + 1, MaybeId::NONE);
        }
        self.accelerated[slot] = fibre.same().into();
    }

    /// The ends of links let the frames of an exchange pass again. False if they did before.
    pub fn stop_accelerating(&mut self, exchange: Id<Exchange>) -> bool {
        let mark = self.accelerated.get_mut(slot_of(exchange));
        mark.is_some_and(|mark| std::mem::replace(mark, MaybeId::NONE).is_some())
    }

    /// The fibre that the data of an accelerated write go by.
    #[inline]
    pub fn accelerated_by(&self, exchange: Id<Exchange>) -> Option<Id<Fibre>> {
        let mark = self.accelerated.get(slot_of(exchange))?;
        mark.get().map(Id::same)
    }

    /// Whether the switch at the end of a fibre takes a frame out instead of forwarding it.
    #[inline]
    pub(crate) fn is_taken(&self, id: Id<Fibre>, frame: Id<Frame>, output: Id<Fibre>) -> bool {
        if self.accelerated.is_empty() {
            return false;
        }
        let frame = &self.frames[frame];
        let by = match frame.kind {
            FrameKind::Data => id,
            FrameKind::TransferReady | FrameKind::Response => way_back(output),
            _ => return false,
        };
        self.accelerated_by(frame.exchange.record()) == Some(by)
    }

    /// A frame leaves the fabric at the end of this fibre. Its buffer is free when its last bit is in.
    #[cold]
    pub(crate) fn take_out(
        &mut self,
        id: Id<Fibre>,
        frame: Id<Frame>,
        tail_at: Instant,
    ) -> Instant {
        let fibre = &self.fibres[id];
        let in_at = tail_at + fibre.delay;
        let back_at = in_at + fibre.credit_return;
        let is_featured = fibre.features.is_some();
        let frame = &mut self.frames[frame];
        // On a trunk a short frame may be in before one that was sent earlier.
        frame.ready_at = if is_featured {
            self.fibres[id].come_in(in_at, frame)
        } else {
            in_at
        };
        let channel = frame.channel;
        self.give_credit(id, channel, back_at);
        self.delivered += 1;
        crate::TAKEN
    }

    /// A frame enters the fabric at the switch that this fibre leads to, through a port of the switch without
    /// a link. Returns false if its way is dark: it is lost, and the caller frees it.
    #[must_use]
    pub fn put_in(&mut self, at: Id<Fibre>, id: Id<Frame>, now: Instant) -> bool {
        let Sink::Switch { switch, .. } = self.fibres[at].sink else {
            unreachable!("ends of an accelerated link are switches")
        };
        self.sent += 1;
        let switch = &self.switches[switch];
        let port: Id<SwitchPort> = Id::from_place(switch.outputs.len() - 1);
        let latency = switch.latency;
        let output = switch
            .routes
            .output(&self.frames[id], port, &self.addresses);
        if self.fibres[output].on_slow_path && self.refuses(output, now) {
            self.fibres[output].counters.dropped += 1;
            self.dropped += 1;
            return false;
        }
        let frame = &mut self.frames[id];
        frame.ready_at = now + latency;
        frame.switch_wait += latency;
        (frame.came_by, frame.channel) = (self.topology.null_fibre.same().into(), 0);
        frame.next = MaybeId::NONE;
        let ready_at = frame.ready_at;
        let waits_for = &mut self.fibres[output];
        let mut queue = port.same();
        if waits_for.is_featured_output() {
            let address = self.addresses[frame.destination];
            queue = waits_for.queue_of(frame, port, address);
        }
        (waits_for.queues).push(queue, id, ready_at, &mut self.frames);
        self.announce(output, ready_at);
        true
    }
}
