//! Which way a request takes, and what hosts know of their ways.

use sanlab_host::{Device, NoPath, PathState};
use sanlab_kernel::{NEVER, Picoseconds, Stage, id_of};

use crate::event::{Event, RecoveryEvent};
use crate::faults::Place;
use crate::world::{Route, World};

/// A job whose I/O fails because no path is left asks again after this long. Uncertain: what an
/// application does then is its own affair, but none asks without end at one instant.
const PAUSE_AFTER_ERROR: Picoseconds = 1_000_000_000_000;

/// A way from an adapter to a port of an array.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) adapter: u32,
    pub(crate) initiator: u32,
    pub(crate) target: u32,
    /// What the host knows.
    pub(crate) state: PathState,
    /// What is so, as of the host's last look.
    pub(crate) is_usable: bool,
    /// When the host has logged in again, since it last became usable.
    pub(crate) ready_at: Picoseconds,
    /// Changes of its state, counted, so that a timer knows its own.
    pub(crate) changes: u32,
    /// The first of its losses, its last, and time lost before that one.
    pub(crate) lost_first: Option<Picoseconds>,
    pub(crate) lost_at: Picoseconds,
    pub(crate) lost_for: Picoseconds,
    pub(crate) losses: u32,
    /// Answers over it.
    pub(crate) answers: u64,
    /// First answer by another path, of a device that uses this one too, after its first loss.
    pub(crate) replaced_at: Option<Picoseconds>,
    /// Devices that use it.
    pub(crate) devices: Vec<u32>,
}

/// A LUN as a host sees it.
#[derive(Clone, Debug)]
pub(crate) struct HostDevice {
    pub(crate) device: Device,
    pub(crate) routes: Vec<Route>,
    /// From a failed path's return to its use: looks of the path checker; 0 uses it at once.
    pub(crate) checker: Picoseconds,
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A request goes to the queue of a path.
    pub(crate) fn assign(&mut self, now: Picoseconds, id: u32) {
        let device_id = self.requests[id].device as usize;
        let HostDevice { device, routes, .. } = &mut self.devices[device_id];
        let is_plain = device.multipath.is_none() && !self.faults.is_armed;
        let path = if is_plain {
            Some(0)
        } else if now < device.switching_until {
            device.held.push(id);
            return;
        } else {
            let (paths, adapters) = (&self.paths, &self.adapters);
            let state = |it: usize| paths[routes[it].path as usize].state;
            let load = |it: usize| adapters[routes[it].adapter as usize].load(routes[it].queue);
            device.choose(state, load)
        };
        let Some(path) = path else {
            self.assign_elsewhere(now, id);
            return;
        };
        let Route { adapter, queue, .. } = routes[path];
        let record = &mut self.requests[id];
        (record.path, record.queue) = (id_of(path), queue);
        self.adapters[adapter as usize].enqueue(queue, id);
        self.pump_adapter(now, adapter);
    }

    /// The group in use has no path left: another group, or none.
    fn assign_elsewhere(&mut self, now: Picoseconds, id: u32) {
        let device_id = self.requests[id].device;
        if let Some(group) = self.best_group(device_id) {
            self.switch_group(now, device_id, group);
            self.assign(now, id);
            return;
        }
        let device = &mut self.devices[device_id as usize].device;
        let queues = device
            .multipath
            .is_some_and(|it| it.no_path == NoPath::Queue);
        if queues {
            self.requests[id].is_recovering = true;
            device.held.push(id);
        } else {
            self.fail(now, id, PAUSE_AFTER_ERROR);
        }
    }

    fn best_group(&self, device: u32) -> Option<u32> {
        let HostDevice { device, routes, .. } = &self.devices[device as usize];
        device.best_group(|it| self.paths[routes[it].path as usize].state)
    }

    /// A device goes over to another group of paths, for which the array needs its time.
    fn switch_group(&mut self, now: Picoseconds, id: u32, group: u32) {
        let device = &mut self.devices[id as usize].device;
        device.group = group;
        let takes = device.multipath.map_or(0, |it| it.switch_over);
        if takes > 0 {
            device.switching_until = now + takes;
            self.recover_at(now + takes, RecoveryEvent::DeviceReady(id));
        }
        self.note(
            now,
            "lun moves to another group of paths",
            Place::Device(id),
        );
    }

    /// Requests that waited for a path have one, or are told that there is none.
    pub(crate) fn on_device_ready(&mut self, now: Picoseconds, id: u32) {
        let held = std::mem::take(&mut self.devices[id as usize].device.held);
        for request in held {
            let record = &mut self.requests[request];
            record.timeline.until(now, Stage::Recovery);
            self.assign(now, request);
        }
    }

    pub(crate) fn on_failback(&mut self, now: Picoseconds, id: u32) {
        let best = self.best_group(id);
        if let Some(best) = best.filter(|&best| best < self.devices[id as usize].device.group) {
            self.switch_group(now, id, best);
        }
    }

    /// Whether frames get from one end of a path to the other, and back.
    fn is_usable(&self, path: &Path, now: Picoseconds) -> bool {
        let (a, b) = (path.initiator, path.target);
        let network = &self.network;
        network.is_lit(a, now)
            && network.is_lit(b, now)
            && network.is_reachable(a, b)
            && network.is_reachable(b, a)
            && !self.faults.is_apart(a, b)
    }

    /// Hosts look which of their paths are usable: all of them, or those of one adapter's port.
    pub(crate) fn check_paths(&mut self, now: Picoseconds, initiator: Option<u32>) {
        for id in 0..id_of(self.paths.len()) {
            let path = &self.paths[id as usize];
            if initiator.is_some_and(|it| !self.network.share_link(it, path.initiator)) {
                continue;
            }
            let is_usable = self.is_usable(path, now);
            if is_usable == path.is_usable {
                continue;
            }
            self.paths[id as usize].is_usable = is_usable;
            if is_usable {
                let ready_at = now + self.faults.plan.login_ps;
                self.paths[id as usize].ready_at = ready_at;
                self.recover_at(ready_at, RecoveryEvent::PathReady(id));
            } else if self.paths[id as usize].state == PathState::Up {
                self.lose_path(now, id);
            }
        }
    }

    fn set_state(&mut self, now: Picoseconds, id: u32, state: PathState) {
        let path = &mut self.paths[id as usize];
        match (path.state, state) {
            (PathState::Up, _) => {
                path.losses += 1;
                path.lost_at = now;
                path.lost_first.get_or_insert(now);
            }
            (_, PathState::Up) => path.lost_for += now - path.lost_at,
            _ => {}
        }
        path.state = state;
        path.changes += 1;
        let is_blocked = state != PathState::Up;
        for (adapter, queue) in self.queues_of(id) {
            self.adapters[adapter as usize].block(queue, is_blocked);
        }
    }

    /// LUN queues of a path.
    fn queues_of(&self, id: u32) -> Vec<(u32, u32)> {
        let devices = self.paths[id as usize].devices.iter();
        let routes = devices.flat_map(|&device| &self.devices[device as usize].routes);
        let mut queues: Vec<_> = routes
            .filter(|route| route.path == id)
            .map(|route| (route.adapter, route.queue))
            .collect();
        queues.sort_unstable();
        queues.dedup();
        queues
    }

    /// A path is lost: what is under way over it is taken back, and waits for it.
    fn lose_path(&mut self, now: Picoseconds, id: u32) {
        self.set_state(now, id, PathState::Blocked);
        self.note(now, "path is lost", Place::Path(id));
        let path = &self.paths[id as usize];
        let (ends, changes) = ((path.initiator, path.target), path.changes);
        // Nobody waits for what was never there.
        let timeout = self.adapters[path.adapter as usize].path_timeout;
        let expires_at = if now == 0 { 0 } else { now + timeout };
        self.recover_at(expires_at, RecoveryEvent::PathExpired(id, changes));
        self.take_back_all(now, ends);
    }

    /// A path has been lost for too long: commands that wait for it fail over.
    pub(crate) fn on_path_expired(&mut self, now: Picoseconds, id: u32, changes: u32) {
        let path = &self.paths[id as usize];
        if path.changes == changes && path.state == PathState::Blocked {
            self.note(now, "path has failed", Place::Path(id));
            self.fail_path(now, id);
        }
    }

    /// Commands that wait for a path look for another.
    fn fail_path(&mut self, now: Picoseconds, id: u32) {
        self.set_state(now, id, PathState::Failed);
        for (adapter, queue) in self.queues_of(id) {
            for request in self.adapters[adapter as usize].take_waiting(queue) {
                let record = &mut self.requests[request];
                record.timeline.until(now, Stage::Recovery);
                record.is_recovering = false;
                self.assign(now, request);
            }
        }
    }

    /// A command over this path has failed: a host with several does not use it until its checker has
    /// looked at it.
    pub(crate) fn distrust_path(&mut self, now: Picoseconds, id: u32, device: u32) {
        let checker = self.devices[device as usize].checker;
        let has_choice = self.devices[device as usize].device.multipath.is_some();
        if !has_choice || self.paths[id as usize].state != PathState::Up {
            return;
        }
        self.note(now, "path is distrusted", Place::Path(id));
        self.fail_path(now, id);
        self.check_later(now, id, checker);
    }

    fn check_later(&mut self, now: Picoseconds, id: u32, checker: Picoseconds) {
        let next = (now / checker.max(1) + 1) * checker.max(1);
        let changes = self.paths[id as usize].changes;
        self.recover_at(next, RecoveryEvent::PathChecked(id, changes));
    }

    /// Logins over a path that is back are done: a blocked one is used, a failed one when the checker
    /// has looked at it.
    /// The host has logged in again, unless the path went away meanwhile.
    pub(crate) fn on_path_ready(&mut self, now: Picoseconds, id: u32) {
        let path = &self.paths[id as usize];
        if !path.is_usable || path.state == PathState::Up || now < path.ready_at {
            return;
        }
        let devices = path.devices.iter();
        let checkers = devices.map(|&device| self.devices[device as usize].checker);
        let checker = checkers.max().unwrap_or(0);
        if path.state == PathState::Failed && checker > 0 {
            self.check_later(now, id, checker);
        } else {
            self.restore_path(now, id);
        }
    }

    pub(crate) fn on_path_checked(&mut self, now: Picoseconds, id: u32, changes: u32) {
        let path = &self.paths[id as usize];
        if path.is_usable && path.changes == changes && path.state == PathState::Failed {
            self.restore_path(now, id);
        }
    }

    fn restore_path(&mut self, now: Picoseconds, id: u32) {
        self.set_state(now, id, PathState::Up);
        self.note(now, "path is back", Place::Path(id));
        let adapter = self.paths[id as usize].adapter;
        for device in self.paths[id as usize].devices.clone() {
            self.on_device_ready(now, device);
            let of = &self.devices[device as usize].device;
            let failback = of.multipath.map_or(NEVER, |it| it.failback);
            let is_better = self.best_group(device).is_some_and(|best| best < of.group);
            if is_better && failback != NEVER {
                self.recover_at(now + failback, RecoveryEvent::Failback(device));
            }
        }
        self.pump_adapter(now, adapter);
    }

    /// An answer has come by a path: if another of the device is lost, its place is taken.
    pub(crate) fn note_answer(&mut self, now: Picoseconds, path: u32, device: u32) {
        self.paths[path as usize].answers += 1;
        for route in &self.devices[device as usize].routes {
            let other = &mut self.paths[route.path as usize];
            if route.path != path && other.lost_first.is_some() {
                other.replaced_at.get_or_insert(now);
            }
        }
    }

    pub(crate) fn recover_at(&mut self, at: Picoseconds, event: RecoveryEvent) {
        if at < NEVER {
            self.agenda.schedule(at, 0, Event::Recovery(event));
        }
    }
}
