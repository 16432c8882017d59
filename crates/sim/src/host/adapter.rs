//! From the path to the wire: throttle and queue depths, the engine, FCP_CMND.

use sanlab_fc::Exchange;
use sanlab_host::{Adapter, LunQueue, PathState};
use sanlab_kernel::{Id, Instant, Stage};

use crate::event::{Event, RecoveryEvent};
use crate::exchanges::steps::Command;
use crate::host::request::OpenRequest;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Hand the engine what throttle and queue depths allow.
    pub(crate) fn pump_adapter(&mut self, now: Instant, id: Id<Adapter>) {
        while let Some(request) = self.host.adapters[id].next_command().map(Id::same) {
            self.start_command(now, id, request);
        }
    }

    /// The engine takes up the command of a request.
    pub(super) fn start_command(
        &mut self,
        now: Instant,
        id: Id<Adapter>,
        request: Id<OpenRequest>,
    ) {
        let adapter = &mut self.host.adapters[id];
        let record = &mut self.host.requests[request];
        let waited = if record.is_recovering {
            Stage::Recovery
        } else if record.is_refused {
            Stage::TaskSet
        } else {
            Stage::LunQueue
        };
        record.timeline.until(now, waited);
        (record.is_refused, record.is_recovering) = (false, false);
        adapter.commands += 1;
        if record.due_at < Instant::NEVER {
            let due_at = std::mem::replace(&mut record.due_at, Instant::NEVER);
            self.host.jobs[record.job].note_drift(now, due_at);
        }
        let (submit, n_port, is_read) = (adapter.submit, adapter.n_port, record.is_read);
        let out_at = self.host.engine_works(now, id, (submit, 0), is_read);
        if out_at == now {
            self.on_engine_submitted(now, request);
        } else {
            self.agenda
                .schedule(out_at, n_port.number(), Event::EngineSubmitted(request));
        }
    }

    pub(crate) fn on_engine_submitted(&mut self, now: Instant, request: Id<OpenRequest>) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::Hba);
        let route = self.host.route_of(&self.host.requests[request]);
        if self.host.paths[route.path].state == PathState::Up {
            self.issue(now, request);
        } else {
            self.try_again(now, request, false);
        }
    }

    /// Open an exchange for a request and send its command.
    fn issue(&mut self, now: Instant, id: Id<OpenRequest>) {
        let request = &self.host.requests[id];
        let route = self.host.route_of(request);
        let command = Command {
            tag: Tag::Host(id),
            initiator: self.host.paths[route.path].initiator,
            target: route.target_n_port,
            device: route.array.same().into(),
            lun: route.lun.same(),
            flow: self.host.jobs[request.job].workload.same(),
            is_read: request.is_read,
            address: request.address,
            bytes: request.bytes,
        };
        let Some(exchange) = self.open_exchange(now, command) else {
            return;
        };
        if self.faults.is_armed() {
            self.watch_command(now, route.adapter);
        }
        self.send_command(now, exchange);
    }

    /// XFER_RDY: the target takes a burst from this offset. The engine takes it in first.
    pub(crate) fn on_transfer_ready(
        &mut self,
        now: Instant,
        request: Id<OpenRequest>,
        exchange: Id<Exchange>,
        offset: u32,
    ) {
        let id = self.host.requests[request].adapter;
        let adapter = &self.host.adapters[id];
        let (transfer, n_port) = (adapter.transfer, adapter.n_port);
        let burst = self.fcp.command(exchange).wanted_bytes() - offset;
        let step = (transfer, u64::from(burst));
        let out_at = self.host.engine_works(now, id, step, false);
        if out_at == now {
            self.send_data(now, exchange, offset);
        } else {
            let event = Event::TransferSubmitted(exchange, offset);
            self.agenda.schedule(out_at, n_port.number(), event);
        }
    }

    pub(crate) fn on_retry_lun(&mut self, now: Instant, adapter: Id<Adapter>, queue: Id<LunQueue>) {
        self.host.adapters[adapter].on_retry(queue);
        self.pump_adapter(now, adapter);
    }

    /// A command has been sent: the adapter looks later whether it has its answer.
    fn watch_command(&mut self, now: Instant, id: Id<Adapter>) {
        let adapter = &mut self.host.adapters[id];
        if !adapter.command_timeout.is_zero() && !adapter.is_watched {
            adapter.is_watched = true;
            let due_at = now + adapter.command_timeout;
            self.recover_at(due_at, RecoveryEvent::CommandsDue(id));
        }
    }
}
