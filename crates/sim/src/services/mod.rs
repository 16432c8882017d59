//! Dialogues with the services of a fabric, and between ports: logins, registrations, notices.
//!
//! Who says what to whom, and in which order, is known from the plan; when is not, so that every
//! request and every answer is a frame on the fibre, with all that it meets there.

use sanlab_fc::link_services::{Party, SERVICE_BIT, ServiceFrame, TimeOuts, Verb, answer, request};
use sanlab_fc::{Frame, FrameKind, Sequence};
use sanlab_kernel::{Picoseconds, id_of};

use crate::event::{Event, ServiceEvent};
use crate::plan::{DialoguePlan, EndPlan, Plan, StepPlan, VerbPlan};
use crate::world::World;

const MS: Picoseconds = 1_000_000_000;

/// Dialogues of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Services {
    dialogues: Vec<Dialogue>,
    /// All steps: of each the dialogue it belongs to; its frames are twice its number, and one more.
    steps: Vec<Step>,
    /// What their frames say.
    pub(crate) frames: Vec<ServiceFrame>,
    /// For each N_Port the jobs that wait for its logins.
    waiting: Vec<Vec<u32>>,
    /// For each job the number of N_Ports it waits for, and when it starts at the earliest.
    missing: Vec<(u32, Picoseconds)>,
    /// From a request to its answer.
    takes: Picoseconds,
    /// A request without an answer is sent again after this long; none where nothing gets lost.
    patience: Option<Picoseconds>,
    /// What their frames are counted under.
    flow: u32,
    /// When the logins of each N_Port were done.
    pub(crate) logged_in: Vec<(u32, Picoseconds)>,
}

#[derive(Clone, Debug)]
struct Dialogue {
    first: u32,
    count: u32,
    /// The step that waits for its answer.
    at: u32,
    /// Its end logs this port in.
    logs_in: Option<u32>,
    /// When it begins at the earliest.
    begins_at: Picoseconds,
    /// Dialogues that wait for its end.
    followers: Vec<u32>,
    /// The one of the same port before it.
    before: Option<u32>,
    /// It ends those before it.
    replaces: bool,
    is_begun: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    dialogue: u32,
    from: u32,
    to: u32,
    ox_id: u16,
    is_discarded: bool,
}

/// Whether frames of services are sent; they have a flow of their own then, which comes last.
pub(crate) fn has_dialogues(plan: &Plan) -> bool {
    plan.services
        .as_ref()
        .is_some_and(|it| !it.dialogues.is_empty())
}

impl Services {
    /// The dialogues of a plan; `flow` is the number their frames are counted under.
    pub(crate) fn new(plan: &Plan, flow: u32) -> Self {
        let Some(of) = plan.services.as_ref().filter(|it| !it.dialogues.is_empty()) else {
            return Self::default();
        };
        let parties = parties(plan);
        let times = TimeOuts {
            e_d_tov: u32::try_from(plan.faults.e_d_tov_ps / MS).unwrap_or(u32::MAX),
            r_a_tov: u32::try_from(plan.faults.r_a_tov_ps / MS).unwrap_or(u32::MAX),
        };
        let mut made = Self {
            waiting: vec![Vec::new(); plan.n_ports.len()],
            missing: plan.jobs.iter().map(|job| (0, job.start_ps)).collect(),
            takes: of.service_ps,
            // Twice R_A_TOV (FC-LS, "ELS time-out").
            patience: plan.faults.is_armed.then_some(2 * plan.faults.r_a_tov_ps),
            flow,
            ..Self::default()
        };
        for (number, dialogue) in (0..).zip(&of.dialogues) {
            made.add(number, dialogue, &parties, times);
        }
        made
    }

    fn add(&mut self, number: u32, of: &DialoguePlan, parties: &[Party], times: TimeOuts) {
        self.dialogues.push(Dialogue {
            first: id_of(self.steps.len()),
            count: id_of(of.steps.len()),
            at: 0,
            logs_in: of.logs_in,
            begins_at: of.at_ps,
            followers: Vec::new(),
            before: of.replaces.or(of.after),
            replaces: of.replaces.is_some(),
            is_begun: false,
        });
        if let Some(before) = of.after {
            self.dialogues[before as usize].followers.push(number);
        }
        for step in &of.steps {
            let (from, to) = (
                &parties[step.asks as usize],
                &parties[step.answers as usize],
            );
            let ports: Vec<u32> = step
                .ports
                .iter()
                .map(|&it| parties[it as usize].fc_id)
                .collect();
            let (mut from, mut to) = (from.clone(), to.clone());
            let verb = verb_of(step);
            // A service speaks under its well-known address.
            if let Some(service) = step.service {
                (if verb == Verb::StateChange {
                    &mut from
                } else {
                    &mut to
                })
                .fc_id = service;
            }
            self.frames.push(request(verb, &from, &to, &ports, times));
            self.frames.push(answer(verb, &from, &to, &ports, times));
            self.steps.push(Step {
                dialogue: number,
                from: step.asks,
                to: step.answers,
                ox_id: 0,
                is_discarded: step.is_discarded,
            });
        }
    }

    /// Whether a step of a dialogue has its answer.
    pub(crate) fn is_answered(&self, dialogue: u32, step: u32) -> bool {
        self.dialogues[dialogue as usize].at != step
    }

    /// A job starts when the logins of these N_Ports are done. False if there are none to wait for.
    pub(crate) fn hold(&mut self, job: u32, n_ports: &[u32]) -> bool {
        let logs_in = |n_port: &u32| self.dialogues.iter().any(|it| it.logs_in == Some(*n_port));
        let wanted: Vec<u32> = n_ports.iter().copied().filter(logs_in).collect();
        for &n_port in &wanted {
            self.waiting[n_port as usize].push(job);
            self.missing[job as usize].0 += 1;
        }
        !wanted.is_empty()
    }
}

fn parties(plan: &Plan) -> Vec<Party> {
    let node_names = plan.services.as_ref().map_or(&[][..], |of| &of.node_names);
    let credit_of = |n_port: u32| {
        let at = EndPlan::NPort(n_port);
        let link = plan.links.iter().find(|link| link.a == at || link.b == at);
        link.map_or(0, |link| {
            if link.a == at {
                link.credit_b_to_a
            } else {
                link.credit_a_to_b
            }
        })
    };
    (0..)
        .zip(&plan.n_ports)
        .map(|(id, port)| Party {
            fc_id: port.fc_id,
            wwpn: port.wwpn,
            wwnn: node_names.get(id as usize).copied().unwrap_or(port.wwpn),
            port_name: port.name.clone(),
            node_name: port.node.clone(),
            bb_credit: u16::try_from(credit_of(port.shares.unwrap_or(id))).unwrap_or(u16::MAX),
            is_target: plan.arrays.iter().any(|array| array.n_ports.contains(&id)),
        })
        .collect()
}

fn verb_of(step: &StepPlan) -> Verb {
    match step.verb {
        VerbPlan::Flogi => Verb::FabricLogin,
        VerbPlan::Fdisc => Verb::VirtualLogin,
        VerbPlan::Plogi => Verb::PortLogin,
        VerbPlan::Prli => Verb::ProcessLogin,
        VerbPlan::Logo => Verb::Logout,
        VerbPlan::Adisc => Verb::AddressDiscovery,
        VerbPlan::Scr => Verb::StateChangeRegistration,
        VerbPlan::Rscn => Verb::StateChange,
        VerbPlan::RftId => Verb::RegisterTypes,
        VerbPlan::RffId => Verb::RegisterFeatures,
        VerbPlan::RspnId => Verb::RegisterPortName,
        VerbPlan::RsnnNn => Verb::RegisterNodeName,
        VerbPlan::GidFt => Verb::GetPorts,
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Put the beginnings of all dialogues on the agenda.
    ///
    /// Ports that log in have no address yet. That their exchange ids begin apart lets readers of a
    /// capture tell one's FLOGI from another's.
    pub(crate) fn begin_dialogues(&mut self, plan: &Plan) {
        if has_dialogues(plan) {
            for (apart, ids) in (0..4096).cycle().zip(&mut self.exchange_ids) {
                ids.skip(apart);
            }
        }
        let dialogues = plan.services.iter().flat_map(|of| &of.dialogues);
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
                let of = &mut self.services.dialogues[number as usize];
                if of.at == of.count {
                    return;
                }
                of.is_begun = true;
                if of.replaces {
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
            let of = &mut self.services.dialogues[earlier as usize];
            if of.at == of.count {
                return;
            }
            if std::mem::take(&mut of.is_begun) {
                self.give_back(earlier);
            }
            let of = &mut self.services.dialogues[earlier as usize];
            (of.at, next) = (of.count, of.before);
            of.followers.clear();
            if let Some(n_port) = of.logs_in.take() {
                self.services.dialogues[number as usize].logs_in = Some(n_port);
            }
        }
    }

    /// Send the request of the step at hand; if no answer comes, it is sent again.
    fn ask(&mut self, now: Picoseconds, dialogue: u32) {
        let &Dialogue { first, at, .. } = &self.services.dialogues[dialogue as usize];
        let number = first + at;
        let step = &mut self.services.steps[number as usize];
        let ox_id = self.exchange_ids[step.from as usize].take().unwrap_or(0);
        step.ox_id = ox_id;
        let ends = (step.from, step.to);
        self.say(now, 2 * number, ends, ox_id);
        if let Some(patience) = self.services.patience {
            let overdue = Event::Service(ServiceEvent::Overdue(dialogue, at));
            self.agenda.schedule(now + patience, ends.0, overdue);
        }
    }

    fn say(&mut self, now: Picoseconds, frame: u32, (source, destination): (u32, u32), ox_id: u16) {
        let bytes = self.services.frames[frame as usize].payload.len();
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
        self.exchange_ids[from as usize].give_back(ox_id);
    }

    /// A request is answered after a while; an answer makes the next request follow. Nobody waits for
    /// what is discarded.
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
        self.services.logged_in.push((n_port, now));
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
