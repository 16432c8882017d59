//! The array's side of a command: admission, controller, bursts, the answer.

use sanlab_fc::{FCP_RSP_BYTES, FCP_XFER_RDY_BYTES, FrameKind, ScsiStatus};
use sanlab_kernel::{Picoseconds, Stage};
use sanlab_storage::CacheWrite;

use super::task::Task;
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// FCP_CMND has come to an array: admitted, or TASK SET FULL at once.
    pub(crate) fn on_command(&mut self, now: Picoseconds, id: u32) {
        let exchange = &mut self.network.exchanges[id];
        let array = &mut self.array.arrays[exchange.array as usize];
        let port = self.array.port_places[exchange.target as usize] as usize;
        if array.admit(port, exchange.lun).is_err() {
            exchange.status = ScsiStatus::TaskSetFull;
            self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
            return;
        }
        exchange.is_admitted = true;
        if array.command == 0 {
            self.on_command_processed(now, id);
        } else {
            let ends_at = array.controllers.arrive(now, array.command).ends_at;
            let target = exchange.target;
            self.agenda
                .schedule(ends_at, target, Event::CommandProcessed(id));
        }
    }

    pub(crate) fn on_command_processed(&mut self, now: Picoseconds, id: u32) {
        self.tell(now, id, Stage::Controller);
        let exchange = self.network.exchanges[id];
        let array = &mut self.array.arrays[exchange.array as usize];
        if array.command > 0 {
            array.controllers.leave(now);
        }
        if exchange.is_read {
            self.read(now, id);
        } else {
            self.ask_for_burst(now, id);
        }
    }

    fn read(&mut self, now: Picoseconds, exchange: u32) {
        let task = self
            .array
            .new_task(exchange, &self.network.exchanges[exchange]);
        let array = self.array.tasks[task].array as usize;
        if self.array.arrays[array].page_cache.is_some() {
            self.read_pages(now, task);
            return;
        }
        let cache = self.array.arrays[array].cache.as_mut();
        match cache.and_then(|cache| cache.reads_hit().then(|| cache.access())) {
            Some(access) => self.serve_from_cache(now, now + access, task),
            None => self.access_media(now, task),
        }
    }

    /// XFER_RDY for the next burst.
    fn ask_for_burst(&mut self, now: Picoseconds, id: u32) {
        let exchange = &mut self.network.exchanges[id];
        let offset = exchange.asked_bytes;
        let limit = self.array.arrays[exchange.array as usize].burst_bytes;
        exchange.asked_bytes += limit.min(exchange.bytes - offset);
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
    pub(crate) fn on_write_data(&mut self, now: Picoseconds, id: u32) {
        let exchange = &self.network.exchanges[id];
        if exchange.misses_data() {
            // A frame of it was lost: no message reports that, and the target waits.
        } else if exchange.asked_bytes < exchange.bytes {
            self.ask_for_burst(now, id);
        } else {
            self.write(now, id);
        }
    }

    /// All data are here: store them, and copy them where the LUN is mirrored.
    fn write(&mut self, now: Picoseconds, exchange: u32) {
        let task = self
            .array
            .new_task(exchange, &self.network.exchanges[exchange]);
        let Task {
            array, lun, bytes, ..
        } = self.array.tasks[task];
        let array = &mut self.array.arrays[array as usize];
        if let Some(mirror) = &mut array.luns[lun as usize].mirror {
            let is_synchronous = mirror.is_synchronous;
            let may_begin = mirror.begin(task, now);
            self.array.tasks[task].is_copied = may_begin && !is_synchronous;
            if may_begin {
                self.copy(now, task);
            }
        }
        let array = &mut self.array.arrays[self.array.tasks[task].array as usize];
        if array.page_cache.is_some() {
            self.write_pages(now, task);
            return;
        }
        let stored = array
            .cache
            .as_mut()
            .map(|cache| (cache.write(task, bytes), cache.access()));
        match stored {
            Some((CacheWrite::Taken, access)) => self.store_in_cache(now, now + access, task),
            Some((CacheWrite::Waits, _)) => {}
            Some((CacheWrite::Through, _)) | None => self.access_media(now, task),
        }
    }
}
