//! Controllers: which one processes a command, what happens when one fails and when it is back.
//!
//! A command comes to the controller that has the port. Another that serves its LUN gets it over the
//! interconnect. While a LUN goes from one controller to another, its commands wait.

use sanlab_fc::{Exchange, ExchangeState};
use sanlab_kernel::{Id, Instant, Stage};
use sanlab_storage::{Access, Array, Controller};

use super::held::{Held, Step};
use super::state::array_of;
use crate::event::{Event, FaultEvent, RecoveryEvent};
use crate::faults::state::Place;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// A command goes to the controller that serves its LUN.
    #[inline]
    pub(super) fn serve(&mut self, now: Instant, id: Id<Exchange>) {
        let target = self.fcp.exchange(id).target;
        let command = self.fcp.command(id);
        let array = &self.array.arrays[array_of(command)];
        let came_to = array.port_controllers[self.array.port_places[target]];
        match array.access(command.lun.same(), came_to, now) {
            Access::Here(server) => self.process(now, id, server),
            Access::Elsewhere(_) => self.forward(now, id, came_to),
            Access::Later => self.hold(id, Step::Serve),
        }
    }

    /// The processors of a controller take a command in.
    fn process(&mut self, now: Instant, id: Id<Exchange>, server: Id<Controller>) {
        let target = self.fcp.exchange(id).target;
        let array = &mut self.array.arrays[array_of(self.fcp.command(id))];
        let cost = array.command;
        let controller = &mut array.controllers[server];
        controller.counters.commands += 1;
        if cost.is_zero() {
            self.on_processed(now, id);
            return;
        }
        let ends_at = controller.processors.arrive(now, cost).ends_at;
        let failures = controller.counters.failures;
        let event = Event::CommandProcessed(id, server, failures);
        self.agenda.schedule(ends_at, target.number(), event);
    }

    /// A command has come by a path that is not optimised: it goes over the interconnect, and its data with
    /// it.
    fn forward(&mut self, now: Instant, id: Id<Exchange>, came_to: Id<Controller>) {
        let target = self.fcp.exchange(id).target;
        let command = self.fcp.command(id);
        let array = &mut self.array.arrays[array_of(command)];
        let transfer = array.failover.transfer(u64::from(command.bytes));
        let controller = &mut array.controllers[came_to];
        controller.counters.forwarded += 1;
        let ends_at = controller.forwarding.arrive(now, transfer).ends_at + array.failover.forward;
        let failures = controller.counters.failures;
        let event = Event::CommandForwarded(id, came_to, failures);
        self.agenda.schedule(ends_at, target.number(), event);
    }

    /// A command has come over the interconnect, unless the controller that passed it on has failed.
    pub(crate) fn on_command_forwarded(
        &mut self,
        now: Instant,
        id: Id<Exchange>,
        came_to: Id<Controller>,
        failures: u32,
    ) {
        let command = self.fcp.latest_command(id);
        let array = &self.array.arrays[array_of(command)];
        if array.controllers[came_to].counters.failures != failures {
            return; // its port is dark: the host takes it back
        }
        match array.access(command.lun.same(), came_to, now) {
            Access::Here(server) | Access::Elsewhere(server) => self.process(now, id, server),
            Access::Later => self.hold(id, Step::Serve),
        }
    }

    /// A command was at the processors of a controller that failed. If it came by another, that one has it
    /// still.
    #[cold]
    pub(super) fn serve_again(&mut self, now: Instant, id: Id<Exchange>) {
        if self.fcp.latest(id).state == ExchangeState::Open && self.fcp.command(id).is_admitted {
            self.serve(now, id);
        }
    }

    /// Whether the LUN of a command is on its way to another controller.
    #[inline]
    pub(super) fn is_handed_over(&self, now: Instant, id: Id<Exchange>) -> bool {
        let command = self.fcp.command(id);
        now < self.array.arrays[array_of(command)].luns[command.lun.same()].ready_at
    }

    /// A command waits for the end of a takeover.
    #[cold]
    pub(super) fn hold(&mut self, exchange: Id<Exchange>, step: Step) {
        let target = self.fcp.exchange(exchange).target;
        let array = &mut self.array.arrays[array_of(self.fcp.command(exchange))];
        let came_to = array.port_controllers[self.array.port_places[target]];
        array.controllers[came_to].counters.held += 1;
        self.array.held.push(Held { exchange, step });
    }

    /// A controller fails, with what it was doing.
    pub(crate) fn on_controller_fails(
        &mut self,
        now: Instant,
        array: Id<Array>,
        id: Id<Controller>,
    ) {
        let what = "controller fails";
        self.faults.note(now, what, Place::Controller(array, id));
        for n_port in self.array.ports_of(array, id) {
            self.clear_task_sets(now, n_port);
        }
        if let Some(ready_at) = self.array.arrays[array].fail(now, id) {
            self.fault_at(ready_at, FaultEvent::TakenOver(array));
        }
        for lun in self.array.arrays[array].luns.ids() {
            self.admit_waiting_writes(now, array, lun);
        }
    }

    /// A controller works again: its LUNs come back to it later, those that no controller serves at once.
    pub(crate) fn on_controller_back(
        &mut self,
        now: Instant,
        array: Id<Array>,
        id: Id<Controller>,
    ) {
        let what = "controller is back";
        self.faults.note(now, what, Place::Controller(array, id));
        if let Some(ready_at) = self.array.arrays[array].restore(now, id) {
            self.fault_at(ready_at, FaultEvent::TakenOver(array));
        }
        let owner = &self.array.arrays[array];
        let give_back = owner.failover.give_back;
        let owns_any = owner.luns.iter().any(|lun| lun.owner == Some(id));
        if let Some(after) = give_back.filter(|_| owns_any) {
            self.faults.give_backs += 1;
            self.fault_at(now + after, FaultEvent::GiveBack(array, id));
        }
    }

    /// The LUNs of a controller begin to come back to it, if it still works.
    pub(crate) fn on_give_back(&mut self, now: Instant, array: Id<Array>, id: Id<Controller>) {
        self.faults.give_backs -= 1;
        if self.only_lun_moves_are_left() {
            return;
        }
        if let Some(ready_at) = self.array.arrays[array].give_back(now, id) {
            let what = "luns begin to go back to their controller";
            self.faults.note(now, what, Place::Controller(array, id));
            self.fault_at(ready_at, FaultEvent::TakenOver(array));
        }
    }

    /// LUNs have gone over to another controller: their commands go on, and hosts learn of it later.
    pub(crate) fn on_taken_over(&mut self, now: Instant, array: Id<Array>) {
        self.faults.note(
            now,
            "luns are served by another controller",
            Place::Array(array),
        );
        for Held { exchange, step } in std::mem::take(&mut self.array.held) {
            let is_waiting = self.fcp.latest(exchange).state == ExchangeState::Open
                && self.fcp.command(exchange).is_admitted;
            if !is_waiting {
                continue; // it was given up meanwhile
            }
            if self.is_handed_over(now, exchange) {
                self.array.held.push(Held { exchange, step });
                continue;
            }
            self.tell(now, exchange, Stage::Recovery);
            match step {
                Step::Serve => self.serve(now, exchange),
                Step::Write => self.write(now, exchange),
            }
        }
        let told_at = now + self.array.arrays[array].failover.told;
        self.recover_at(told_at, RecoveryEvent::PathStates(array));
    }
}
