//! The array's side of a command: admission, bursts, blocks.

use sanlab_fc::{Exchange, ExchangeState, FrameKind};
use sanlab_kernel::{Id, Instant, Stage};
use sanlab_scsi::{FCP_RSP_BYTES, FCP_XFER_RDY_BYTES, FirstBurst, Status};
use sanlab_storage::Controller;

use super::held::Step;
use super::state::array_of;
use super::task::Task;
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// FCP_CMND has come to an array: admitted, or TASK SET FULL at once.
    pub(crate) fn on_command(&mut self, now: Instant, id: Id<Exchange>) {
        let target = self.fcp.exchange(id).target;
        let command = self.fcp.command_mut(id);
        let array = &mut self.array.arrays[array_of(command)];
        let port = self.array.port_places[target];
        if !array.controllers[array.port_controllers[port]].is_up {
            return; // its frame came with the failure: no answer
        }
        if array.admit(now, port, command.lun.same()).is_err() {
            command.status = Status::TaskSetFull;
            if command.first_burst == FirstBurst::Sent {
                command.first_burst = FirstBurst::Awaited; // the answer follows its data
            } else {
                self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
            }
            return;
        }
        command.is_admitted = true;
        let initiator = self.fcp.exchange(id).initiator;
        let command = self.fcp.command(id);
        let bytes = u64::from(command.bytes);
        let array = &mut self.array.arrays[array_of(command)];
        let passes_at = array.pass_limits(now, command.lun.same(), initiator.same(), bytes);
        if passes_at == now {
            self.serve(now, id);
        } else {
            let number = self.fcp.exchange(id).number;
            let event = Event::LimitPassed(id, number);
            self.agenda.schedule(passes_at, target.number(), event);
        }
    }

    /// A command has waited for the limits of its LUN and host, unless it was given up meanwhile.
    pub(crate) fn on_limit_passed(&mut self, now: Instant, id: Id<Exchange>, number: u32) {
        if self.is_state(id, number, ExchangeState::Open) && self.fcp.command(id).is_admitted {
            self.tell(now, id, Stage::Limit);
            self.serve(now, id);
        }
    }

    /// The processors of a controller have processed a command, unless it failed before.
    pub(crate) fn on_command_processed(
        &mut self,
        now: Instant,
        id: Id<Exchange>,
        server: Id<Controller>,
        failures: u32,
    ) {
        let command = self.fcp.latest_command(id);
        let controller = &mut self.array.arrays[array_of(command)].controllers[server];
        if controller.counters.failures == failures {
            controller.processors.leave(now);
            self.on_processed(now, id);
        } else {
            self.serve_again(now, id);
        }
    }

    /// A command is processed: its data are read, or asked for.
    pub(super) fn on_processed(&mut self, now: Instant, id: Id<Exchange>) {
        self.tell(now, id, Stage::Controller);
        let command = self.fcp.command(id);
        if command.is_read {
            self.read(now, id);
            return;
        }
        match command.first_burst {
            FirstBurst::Sent => {
                self.fcp.command_mut(id).first_burst = FirstBurst::Awaited;
                if self.faults.is_armed() {
                    self.expect_data(now, id);
                }
            }
            FirstBurst::Early => {
                self.fcp.command_mut(id).first_burst = FirstBurst::Over;
                self.on_burst(now, id);
            }
            FirstBurst::Over | FirstBurst::Awaited => self.ask_for_burst(now, id),
        }
    }

    fn read(&mut self, now: Instant, exchange: Id<Exchange>) {
        let target = self.fcp.exchange(exchange).target;
        let command = self.fcp.command(exchange);
        let task = self.array.new_task(exchange, target, command);
        let Task { array, lun, .. } = self.array.tasks[task];
        let array = &mut self.array.arrays[array];
        if array.pages_of(lun).is_some() {
            self.read_pages(now, task);
            return;
        }
        match array
            .cache_of(lun)
            .and_then(|cache| cache.reads_hit().then(|| cache.access()))
        {
            Some(access) => self.serve_from_cache(now, now + access, task),
            None => self.access_media(now, task),
        }
    }

    /// A write needs its next burst: the port asks for it as soon as the cache has room for the write, and
    /// the port for the burst.
    pub(super) fn ask_for_burst(&mut self, now: Instant, id: Id<Exchange>) {
        if !self.has_room(now, id) {
            return;
        }
        let target = self.fcp.exchange(id).target;
        let limited = self.array.open_bursts_of(target, self.fcp.command(id));
        if limited.is_none_or(|bursts| bursts.admit(id.same())) {
            self.send_transfer_ready(now, id);
        }
    }

    /// The burst of a write has come, or the write is given up: the write that waited longest has its turn.
    pub(crate) fn end_burst(&mut self, now: Instant, id: Id<Exchange>) {
        let target = self.fcp.exchange(id).target;
        let limited = self.array.open_bursts_of(target, self.fcp.command(id));
        if let Some(next) = limited.and_then(|bursts| bursts.end(id.same())) {
            self.tell(now, next.same(), Stage::Cache);
            self.send_transfer_ready(now, next.same());
        }
    }

    /// XFER_RDY for the next burst.
    fn send_transfer_ready(&mut self, now: Instant, id: Id<Exchange>) {
        let command = self.fcp.command_mut(id);
        let offset = command.asked_bytes;
        let limit = self.array.arrays[array_of(command)].burst_bytes;
        command.asked_bytes += limit.min(command.bytes - offset);
        self.send(
            now,
            id,
            FrameKind::TransferReady,
            offset,
            FCP_XFER_RDY_BYTES,
        );
        if self.faults.is_armed() {
            self.expect_data(now, id);
        }
    }

    /// The last frame of a burst has come to an array.
    pub(crate) fn on_write_data(&mut self, now: Instant, id: Id<Exchange>) {
        let command = self.fcp.command_mut(id);
        match command.first_burst {
            FirstBurst::Over => self.end_burst(now, id),
            FirstBurst::Sent => {
                command.first_burst = FirstBurst::Early;
                return;
            }
            FirstBurst::Awaited | FirstBurst::Early => command.first_burst = FirstBurst::Over,
        }
        self.on_burst(now, id);
    }

    /// A burst is here, and the controller has taken in its command.
    fn on_burst(&mut self, now: Instant, id: Id<Exchange>) {
        let command = self.fcp.command(id);
        if command.status == Status::TaskSetFull {
            self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
        } else if command.misses_data() {
            // A frame of it was lost: no message reports that, and the target waits.
        } else if command.asked_bytes < command.bytes {
            self.ask_for_burst(now, id);
        } else {
            self.write(now, id);
        }
    }

    /// All data are here, and there is room for them: store them, and copy them where the LUN is mirrored.
    pub(super) fn write(&mut self, now: Instant, exchange: Id<Exchange>) {
        if self.is_handed_over(now, exchange) {
            self.hold(exchange, Step::Write);
            return;
        }
        if !self.has_room(now, exchange) {
            return;
        }
        let target = self.fcp.exchange(exchange).target;
        let command = self.fcp.command(exchange);
        let task = self.array.new_task(exchange, target, command);
        self.mirror_write(now, task);
        let Task {
            array: number, lun, ..
        } = self.array.tasks[task];
        let is_stored = self.fill_room(now, exchange);
        let array = &mut self.array.arrays[number];
        if array.pages_of(lun).is_some() {
            self.write_pages(now, task, is_stored);
        } else if let Some(cache) = array.cache_of(lun).filter(|_| is_stored) {
            let ends_at = now + cache.access();
            cache.observe(now);
            self.store_in_cache(now, ends_at, task);
        } else {
            self.access_media(now, task);
        }
    }
}
