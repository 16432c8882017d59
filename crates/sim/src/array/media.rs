//! What holds the blocks of a LUN: memory, a stripe of disks, a RAID group, flash, RAM.

use sanlab_kernel::{Id, Instant, Stage};
use sanlab_storage::{Media, Operation};

use super::task::Task;
use crate::event::Event;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Ask what holds the blocks.
    pub(super) fn access_media(&mut self, now: Instant, id: Id<Task>) {
        let component = self.array.tasks[id].component;
        let port = self.array.port_places[component];
        let component = component.number();
        let task = &mut self.array.tasks[id];
        task.came_at = now;
        let array = &mut self.array.arrays[task.array];
        match &mut array.luns[task.lun].media {
            Media::Memory { service, station } => {
                let ends_at = station.arrive(now, service.draw()).ends_at;
                self.agenda
                    .schedule(ends_at, component, Event::MediaServed(id));
            }
            Media::Stripe(stripe) => {
                let mut operations = std::mem::take(&mut self.array.operations);
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
                self.array.operations = operations;
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
                let ends_at = ram.arrive(now, port, task.bytes);
                self.agenda
                    .schedule(ends_at, component, Event::MediaServed(id));
            }
        }
    }

    pub(crate) fn on_media_served(&mut self, now: Instant, id: Id<Task>) {
        let task = self.array.tasks[id];
        let lun = &mut self.array.arrays[task.array].luns[task.lun];
        match &mut lun.media {
            Media::Memory { station, .. } => station.leave(now),
            Media::Flash(flash) => flash.leave(now, task.came_at),
            Media::Ram(ram) => ram.leave(now, task.came_at),
            Media::Stripe(_) | Media::Raid { .. } => {}
        }
        if let Some(exchange) = task.exchange.get() {
            self.tell(now, exchange, Stage::Media);
        }
        self.on_blocks(now, id);
    }
}
