//! Paths that are lost, come back, or are distrusted.

use sanlab_fc::NPort;
use sanlab_host::{DevicePath, PathState};
use sanlab_kernel::{Id, Instant, Span, Stage};
use sanlab_storage::Array;

use super::path::{HostDevice, Path};
use crate::event::RecoveryEvent;
use crate::faults::state::Place;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Whether frames get from one end of a path to the other, and back.
    fn is_usable(&self, path: &Path, now: Instant) -> bool {
        let (a, b) = (path.initiator, path.target);
        let network = &self.network;
        network.is_lit(a, now)
            && network.is_lit(b, now)
            && network.is_reachable(a, b)
            && network.is_reachable(b, a)
            && !self.faults.is_apart(a, b)
    }

    /// Hosts look which of their paths are usable: all of them, or those of one adapter's port.
    pub(crate) fn check_paths(&mut self, now: Instant, initiator: Option<Id<NPort>>) {
        for id in self.host.paths.ids() {
            let path = &self.host.paths[id];
            if initiator.is_some_and(|port| !self.network.share_link(port, path.initiator)) {
                continue;
            }
            let is_usable = self.is_usable(path, now);
            if is_usable == path.is_usable {
                continue;
            }
            self.host.paths[id].is_usable = is_usable;
            if is_usable {
                let ready_at = now + self.faults.times().login;
                self.host.paths[id].ready_at = ready_at;
                self.recover_at(ready_at, RecoveryEvent::PathReady(id));
            } else if self.host.paths[id].state == PathState::Up {
                self.lose_path(now, id);
            }
        }
    }

    /// Devices whose requests go over this path.
    fn devices_over(&self, id: Id<Path>) -> Vec<Id<HostDevice>> {
        let goes_over = |&of: &Id<HostDevice>| {
            let HostDevice { device, routes, .. } = &self.host.devices[of];
            let state = |path: Id<DevicePath>| self.host.paths[routes[path].path].state;
            let mut own = routes.pairs().filter(|(_, route)| route.path == id);
            own.any(|(path, _)| device.uses(path, state))
        };
        let devices = self.host.paths[id].devices.iter().copied();
        devices.filter(goes_over).collect()
    }

    fn set_state(&mut self, now: Instant, id: Id<Path>, state: PathState) {
        let displaced = self.devices_over(id);
        let path = &mut self.host.paths[id];
        match (path.state, state) {
            (PathState::Up, _) => {
                path.displaced.extend(displaced);
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
        for (adapter, queue) in self.host.queues_of(id) {
            self.host.adapters[adapter].block(queue, is_blocked);
        }
    }

    /// A path is lost: what is under way over it is taken back, and waits for it.
    fn lose_path(&mut self, now: Instant, id: Id<Path>) {
        self.set_state(now, id, PathState::Blocked);
        self.faults.note(now, "path is lost", Place::Path(id));
        let path = &self.host.paths[id];
        let (ends, changes) = ((path.initiator, path.target), path.changes);
        // Commands do not wait for a path that never worked.
        let timeout = self.host.adapters[path.adapter].path_timeout;
        let expires_at = if now == Instant::START {
            now
        } else {
            now + timeout
        };
        self.recover_at(expires_at, RecoveryEvent::PathExpired(id, changes));
        self.take_back_all(now, ends);
    }

    /// A path has been lost for too long: commands that wait for it fail over.
    pub(crate) fn on_path_expired(&mut self, now: Instant, id: Id<Path>, changes: u32) {
        let path = &self.host.paths[id];
        if path.changes == changes && path.state == PathState::Blocked {
            self.faults.note(now, "path has failed", Place::Path(id));
            self.fail_path(now, id);
        }
    }

    /// Commands that wait for a path look for another.
    fn fail_path(&mut self, now: Instant, id: Id<Path>) {
        self.set_state(now, id, PathState::Failed);
        for (adapter, queue) in self.host.queues_of(id) {
            for request in self.host.adapters[adapter].take_waiting(queue) {
                let request = request.same();
                let record = &mut self.host.requests[request];
                record.timeline.until(now, Stage::Recovery);
                record.is_recovering = false;
                self.assign(now, request);
            }
        }
    }

    /// A command over this path has failed: a host with several does not use it until its checker has
    /// looked at it.
    pub(crate) fn distrust_path(&mut self, now: Instant, id: Id<Path>, device: Id<HostDevice>) {
        let checker = self.host.devices[device].checker;
        let has_choice = self.host.devices[device].device.multipath.is_some();
        if !has_choice || self.host.paths[id].state != PathState::Up {
            return;
        }
        self.faults.note(now, "path is distrusted", Place::Path(id));
        self.fail_path(now, id);
        self.check_later(now, id, checker);
    }

    fn check_later(&mut self, now: Instant, id: Id<Path>, checker: Span) {
        let step = checker.max(Span::from_ps(1));
        let next = Instant::START + step * ((now - Instant::START) / step + 1);
        let changes = self.host.paths[id].changes;
        self.recover_at(next, RecoveryEvent::PathChecked(id, changes));
    }

    /// The host has logged in again, unless the path went away meanwhile: a blocked path is used at once,
    /// a failed one when the checker has looked at it.
    pub(crate) fn on_path_ready(&mut self, now: Instant, id: Id<Path>) {
        let path = &self.host.paths[id];
        if !path.is_usable || path.state == PathState::Up || now < path.ready_at {
            return;
        }
        let devices = path.devices.iter();
        let checkers = devices.map(|&device| self.host.devices[device].checker);
        let checker = checkers.max().unwrap_or(Span::ZERO);
        if path.state == PathState::Failed && !checker.is_zero() {
            self.check_later(now, id, checker);
        } else {
            self.restore_path(now, id);
        }
    }

    pub(crate) fn on_path_checked(&mut self, now: Instant, id: Id<Path>, changes: u32) {
        let path = &self.host.paths[id];
        if path.is_usable && path.changes == changes && path.state == PathState::Failed {
            self.restore_path(now, id);
        }
    }

    fn restore_path(&mut self, now: Instant, id: Id<Path>) {
        self.set_state(now, id, PathState::Up);
        self.faults.note(now, "path is back", Place::Path(id));
        let adapter = self.host.paths[id].adapter;
        for device in self.host.paths[id].devices.clone() {
            self.on_device_ready(now, device);
            self.use_better_group(now, device);
        }
        self.pump_adapter(now, adapter);
    }

    /// Hosts learn which of their paths to an array are optimised now: in the model of SPC-4's asymmetric
    /// access, they have read the states of its target port groups after a unit attention.
    pub(crate) fn on_path_states(&mut self, now: Instant, array: Id<Array>) {
        for id in self.host.devices.ids() {
            let HostDevice { device, routes, .. } = &mut self.host.devices[id];
            let is_of_array = routes.iter().any(|route| route.array == array);
            if device.multipath.is_none() || !is_of_array {
                continue;
            }
            let groups = routes.iter().map(|route| self.array.path_group(route));
            device.regroup(groups.collect());
            self.use_better_group(now, id);
        }
    }

    /// A device whose group in use is not the best any more goes over to a better one, in the time that its
    /// host takes for it.
    fn use_better_group(&mut self, now: Instant, id: Id<HostDevice>) {
        let known = &self.host.devices[id].device;
        let failback = known.multipath.and_then(|policy| policy.failback);
        let best = self.host.best_group(id);
        let is_better = best.is_some_and(|best| best < known.group);
        if let (true, Some(failback)) = (is_better, failback) {
            self.recover_at(now + failback, RecoveryEvent::Failback(id));
        }
    }

    /// An answer has come by a path: if another is lost that the device used, its place is taken.
    pub(crate) fn note_answer(&mut self, now: Instant, path: Id<Path>, device: Id<HostDevice>) {
        self.host.paths[path].answers += 1;
        for route in &self.host.devices[device].routes {
            let other = &mut self.host.paths[route.path];
            let is_open = route.path != path && other.replaced_at.is_none();
            if is_open && other.displaced.contains(&device) {
                other.replaced_at = Some(now);
            }
        }
    }
}
