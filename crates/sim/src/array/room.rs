//! Room for a write in a cache: it is set aside before the first XFER_RDY, so data come only where there
//! is room for them. Data that come unrequested wait for room themselves.

use sanlab_fc::Exchange;
use sanlab_kernel::{Id, Instant, Stage};
use sanlab_scsi::Room;
use sanlab_storage::{Array, CacheWrite, Extent, Lun};

use super::state::array_of;
use crate::issuer::IssuedCommand;
use crate::world::World;

/// The bytes of its LUN that a command is for.
fn extent_of(command: &IssuedCommand) -> Extent {
    Extent {
        lun: command.lun.same(),
        address: command.address,
        bytes: u64::from(command.bytes),
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Whether the data of a write may come: there is room for them in the cache, or they need none.
    #[inline]
    pub(super) fn has_room(&mut self, now: Instant, id: Id<Exchange>) -> bool {
        let command = self.fcp.command_mut(id);
        match command.room {
            Room::Held => return true,
            Room::Awaited => return false,
            Room::None => {}
        }
        let (array, extent) = (array_of(command), extent_of(command));
        match self.array.arrays[array].reserve(now, id.same(), extent) {
            CacheWrite::Taken => command.room = Room::Held,
            CacheWrite::Through => {}
            CacheWrite::Waits => {
                command.room = Room::Awaited;
                self.array.arrays[array].observe_cache(now, extent.lun);
                self.destage_pages(now, array, extent.lun);
                return false;
            }
        }
        true
    }

    /// The data of a write are here and go to the cache. False if they go through it.
    pub(super) fn fill_room(&mut self, now: Instant, id: Id<Exchange>) -> bool {
        let command = self.fcp.command_mut(id);
        let is_held = command.room == Room::Held;
        command.room = Room::None;
        let (array, extent) = (array_of(command), extent_of(command));
        let is_stored = is_held && self.array.arrays[array].store(now, extent);
        if !is_stored {
            self.array.arrays[array].pass_through(extent.lun);
        }
        if is_held && !is_stored {
            self.admit_waiting_writes(now, array, extent.lun);
        }
        is_stored
    }

    /// A write is over or given up: what it held, or waited for, is free for others.
    #[inline]
    pub(crate) fn give_up_room(&mut self, now: Instant, id: Id<Exchange>) {
        if self.fcp.command(id).room != Room::None {
            self.leave_room(now, id);
        }
    }

    #[cold]
    fn leave_room(&mut self, now: Instant, id: Id<Exchange>) {
        let command = self.fcp.command_mut(id);
        let waits = command.room == Room::Awaited;
        command.room = Room::None;
        let (array, extent) = (array_of(command), extent_of(command));
        self.array.arrays[array].give_up_room(id.same(), extent, waits);
        self.admit_waiting_writes(now, array, extent.lun);
    }

    /// Writes that waited have room in the cache of this LUN, and more may be destaged.
    pub(super) fn admit_waiting_writes(&mut self, now: Instant, array: Id<Array>, lun: Id<Lun>) {
        while let Some(admitted) = self.array.arrays[array].admit_waiting(lun) {
            let id = admitted.same();
            self.tell(now, id, Stage::Cache);
            let command = self.fcp.command_mut(id);
            command.room = Room::Held;
            if command.asked_bytes < command.bytes {
                self.ask_for_burst(now, id);
            } else {
                self.write(now, id);
            }
        }
        self.array.arrays[array].observe_cache(now, lun);
        self.destage_pages(now, array, lun);
    }
}
