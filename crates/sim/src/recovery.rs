//! Commands that get no answer, or a spoilt one: ABTS, retries, and in the end an error.
//!
//! FCP in class 3 tells nobody that a frame was lost. An initiator misses data when the response
//! comes, and anything else when its own timer runs out; then it ends the exchange with ABTS and sends
//! the command again. A target that misses data it has asked for waits for E_D_TOV.

use sanlab_fc::{ExchangeState, Frame, FrameKind};
use sanlab_host::{PathState, Role};
use sanlab_kernel::{NONE, Picoseconds, Stage};
use sanlab_scsi::{FCP_RSP_BYTES, Status};

use crate::event::{Event, RecoveryEvent};
use crate::issuer::Issuer;
use crate::world::{Request, World};

/// Payload of BA_ACC: sequence, ids of the exchange, lowest and highest count (FC-FS).
const BA_ACC_BYTES: u32 = 12;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_recovery(&mut self, now: Picoseconds, event: RecoveryEvent) {
        match event {
            RecoveryEvent::CommandsDue(adapter) => self.on_commands_due(now, adapter),
            RecoveryEvent::AbortDue(exchange, number) => self.on_abort_due(now, exchange, number),
            RecoveryEvent::CopyDue(exchange, number) => self.on_copy_due(now, exchange, number),
            RecoveryEvent::Rested(exchange) => self.on_rested(now, exchange),
            RecoveryEvent::PathsCheck => self.check_paths(now, None),
            RecoveryEvent::PathExpired(path, changes) => self.on_path_expired(now, path, changes),
            RecoveryEvent::PathReady(path) => self.on_path_ready(now, path),
            RecoveryEvent::PathChecked(path, changes) => self.on_path_checked(now, path, changes),
            RecoveryEvent::Failback(device) => self.on_failback(now, device),
            RecoveryEvent::DeviceReady(device) => self.on_device_ready(now, device),
            RecoveryEvent::JobPaused(job) => self.on_slot_free(now, job),
        }
    }

    /// A command has been sent: somebody looks whether it gets an answer.
    pub(crate) fn watch(&mut self, now: Picoseconds, id: u32) {
        self.faults.exchanges += 1;
        let number = self.faults.exchanges;
        self.exchanges.exchange_mut(id).number = number;
        let tag = self.exchanges.command(id).tag;
        match tag.issuer {
            Issuer::Host => {
                let adapter = self.route_of(&self.requests[tag.request]).adapter;
                let of = &mut self.adapters[adapter as usize];
                if of.command_timeout > 0 && !of.is_watched {
                    of.is_watched = true;
                    let due_at = now + of.command_timeout;
                    self.recover_at(due_at, RecoveryEvent::CommandsDue(adapter));
                }
            }
            Issuer::Mirror => {
                let due_at = now + self.faults.plan.r_a_tov_ps;
                self.recover_at(due_at, RecoveryEvent::CopyDue(id, number));
            }
            Issuer::BackEnd => {}
        }
    }

    /// Commands of an adapter that have waited for too long are aborted; the oldest of the others says
    /// when to look again.
    fn on_commands_due(&mut self, now: Picoseconds, id: u32) {
        let adapter = &mut self.adapters[id as usize];
        adapter.is_watched = false;
        let (n_port, timeout) = (adapter.n_port, adapter.command_timeout);
        let mut oldest = None;
        for exchange_id in self.exchanges.live() {
            let exchange = self.exchanges.exchange(exchange_id);
            let is_mine = self.exchanges.command(exchange_id).tag.issuer == Issuer::Host
                && self.network.share_link(exchange.initiator, n_port);
            if !is_mine || exchange.state != ExchangeState::Open {
                continue;
            }
            if exchange.opened_at + timeout <= now {
                self.abort(now, exchange_id);
            } else {
                let opened_at = exchange.opened_at;
                oldest = Some(oldest.map_or(opened_at, |it: u64| it.min(opened_at)));
            }
        }
        // What was sent again meanwhile has its own look under way.
        let adapter = &mut self.adapters[id as usize];
        if let (Some(oldest), false) = (oldest, adapter.is_watched) {
            adapter.is_watched = true;
            self.recover_at(oldest + timeout, RecoveryEvent::CommandsDue(id));
        }
    }

    /// The initiator gives a command up and tells the target.
    fn abort(&mut self, now: Picoseconds, id: u32) {
        self.faults.timeouts += 1;
        let exchange = self.exchanges.exchange_mut(id);
        exchange.state = ExchangeState::Aborting;
        let number = exchange.number;
        let due_at = now + 2 * self.faults.plan.r_a_tov_ps;
        self.recover_at(due_at, RecoveryEvent::AbortDue(id, number));
        self.send(now, id, FrameKind::Abort, 0, 0);
    }

    /// An information unit of an exchange that is being aborted, or was: only the abort itself counts.
    pub(crate) fn on_arrived_late(&mut self, now: Picoseconds, frame: &Frame) {
        let id = frame.exchange;
        if self.exchanges.exchange(id).state != ExchangeState::Aborting {
            return;
        }
        match frame.kind {
            FrameKind::Abort => {
                self.release(id);
                self.send(now, id, FrameKind::AbortAccepted, 0, BA_ACC_BYTES);
            }
            FrameKind::AbortAccepted => self.end_abort(now, id),
            _ => {}
        }
    }

    fn on_abort_due(&mut self, now: Picoseconds, id: u32, number: u32) {
        let exchange = self.exchanges.latest(id);
        if exchange.number == number && exchange.state == ExchangeState::Aborting {
            self.end_abort(now, id);
        }
    }

    /// The exchange is over, its command is sent again.
    fn end_abort(&mut self, now: Picoseconds, id: u32) {
        let request = self.detach(now, id);
        self.try_again(now, request, true);
    }

    /// An exchange ends before its time. Its id rests until nothing of it can be on its way. Returns
    /// its request.
    fn detach(&mut self, now: Picoseconds, id: u32) -> u32 {
        self.exchanges.exchange_mut(id).state = ExchangeState::Aborted;
        let rested_at = now + self.faults.plan.r_a_tov_ps;
        let request = std::mem::replace(&mut self.exchanges.command_mut(id).tag.request, NONE);
        self.recover_at(rested_at, RecoveryEvent::Rested(id));
        request
    }

    fn on_rested(&mut self, now: Picoseconds, id: u32) {
        let network = &self.network;
        let travels = network.holds_frame_of(id);
        let works = self
            .tasks
            .live()
            .any(|task| self.tasks[task].exchange == id);
        if travels || works {
            let again_at = now + self.faults.plan.r_a_tov_ps;
            self.recover_at(again_at, RecoveryEvent::Rested(id));
            return;
        }
        self.release(id);
        self.forget_exchange(id);
    }

    /// A response without all data, or one that tells of a fault.
    pub(crate) fn on_spoilt(&mut self, now: Picoseconds, id: u32) {
        let issuer = self.exchanges.command(id).tag.issuer;
        let request = self.detach(now, id);
        match issuer {
            Issuer::Host => self.try_again(now, request, true),
            Issuer::Mirror => self.send_command(now, request),
            Issuer::BackEnd => {}
        }
    }

    fn on_copy_due(&mut self, now: Picoseconds, id: u32, number: u32) {
        let exchange = self.exchanges.latest(id);
        if exchange.number == number && exchange.state == ExchangeState::Open {
            self.faults.timeouts += 1;
            let request = self.detach(now, id);
            self.send_command(now, request);
        }
    }

    /// Data were asked for: if they do not come, the target says so.
    pub(crate) fn expect_data(&mut self, now: Picoseconds, id: u32) {
        let number = self.exchanges.exchange(id).number;
        let arrived_bytes = self.exchanges.command(id).arrived_bytes;
        let due = Event::DataDue(id, number, arrived_bytes);
        let due_at = now + self.faults.plan.e_d_tov_ps;
        self.agenda.schedule(due_at, 0, due);
    }

    pub(crate) fn on_data_due(&mut self, now: Picoseconds, id: u32, number: u32, seen: u32) {
        let exchange = self.exchanges.latest(id);
        if exchange.number != number || exchange.state != ExchangeState::Open {
            return;
        }
        let command = self.exchanges.command_mut(id);
        if !command.misses_data() || command.status != Status::Good {
            return;
        }
        if command.arrived_bytes != seen {
            self.expect_data(now, id);
            return;
        }
        command.status = Status::CheckCondition;
        self.release(id);
        self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
    }

    /// Everything under way between these ports is taken back.
    pub(crate) fn take_back_all(&mut self, now: Picoseconds, (initiator, target): (u32, u32)) {
        for id in self.exchanges.live() {
            let exchange = self.exchanges.exchange(id);
            let is_between = exchange.initiator == initiator && exchange.target == target;
            let is_open = matches!(
                exchange.state,
                ExchangeState::Open | ExchangeState::Aborting
            );
            let issuer = self.exchanges.command(id).tag.issuer;
            if is_between && is_open && issuer == Issuer::Host {
                // Both ends know that they are logged out.
                self.release(id);
                let request = self.detach(now, id);
                self.try_again(now, request, false);
            }
        }
    }

    /// A command has ended badly: it is sent again, by this path or another, or its request fails.
    pub(crate) fn try_again(&mut self, now: Picoseconds, id: u32, counts: bool) {
        let record = &mut self.requests[id];
        record.timeline.rewind(now);
        record.timeline.until(now, Stage::Recovery);
        record.is_retried = true;
        record.failures += u32::from(counts);
        let record = *record;
        let route = self.route_of(&record);
        let adapter = &mut self.adapters[route.adapter as usize];
        if !counts && self.paths[route.path as usize].state == PathState::Blocked {
            self.requests[id].is_recovering = true;
            adapter.take_back(route.queue, id);
            return;
        }
        adapter.give_up(route.queue);
        if record.failures > adapter.retries {
            self.fail(now, id, 0);
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
    pub(crate) fn fail(&mut self, now: Picoseconds, id: u32, pause: Picoseconds) {
        let record = &mut self.requests[id];
        record.is_alive = false;
        record.pause = pause;
        let record = *record;
        self.requests.remove(id);
        if record.role == Role::Piece {
            self.end_piece(now, &record, false);
        } else {
            self.end_in_error(now, &record, pause);
        }
    }

    /// The application gets an error.
    pub(crate) fn end_in_error(&mut self, now: Picoseconds, record: &Request, pause: Picoseconds) {
        let running = &mut self.jobs[record.of as usize];
        let is_counted = now >= running.job.settings.counted_from;
        let workload = &mut self.workloads[running.workload as usize];
        workload.change_open(now, -1);
        workload.failed += 1;
        workload.response_sum += u128::from(now - record.timeline.began_at);
        let meter = &mut workload.meters[usize::from(record.is_read)];
        meter.fail(is_counted);
        meter.count_commands(record.commands, is_counted);
        running.job.on_done(&record.asked());
        if pause == 0 {
            self.on_slot_free(now, record.of);
        } else {
            self.recover_at(now + pause, RecoveryEvent::JobPaused(record.of));
        }
    }
}
