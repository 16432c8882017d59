//! From the path to the wire: throttle and queue depths, the engine, FCP_CMND.

use sanlab_fc::FrameKind;
use sanlab_host::PathState;
use sanlab_kernel::{Picoseconds, Stage};
use sanlab_scsi::FCP_CMND_BYTES;

use crate::event::{Event, RecoveryEvent};
use crate::exchanges::steps::Command;
use crate::issuer::{Issuer, Tag};
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Hand the engine what throttle and queue depths allow.
    pub(crate) fn pump_adapter(&mut self, now: Picoseconds, id: u32) {
        while let Some(request) = self.host.adapters[id as usize].next_command() {
            let adapter = &mut self.host.adapters[id as usize];
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
            let out_at = adapter.work(now, adapter.submit);
            if out_at == now {
                self.on_engine_submitted(now, request);
            } else {
                let n_port = adapter.n_port;
                self.agenda
                    .schedule(out_at, n_port, Event::EngineSubmitted(request));
            }
        }
    }

    pub(crate) fn on_engine_submitted(&mut self, now: Picoseconds, request: u32) {
        let record = &mut self.host.requests[request];
        record.timeline.until(now, Stage::Hba);
        let route = self.host.route_of(&self.host.requests[request]);
        if self.host.paths[route.path as usize].state == PathState::Up {
            self.send_command(now, request);
        } else {
            self.try_again(now, request, false);
        }
    }

    /// Open an exchange and send FCP_CMND.
    fn send_command(&mut self, now: Picoseconds, id: u32) {
        let request = &self.host.requests[id];
        let route = self.host.route_of(request);
        let command = Command {
            tag: Tag {
                issuer: Issuer::Host,
                request: id,
            },
            initiator: self.host.paths[route.path as usize].initiator,
            target: route.target_n_port,
            device: route.array,
            lun: route.lun,
            flow: self.host.jobs[request.job as usize].workload,
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
        self.send(now, exchange, FrameKind::Command, 0, FCP_CMND_BYTES);
    }

    /// XFER_RDY: the target takes a burst from this offset. The engine takes it in first.
    pub(crate) fn on_transfer_ready(&mut self, now: Picoseconds, id: u32, offset: u32) {
        let request = self.fcp.command(id).tag.request;
        let adapter = self.host.route_of(&self.host.requests[request]).adapter;
        let adapter = &mut self.host.adapters[adapter as usize];
        let out_at = adapter.work(now, adapter.transfer);
        if out_at == now {
            self.send_data(now, id, offset);
        } else {
            let n_port = adapter.n_port;
            self.agenda
                .schedule(out_at, n_port, Event::TransferSubmitted(id, offset));
        }
    }

    pub(crate) fn on_retry_lun(&mut self, now: Picoseconds, adapter: u32, queue: u32) {
        self.host.adapters[adapter as usize].on_retry(queue);
        self.pump_adapter(now, adapter);
    }

    /// A command has been sent: the adapter looks later whether it has its answer.
    fn watch_command(&mut self, now: Picoseconds, id: u32) {
        let adapter = &mut self.host.adapters[id as usize];
        if adapter.command_timeout > 0 && !adapter.is_watched {
            adapter.is_watched = true;
            let due_at = now + adapter.command_timeout;
            self.recover_at(due_at, RecoveryEvent::CommandsDue(id));
        }
    }
}
