//! Dialogues with the services of a fabric, and between ports: logins, registrations, notices.
//!
//! Who says what to whom, and in which order, is known from the plan; when is not, so that every
//! request and every answer is a frame on the fibre, with all that it meets there.

use sanlab_fc::link_services::ServiceFrame;
use sanlab_fc::{AnyExchange, Frame, FrameKind, NPort, Sequence};
use sanlab_kernel::{Id, Instant};

use super::state::{Dialogue, Step, answer_of, request_of, step_of};
use crate::event::{Event, ServiceEvent};
use crate::flows::has_dialogues;
use crate::plan::Plan;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Put the beginnings of all dialogues on the agenda.
    pub(crate) fn begin_dialogues(&mut self, plan: &Plan) {
        if has_dialogues(plan) {
            self.exchanges.spread_ids();
        }
        let dialogues = plan
            .services
            .iter()
            .flat_map(|services| &services.dialogues);
        for (number, dialogue) in (0..).zip(dialogues) {
            if dialogue.after.is_none() {
                self.begin_dialogue(Instant::START, Id::new(number));
            }
        }
    }

    fn begin_dialogue(&mut self, now: Instant, id: Id<Dialogue>) {
        let dialogue = &self.services.dialogues[id];
        let from = self.services.steps[dialogue.first].from;
        let at = dialogue.begins_at.max(now);
        let event = Event::Service(ServiceEvent::Begin(id));
        self.agenda.schedule(at, from.number(), event);
    }

    pub(crate) fn on_service(&mut self, now: Instant, event: ServiceEvent) {
        match event {
            ServiceEvent::Begin(id) => {
                let dialogue = &mut self.services.dialogues[id];
                if dialogue.at == dialogue.end {
                    return;
                }
                dialogue.is_begun = true;
                if dialogue.replaces {
                    self.end_earlier(id);
                }
                self.ask(now, id);
            }
            ServiceEvent::Answer(step) => {
                let Step {
                    from, to, ox_id, ..
                } = self.services.steps[step];
                self.say(now, answer_of(step), (to, from), ox_id);
            }
            ServiceEvent::Overdue(step) => {
                if !self.services.is_answered(step) {
                    let dialogue = self.services.steps[step].dialogue;
                    self.give_back(dialogue);
                    self.ask(now, dialogue);
                }
            }
        }
    }

    /// A port begins anew: what it was about before has come to nothing. Jobs that wait for a login wait
    /// for this one.
    fn end_earlier(&mut self, id: Id<Dialogue>) {
        let mut next = self.services.dialogues[id].before;
        while let Some(earlier) = next {
            let replaced = &mut self.services.dialogues[earlier];
            if replaced.at == replaced.end {
                return;
            }
            if std::mem::take(&mut replaced.is_begun) {
                self.give_back(earlier);
            }
            let replaced = &mut self.services.dialogues[earlier];
            (replaced.at, next) = (replaced.end, replaced.before);
            replaced.followers.clear();
            if let Some(n_port) = replaced.logs_in.take() {
                self.services.dialogues[id].logs_in = Some(n_port);
            }
        }
    }

    /// Sends the request of the current step; without an answer it is sent again.
    fn ask(&mut self, now: Instant, dialogue: Id<Dialogue>) {
        let at = self.services.dialogues[dialogue].at;
        let step = &mut self.services.steps[at];
        let ox_id = self.exchanges.take_id(step.from).unwrap_or(0);
        step.ox_id = ox_id;
        let ends = (step.from, step.to);
        self.say(now, request_of(at), ends, ox_id);
        if let Some(patience) = self.services.patience {
            let overdue = Event::Service(ServiceEvent::Overdue(at));
            self.agenda
                .schedule(now + patience, ends.0.number(), overdue);
        }
    }

    fn say(
        &mut self,
        now: Instant,
        frame: Id<ServiceFrame>,
        (source, destination): (Id<NPort>, Id<NPort>),
        ox_id: u16,
    ) {
        let bytes = self.services.frames()[frame].payload.len();
        let sequence = Sequence {
            kind: FrameKind::Service,
            exchange: AnyExchange::with_service(frame),
            flow: self.services.flow,
            source,
            destination,
            ox_id,
            seq_id: 0,
            queued_at: now,
            offset: 0,
            left_bytes: u32::try_from(bytes).expect("one frame"),
            seq_cnt: 0,
        };
        self.network.queue(source, sequence, now);
    }

    fn give_back(&mut self, dialogue: Id<Dialogue>) {
        let at = self.services.dialogues[dialogue].at;
        let Step { from, ox_id, .. } = self.services.steps[at];
        self.exchanges.give_back_id(from, ox_id);
    }

    /// A request is answered after a while; an answer triggers the next request. No port waits for
    /// discarded frames.
    pub(crate) fn on_service_frame(&mut self, now: Instant, frame: &Frame) {
        let (id, is_request) = step_of(frame.exchange.service());
        let step = self.services.steps[id];
        let dialogue = &self.services.dialogues[step.dialogue];
        if id != dialogue.at || frame.ox_id != step.ox_id {
            // Of a request that has been sent again meanwhile.
            return;
        }
        if is_request && !step.is_discarded {
            let due_at = now + self.services.takes;
            let event = Event::Service(ServiceEvent::Answer(id));
            self.agenda
                .schedule(due_at, frame.destination.number(), event);
            return;
        }
        self.give_back(step.dialogue);
        let dialogue = &mut self.services.dialogues[step.dialogue];
        dialogue.at = Id::new(id.number() + 1);
        if dialogue.at < dialogue.end {
            self.ask(now, step.dialogue);
            return;
        }
        let followers = std::mem::take(&mut dialogue.followers);
        if let Some(n_port) = dialogue.logs_in {
            self.on_logged_in(now, n_port);
        }
        for follower in followers {
            self.begin_dialogue(now, follower);
        }
    }

    /// Jobs that waited for nothing else begin.
    fn on_logged_in(&mut self, now: Instant, n_port: Id<NPort>) {
        for job in std::mem::take(&mut self.services.waiting[n_port]) {
            let (missing, starts_at) = &mut self.services.missing[job];
            *missing -= 1;
            let is_released = *starts_at < Instant::NEVER;
            if *missing == 0 && is_released {
                let at = now.max(*starts_at);
                self.agenda
                    .schedule(at, n_port.number(), Event::JobStart(job));
            }
        }
    }
}
