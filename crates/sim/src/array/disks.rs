//! One disk operation of a task: directly, or as a SCSI exchange over a loop.
//!
//! [`World::submit`] begins an operation and [`World::on_operation_done`] is called at its end; between
//! the two lies the drive alone, or the drive behind a loop.

use sanlab_fc::{Exchange, ExchangeState, FrameKind};
use sanlab_kernel::{Id, Instant, Stage, Timeline};
use sanlab_scsi::{FCP_RSP_BYTES, FCP_XFER_RDY_BYTES};
use sanlab_storage::{Array, BLOCK_BYTES, Disk, DiskCommand, DiskCompletion, DiskTag, Operation};

use super::task::Task;
use super::transfer::{Transfer, TransferPurpose};
use crate::event::Event;
use crate::exchanges::steps::timeline_of;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A task has an operation for a disk.
    pub(super) fn submit(&mut self, now: Instant, id: Id<Task>, operation: Operation) {
        let task = &mut self.array.tasks[id];
        task.pieces += 1;
        let number = task.array;
        let array = &mut self.array.arrays[number];
        array.disk_open[operation.disk] += 1;
        let Some(back_end) = &mut array.back_end else {
            self.submit_to_disk(now, number, DiskTag::Task(id.same()), operation);
            return;
        };
        let path = back_end.take_path(operation.disk);
        let purpose = TransferPurpose::Disk {
            disk: operation.disk,
            path,
            task: id,
        };
        let transfer = self.array.transfers.insert(Transfer {
            is_read: operation.is_read,
            address: operation.address,
            bytes: operation.bytes,
            ..Transfer::begin(number, purpose, now)
        });
        self.send_transfer(now, transfer);
    }

    /// A command comes to a disk, directly or over a loop.
    fn submit_to_disk(
        &mut self,
        now: Instant,
        array: Id<Array>,
        tag: DiskTag,
        operation: Operation,
    ) {
        let owner = &mut self.array.arrays[array];
        let disk = operation.disk;
        let first = operation.address / BLOCK_BYTES;
        let end = (operation.address + operation.bytes).div_ceil(BLOCK_BYTES);
        let command = DiskCommand {
            tag,
            block: first,
            blocks: end - first,
            is_read: operation.is_read,
        };
        owner.disks[disk].submit(now, command);
        let due = owner.disks[disk].next_at();
        if due < owner.disk_due[disk] {
            owner.disk_due[disk] = due;
            let event = Event::DiskDue(array, disk);
            self.agenda
                .schedule(due, owner.first_n_port.number(), event);
        }
    }

    /// A disk must be looked at, unless what was due has been put off or came earlier.
    pub(crate) fn on_disk_due(&mut self, now: Instant, array: Id<Array>, disk: Id<Disk>) {
        if self.array.arrays[array].disk_due[disk] != now {
            return;
        }
        let is_ssd = self.array.arrays[array].disks[disk].ssd().is_some();
        let last = if is_ssd {
            Stage::Media
        } else {
            Stage::Transfer
        };
        while self.array.arrays[array].disks[disk].next_at() <= now {
            let served = &mut self.array.arrays[array];
            let Some(completion) = served.disks[disk].step(now) else {
                continue;
            };
            match completion.tag {
                DiskTag::Task(task) => self.on_operation_done(now, task.same(), disk, |timeline| {
                    tell_disk(timeline, now, &completion, last);
                }),
                DiskTag::Exchange(exchange) => {
                    self.on_exchange_served(now, exchange.same(), &completion, last);
                }
            }
        }
        let owner = &mut self.array.arrays[array];
        let due = owner.disks[disk].next_at();
        owner.disk_due[disk] = due;
        if due < Instant::NEVER {
            let event = Event::DiskDue(array, disk);
            self.agenda
                .schedule(due, owner.first_n_port.number(), event);
        }
    }

    /// FCP_CMND has come to a disk on a loop: a write's data are asked for at once.
    pub(crate) fn on_disk_command(
        &mut self,
        now: Instant,
        id: Id<Exchange>,
        transfer: Id<Transfer>,
    ) {
        let command = self.fcp.command_mut(id);
        if command.is_read {
            self.serve_exchange(now, id, transfer);
        } else {
            command.asked_bytes = command.bytes;
            self.send(now, id, FrameKind::TransferReady, 0, FCP_XFER_RDY_BYTES);
        }
    }

    /// A disk on a loop has all that it needs to serve a command.
    pub(crate) fn serve_exchange(
        &mut self,
        now: Instant,
        id: Id<Exchange>,
        transfer: Id<Transfer>,
    ) {
        let transfer = &self.array.transfers[transfer];
        let TransferPurpose::Disk { disk, .. } = transfer.purpose else {
            return;
        };
        let operation = Operation {
            disk,
            address: transfer.address,
            bytes: transfer.bytes,
            is_read: transfer.is_read,
        };
        self.submit_to_disk(now, transfer.array, DiskTag::Exchange(id.same()), operation);
    }

    /// A disk on a loop has done a command: data or status go back.
    fn on_exchange_served(
        &mut self,
        now: Instant,
        id: Id<Exchange>,
        completion: &DiskCompletion,
        last: Stage,
    ) {
        let command = *self.fcp.command(id);
        let timeline = timeline_of(&mut self.host, &mut self.array, command.tag);
        tell_disk(timeline, now, completion, last);
        if command.is_read {
            self.send(now, id, FrameKind::Data, 0, command.bytes);
        } else {
            self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
        }
    }

    /// The controller has a disk's status: its stages are those of the task.
    pub(crate) fn on_disk_answered(&mut self, now: Instant, id: Id<Transfer>) {
        let transfer = self.array.transfers[id];
        self.array.transfers.remove(id);
        let TransferPurpose::Disk { disk, task, .. } = transfer.purpose else {
            return;
        };
        self.on_operation_done(now, task, disk, |timeline| {
            for (stage, span) in transfer.timeline.told() {
                timeline.for_span(span, now, Stage::ALL[stage]);
            }
            timeline.until(now, Stage::Transfer);
        });
    }

    /// A disk has done an operation of a task; the last one says where the time went.
    fn on_operation_done(
        &mut self,
        now: Instant,
        id: Id<Task>,
        disk: Id<Disk>,
        tell: impl FnOnce(&mut Timeline),
    ) {
        let task = &mut self.array.tasks[id];
        task.pieces -= 1;
        self.array.arrays[task.array].disk_open[disk] -= 1;
        if task.pieces > 0 {
            return;
        }
        if let Some(exchange) = task.exchange.get()
            && self.fcp.exchange(exchange).state == ExchangeState::Open
        {
            let tag = self.fcp.command(exchange).tag;
            tell(timeline_of(&mut self.host, &mut self.array, tag));
        }
        self.on_operations_done(now, id);
    }
}

/// The stages of an operation; `last` is that of the time after them.
fn tell_disk(timeline: &mut Timeline, now: Instant, completion: &DiskCompletion, last: Stage) {
    timeline.for_span(completion.queue, now, Stage::DiskQueue);
    timeline.for_span(completion.seek, now, Stage::Seek);
    timeline.for_span(completion.rotation, now, Stage::Rotation);
    timeline.until(now, last);
}
