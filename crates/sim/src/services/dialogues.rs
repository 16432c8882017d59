//! Dialogues with the services of a fabric, and between ports: logins, registrations, notices.
//!
//! Who says what to whom, and in which order, is known from the plan; when is not, so that every
//! request and every answer is a frame on the fibre, with all that it meets there.

use sanlab_fc::link_services::SERVICE_BIT;
use sanlab_fc::{Frame, FrameKind, Sequence};
use sanlab_kernel::{Picoseconds, id_of};

use super::state::{Dialogue, Step};
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
                self.begin_dialogue(0, number);
            }
        }
    }

    fn begin_dialogue(&mut self, now: Picoseconds, number: u32) {
        let dialogue = &self.services.dialogues[number as usize];
        let from = self.services.steps[dialogue.first as usize].from;
        let at = dialogue.begins_at.max(now);
        let event = Event::Service(ServiceEvent::Begin(number));
        self.agenda.schedule(at, from, event);
    }

    pub(crate) fn on_service(&mut self, now: Picoseconds, event: ServiceEvent) {
        match event {
            ServiceEvent::Begin(number) => {
                let dialogue = &mut self.services.dialogues[number as usize];
                if dialogue.at == dialogue.count {
                    return;
                }
                dialogue.is_begun = true;
                if dialogue.replaces {
                    self.end_earlier(number);
                }
                self.ask(now, number);
            }
            ServiceEvent::Answer(dialogue, step) => {
                let number = self.services.dialogues[dialogue as usize].first + step;
                let Step {
                    from, to, ox_id, ..
                } = self.services.steps[number as usize];
                self.say(now, 2 * number + 1, (to, from), ox_id);
            }
            ServiceEvent::Overdue(dialogue, step) => {
                if !self.services.is_answered(dialogue, step) {
                    self.give_back(dialogue);
                    self.ask(now, dialogue);
                }
            }
        }
    }

    /// A port begins anew: what it was about before has come to nothing. Jobs that wait for a login wait
    /// for this one.
    fn end_earlier(&mut self, number: u32) {
        let mut next = self.services.dialogues[number as usize].before;
        while let Some(earlier) = next {
            let replaced = &mut self.services.dialogues[earlier as usize];
            if replaced.at == replaced.count {
                return;
            }
            if std::mem::take(&mut replaced.is_begun) {
                self.give_back(earlier);
            }
            let replaced = &mut self.services.dialogues[earlier as usize];
            (replaced.at, next) = (replaced.count, replaced.before);
            replaced.followers.clear();
            if let Some(n_port) = replaced.logs_in.take() {
                self.services.dialogues[number as usize].logs_in = Some(n_port);
            }
        }
    }

    /// Sends the request of the current step; without an answer it is sent again.
    fn ask(&mut self, now: Picoseconds, dialogue: u32) {
        let &Dialogue { first, at, .. } = &self.services.dialogues[dialogue as usize];
        let number = first + at;
        let step = &mut self.services.steps[number as usize];
        let ox_id = self.exchanges.take_id(step.from).unwrap_or(0);
        step.ox_id = ox_id;
        let ends = (step.from, step.to);
        self.say(now, 2 * number, ends, ox_id);
        if let Some(patience) = self.services.patience {
            let overdue = Event::Service(ServiceEvent::Overdue(dialogue, at));
            self.agenda.schedule(now + patience, ends.0, overdue);
        }
    }

    fn say(&mut self, now: Picoseconds, frame: u32, (source, destination): (u32, u32), ox_id: u16) {
        let bytes = self.services.frames()[frame as usize].payload.len();
        let sequence = Sequence {
            kind: FrameKind::Service,
            exchange: frame | SERVICE_BIT,
            flow: self.services.flow,
            source,
            destination,
            ox_id,
            seq_id: 0,
            queued_at: now,
            offset: 0,
            left_bytes: id_of(bytes),
            seq_cnt: 0,
        };
        self.network.queue(source, sequence, now);
    }

    fn give_back(&mut self, dialogue: u32) {
        let &Dialogue { first, at, .. } = &self.services.dialogues[dialogue as usize];
        let Step { from, ox_id, .. } = self.services.steps[(first + at) as usize];
        self.exchanges.give_back_id(from, ox_id);
    }

    /// A request is answered after a while; an answer triggers the next request. No port waits for
    /// discarded frames.
    pub(crate) fn on_service_frame(&mut self, now: Picoseconds, frame: &Frame) {
        let number = frame.exchange & !SERVICE_BIT;
        let step = self.services.steps[(number / 2) as usize];
        let dialogue = &mut self.services.dialogues[step.dialogue as usize];
        let place = number / 2 - dialogue.first;
        if place != dialogue.at || frame.ox_id != step.ox_id {
            // Of a request that has been sent again meanwhile.
            return;
        }
        if number.is_multiple_of(2) && !step.is_discarded {
            let due_at = now + self.services.takes;
            let event = Event::Service(ServiceEvent::Answer(step.dialogue, place));
            self.agenda.schedule(due_at, frame.destination, event);
            return;
        }
        self.give_back(step.dialogue);
        let dialogue = &mut self.services.dialogues[step.dialogue as usize];
        dialogue.at += 1;
        if dialogue.at < dialogue.count {
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
    fn on_logged_in(&mut self, now: Picoseconds, n_port: u32) {
        for job in std::mem::take(&mut self.services.waiting[n_port as usize]) {
            let (missing, starts_at) = &mut self.services.missing[job as usize];
            *missing -= 1;
            if *missing == 0 {
                let at = now.max(*starts_at);
                self.agenda.schedule(at, n_port, Event::JobStart(job));
            }
        }
    }
}
