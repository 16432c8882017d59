//! Drives of groups that fail, and their rebuilds.

use sanlab_kernel::{NEVER, Picoseconds, id_of};
use sanlab_storage::{Rebuild, RebuildStep};

use super::task::{Purpose, Task};
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The next drive of a group fails.
    pub(crate) fn on_drive_fails(&mut self, now: Picoseconds, array: u32, number: u32) {
        let owner = &mut self.array.arrays[array as usize];
        let group = &mut owner.groups[number as usize];
        let failing = group.failing.remove(0);
        group.fail(failing.slot);
        let component = owner.first_n_port;
        for (rebuild, planned) in (0..).zip(&group.rebuilds) {
            if planned.slot == failing.slot {
                let event = Event::RebuildDue(array, number, rebuild);
                self.agenda.schedule(now + planned.delay, component, event);
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
        let group = &mut self.array.arrays[array as usize].groups[number as usize];
        group.rebuilds[rebuild as usize].is_due = true;
        self.go_on_rebuilding(now, array, number);
    }

    /// Begin the rebuild whose turn it is, and the steps it may begin now.
    pub(super) fn go_on_rebuilding(&mut self, now: Picoseconds, array: u32, number: u32) {
        let group = &mut self.array.arrays[array as usize].groups[number as usize];
        if !group.is_rebuilding() {
            let next = group
                .rebuilds
                .iter()
                .position(|rebuild| rebuild.is_due && rebuild.began_at.is_none());
            if let Some(next) = next {
                group.begin_rebuild(now, next);
            }
        }
        loop {
            let owner = &mut self.array.arrays[array as usize];
            let (component, group) = (owner.first_n_port, &mut owner.groups[number as usize]);
            let Some(place) = group.rebuilds.iter().position(Rebuild::is_running) else {
                return;
            };
            let rebuild = id_of(place);
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
        let component = self.array.arrays[array as usize].first_n_port;
        let id = self.array.tasks.insert(Task {
            address: step.first,
            bytes: step.last,
            came_at: now,
            ..Task::new(Purpose::Rebuild(number, rebuild), array, component)
        });
        let group = &mut self.array.arrays[array as usize].groups[number as usize];
        if group.locks.acquire(id, (step.first, step.last), false) {
            self.begin_on_group(now, id);
        }
    }
}
