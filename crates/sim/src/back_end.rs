//! One disk operation of a task: directly, or as a SCSI exchange over a loop.
//!
//! [`World::submit`] begins an operation and [`World::on_operation_done`] is told of its end; between
//! the two lies the drive alone, or the drive behind a loop.

use sanlab_fc::{ExchangeState, FrameKind};
use sanlab_kernel::{NEVER, NONE, Picoseconds, Stage, Timeline};
use sanlab_scsi::{FCP_RSP_BYTES, FCP_XFER_RDY_BYTES};
use sanlab_storage::{BLOCK_BYTES, DiskCommand, DiskCompletion, Operation};

use crate::event::Event;
use crate::issuer::Issuer;
use crate::world::{Request, World};

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A task has an operation for a disk.
    pub(crate) fn submit(&mut self, now: Picoseconds, id: u32, operation: Operation) {
        let task = &mut self.tasks[id];
        task.pieces += 1;
        let number = task.array;
        let array = &mut self.arrays[number as usize];
        array.disk_open[operation.disk as usize] += 1;
        let Some(back_end) = &mut array.back_end else {
            self.submit_to_disk(now, number, id, operation);
            return;
        };
        let path = back_end.take_path(operation.disk);
        let request = self.requests.insert(Request {
            queue: operation.disk,
            target: path,
            task: id,
            is_read: operation.is_read,
            address: operation.address,
            bytes: operation.bytes,
            ..Request::begin(Issuer::BackEnd, number, now)
        });
        self.send_command(now, request);
    }

    /// A command comes to a disk: directly its tag is a task, over a loop an exchange.
    fn submit_to_disk(&mut self, now: Picoseconds, array: u32, tag: u32, operation: Operation) {
        let of = &mut self.arrays[array as usize];
        let number = operation.disk as usize;
        let first = operation.address / BLOCK_BYTES;
        let end = (operation.address + operation.bytes).div_ceil(BLOCK_BYTES);
        let command = DiskCommand {
            tag,
            block: first,
            blocks: end - first,
            is_read: operation.is_read,
        };
        of.disks[number].submit(now, command);
        let due = of.disks[number].next_at();
        if due < of.disk_due[number] {
            of.disk_due[number] = due;
            let event = Event::DiskDue(array, operation.disk);
            self.agenda.schedule(due, of.first_n_port, event);
        }
    }

    /// A disk must be looked at, unless what was due has been put off or came earlier.
    pub(crate) fn on_disk_due(&mut self, now: Picoseconds, array: u32, disk: u32) {
        let number = disk as usize;
        if self.arrays[array as usize].disk_due[number] != now {
            return;
        }
        while self.arrays[array as usize].disks[number].next_at() <= now {
            let done = self.arrays[array as usize].disks[number].step(now);
            match done {
                Some(completion) if self.arrays[array as usize].back_end.is_some() => {
                    self.on_exchange_served(now, &completion);
                }
                Some(completion) => {
                    self.on_operation_done(now, completion.tag, disk, |timeline| {
                        tell_disk(timeline, now, &completion);
                    });
                }
                None => {}
            }
        }
        let of = &mut self.arrays[array as usize];
        let due = of.disks[number].next_at();
        of.disk_due[number] = due;
        if due < NEVER {
            let event = Event::DiskDue(array, disk);
            self.agenda.schedule(due, of.first_n_port, event);
        }
    }

    /// FCP_CMND has come to a disk on a loop: a write's data are asked for at once.
    pub(crate) fn on_disk_command(&mut self, now: Picoseconds, id: u32) {
        let command = self.exchanges.command_mut(id);
        if command.is_read {
            self.serve_exchange(now, id);
        } else {
            command.asked_bytes = command.bytes;
            self.send(now, id, FrameKind::TransferReady, 0, FCP_XFER_RDY_BYTES);
        }
    }

    /// All that a disk on a loop needs is there.
    pub(crate) fn serve_exchange(&mut self, now: Picoseconds, id: u32) {
        let request = &self.requests[self.exchanges.command(id).tag.request];
        let operation = Operation {
            disk: request.queue,
            address: request.address,
            bytes: request.bytes,
            is_read: request.is_read,
        };
        let array = request.of;
        self.submit_to_disk(now, array, id, operation);
    }

    /// A disk on a loop has done a command: data or status go back.
    fn on_exchange_served(&mut self, now: Picoseconds, completion: &DiskCompletion) {
        let id = completion.tag;
        let command = *self.exchanges.command(id);
        tell_disk(
            &mut self.requests[command.tag.request].timeline,
            now,
            completion,
        );
        if command.is_read {
            self.send(now, id, FrameKind::Data, 0, command.bytes);
        } else {
            self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
        }
    }

    /// The controller has a disk's status: its stages are those of the task.
    pub(crate) fn on_disk_answered(&mut self, now: Picoseconds, request: u32) {
        let done = self.requests[request];
        self.requests[request].is_alive = false;
        self.requests.remove(request);
        self.on_operation_done(now, done.task, done.queue, |timeline| {
            for stage in Stage::ALL {
                let span = done.timeline.stages()[stage as usize];
                timeline.for_span(span, now, stage);
            }
            timeline.until(now, Stage::Transfer);
        });
    }

    /// A disk has done an operation of a task; the last one tells where the time went.
    fn on_operation_done(
        &mut self,
        now: Picoseconds,
        id: u32,
        disk: u32,
        tell: impl FnOnce(&mut Timeline),
    ) {
        let task = &mut self.tasks[id];
        task.pieces -= 1;
        self.arrays[task.array as usize].disk_open[disk as usize] -= 1;
        if task.pieces > 0 {
            return;
        }
        if task.exchange != NONE {
            let state = self.exchanges.exchange(task.exchange).state;
            if state == ExchangeState::Open {
                let request = self.exchanges.command(task.exchange).tag.request;
                tell(&mut self.requests[request].timeline);
            }
        }
        self.on_operations_done(now, id);
    }
}

fn tell_disk(timeline: &mut Timeline, now: Picoseconds, completion: &DiskCompletion) {
    timeline.for_span(completion.queue, now, Stage::DiskQueue);
    timeline.for_span(completion.seek, now, Stage::Seek);
    timeline.for_span(completion.rotation, now, Stage::Rotation);
    timeline.until(now, Stage::Transfer);
}
