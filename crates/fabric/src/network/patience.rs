//! Frames that have waited too long are discarded, and links without credit are reset.

use sanlab_fc::Frame;
use sanlab_kernel::{Id, Instant};

use super::state::Network;
use crate::fibre::{Fibre, Sink, way_back};
use crate::patience::{Impatience, PatienceCounters};
use crate::voq::Queue;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// When a transmitter is looked at next; no patience ends earlier.
    #[inline]
    pub fn looks_at(&self) -> Instant {
        self.watches.alarms.first().0
    }

    /// Look at the transmitters that are due by an instant before which no frame starts. Returns when the
    /// patience of one ends, if it does; [`Network::end_patience`] must follow then.
    pub fn look(&mut self, until: Instant) -> Option<Instant> {
        loop {
            let (now, number) = self.watches.alarms.first();
            if now > until || now == Instant::NEVER {
                return None;
            }
            let fibre = Id::new(number);
            let ends_at = self.patience_ends_at(fibre, now);
            if ends_at <= now {
                return Some(now);
            }
            self.watches.alarms.set_or_clear(number, ends_at);
        }
    }

    /// The patience of all transmitters ends whose time is over now.
    pub fn end_patience(&mut self, now: Instant) {
        loop {
            let (at, number) = self.watches.alarms.first();
            if at > now {
                return;
            }
            let fibre = Id::new(number);
            self.discard_old(fibre, now);
            self.discard_without_credit(fibre, now);
            self.reset_without_credit(fibre, now);
            let ends_at = self.patience_ends_at(fibre, now);
            debug_assert!(ends_at > now, "what is over is dealt with");
            self.watches.alarms.set_or_clear(number, ends_at);
        }
    }

    /// Nothing is on its way, and no transmitter has anything to send, now or later: where no frame starts
    /// any more, no patience ends.
    pub fn is_quiet(&self) -> bool {
        let is_still = if EVERY_EVENT {
            self.reference.is_quiet()
        } else {
            let mut waits = self.fibres.iter().map(|fibre| fibre.could_start_at);
            waits.all(|at| at == Instant::NEVER)
        };
        is_still && self.on_the_way() == 0
    }

    /// What a transmitter counted when its patience ended.
    pub fn patience_counters(&self, fibre: Id<Fibre>) -> PatienceCounters {
        self.watches.of[fibre].counters
    }

    /// No patience of this transmitter ends before, whatever still comes.
    fn patience_ends_at(&mut self, id: Id<Fibre>, now: Instant) -> Instant {
        let without_credit = self.without_credit(id, now).unwrap_or(now);
        let channel = self.channel_without_credit(id, now);
        let watch = &self.watches.of[id];
        let heads = self.fibres[id].queues.heads();
        let first = heads.map(|(_, ready_at)| ready_at).min();
        let first = first.unwrap_or(Instant::NEVER);
        let of = |since: Instant, limit: Option<_>| {
            limit.map_or(Instant::NEVER, |limit| since.min(now).saturating_add(limit))
        };
        let no_credit = if watch.drops {
            // What was on its way to the output when it began to discard.
            first.min(of(now, watch.patience.no_credit))
        } else {
            of(without_credit, watch.patience.no_credit)
        };
        of(first, watch.patience.hold)
            .min(no_credit)
            .min(of(channel.unwrap_or(without_credit), watch.patience.reset))
    }

    /// Since when a virtual channel of a transmitter has been without credit, if it has any and one is.
    /// Frames of the others may pass meanwhile.
    fn channel_without_credit(&mut self, id: Id<Fibre>, now: Instant) -> Option<Instant> {
        let fibre = &mut self.fibres[id];
        if fibre.is_dark(now) {
            return None;
        }
        let features = fibre.features.as_mut();
        let discipline = features.and_then(|features| features.discipline.as_mut())?;
        discipline.without_credit(&fibre.queues, now)
    }

    /// Since when a transmitter that had a frame to send has been without credit, if it is.
    fn without_credit(&mut self, id: Id<Fibre>, now: Instant) -> Option<Instant> {
        let watch = &self.watches.of[id];
        if !watch.patience.minds_credit() {
            return None;
        }
        let fibre = &self.fibres[id];
        let sent = fibre.counters.frames;
        let has_none = fibre.credit.next_at() > now && !fibre.is_dark(now);
        let known = watch
            .without_credit
            .filter(|&(_, before)| has_none && before == sent);
        let waited = self.lasting_credit_wait(id, now);
        let lasts = known.or_else(|| {
            let is_waiting = has_none && !waited.is_zero();
            is_waiting.then(|| (now - waited, sent))
        });
        let watch = &mut self.watches.of[id];
        watch.without_credit = lasts;
        // Credit that is back lets frames pass again.
        watch.drops &= known.is_some();
        lasts.map(|(since, _)| since)
    }

    /// The credit of a transmitter was lost: it has none from now on, whether it has a frame or not.
    pub(crate) fn note_no_credit(&mut self, id: Id<Fibre>, now: Instant) {
        let fibre = &self.fibres[id];
        let watch = &mut self.watches.of[id];
        if fibre.credit.next_at() == Instant::NEVER && watch.without_credit.is_none() {
            watch.without_credit = Some((now, fibre.counters.frames));
        }
    }

    fn discard_old(&mut self, id: Id<Fibre>, now: Instant) {
        let Some(hold) = self.watches.of[id].patience.hold else {
            return;
        };
        let discarded = self.discard_heads(id, now, |frame| frame.ready_at + hold <= now);
        if discarded.is_empty() {
            return;
        }
        self.watches.of[id].counters.timeouts += discarded.len() as u64;
        for came_by in discarded {
            self.watches.of[came_by].counters.received_timeouts += 1;
        }
        self.happened.push((now, id, Impatience::HoldTime));
    }

    fn discard_without_credit(&mut self, id: Id<Fibre>, now: Instant) {
        let Some(limit) = self.watches.of[id].patience.no_credit else {
            return;
        };
        let since = self.without_credit(id, now);
        let watch = &mut self.watches.of[id];
        if !watch.drops {
            if since.is_none_or(|since| since + limit > now) {
                return;
            }
            watch.drops = true;
            self.fibres[id].on_slow_path = true;
            self.happened.push((now, id, Impatience::NoCredit));
        }
        let discarded = self.discard_heads(id, now, |frame| frame.ready_at <= now);
        self.watches.of[id].counters.no_credit += discarded.len() as u64;
    }

    /// An output discards what comes for it: it is dark, or has been without credit for too long.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuses(&mut self, output: Id<Fibre>, now: Instant) -> bool {
        let fibre = &self.fibres[output];
        if fibre.is_dark(now) {
            return true;
        }
        let watch = &mut self.watches.of[output];
        let sent = fibre.counters.frames;
        let lasts = watch
            .without_credit
            .is_some_and(|(_, before)| before == sent);
        watch.drops &= lasts && fibre.credit.next_at() > now;
        watch.counters.no_credit += u64::from(watch.drops);
        watch.drops
    }

    fn reset_without_credit(&mut self, id: Id<Fibre>, now: Instant) {
        let Some(limit) = self.watches.of[id].patience.reset else {
            return;
        };
        let of_channel = self.channel_without_credit(id, now);
        let since = of_channel.or_else(|| self.without_credit(id, now));
        if since.is_some_and(|since| since + limit <= now) {
            self.reset_link(id, now);
        }
    }

    /// The transmitter sends LR, and the other end answers LRR. Both ends discard what came by the link
    /// and waits in their buffers; both have all of their credit when LRR is back. Virtual channels have
    /// no reset of their own: one without credit has the whole link reset.
    fn reset_link(&mut self, id: Id<Fibre>, now: Instant) {
        let both = [id, way_back(id)];
        let lost: u64 = both
            .map(|fibre| self.empty_buffers(fibre, now))
            .iter()
            .sum();
        let back_at = now + self.fibres[id].credit_return * 2;
        for id in both {
            self.end_credit_wait(id, now);
            let fibre = &mut self.fibres[id];
            fibre.renew_credit(back_at);
            // The frame that is being sent comes to its end, then primitives take the fibre.
            let free_at = fibre.free_at.max(now);
            if fibre.members() == 1 {
                fibre.counters.busy += back_at.saturating_since(free_at);
            }
            fibre.free_at = free_at.max(back_at);
            fibre.could_start_at = Instant::NEVER;
            let watch = &mut self.watches.of[id];
            (watch.without_credit, watch.drops) = (None, false);
            if EVERY_EVENT {
                self.reference.reset_link(id, now, back_at);
            }
            self.rearm(id, now);
        }
        self.watches.of[id].counters.resets += 1;
        self.happened.push((now, id, Impatience::LinkReset(lost)));
    }

    /// Frames that came by a fibre and are ready to leave the switch are discarded. Those that are still
    /// coming in hold none of its credit any more. Returns how many were discarded.
    fn empty_buffers(&mut self, came_by: Id<Fibre>, now: Instant) -> u64 {
        let mut lost = 0;
        if let Sink::Switch { switch, .. } = self.fibres[came_by].sink {
            let outputs: Vec<_> = self.switches[switch]
                .outputs
                .iter()
                .flatten()
                .copied()
                .collect();
            for output in outputs {
                let is_of_link =
                    |frame: &Frame| frame.came_by == came_by.same().into() && frame.ready_at <= now;
                lost += self.discard_heads(output, now, is_of_link).len() as u64;
            }
        }
        self.orphan(came_by);
        lost
    }

    /// Discard frames from the fronts of the queues of an output, as long as they are to be discarded. Their
    /// buffers are free now. Returns the fibres they came by.
    fn discard_heads(
        &mut self,
        id: Id<Fibre>,
        now: Instant,
        is_over: impl Fn(&Frame) -> bool,
    ) -> Vec<Id<Fibre>> {
        let queues = &mut self.fibres[id].queues;
        let heads: Vec<Id<Queue>> = queues.heads().map(|(queue, _)| queue).collect();
        let mut discarded = Vec::new();
        for queue in heads {
            while queues.holds(queue) && is_over(&self.frames[queues.head(queue)]) {
                discarded.push(queues.take(queue, &self.frames));
            }
        }
        if discarded.is_empty() {
            return Vec::new();
        }
        let are_new = discarded
            .iter()
            .filter(|&&frame| self.frames[frame].ready_at == now);
        let new = are_new.count() as u64;
        self.after_discard(id, now, (discarded.len() as u64, new));
        let discarded = discarded.into_iter();
        discarded.map(|frame| self.drop_frame(frame, now)).collect()
    }

    /// So many frames that were ready have left the queues of an output without having been sent; so many
    /// of them became ready just now.
    fn after_discard(&mut self, id: Id<Fibre>, now: Instant, (discarded, new): (u64, u64)) {
        self.dropped += discarded;
        let fibre = &mut self.fibres[id];
        fibre.counters.dropped += discarded;
        if let Some(fl_port) = fibre.fl_port() {
            self.after_fl_discard(fl_port.same(), now);
            return;
        }
        let was_ready = fibre.queues.heads().any(|(_, ready_at)| ready_at < now);
        let is_plain = !fibre.is_featured_output();
        if EVERY_EVENT && fibre.discipline().is_none() {
            self.reference.discard(id, discarded - new, new);
        }
        if is_plain && was_ready && !self.lasting_credit_wait(id, now).is_zero() {
            // Another frame has waited for the same credit, and still does.
            return;
        }
        self.end_credit_wait(id, now);
        let fibre = &mut self.fibres[id];
        fibre.free_at = fibre.free_at.max(now);
        self.rearm(id, now);
    }

    /// A wait for credit ends without a frame.
    fn end_credit_wait(&mut self, id: Id<Fibre>, now: Instant) {
        let waited = self.lasting_credit_wait(id, now);
        let counters = &mut self.fibres[id].counters;
        counters.credit_wait += waited;
        counters.credit_waits += u64::from(!waited.is_zero());
        if EVERY_EVENT {
            self.reference.forget_starving(id);
        }
    }
}
