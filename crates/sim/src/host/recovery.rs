//! Commands that fail at a host: time-outs, retries, and in the end an error.
//!
//! FCP in class 3 reports no lost frame. An initiator notices missing data when the response comes, and
//! anything else when its own timer runs out; then it ends the exchange with ABTS and sends the command
//! again.

use std::collections::BTreeMap;

use sanlab_fc::{Exchange, ExchangeState, NPort};
use sanlab_host::{Adapter, PathState, Role};
use sanlab_kernel::{Id, Instant, Span, Stage};

use super::request::OpenRequest;
use crate::event::RecoveryEvent;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Commands of an adapter that have waited for too long are aborted; the oldest of the others says
    /// when to look again.
    pub(crate) fn on_commands_due(&mut self, now: Instant, id: Id<Adapter>) {
        let adapter = &mut self.host.adapters[id];
        adapter.is_watched = false;
        let (n_port, timeout) = (adapter.n_port.same(), adapter.command_timeout);
        let mut oldest = None;
        for exchange_id in self.fcp.live() {
            if !self.is_open_command(exchange_id, n_port) {
                continue;
            }
            let exchange = self.fcp.exchange(exchange_id);
            if exchange.opened_at + timeout <= now {
                self.abort(now, exchange_id);
            } else {
                let opened_at = exchange.opened_at;
                oldest = Some(oldest.map_or(opened_at, |earlier: Instant| earlier.min(opened_at)));
            }
        }
        // What was sent again meanwhile has its own look under way.
        let adapter = &mut self.host.adapters[id];
        if let (Some(oldest), false) = (oldest, adapter.is_watched) {
            adapter.is_watched = true;
            self.recover_at(oldest + timeout, RecoveryEvent::CommandsDue(id));
        }
    }

    /// Timers run from now on: every adapter watches the commands it has sent so far.
    pub(crate) fn watch_open_commands(&mut self, now: Instant) {
        let mut oldest = BTreeMap::<Id<Adapter>, Instant>::new();
        for id in self.fcp.live() {
            let exchange = self.fcp.exchange(id);
            if let (ExchangeState::Open, Tag::Host(request)) =
                (exchange.state, self.fcp.command(id).tag)
            {
                let route = self.host.route_of(&self.host.requests[request]);
                let first = oldest.entry(route.adapter).or_insert(exchange.opened_at);
                *first = exchange.opened_at.min(*first);
            }
        }
        for (id, opened_at) in oldest {
            let adapter = &mut self.host.adapters[id];
            if !adapter.command_timeout.is_zero() && !adapter.is_watched {
                adapter.is_watched = true;
                let due_at = opened_at + adapter.command_timeout;
                self.recover_at(due_at.max(now), RecoveryEvent::CommandsDue(id));
            }
        }
    }

    /// Whether an exchange is a command of the adapter with this N_Port that waits for its answer.
    fn is_open_command(&self, id: Id<Exchange>, n_port: Id<NPort>) -> bool {
        let exchange = self.fcp.exchange(id);
        exchange.state == ExchangeState::Open
            && matches!(self.fcp.command(id).tag, Tag::Host(_))
            && self.network.share_link(exchange.initiator, n_port)
    }

    /// Whether an adapter has a command that waits for its answer.
    pub(crate) fn has_open_command(&self, adapter: Id<Adapter>) -> bool {
        let n_port = self.host.adapters[adapter].n_port.same();
        self.fcp.live().any(|id| self.is_open_command(id, n_port))
    }

    /// Everything under way between these ports is taken back.
    pub(crate) fn take_back_all(
        &mut self,
        now: Instant,
        (initiator, target): (Id<NPort>, Id<NPort>),
    ) {
        for id in self.fcp.live() {
            let exchange = self.fcp.exchange(id);
            let is_between = exchange.initiator == initiator && exchange.target == target;
            let is_open = matches!(
                exchange.state,
                ExchangeState::Open | ExchangeState::Aborting
            );
            let tag = self.fcp.command(id).tag;
            if let (true, Tag::Host(request)) = (is_between && is_open, tag) {
                // Both ends know that they are logged out.
                self.release(now, id);
                self.detach(now, id);
                self.try_again(now, request, false);
            }
        }
    }

    /// A command has ended badly: it is sent again, by this path or another, or its request fails.
    pub(crate) fn try_again(&mut self, now: Instant, id: Id<OpenRequest>, counts: bool) {
        let record = &mut self.host.requests[id];
        record.timeline.rewind(now);
        record.timeline.until(now, Stage::Recovery);
        record.is_retried = true;
        record.failures += u32::from(counts);
        let record = *record;
        let route = self.host.route_of(&record);
        let adapter = &mut self.host.adapters[route.adapter];
        if !counts && self.host.paths[route.path].state == PathState::Blocked {
            self.host.requests[id].is_recovering = true;
            adapter.take_back(route.queue, id.same());
            return;
        }
        adapter.give_up(route.queue);
        if record.failures > adapter.retries {
            self.fail(now, id, Span::ZERO);
        } else {
            if counts {
                self.distrust_path(now, route.path, record.device);
            }
            self.assign(now, id);
        }
        self.pump_adapter(now, route.adapter);
    }

    /// A command has failed for good, and with it the request it is, or is a part of. The application
    /// asks again after this pause.
    pub(crate) fn fail(&mut self, now: Instant, id: Id<OpenRequest>, pause: Span) {
        let record = &mut self.host.requests[id];
        record.pause = pause;
        let record = *record;
        self.host.requests.remove(id);
        if let Some(ladder) = &mut self.ladder {
            ladder.on_end(id, &record, false);
        }
        if record.role == Role::Piece {
            self.end_piece(now, &record, false);
        } else {
            self.end_in_error(now, &record, pause);
        }
    }

    /// The application gets an error.
    pub(crate) fn end_in_error(&mut self, now: Instant, record: &OpenRequest, pause: Span) {
        let running = &mut self.host.jobs[record.job];
        let is_counted = now >= running.job.settings.counted_from;
        let workload = self.meters.workload(running.workload);
        workload.fail(now, record.is_read, now - record.timeline.began_at);
        let meter = &mut workload.meters[usize::from(record.is_read)];
        meter.fail(is_counted);
        meter.count_commands(record.commands, is_counted);
        running.job.on_done(&record.asked());
        if pause.is_zero() {
            self.on_slot_free(now, record.job);
        } else {
            self.recover_at(now + pause, RecoveryEvent::JobPaused(record.job));
        }
    }
}
