//! Arrays, their tasks, and what they ask of other targets.

use sanlab_fc::{Exchange, NPort};
use sanlab_host::PathGroup;
use sanlab_kernel::{Arena, Id, IdVec, Instant, Timeline};
use sanlab_scsi::Status;
use sanlab_storage::{
    Answered, Array, Controller, Extent, FrontEndPort, Group, Media, OpenBursts, Operation,
};

use super::held::Held;
use super::task::{Purpose, Task};
use super::transfer::{Transfer, TransferPurpose};
use crate::host::path::Route;
use crate::issuer::{IssuedCommand, Tag};

/// The array's side of every command.
pub(crate) struct ArraySide {
    pub(super) arrays: IdVec<Array>,
    /// For each N_Port of an array its number among that array's.
    pub(super) port_places: IdVec<NPort, Id<FrontEndPort>>,
    pub(crate) tasks: Arena<Task>,
    pub(crate) transfers: Arena<Transfer>,
    /// Commands that wait until their LUN has gone over to another controller.
    pub(super) held: Vec<Held>,
    /// Disk operations of the current task.
    pub(super) operations: Vec<Operation>,
}

/// The array that a command goes to.
#[inline]
pub(super) fn array_of(command: &IssuedCommand) -> Id<Array> {
    command.device.certain().same()
}

impl ArraySide {
    pub(crate) fn new(arrays: IdVec<Array>, port_places: IdVec<NPort, Id<FrontEndPort>>) -> Self {
        Self {
            arrays,
            port_places,
            tasks: Arena::default(),
            transfers: Arena::default(),
            held: Vec::new(),
            operations: Vec::new(),
        }
    }

    pub(crate) fn arrays(&self) -> &IdVec<Array> {
        &self.arrays
    }

    pub(crate) fn arrays_mut(&mut self) -> &mut IdVec<Array> {
        &mut self.arrays
    }

    /// Bring what mirrors lack up to now.
    pub(crate) fn read_lags(&mut self, now: Instant) {
        let luns = self.arrays.iter_mut().flat_map(|array| &mut array.luns);
        for mirror in luns.filter_map(|lun| lun.mirror.as_mut()) {
            mirror.read_lag(now);
        }
    }

    /// N_Ports of a controller.
    pub(super) fn ports_of(&self, array: Id<Array>, controller: Id<Controller>) -> Vec<Id<NPort>> {
        let owner = &self.arrays[array];
        let ports = owner.n_ports.pairs();
        ports
            .filter(|&(port, _)| owner.port_controllers[port] == controller)
            .map(|(_, n_port)| n_port.same())
            .collect()
    }

    /// The group of a path to a LUN: the first if its port is of the controller that serves the LUN, or if
    /// all serve it.
    pub(crate) fn path_group(&self, route: &Route) -> Id<PathGroup> {
        let array = &self.arrays[route.array];
        let port = self.port_places[route.target_n_port];
        let server = array.luns[route.lun].served_by;
        let is_best = server.is_none_or(|server| server == array.port_controllers[port]);
        Id::new(u32::from(!is_best))
    }

    /// Time line of a transfer.
    #[inline]
    pub(crate) fn timeline(&mut self, transfer: Id<Transfer>) -> &mut Timeline {
        &mut self.transfers[transfer].timeline
    }

    /// Bytes of a command that follow it without an XFER_RDY.
    #[inline]
    pub(crate) fn first_burst_of(&self, command: &IssuedCommand) -> u32 {
        if let Tag::Mirror(copy) = command.tag {
            let limit = self.one_round_trip_bytes(copy);
            if u64::from(command.bytes) <= limit {
                return command.bytes;
            }
        }
        match command.device.get() {
            Some(device) if !command.is_read => {
                let array: &Array = &self.arrays[device.same()];
                array.first_burst_bytes.min(command.bytes)
            }
            _ => 0,
        }
    }

    /// Longest copy of a mirror that sends its data without an XFER_RDY.
    fn one_round_trip_bytes(&self, copy: Id<Transfer>) -> u64 {
        let transfer = &self.transfers[copy];
        let TransferPurpose::Copy { lun, .. } = transfer.purpose else {
            return 0;
        };
        let mirror = &self.arrays[transfer.array].luns[lun].mirror;
        mirror
            .as_ref()
            .map_or(0, |mirror| mirror.route.one_round_trip_bytes)
    }

    /// Bursts that the port of a command waits for, if they are limited.
    pub(super) fn open_bursts_of(
        &mut self,
        target: Id<NPort>,
        command: &IssuedCommand,
    ) -> Option<&mut OpenBursts> {
        let array = command.device.get()?.same();
        let port = self.port_places[target];
        let ports = self.arrays[array].open_bursts.as_mut()?;
        Some(&mut ports[port])
    }

    /// Whether a task works on the command of an exchange, or it waits for a takeover.
    pub(crate) fn works_on(&self, exchange: Id<Exchange>) -> bool {
        let is_held = self.held.iter().any(|held| held.exchange == exchange);
        let mut tasks = self.tasks.live();
        is_held || tasks.any(|task| self.tasks[task].exchange == exchange.into())
    }

    /// The status of a command is on its way: its places in task set and port are free.
    pub(crate) fn release(&mut self, now: Instant, target: Id<NPort>, command: &mut IssuedCommand) {
        if !command.is_admitted {
            return;
        }
        command.is_admitted = false;
        let port = self.port_places[target];
        let answered = (command.status == Status::Good).then_some(Answered {
            is_read: command.is_read,
            bytes: u64::from(command.bytes),
        });
        self.arrays[array_of(command)].release(now, port, command.lun.same(), answered);
    }

    /// The task of a command.
    pub(super) fn new_task(
        &mut self,
        id: Id<Exchange>,
        target: Id<NPort>,
        command: &IssuedCommand,
    ) -> Id<Task> {
        self.tasks.insert(Task {
            exchange: id.into(),
            lun: command.lun.same(),
            is_read: command.is_read,
            address: command.address,
            bytes: u64::from(command.bytes),
            ..Task::new(Purpose::Command, array_of(command), target)
        })
    }

    /// A task that no command waits for.
    pub(super) fn background_task(
        &mut self,
        now: Instant,
        array: Id<Array>,
        purpose: Purpose,
        extent: Extent,
    ) -> Id<Task> {
        let component = self.arrays[array].first_n_port.same();
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
    pub(super) fn end_task(&mut self, id: Id<Task>) {
        self.tasks.remove(id);
    }

    pub(super) fn extent_of(&self, id: Id<Task>) -> Extent {
        let task = &self.tasks[id];
        Extent {
            lun: task.lun,
            address: task.address,
            bytes: task.bytes,
        }
    }

    /// The group of a task, and the first byte of its LUN there; `None` if it has no group.
    pub(super) fn group_of(&self, id: Id<Task>) -> Option<(Id<Group>, u64)> {
        let task = &self.tasks[id];
        if let Purpose::Rebuild(group, _) = task.purpose {
            return Some((group, 0));
        }
        match self.arrays[task.array].luns[task.lun].media {
            Media::Raid { group, start } => Some((group, start)),
            _ => None,
        }
    }
}
