//! Tasks on RAID groups: locks, phases, parity.

use sanlab_kernel::{Id, Instant, Stage};
use sanlab_storage::Group;

use super::task::{GroupPhase, Purpose, Task};
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A task comes to its group.
    pub(super) fn access_raid(
        &mut self,
        now: Instant,
        id: Id<Task>,
        number: Id<Group>,
        start: u64,
    ) {
        let Task {
            array,
            address,
            bytes,
            is_read,
            ..
        } = self.array.tasks[id];
        let group = &mut self.array.arrays[array].groups[number];
        let must_lock = if is_read {
            group.locks_reads()
        } else {
            group.locks_writes()
        };
        let rows = group.mapping.rows_of(start + address, bytes);
        if !must_lock || group.locks.acquire(id.same(), rows, is_read) {
            self.begin_on_group(now, id);
        }
    }

    /// A task has its rows: its first operations.
    pub(super) fn begin_on_group(&mut self, now: Instant, id: Id<Task>) {
        let Some((number, start)) = self.array.group_of(id) else {
            return;
        };
        let task = self.array.tasks[id];
        if let Some(exchange) = task.exchange.get() {
            self.tell(now, exchange, Stage::Parity);
        }
        let mut operations = std::mem::take(&mut self.array.operations);
        operations.clear();
        let array = &mut self.array.arrays[task.array];
        let group = &mut array.groups[number];
        let (phase, parity_bytes) = match task.purpose {
            Purpose::Rebuild(_, rebuild) => {
                let step = task.step();
                let open = &array.disk_open;
                let reading = group.plan_rebuild_read(rebuild, step, open, &mut operations);
                (GroupPhase::Reads, reading.parity_bytes)
            }
            _ if task.is_read => {
                let (at, open) = (start + task.address, &array.disk_open);
                let reading = group.plan_read(at, task.bytes, open, &mut operations);
                (GroupPhase::Last, reading.parity_bytes)
            }
            _ => {
                let at = start + task.address;
                let parity_bytes = group.plan_write_reads(at, task.bytes, &mut operations);
                (GroupPhase::Reads, parity_bytes)
            }
        };
        group.count(&operations);
        self.array.tasks[id].phase = phase;
        self.array.tasks[id].parity_bytes = parity_bytes;
        if operations.is_empty() {
            self.array.operations = operations;
            self.on_operations_done(now, id);
        } else {
            for operation in operations.drain(..) {
                self.submit(now, id, operation);
            }
            self.array.operations = operations;
        }
    }

    /// The operations of a phase are done: parity, then what comes next.
    pub(super) fn on_operations_done(&mut self, now: Instant, id: Id<Task>) {
        let task = &mut self.array.tasks[id];
        let bytes = std::mem::take(&mut task.parity_bytes);
        let array = &mut self.array.arrays[task.array];
        match array.parity_rate {
            Some(rate) if bytes > 0 => {
                let ends_at = array.parity.arrive(now, rate.time_for(bytes)).ends_at;
                let component = self.array.tasks[id].component.number();
                self.agenda
                    .schedule(ends_at, component, Event::ParityDone(id));
            }
            _ => self.next_phase(now, id),
        }
    }

    pub(crate) fn on_parity_done(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        self.array.arrays[task.array].parity.leave(now);
        if let Some(exchange) = task.exchange.get() {
            self.tell(now, exchange, Stage::Parity);
        }
        self.next_phase(now, id);
    }

    fn next_phase(&mut self, now: Instant, id: Id<Task>) {
        if self.array.tasks[id].phase == GroupPhase::Reads {
            self.write_to_group(now, id);
        } else {
            self.leave_group(now, id);
        }
    }

    fn write_to_group(&mut self, now: Instant, id: Id<Task>) {
        let Some((number, start)) = self.array.group_of(id) else {
            return;
        };
        self.array.tasks[id].phase = GroupPhase::Last;
        let task = self.array.tasks[id];
        let mut operations = std::mem::take(&mut self.array.operations);
        operations.clear();
        let group = &mut self.array.arrays[task.array].groups[number];
        match task.purpose {
            Purpose::Rebuild(_, rebuild) => {
                group.plan_rebuild_write(rebuild, task.step(), &mut operations);
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
        self.array.operations = operations;
    }

    /// A task is done with its group; tasks that waited for its rows go on.
    fn leave_group(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        let mut granted = Vec::new();
        let group = self.array.group_of(id);
        if let Some((number, _)) = group {
            let group = &mut self.array.arrays[task.array].groups[number];
            if group.locks.open() > 0 {
                group.locks.release(id.same(), &mut granted);
            }
        }
        if let Purpose::Rebuild(number, rebuild) = task.purpose {
            let group = &mut self.array.arrays[task.array].groups[number];
            group.on_rebuilt(now, rebuild, task.step());
            self.array.end_task(id);
            self.go_on_rebuilding(now, task.array, number);
        } else {
            self.on_blocks(now, id);
        }
        for next in granted {
            self.begin_on_group(now, next.same());
        }
    }
}
