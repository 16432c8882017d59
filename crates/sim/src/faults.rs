//! What goes wrong, and how a host notices.

use sanlab_host::Role;
use sanlab_kernel::{Picoseconds, id_of};

use crate::event::Event;
use crate::world::{Request, World};

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A fault of a loop that the plan has happens now.
    pub(crate) fn on_loop_fault(&mut self, now: Picoseconds, index: u32) {
        let (loop_id, fault) = self.loop_faults[index as usize].clone();
        for n_port in self.network.fail_loop(loop_id, &fault, now) {
            self.clear_task_sets(n_port);
        }
    }

    /// A target that lost its port, or its power, forgets the commands it had.
    fn clear_task_sets(&mut self, n_port: u32) {
        for id in 0..id_of(self.network.exchanges.peak()) {
            let exchange = &self.network.exchanges[id];
            if exchange.target == n_port {
                let array = &mut self.arrays[exchange.array as usize];
                array.luns[exchange.lun as usize].open = 0;
                array.port_open[self.port_of_array[n_port as usize] as usize] = 0;
            }
        }
    }

    /// A command goes out: from now on the host waits for its answer.
    pub(crate) fn start_timer(&mut self, now: Picoseconds, request: u32, adapter: u32) {
        let adapter = &self.adapters[adapter as usize];
        if adapter.command_timeout == 0 {
            return;
        }
        self.commands += 1;
        self.requests[request].command = self.commands;
        let event = Event::CommandTimeout(request, self.commands);
        let at = now.saturating_add(adapter.command_timeout);
        self.agenda.schedule(at, adapter.n_port, event);
    }

    /// A command has had no answer for too long: its request has failed, and its places are free. The
    /// record stays until its exchange ends, if it ever does.
    pub(crate) fn on_command_timeout(&mut self, now: Picoseconds, request: u32, command: u32) {
        let record = &mut self.requests[request];
        if record.command != command {
            return;
        }
        (record.is_alive, record.command) = (false, 0);
        let record = *record;
        let route = self.route_of(&record);
        self.adapters[route.adapter as usize].on_complete(route.queue);
        if record.role == Role::Piece {
            self.end_piece(now, &record, false);
        } else {
            self.fail(now, &record);
        }
        self.pump_adapter(now, route.adapter);
    }

    /// A request of an application has failed.
    pub(crate) fn fail(&mut self, now: Picoseconds, record: &Request) {
        let running = &mut self.jobs[record.of as usize];
        let is_counted = now >= running.job.settings.counted_from;
        let workload = &mut self.workloads[running.workload as usize];
        workload.change_open(now, -1);
        workload.response_sum += u128::from(now - record.timeline.began_at);
        let meter = &mut workload.meters[usize::from(record.is_read)];
        meter.fail(is_counted);
        meter.count_commands(record.commands, is_counted);
        running.job.on_done(&record.asked());
        self.on_slot_free(now, record.of);
    }
}
