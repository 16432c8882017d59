//! Copies of writes to the LUN's mirror.

use sanlab_kernel::{NONE, Picoseconds, Stage};
use sanlab_scsi::Status;

use super::transfer::{Transfer, TransferPurpose};
use crate::event::Event;
use crate::exchanges::steps::RETRY_AFTER;
use crate::issuer::IssuedCommand;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Begin the copy of a write.
    pub(super) fn copy(&mut self, now: Picoseconds, id: u32) {
        let task = self.array.tasks[id];
        let purpose = TransferPurpose::Copy {
            lun: task.lun,
            task: if task.is_copied { NONE } else { id },
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
        now: Picoseconds,
        response: &IssuedCommand,
        initiator: u32,
    ) {
        if response.status == Status::TaskSetFull {
            let event = Event::RetryCopy(response.tag.request);
            self.agenda.schedule(now + RETRY_AFTER, initiator, event);
        } else {
            self.on_copy_done(now, response.tag.request);
        }
    }

    /// A copy is done: its write may be acknowledged, the next copy may begin.
    fn on_copy_done(&mut self, now: Picoseconds, id: u32) {
        let copy = self.array.transfers[id];
        self.array.transfers.remove(id);
        let TransferPurpose::Copy { lun, task } = copy.purpose else {
            return;
        };
        let lun = &mut self.array.arrays[copy.array as usize].luns[lun as usize];
        let Some(mirror) = &mut lun.mirror else {
            return;
        };
        let is_synchronous = mirror.is_synchronous;
        let next = mirror.end(now, copy.timeline.began_at, copy.bytes);
        if task != NONE {
            self.on_copied(now, task);
        }
        if let Some(waiting) = next {
            self.copy_waiting(now, waiting, is_synchronous);
        }
    }

    /// A write that waited until another copy was done is copied now.
    fn copy_waiting(&mut self, now: Picoseconds, task: u32, is_synchronous: bool) {
        self.array.tasks[task].is_copied = !is_synchronous;
        self.copy(now, task);
        if !is_synchronous {
            self.on_copied(now, task);
        }
    }

    fn on_copied(&mut self, now: Picoseconds, id: u32) {
        let task = &mut self.array.tasks[id];
        task.is_copied = true;
        if task.is_stored {
            let exchange = task.exchange;
            self.tell(now, exchange, Stage::Mirror);
            self.acknowledge(now, id);
        }
    }
}
