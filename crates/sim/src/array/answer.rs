//! The end of a task: data and status go back, or a destage has made room.

use sanlab_fc::FrameKind;
use sanlab_kernel::{Id, Instant};
use sanlab_scsi::FCP_RSP_BYTES;

use super::task::{Purpose, Task};
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The blocks of a task are read, or stored.
    pub(crate) fn on_blocks(&mut self, now: Instant, id: Id<Task>) {
        match self.array.tasks[id].purpose {
            Purpose::Command => self.on_command_blocks(now, id),
            Purpose::Destage => self.on_destaged(now, id),
            Purpose::PageDestage => self.on_pages_destaged(now, id),
            Purpose::Prefetch => self.on_pages_read(now, id),
            Purpose::Rebuild(..) => {}
        }
    }

    fn on_command_blocks(&mut self, now: Instant, id: Id<Task>) {
        let task = &mut self.array.tasks[id];
        if task.is_read {
            let exchange = task.exchange.certain();
            self.on_pages_read(now, id);
            let bytes = self.fcp.command(exchange).bytes;
            self.array.end_task(id);
            self.send(now, exchange, FrameKind::Data, 0, bytes);
        } else {
            task.is_stored = true;
            self.acknowledge(now, id);
        }
    }

    /// Answer a write whose blocks are stored and whose copy, if any, is as far as it must be.
    pub(super) fn acknowledge(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        if !(task.is_stored && task.is_copied) {
            return;
        }
        if let Some(write) = task.mirrored.get()
            && let Some(mirror) = &mut self.array.arrays[task.array].luns[task.lun].mirror
        {
            mirror.acknowledge(now, write);
        }
        self.array.end_task(id);
        let exchange = task.exchange.certain();
        self.send(now, exchange, FrameKind::Response, 0, FCP_RSP_BYTES);
        if task.mirrored.is_some() {
            self.copy_regions(now, task.array, task.lun);
        }
    }
}
