//! Drives of groups that fail, and their rebuilds.

use sanlab_kernel::{Id, Instant};
use sanlab_storage::{Array, Group, Rebuild, RebuildStep};

use super::task::{Purpose, Task};
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The next drive of a group fails.
    pub(crate) fn on_drive_fails(&mut self, now: Instant, array: Id<Array>, number: Id<Group>) {
        let owner = &mut self.array.arrays[array];
        let group = &mut owner.groups[number];
        let failing = group.failing.remove(0);
        group.fail(failing.slot);
        let component = owner.first_n_port.number();
        for (rebuild, planned) in group.rebuilds.pairs() {
            if planned.slot == failing.slot {
                let event = Event::RebuildDue(array, number, rebuild);
                self.agenda.schedule(now + planned.delay, component, event);
            }
        }
    }

    /// A rebuild is to begin, or its rate allows the next step.
    pub(crate) fn on_rebuild_due(
        &mut self,
        now: Instant,
        array: Id<Array>,
        number: Id<Group>,
        rebuild: Id<Rebuild>,
    ) {
        let group = &mut self.array.arrays[array].groups[number];
        group.rebuilds[rebuild].is_due = true;
        self.go_on_rebuilding(now, array, number);
    }

    /// Begin the rebuild whose turn it is, and the steps it may begin now.
    pub(super) fn go_on_rebuilding(&mut self, now: Instant, array: Id<Array>, number: Id<Group>) {
        let group = &mut self.array.arrays[array].groups[number];
        if !group.is_rebuilding() {
            let is_next = |rebuild: &Rebuild| rebuild.is_due && rebuild.began_at.is_none();
            let mut ids = group.rebuilds.ids();
            let next = ids.find(|&id| is_next(&group.rebuilds[id]));
            if let Some(next) = next {
                group.begin_rebuild(now, next);
            }
        }
        loop {
            let owner = &mut self.array.arrays[array];
            let component = owner.first_n_port.number();
            let group = &mut owner.groups[number];
            let mut ids = group.rebuilds.ids();
            let Some(rebuild) = ids.find(|&id| group.rebuilds[id].is_running()) else {
                return;
            };
            let running = &mut group.rebuilds[rebuild];
            let at = running.next_at();
            if at > now {
                if at < Instant::NEVER && running.wakes_at != at {
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

    fn begin_step(
        &mut self,
        now: Instant,
        at: (Id<Array>, Id<Group>, Id<Rebuild>),
        step: RebuildStep,
    ) {
        let (array, number, rebuild) = at;
        let component = self.array.arrays[array].first_n_port.same();
        let id = self.array.tasks.insert(Task {
            address: step.first,
            bytes: step.last,
            came_at: now,
            ..Task::new(Purpose::Rebuild(number, rebuild), array, component)
        });
        let group = &mut self.array.arrays[array].groups[number];
        if group
            .locks
            .acquire(id.same(), (step.first, step.last), false)
        {
            self.begin_on_group(now, id);
        }
    }
}
