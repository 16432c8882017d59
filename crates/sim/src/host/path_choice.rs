//! Which path a request takes, and what happens where none is left.

use sanlab_host::{DevicePath, NoPath, PathGroup};
use sanlab_kernel::{Id, Instant, Span, Stage};

use super::path::{HostDevice, Route};
use super::request::OpenRequest;
use crate::faults::state::Place;
use crate::world::World;

/// A job whose I/O fails because no path is left asks again after this long. Uncertain: what an
/// application does then is not modelled, except that it does not ask again at once.
const PAUSE_AFTER_ERROR: Span = Span::from_ps(1_000_000_000_000);

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A request goes to the queue of a path.
    pub(crate) fn assign(&mut self, now: Instant, id: Id<OpenRequest>) {
        let device_id = self.host.requests[id].device;
        let HostDevice { device, routes, .. } = &mut self.host.devices[device_id];
        let is_plain = device.multipath.is_none() && !self.faults.is_armed();
        let path = if is_plain {
            Some(Id::new(0))
        } else {
            let (paths, adapters) = (&self.host.paths, &self.host.adapters);
            let state = |path: Id<DevicePath>| paths[routes[path].path].state;
            let load =
                |path: Id<DevicePath>| adapters[routes[path].adapter].load(routes[path].queue);
            device.choose(state, load)
        };
        let Some(path) = path else {
            self.assign_elsewhere(now, id);
            return;
        };
        let Route { adapter, queue, .. } = routes[path];
        let record = &mut self.host.requests[id];
        (record.path, record.queue, record.adapter) = (path, queue, adapter);
        let port = &mut self.host.adapters[adapter];
        if port.pass(queue) {
            self.start_command(now, adapter, id);
        } else {
            port.enqueue(queue, id.same());
            self.pump_adapter(now, adapter);
        }
    }

    /// The group in use has no path left: another group, or none.
    fn assign_elsewhere(&mut self, now: Instant, id: Id<OpenRequest>) {
        let device_id = self.host.requests[id].device;
        if let Some(group) = self.host.best_group(device_id) {
            self.switch_group(now, device_id, group);
            self.assign(now, id);
            return;
        }
        let device = &mut self.host.devices[device_id].device;
        let queues = device
            .multipath
            .is_some_and(|policy| policy.no_path == NoPath::Queue);
        if queues {
            self.host.requests[id].is_recovering = true;
            device.held.push(id.same());
        } else {
            self.fail(now, id, PAUSE_AFTER_ERROR);
        }
    }

    /// A device goes over to another group of paths.
    fn switch_group(&mut self, now: Instant, id: Id<HostDevice>, group: Id<PathGroup>) {
        self.host.devices[id].device.group = group;
        self.faults.note(
            now,
            "lun moves to another group of paths",
            Place::Device(id),
        );
    }

    /// Requests that waited for a path get one, or fail.
    pub(crate) fn on_device_ready(&mut self, now: Instant, id: Id<HostDevice>) {
        let held = std::mem::take(&mut self.host.devices[id].device.held);
        for request in held {
            let request = request.same();
            let record = &mut self.host.requests[request];
            record.timeline.until(now, Stage::Recovery);
            self.assign(now, request);
        }
    }

    pub(crate) fn on_failback(&mut self, now: Instant, id: Id<HostDevice>) {
        let best = self.host.best_group(id);
        if let Some(best) = best.filter(|&best| best < self.host.devices[id].device.group) {
            self.switch_group(now, id, best);
        }
    }
}
