//! Tasks on RAID groups: locks, phases, parity, lost drives and their reconstruction.

use sanlab_kernel::{NEVER, NONE, Picoseconds, Stage};
use sanlab_storage::{Media, RebuildStep};

use crate::event::Event;
use crate::world::{Phase, Purpose, Task, World};

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The group of a task, and the first byte of its LUN there; none where it has no group.
    fn group_of(&self, id: u32) -> Option<(u32, u64)> {
        let task = &self.tasks[id];
        if let Purpose::Rebuild(group, _) = task.purpose {
            return Some((group, 0));
        }
        match self.arrays[task.array as usize].luns[task.lun as usize].media {
            Media::Raid { group, start } => Some((group, start)),
            _ => None,
        }
    }

    /// A task comes to its group.
    pub(crate) fn access_raid(&mut self, now: Picoseconds, id: u32, number: u32, start: u64) {
        let Task {
            array,
            address,
            bytes,
            is_read,
            ..
        } = self.tasks[id];
        let group = &mut self.arrays[array as usize].groups[number as usize];
        let must_lock = if is_read {
            group.locks_reads()
        } else {
            group.locks_writes()
        };
        let rows = group.mapping.rows_of(start + address, bytes);
        if !must_lock || group.locks.acquire(id, rows, is_read) {
            self.begin_on_group(now, id);
        }
    }

    /// A task has its rows: its first operations.
    fn begin_on_group(&mut self, now: Picoseconds, id: u32) {
        let Some((number, start)) = self.group_of(id) else {
            return;
        };
        let task = self.tasks[id];
        if task.exchange != NONE {
            self.tell(now, task.exchange, Stage::Parity);
        }
        let mut operations = std::mem::take(&mut self.operations);
        operations.clear();
        let array = &mut self.arrays[task.array as usize];
        let group = &mut array.groups[number as usize];
        let (phase, parity_bytes) = match task.purpose {
            Purpose::Rebuild(_, rebuild) => {
                let step = step_of(&task);
                let open = &array.disk_open;
                let reading =
                    group.plan_rebuild_read(rebuild as usize, step, open, &mut operations);
                (Phase::Reads, reading.parity_bytes)
            }
            _ if task.is_read => {
                let (at, open) = (start + task.address, &array.disk_open);
                let reading = group.plan_read(at, task.bytes, open, &mut operations);
                (Phase::Last, reading.parity_bytes)
            }
            _ => {
                let at = start + task.address;
                let parity_bytes = group.plan_write_reads(at, task.bytes, &mut operations);
                (Phase::Reads, parity_bytes)
            }
        };
        group.count(&operations);
        self.tasks[id].phase = phase;
        self.tasks[id].parity_bytes = parity_bytes;
        if operations.is_empty() {
            self.operations = operations;
            self.on_operations_done(now, id);
        } else {
            for operation in operations.drain(..) {
                self.submit(now, id, operation);
            }
            self.operations = operations;
        }
    }

    /// The operations of a phase are done: parity, then what comes next.
    pub(crate) fn on_operations_done(&mut self, now: Picoseconds, id: u32) {
        let task = &mut self.tasks[id];
        let bytes = std::mem::take(&mut task.parity_bytes);
        let array = &mut self.arrays[task.array as usize];
        match array.parity_rate {
            Some(rate) if bytes > 0 => {
                let ends_at = array.parity.arrive(now, rate.time_for(bytes)).ends_at;
                let component = self.component_of(id);
                self.agenda
                    .schedule(ends_at, component, Event::ParityDone(id));
            }
            _ => self.next_phase(now, id),
        }
    }

    pub(crate) fn on_parity_done(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        self.arrays[task.array as usize].parity.leave(now);
        if task.exchange != NONE {
            self.tell(now, task.exchange, Stage::Parity);
        }
        self.next_phase(now, id);
    }

    fn next_phase(&mut self, now: Picoseconds, id: u32) {
        if self.tasks[id].phase == Phase::Reads {
            self.write_to_group(now, id);
        } else {
            self.leave_group(now, id);
        }
    }

    fn write_to_group(&mut self, now: Picoseconds, id: u32) {
        let Some((number, start)) = self.group_of(id) else {
            return;
        };
        self.tasks[id].phase = Phase::Last;
        let task = self.tasks[id];
        let mut operations = std::mem::take(&mut self.operations);
        operations.clear();
        let group = &mut self.arrays[task.array as usize].groups[number as usize];
        match task.purpose {
            Purpose::Rebuild(_, rebuild) => {
                group.plan_rebuild_write(rebuild as usize, step_of(&task), &mut operations);
            }
            _ => group.plan_writes(start + task.address, task.bytes, &mut operations),
        }
        group.count(&operations);
        debug_assert!(
            !operations.is_empty(),
            "a group that survives has somewhere to write"
        );
        for operation in operations.drain(..) {
            self.submit(now, id, operation);
        }
        self.operations = operations;
    }

    /// A task is done with its group; those who waited for its rows go on.
    fn leave_group(&mut self, now: Picoseconds, id: u32) {
        let task = self.tasks[id];
        let mut granted = Vec::new();
        let group = self.group_of(id);
        if let Some((number, _)) = group {
            let group = &mut self.arrays[task.array as usize].groups[number as usize];
            if group.locks.open() > 0 {
                group.locks.release(id, &mut granted);
            }
        }
        if let Purpose::Rebuild(number, rebuild) = task.purpose {
            let group = &mut self.arrays[task.array as usize].groups[number as usize];
            group.on_rebuilt(now, rebuild as usize, step_of(&task));
            self.end_task(id);
            self.go_on_rebuilding(now, task.array, number);
        } else {
            self.on_blocks(now, id);
        }
        for next in granted {
            self.begin_on_group(now, next);
        }
    }

    /// The next drive of a group fails.
    pub(crate) fn on_drive_fails(&mut self, now: Picoseconds, array: u32, number: u32) {
        let of = &mut self.arrays[array as usize];
        let group = &mut of.groups[number as usize];
        let failing = group.failing.remove(0);
        group.fail(failing.slot);
        let component = of.first_n_port;
        for (rebuild, it) in (0..).zip(&group.rebuilds) {
            if it.slot == failing.slot {
                let event = Event::RebuildDue(array, number, rebuild);
                self.agenda.schedule(now + it.delay, component, event);
            }
        }
    }

    /// A rebuild is to begin, or its rate allows the next step.
    pub(crate) fn on_rebuild_due(
        &mut self,
        now: Picoseconds,
        array: u32,
        number: u32,
        rebuild: u32,
    ) {
        let group = &mut self.arrays[array as usize].groups[number as usize];
        group.rebuilds[rebuild as usize].is_due = true;
        self.go_on_rebuilding(now, array, number);
    }

    /// Begin the rebuild whose turn it is, and the steps it may begin now.
    fn go_on_rebuilding(&mut self, now: Picoseconds, array: u32, number: u32) {
        let group = &mut self.arrays[array as usize].groups[number as usize];
        if !group.is_rebuilding() {
            let next = group
                .rebuilds
                .iter()
                .position(|it| it.is_due && it.began_at.is_none());
            if let Some(next) = next {
                group.begin_rebuild(now, next);
            }
        }
        loop {
            let of = &mut self.arrays[array as usize];
            let (component, group) = (of.first_n_port, &mut of.groups[number as usize]);
            let Some(place) = group
                .rebuilds
                .iter()
                .position(sanlab_storage::Rebuild::is_running)
            else {
                return;
            };
            let rebuild = sanlab_kernel::id_of(place);
            let running = &mut group.rebuilds[place];
            let at = running.next_at();
            if at > now {
                if at < NEVER && running.wakes_at != at {
                    running.wakes_at = at;
                    let event = Event::RebuildDue(array, number, rebuild);
                    self.agenda.schedule(at, component, event);
                }
                return;
            }
            let step = running.take_step();
            self.begin_step(now, (array, number, rebuild), step);
        }
    }

    fn begin_step(&mut self, now: Picoseconds, at: (u32, u32, u32), step: RebuildStep) {
        let (array, number, rebuild) = at;
        let id = self.tasks.insert(Task {
            exchange: NONE,
            array,
            lun: 0,
            is_read: false,
            address: step.first,
            bytes: step.last,
            pieces: 0,
            purpose: Purpose::Rebuild(number, rebuild),
            phase: Phase::Last,
            parity_bytes: 0,
            came_at: now,
            is_stored: false,
            is_copied: true,
        });
        let group = &mut self.arrays[array as usize].groups[number as usize];
        if group.locks.acquire(id, (step.first, step.last), false) {
            self.begin_on_group(now, id);
        }
    }
}

fn step_of(task: &Task) -> RebuildStep {
    RebuildStep {
        first: task.address,
        last: task.bytes,
    }
}
