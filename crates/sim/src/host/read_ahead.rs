//! What the next events concern, read before they happen.

use std::hint::black_box;

use sanlab_kernel::Id;

use super::path::{HostDevice, Route};
use super::request::OpenRequest;
use super::running_job::RunningJob;
use super::state::HostSide;
use crate::array::task::Task;
use crate::event::Event;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The agenda has taken up a day of events: read what the hosts need for them.
    ///
    /// Thousands of hosts do not fit into the processor's caches, and successive events seldom concern the same
    /// host, so each event would wait for memory several times. Reads that do not depend on each other
    /// overlap: here they are made for all hosts of the day in a row. Nothing changes, and no result depends on
    /// what is read. An agenda of few events has no days.
    #[cold]
    pub(crate) fn read_ahead(&mut self) {
        let mut jobs = std::mem::take(&mut self.jobs_ahead);
        jobs.clear();
        let mut read = 0;
        for event in self.agenda.soon() {
            match *event {
                Event::JobDue(job) => jobs.push(job),
                Event::CacheServed(task) | Event::MediaServed(task) => {
                    if let Some(request) = self.request_of(task) {
                        read ^= request.read_ahead();
                        jobs.push(request.job);
                    }
                }
                _ => {}
            }
        }
        let host = &self.host;
        // Where a part is stands in the one before it, so all of one kind come before the next kind.
        for &job in &jobs {
            read ^= host.read_job(job);
        }
        for &job in &jobs {
            read ^= host.read_host(job) ^ self.network.read_ahead(host.component(job));
        }
        for &job in &jobs {
            let device = host.first_device(job);
            let route = device.and_then(|device| device.routes.get(Id::new(0)));
            read ^= route.map_or(0, |route| host.read_adapter(route));
        }
        black_box(read);
        self.jobs_ahead = jobs;
    }

    /// The request whose answer waits for a task, if it has not been given up.
    fn request_of(&self, task: Id<Task>) -> Option<&OpenRequest> {
        let exchange = self.array.tasks.latest(task).exchange.get()?;
        match self.fcp.latest_command(exchange).tag {
            Tag::Host(request) => Some(self.host.requests.latest(request)),
            Tag::Mirror(_) | Tag::BackEnd(_) => None,
        }
    }
}

impl HostSide {
    /// Reads a job.
    #[inline]
    fn read_job(&self, job: Id<RunningJob>) -> u64 {
        let running = &self.jobs[job];
        let totals = &running.totals[usize::from(running.reads_most())];
        running.asked ^ running.job.read_ahead() ^ totals.count
    }

    /// Reads the host of a job, and a LUN as the host sees it.
    #[inline]
    fn read_host(&self, job: Id<RunningJob>) -> u64 {
        let running = &self.jobs[job];
        let host = &self.hosts[running.host];
        let lun = self.first_device(job).map_or(0, |device| {
            u64::from(device.device.group.number()) ^ device.checker.as_ps()
        });
        host.cpu.read_ahead() ^ host.block_layer.max_request ^ lun
    }

    /// The first LUN of a job.
    #[inline]
    fn first_device(&self, job: Id<RunningJob>) -> Option<&HostDevice> {
        let device = self.jobs[job].devices.get(Id::new(0))?;
        self.devices.get(*device)
    }

    /// Reads the adapter of a path.
    #[inline]
    fn read_adapter(&self, route: &Route) -> u64 {
        let adapter = &self.adapters[route.adapter];
        let path = &self.paths[route.path];
        adapter.read_ahead(route.queue)
            ^ self.engines[adapter.engine].station.read_ahead()
            ^ u64::from(path.initiator.number())
            ^ path.answers
    }
}
