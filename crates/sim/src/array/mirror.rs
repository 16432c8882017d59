//! Copies of writes to the LUN's mirror.

use sanlab_fc::NPort;
use sanlab_kernel::{Id, Instant, Stage};
use sanlab_scsi::Status;
use sanlab_storage::{Array, Lun, Mirror, MirroredWrite};

use super::task::Task;
use super::transfer::{Transfer, TransferPurpose};
use crate::event::Event;
use crate::exchanges::steps::RETRY_AFTER;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// All data of a write are here: copy them, now or later, where its LUN is mirrored.
    pub(super) fn mirror_write(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        let (array, lun) = (task.array, task.lun);
        let Some(mirror) = &mut self.array.arrays[array].luns[lun].mirror else {
            return;
        };
        let write = mirror.write(now, id.same(), task.address, task.bytes);
        let is_copied = mirror.lets_acknowledge(write);
        let task = &mut self.array.tasks[id];
        (task.mirrored, task.is_copied) = (write.into(), is_copied);
        let resumes_at = self.mirror_of(array, lun).and_then(Mirror::resumes_at);
        if let Some(at) = resumes_at {
            let place = self.array.arrays[array].first_n_port.number();
            let event = Event::MirrorResumes(array, lun);
            self.agenda.schedule(at, place, event);
        }
        self.begin_copies(now, array, lun);
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

    /// A copy is done: its write may be acknowledged, others may be accepted and begin.
    fn on_copy_done(&mut self, now: Instant, id: Id<Transfer>) {
        let copy = self.array.transfers[id];
        self.array.transfers.remove(id);
        let TransferPurpose::Copy { lun, write } = copy.purpose else {
            return;
        };
        let Some(mirror) = self.mirror_of(copy.array, lun) else {
            return;
        };
        mirror.end(now, copy.timeline.began_at, write);
        if mirror.is_synchronous() {
            let task = mirror.task_of(write);
            self.on_copied(now, task.same());
        }
        self.accept_writes(now, copy.array, lun);
    }

    /// Accept the writes that have room now. Their copies begin, or those of writes before them.
    fn accept_writes(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>) {
        loop {
            let Some(mirror) = self.mirror_of(array, lun) else {
                return;
            };
            let accepted = mirror.accept_waiting();
            let task = accepted
                .filter(|_| !mirror.is_synchronous())
                .map(|write| mirror.task_of(write));
            self.begin_copies(now, array, lun);
            if let Some(task) = task {
                self.on_copied(now, task.same());
            }
            if accepted.is_none() {
                return;
            }
        }
    }

    /// A suspended mirror goes on: what it did not copy is copied now.
    pub(crate) fn on_mirror_resumes(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>) {
        if let Some(mirror) = self.mirror_of(array, lun) {
            mirror.resume(now);
        }
        self.begin_copies(now, array, lun);
    }

    /// A write is acknowledged: a mirror that copies marked regions may have one more.
    pub(super) fn copy_regions(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>) {
        let mirror = self.mirror_of(array, lun);
        if mirror.is_some_and(|mirror| mirror.resync_since().is_some()) {
            self.begin_copies(now, array, lun);
        }
    }

    /// The next region of a mirror may be copied, as far as its rate is concerned.
    pub(crate) fn on_region_due(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>) {
        if let Some(mirror) = self.mirror_of(array, lun) {
            mirror.wake();
        }
        self.begin_copies(now, array, lun);
    }

    /// Begin the copies that may begin now, and know when to look for others.
    fn begin_copies(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>) {
        while let Some(write) = self
            .mirror_of(array, lun)
            .and_then(|mirror| mirror.begin(now))
        {
            self.copy(now, array, lun, write);
        }
        let wake_at = self.mirror_of(array, lun).and_then(|it| it.wake_at(now));
        if let Some(at) = wake_at {
            let place = self.array.arrays[array].first_n_port.number();
            let event = Event::RegionDue(array, lun);
            self.agenda.schedule(at, place, event);
        }
    }

    /// Begin the copy of a write.
    fn copy(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>, write: Id<MirroredWrite>) {
        let Some(mirror) = self.mirror_of(array, lun) else {
            return;
        };
        let MirroredWrite { address, bytes, .. } = *mirror.written(write);
        let purpose = TransferPurpose::Copy { lun, write };
        let transfer = self.array.transfers.insert(Transfer {
            address,
            bytes,
            ..Transfer::begin(array, purpose, now)
        });
        self.send_transfer(now, transfer);
    }

    fn mirror_of(&mut self, array: Id<Array>, lun: Id<Lun>) -> Option<&mut Mirror> {
        self.array.arrays[array].luns[lun].mirror.as_mut()
    }

    /// As far as its copy is concerned, a write may be acknowledged.
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
