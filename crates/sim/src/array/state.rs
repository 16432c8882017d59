//! Arrays, their tasks, and what they ask of other targets.

use sanlab_kernel::{Arena, Picoseconds, Timeline};
use sanlab_storage::{Array, Extent, Media, Operation, PageCache};

use super::task::{Purpose, Task};
use super::transfer::Transfer;
use crate::issuer::IssuedCommand;

/// The array's side of every command.
pub(crate) struct ArraySide {
    pub(super) arrays: Vec<Array>,
    /// For each N_Port of an array its place among that array's.
    pub(super) port_places: Vec<u32>,
    pub(super) tasks: Arena<Task>,
    pub(super) transfers: Arena<Transfer>,
    /// Disk operations of the current task.
    pub(super) operations: Vec<Operation>,
}

impl ArraySide {
    pub(crate) fn new(arrays: Vec<Array>, port_places: Vec<u32>) -> Self {
        Self {
            arrays,
            port_places,
            tasks: Arena::default(),
            transfers: Arena::default(),
            operations: Vec::new(),
        }
    }

    pub(crate) fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    pub(crate) fn arrays_mut(&mut self) -> &mut [Array] {
        &mut self.arrays
    }

    /// Time line of a transfer.
    #[inline]
    pub(crate) fn timeline(&mut self, transfer: u32) -> &mut Timeline {
        &mut self.transfers[transfer].timeline
    }

    /// Whether a task works on the command of an exchange.
    pub(crate) fn works_on(&self, exchange: u32) -> bool {
        self.tasks
            .live()
            .any(|task| self.tasks[task].exchange == exchange)
    }

    /// The status of a command is on its way: its places in task set and port are free.
    pub(crate) fn release(&mut self, target: u32, command: &mut IssuedCommand) {
        if !command.is_admitted {
            return;
        }
        command.is_admitted = false;
        let port = self.port_places[target as usize] as usize;
        self.arrays[command.device as usize].release(port, command.lun);
    }

    /// The task of a command.
    pub(super) fn new_task(&mut self, id: u32, target: u32, command: &IssuedCommand) -> u32 {
        self.tasks.insert(Task {
            exchange: id,
            lun: command.lun,
            is_read: command.is_read,
            address: command.address,
            bytes: u64::from(command.bytes),
            ..Task::new(Purpose::Command, command.device, target)
        })
    }

    /// A task that no command waits for.
    pub(super) fn background_task(
        &mut self,
        now: Picoseconds,
        array: u32,
        purpose: Purpose,
        extent: Extent,
    ) -> u32 {
        let component = self.arrays[array as usize].first_n_port;
        self.tasks.insert(Task {
            lun: extent.lun,
            is_read: purpose == Purpose::Prefetch,
            address: extent.address,
            bytes: extent.bytes,
            came_at: now,
            ..Task::new(purpose, array, component)
        })
    }

    /// A task is over.
    pub(super) fn end_task(&mut self, id: u32) {
        self.tasks.remove(id);
    }

    pub(super) fn extent_of(&self, id: u32) -> Extent {
        let task = &self.tasks[id];
        Extent {
            lun: task.lun,
            address: task.address,
            bytes: task.bytes,
        }
    }

    pub(super) fn pages_of(&mut self, array: u32) -> Option<&mut PageCache> {
        self.arrays[array as usize].page_cache.as_mut()
    }

    /// The group of a task, and the first byte of its LUN there; `None` if it has no group.
    pub(super) fn group_of(&self, id: u32) -> Option<(u32, u64)> {
        let task = &self.tasks[id];
        if let Purpose::Rebuild(group, _) = task.purpose {
            return Some((group, 0));
        }
        match self.arrays[task.array as usize].luns[task.lun as usize].media {
            Media::Raid { group, start } => Some((group, start)),
            _ => None,
        }
    }
}
