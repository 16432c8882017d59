//! The array's side of a command: from FCP_CMND to the blocks and back.

use sanlab_fc::{FCP_RSP_BYTES, FCP_XFER_RDY_BYTES, FrameKind, Owner, ScsiStatus};
use sanlab_kernel::{NEVER, NONE, Picoseconds, Stage, Timeline};
use sanlab_storage::{BLOCK_BYTES, CacheWrite, DiskCommand, DiskCompletion, Media};

use crate::event::Event;
use crate::world::{Request, Task, World};

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    pub(crate) fn on_command(&mut self, now: Picoseconds, id: u32) {
        let exchange = self.network.exchanges[id];
        let array = &mut self.arrays[exchange.array as usize];
        let port = self.port_of_array[exchange.target as usize] as usize;
        if array.admit(port, exchange.lun).is_err() {
            self.network.exchanges[id].status = ScsiStatus::TaskSetFull;
            self.send(now, id, FrameKind::Response, 0, FCP_RSP_BYTES);
        } else if array.command == 0 {
            self.on_command_processed(now, id);
        } else {
            let ends_at = array.controllers.arrive(now, array.command).ends_at;
            self.agenda
                .schedule(ends_at, exchange.target, Event::CommandProcessed(id));
        }
    }

    pub(crate) fn on_command_processed(&mut self, now: Picoseconds, id: u32) {
        self.tell(now, id, Stage::Controller);
        let exchange = self.network.exchanges[id];
        let array = &mut self.arrays[exchange.array as usize];
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
        let task = self.new_task(exchange);
        let array = self.tasks[task].array as usize;
        let cache = self.arrays[array].cache.as_mut();
        match cache.and_then(|cache| cache.reads_hit().then(|| cache.access())) {
            Some(access) => self.serve_from_cache(now, now + access, task),
            None => self.access_media(now, task),
        }
    }

    /// XFER_RDY for the next burst.
    fn ask_for_burst(&mut self, now: Picoseconds, id: u32) {
        let exchange = &mut self.network.exchanges[id];
        let offset = exchange.asked_bytes;
        let limit = self.arrays[exchange.array as usize].burst_bytes;
        exchange.asked_bytes += limit.min(exchange.bytes - offset);
        self.send(
            now,
            id,
            FrameKind::TransferReady,
            offset,
            FCP_XFER_RDY_BYTES,
        );
    }

    pub(crate) fn on_write_data(&mut self, now: Picoseconds, id: u32) {
        let exchange = &self.network.exchanges[id];
        if exchange.asked_bytes < exchange.bytes {
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

    fn serve_from_cache(&mut self, now: Picoseconds, ends_at: Picoseconds, task: u32) {
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
    fn access_media(&mut self, now: Picoseconds, id: u32) {
        let component = self.component_of(id);
        let task = &mut self.tasks[id];
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
                for piece in stripe.pieces(task.address, task.bytes) {
                    let first = piece.address / BLOCK_BYTES;
                    let end = (piece.address + piece.bytes).div_ceil(BLOCK_BYTES);
                    let command = DiskCommand {
                        tag: id,
                        block: first,
                        blocks: end - first,
                        is_read: task.is_read,
                    };
                    task.pieces += 1;
                    let number = piece.disk as usize;
                    array.disks[number].submit(now, command);
                    let due = array.disks[number].next_at();
                    if due < array.disk_due[number] {
                        array.disk_due[number] = due;
                        let event = Event::DiskDue(task.array, piece.disk);
                        self.agenda.schedule(due, array.first_n_port, event);
                    }
                }
            }
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
            if let Some(completion) = done {
                self.on_piece_done(now, &completion);
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

    /// A disk has done its piece of a task; the last piece tells where the time went.
    fn on_piece_done(&mut self, now: Picoseconds, completion: &DiskCompletion) {
        let id = completion.tag;
        let task = &mut self.tasks[id];
        task.pieces -= 1;
        if task.pieces > 0 {
            return;
        }
        let exchange = task.exchange;
        if exchange != NONE {
            let request = self.network.exchanges[exchange].request;
            let timeline = &mut self.requests[request].timeline;
            timeline.for_span(completion.queue, now, Stage::DiskQueue);
            timeline.for_span(completion.seek, now, Stage::Seek);
            timeline.for_span(completion.rotation, now, Stage::Rotation);
            timeline.until(now, Stage::Transfer);
        }
        self.on_blocks(now, id);
    }

    pub(crate) fn on_media_served(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        let lun = &mut self.arrays[task.array as usize].luns[task.lun as usize];
        if let Media::Memory { station, .. } = &mut lun.media {
            station.leave(now);
        }
        if task.exchange != NONE {
            self.tell(now, task.exchange, Stage::Media);
        }
        self.on_blocks(now, id);
    }

    /// The blocks of a task are read, or stored.
    fn on_blocks(&mut self, now: Picoseconds, id: u32) {
        let task = &mut self.tasks[id];
        if task.exchange == NONE {
            self.on_destaged(now, id);
        } else if task.is_read {
            let exchange = task.exchange;
            let bytes = self.network.exchanges[exchange].bytes;
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
        let exchange = &self.network.exchanges[exchange];
        let port = self.port_of_array[exchange.target as usize] as usize;
        self.arrays[exchange.array as usize].release(port, exchange.lun);
    }

    /// Begin the copy of a write.
    fn copy(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        let request = self.requests.insert(Request {
            owner: Owner::Mirror,
            of: task.array,
            queue: task.lun,
            target: 0,
            reply_bytes: 0,
            task: if task.is_copied { NONE } else { id },
            is_read: false,
            is_alive: true,
            is_refused: false,
            address: task.address,
            bytes: task.bytes,
            timeline: Timeline::begin(now),
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
    fn component_of(&self, task: u32) -> u32 {
        let task = &self.tasks[task];
        match task.exchange {
            NONE => self.arrays[task.array as usize].first_n_port,
            exchange => self.network.exchanges[exchange].target,
        }
    }

    /// A place for a task.
    fn new_task(&mut self, exchange: u32) -> u32 {
        let command = &self.network.exchanges[exchange];
        self.tasks.insert(Task {
            exchange,
            array: command.array,
            lun: command.lun,
            is_read: command.is_read,
            address: command.address,
            bytes: u64::from(command.bytes),
            pieces: 0,
            is_stored: false,
            is_copied: true,
        })
    }

    /// The task that a cached write leaves behind: the same blocks, no command.
    fn new_destage(&mut self, of: u32) -> u32 {
        let task = Task {
            exchange: NONE,
            pieces: 0,
            ..self.tasks[of]
        };
        self.tasks.insert(task)
    }
}
