//! The array's side of a command: from FCP_CMND to the blocks and back.

use sanlab_fc::FrameKind;
use sanlab_kernel::{NONE, Picoseconds, Stage};
use sanlab_scsi::{FCP_RSP_BYTES, FCP_XFER_RDY_BYTES, Status};
use sanlab_storage::{CacheWrite, Media, Operation};

use crate::event::Event;
use crate::issuer::Issuer;
use crate::world::{Phase, Purpose, Request, Task, World};

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_command(&mut self, now: Picoseconds, id: u32) {
        let command = self.exchanges.command_mut(id);
        if command.tag.issuer == Issuer::BackEnd {
            self.on_disk_command(now, id);
            return;
        }
        let target = self.exchanges.exchange(id).target;
        let command = self.exchanges.command_mut(id);
        let array = &mut self.arrays[command.device as usize];
        let port = self.port_of_array[target as usize] as usize;
        if array.admit(port, command.lun).is_err() {
            command.status = Status::TaskSetFull;
            self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
            return;
        }
        command.is_admitted = true;
        if array.command == 0 {
            self.on_command_processed(now, id);
        } else {
            let ends_at = array.controllers.arrive(now, array.command).ends_at;
            self.agenda
                .schedule(ends_at, target, Event::CommandProcessed(id));
        }
    }

    pub(crate) fn on_command_processed(&mut self, now: Picoseconds, id: u32) {
        self.tell(now, id, Stage::Controller);
        let command = self.exchanges.command(id);
        let is_read = command.is_read;
        let array = &mut self.arrays[command.device as usize];
        if array.command > 0 {
            array.controllers.leave(now);
        }
        if is_read {
            self.read(now, id);
        } else {
            self.ask_for_burst(now, id);
        }
    }

    fn read(&mut self, now: Picoseconds, exchange: u32) {
        let task = self.new_task(exchange);
        let array = self.tasks[task].array as usize;
        if self.arrays[array].page_cache.is_some() {
            self.read_pages(now, task);
            return;
        }
        let cache = self.arrays[array].cache.as_mut();
        match cache.and_then(|cache| cache.reads_hit().then(|| cache.access())) {
            Some(access) => self.serve_from_cache(now, now + access, task),
            None => self.access_media(now, task),
        }
    }

    /// XFER_RDY for the next burst.
    fn ask_for_burst(&mut self, now: Picoseconds, id: u32) {
        let command = self.exchanges.command_mut(id);
        let offset = command.asked_bytes;
        let limit = self.arrays[command.device as usize].burst_bytes;
        command.asked_bytes += limit.min(command.bytes - offset);
        self.send(
            now,
            id,
            FrameKind::TransferReady,
            offset,
            FCP_XFER_RDY_BYTES,
        );
        if self.faults.is_armed {
            self.expect_data(now, id);
        }
    }

    pub(crate) fn on_write_data(&mut self, now: Picoseconds, id: u32) {
        let command = self.exchanges.command(id);
        if command.tag.issuer == Issuer::BackEnd {
            self.serve_exchange(now, id);
        } else if command.misses_data() {
            // A frame of it was lost: nobody tells, and the target waits.
        } else if command.asked_bytes < command.bytes {
            self.ask_for_burst(now, id);
        } else {
            self.write(now, id);
        }
    }

    /// All data are here: store them, and copy them where the LUN is mirrored.
    fn write(&mut self, now: Picoseconds, exchange: u32) {
        let task = self.new_task(exchange);
        let Task {
            array, lun, bytes, ..
        } = self.tasks[task];
        let array = &mut self.arrays[array as usize];
        if let Some(mirror) = &mut array.luns[lun as usize].mirror {
            let is_synchronous = mirror.is_synchronous;
            let may_begin = mirror.begin(task, now);
            self.tasks[task].is_copied = may_begin && !is_synchronous;
            if may_begin {
                self.copy(now, task);
            }
        }
        let array = &mut self.arrays[self.tasks[task].array as usize];
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

    /// A write has its place in the cache; its blocks go to the media in the background.
    fn store_in_cache(&mut self, now: Picoseconds, ends_at: Picoseconds, task: u32) {
        let destage = self.new_destage(task);
        self.access_media(now, destage);
        self.serve_from_cache(now, ends_at, task);
    }

    pub(crate) fn serve_from_cache(&mut self, now: Picoseconds, ends_at: Picoseconds, task: u32) {
        if ends_at == now {
            self.on_cache_served(now, task);
        } else {
            let component = self.component_of(task);
            self.agenda
                .schedule(ends_at, component, Event::CacheServed(task));
        }
    }

    pub(crate) fn on_cache_served(&mut self, now: Picoseconds, task: u32) {
        self.tell(now, self.tasks[task].exchange, Stage::Cache);
        self.on_blocks(now, task);
    }

    /// Ask what holds the blocks.
    pub(crate) fn access_media(&mut self, now: Picoseconds, id: u32) {
        let component = self.component_of(id);
        let port = match self.tasks[id].exchange {
            NONE => 0,
            exchange => self.port_of_array[self.exchanges.exchange(exchange).target as usize],
        };
        let task = &mut self.tasks[id];
        task.came_at = now;
        let array = &mut self.arrays[task.array as usize];
        match &mut array.luns[task.lun as usize].media {
            Media::Memory {
                service,
                draws,
                station,
            } => {
                let service = match draws {
                    Some(draws) => draws.exponential(*service),
                    None => *service,
                };
                let ends_at = station.arrive(now, service).ends_at;
                self.agenda
                    .schedule(ends_at, component, Event::MediaServed(id));
            }
            Media::Stripe(stripe) => {
                let mut operations = std::mem::take(&mut self.operations);
                operations.clear();
                operations.extend(
                    stripe
                        .pieces(task.address, task.bytes)
                        .map(|piece| Operation {
                            disk: piece.disk,
                            address: piece.address,
                            bytes: piece.bytes,
                            is_read: task.is_read,
                        }),
                );
                for operation in operations.drain(..) {
                    self.submit(now, id, operation);
                }
                self.operations = operations;
            }
            Media::Raid { group, start } => {
                let (group, start) = (*group, *start);
                self.access_raid(now, id, group, start);
            }
            Media::Flash(flash) => {
                let ends_at = flash.arrive(now, task.address, task.bytes, task.is_read);
                self.agenda
                    .schedule(ends_at, component, Event::MediaServed(id));
            }
            Media::Ram(ram) => {
                let ends_at = ram.arrive(now, port as usize, task.bytes);
                self.agenda
                    .schedule(ends_at, component, Event::MediaServed(id));
            }
        }
    }

    pub(crate) fn on_media_served(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        let lun = &mut self.arrays[task.array as usize].luns[task.lun as usize];
        match &mut lun.media {
            Media::Memory { station, .. } => station.leave(now),
            Media::Flash(flash) => flash.leave(now, task.came_at),
            Media::Ram(ram) => ram.leave(now, task.came_at),
            Media::Stripe(_) | Media::Raid { .. } => {}
        }
        if task.exchange != NONE {
            self.tell(now, task.exchange, Stage::Media);
        }
        self.on_blocks(now, id);
    }

    /// The blocks of a task are read, or stored.
    pub(crate) fn on_blocks(&mut self, now: Picoseconds, id: u32) {
        match self.tasks[id].purpose {
            Purpose::Command => self.on_command_blocks(now, id),
            Purpose::Destage => self.on_destaged(now, id),
            Purpose::PageDestage => self.on_pages_destaged(now, id),
            Purpose::Prefetch => self.on_pages_read(now, id),
            Purpose::Rebuild(..) => {}
        }
    }

    fn on_command_blocks(&mut self, now: Picoseconds, id: u32) {
        let task = &mut self.tasks[id];
        if task.is_read {
            let exchange = task.exchange;
            self.on_pages_read(now, id);
            let bytes = self.exchanges.command(exchange).bytes;
            self.tasks.remove(id);
            self.send(now, exchange, FrameKind::Data, 0, bytes);
        } else {
            task.is_stored = true;
            self.acknowledge(now, id);
        }
    }

    fn on_destaged(&mut self, now: Picoseconds, id: u32) {
        let Task { array, bytes, .. } = self.tasks[id];
        self.tasks.remove(id);
        let Some(cache) = &mut self.arrays[array as usize].cache else {
            return;
        };
        cache.destaged(bytes);
        let access = cache.access();
        while let Some(admitted) = self.arrays[array as usize]
            .cache
            .as_mut()
            .and_then(sanlab_storage::Cache::admit_waiting)
        {
            self.store_in_cache(now, now + access, admitted);
        }
    }

    /// Answer a write whose blocks are stored and whose copy, if any, is as far as it must be.
    fn acknowledge(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        if !(task.is_stored && task.is_copied) {
            return;
        }
        self.tasks.remove(id);
        self.send(now, task.exchange, FrameKind::Response, 0, FCP_RSP_BYTES);
    }

    /// The status of a command is on its way: its places in task set and port are free.
    pub(crate) fn release(&mut self, exchange: u32) {
        let target = self.exchanges.exchange(exchange).target;
        let command = self.exchanges.command_mut(exchange);
        if !command.is_admitted {
            return;
        }
        command.is_admitted = false;
        let port = self.port_of_array[target as usize] as usize;
        self.arrays[command.device as usize].release(port, command.lun);
    }

    /// Begin the copy of a write.
    fn copy(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        let request = self.requests.insert(Request {
            queue: task.lun,
            task: if task.is_copied { NONE } else { id },
            address: task.address,
            bytes: task.bytes,
            ..Request::begin(Issuer::Mirror, task.array, now)
        });
        self.send_command(now, request);
    }

    /// A copy is done: its write may be acknowledged, the next copy may begin.
    pub(crate) fn on_copy_done(&mut self, now: Picoseconds, request: u32) {
        let done = self.requests[request];
        self.requests[request].is_alive = false;
        self.requests.remove(request);
        let lun = &mut self.arrays[done.of as usize].luns[done.queue as usize];
        let Some(mirror) = &mut lun.mirror else {
            return;
        };
        let is_synchronous = mirror.is_synchronous;
        let next = mirror.end(now, done.timeline.began_at, done.bytes);
        if done.task != NONE {
            self.on_copied(now, done.task);
        }
        if let Some(waiting) = next {
            self.copy_waiting(now, waiting, is_synchronous);
        }
    }

    /// A write that waited for leave to copy has it now.
    fn copy_waiting(&mut self, now: Picoseconds, task: u32, is_synchronous: bool) {
        self.tasks[task].is_copied = !is_synchronous;
        self.copy(now, task);
        if !is_synchronous {
            self.on_copied(now, task);
        }
    }

    fn on_copied(&mut self, now: Picoseconds, id: u32) {
        let task = &mut self.tasks[id];
        task.is_copied = true;
        if task.is_stored {
            let exchange = task.exchange;
            self.tell(now, exchange, Stage::Mirror);
            self.acknowledge(now, id);
        }
    }

    /// Whose turn it is at equal times: the front-end port of the command, the array of a destage.
    pub(crate) fn component_of(&self, task: u32) -> u32 {
        let task = &self.tasks[task];
        match task.exchange {
            NONE => self.arrays[task.array as usize].first_n_port,
            exchange => self.exchanges.exchange(exchange).target,
        }
    }

    /// A place for a task.
    fn new_task(&mut self, exchange: u32) -> u32 {
        let command = self.exchanges.command(exchange);
        self.tasks.insert(Task {
            exchange,
            array: command.device,
            lun: command.lun,
            is_read: command.is_read,
            address: command.address,
            bytes: u64::from(command.bytes),
            pieces: 0,
            purpose: Purpose::Command,
            phase: Phase::Last,
            parity_bytes: 0,
            came_at: 0,
            is_stored: false,
            is_copied: true,
        })
    }

    /// The task that a cached write leaves behind: the same blocks, no command.
    fn new_destage(&mut self, of: u32) -> u32 {
        let task = Task {
            exchange: NONE,
            pieces: 0,
            purpose: Purpose::Destage,
            ..self.tasks[of]
        };
        self.tasks.insert(task)
    }
}
