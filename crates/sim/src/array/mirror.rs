//! Copies of writes to the LUN's mirror.

use sanlab_fc::NPort;
use sanlab_kernel::{Id, Instant, MaybeId, Stage};
use sanlab_scsi::Status;

use super::task::Task;
use super::transfer::{Transfer, TransferPurpose};
use crate::event::Event;
use crate::exchanges::steps::RETRY_AFTER;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Begin the copy of a write.
    pub(super) fn copy(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        let purpose = TransferPurpose::Copy {
            lun: task.lun,
            task: if task.is_copied {
                MaybeId::NONE
            } else {
                id.into()
            },
        };
        let transfer = self.array.transfers.insert(Transfer {
            address: task.address,
            bytes: task.bytes,
            ..Transfer::begin(task.array, purpose, now)
        });
        self.send_transfer(now, transfer);
    }

    /// The target of a copy has answered; one that is full is asked again later.
    pub(crate) fn on_copy_answered(
        &mut self,
        now: Instant,
        transfer: Id<Transfer>,
        status: Status,
        initiator: Id<NPort>,
    ) {
        if status == Status::TaskSetFull {
            let event = Event::RetryCopy(transfer);
            self.agenda
                .schedule(now + RETRY_AFTER, initiator.number(), event);
        } else {
            self.on_copy_done(now, transfer);
        }
    }

    /// A copy is done: its write may be acknowledged, the next copy may begin.
    fn on_copy_done(&mut self, now: Instant, id: Id<Transfer>) {
        let copy = self.array.transfers[id];
        self.array.transfers.remove(id);
        let TransferPurpose::Copy { lun, task } = copy.purpose else {
            return;
        };
        let lun = &mut self.array.arrays[copy.array].luns[lun];
        let Some(mirror) = &mut lun.mirror else {
            return;
        };
        let is_synchronous = mirror.is_synchronous;
        let next = mirror.end(now, copy.timeline.began_at, copy.bytes);
        if let Some(task) = task.get() {
            self.on_copied(now, task);
        }
        if let Some(waiting) = next {
            self.copy_waiting(now, waiting.same(), is_synchronous);
        }
    }

    /// A write that waited until another copy was done is copied now.
    fn copy_waiting(&mut self, now: Instant, task: Id<Task>, is_synchronous: bool) {
        self.array.tasks[task].is_copied = !is_synchronous;
        self.copy(now, task);
        if !is_synchronous {
            self.on_copied(now, task);
        }
    }

    fn on_copied(&mut self, now: Instant, id: Id<Task>) {
        let task = &mut self.array.tasks[id];
        task.is_copied = true;
        if task.is_stored {
            let exchange = task.exchange.certain();
            self.tell(now, exchange, Stage::Mirror);
            self.acknowledge(now, id);
        }
    }
}
