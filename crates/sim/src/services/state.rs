//! Dialogues of a run: link service requests between ports, in the order of the plan.

use sanlab_fc::link_services::{Party, ServiceFrame, TimeOuts, Verb, answer, request};
use sanlab_fc::{Flow, NPort};
use sanlab_kernel::{Id, IdVec, Instant, Span};

use super::parties::{parties, verb_of};
use crate::flows::has_dialogues;
use crate::host::running_job::RunningJob;
use crate::plan::{DialoguePlan, Plan};

const MS: u64 = 1_000_000_000;

/// Dialogues of a run.
#[derive(Clone, Debug)]
pub(crate) struct Services {
    pub(super) dialogues: IdVec<Dialogue>,
    /// All steps, those of one dialogue after the other.
    pub(super) steps: IdVec<Step>,
    /// What their frames say: of each step its request, then its answer.
    frames: IdVec<ServiceFrame>,
    /// For each N_Port the jobs that wait for its logins.
    pub(super) waiting: IdVec<NPort, Vec<Id<RunningJob>>>,
    /// For each N_Port whether a dialogue logs it in.
    logs_in: IdVec<NPort, bool>,
    /// For each job the number of N_Ports it waits for, and when it starts at the earliest.
    pub(super) missing: IdVec<RunningJob, (u32, Instant)>,
    /// From a request to its answer.
    pub(super) takes: Span,
    /// A request without an answer is sent again after this long; `None` if nothing gets lost.
    pub(super) patience: Option<Span>,
    /// What their frames are counted under.
    pub(super) flow: Id<Flow>,
}

#[derive(Clone, Debug)]
pub(crate) struct Dialogue {
    pub(super) first: Id<Step>,
    /// The step that waits for its answer.
    pub(super) at: Id<Step>,
    /// The one behind its last.
    pub(super) end: Id<Step>,
    /// Its end logs this port in.
    pub(super) logs_in: Option<Id<NPort>>,
    /// When it begins at the earliest.
    pub(super) begins_at: Instant,
    /// Dialogues that wait for its end.
    pub(super) followers: Vec<Id<Self>>,
    /// The one of the same port before it.
    pub(super) before: Option<Id<Self>>,
    /// It ends those before it.
    pub(super) replaces: bool,
    pub(super) is_begun: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(super) dialogue: Id<Dialogue>,
    pub(super) from: Id<NPort>,
    pub(super) to: Id<NPort>,
    pub(super) ox_id: u16,
    pub(super) is_discarded: bool,
}

impl Services {
    /// The dialogues of a plan; `flow` is what their frames are counted under.
    pub(crate) fn new(plan: &Plan, flow: Id<Flow>) -> Self {
        let mut state = Self {
            dialogues: IdVec::new(),
            steps: IdVec::new(),
            frames: IdVec::new(),
            waiting: IdVec::new(),
            logs_in: IdVec::new(),
            missing: IdVec::new(),
            takes: Span::ZERO,
            patience: None,
            flow,
        };
        let Some(services) = plan.services.as_ref().filter(|_| has_dialogues(plan)) else {
            return state;
        };
        let parties = parties(plan);
        let times = TimeOuts {
            e_d_tov: u32::try_from(plan.faults.e_d_tov_ps / MS).unwrap_or(u32::MAX),
            r_a_tov: u32::try_from(plan.faults.r_a_tov_ps / MS).unwrap_or(u32::MAX),
        };
        state.waiting = IdVec::filled(Vec::new(), plan.n_ports.len());
        state.logs_in = IdVec::filled(false, plan.n_ports.len());
        state.missing = plan
            .jobs
            .iter()
            .map(|job| {
                let waits = !plan.workloads[job.workload as usize].after.is_empty();
                let starts_at = Instant::from_ps(job.start_ps);
                (0, if waits { Instant::NEVER } else { starts_at })
            })
            .collect();
        state.takes = Span::from_ps(services.service_ps);
        // Twice R_A_TOV (FC-LS, "ELS time-out").
        let patience = Span::from_ps(plan.faults.r_a_tov_ps) * 2;
        state.patience = plan.faults.is_armed.then_some(patience);
        for dialogue in &services.dialogues {
            state.add(dialogue, &parties, times);
        }
        state
    }

    fn add(&mut self, plan: &DialoguePlan, parties: &IdVec<NPort, Party>, times: TimeOuts) {
        let first = self.steps.next_id();
        let dialogue = self.dialogues.push(Dialogue {
            first,
            at: first,
            end: Id::from_place(self.steps.len() + plan.steps.len()),
            logs_in: plan.logs_in.map(Id::new),
            begins_at: Instant::from_ps(plan.at_ps),
            followers: Vec::new(),
            before: plan.replaces.or(plan.after).map(Id::new),
            replaces: plan.replaces.is_some(),
            is_begun: false,
        });
        if let Some(n_port) = plan.logs_in {
            self.logs_in[Id::new(n_port)] = true;
        }
        if let Some(before) = plan.after {
            self.dialogues[Id::new(before)].followers.push(dialogue);
        }
        for step in &plan.steps {
            let (asks, answers) = (Id::new(step.asks), Id::new(step.answers));
            let ports: Vec<u32> = step
                .ports
                .iter()
                .map(|&port| parties[Id::new(port)].fc_id)
                .collect();
            let (mut from, mut to) = (parties[asks].clone(), parties[answers].clone());
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
                dialogue,
                from: asks,
                to: answers,
                ox_id: 0,
                is_discarded: step.is_discarded,
            });
        }
    }

    /// Whether a step has its answer, or its dialogue is over.
    pub(crate) fn is_answered(&self, step: Id<Step>) -> bool {
        self.dialogues[self.steps[step].dialogue].at != step
    }

    /// Holds a job until the logins of these N_Ports are done. False if it need not wait.
    pub(crate) fn hold(&mut self, job: Id<RunningJob>, n_ports: &[Id<NPort>]) -> bool {
        let mut is_held = false;
        for &n_port in n_ports {
            if self.logs_in.get(n_port) == Some(&true) {
                self.waiting[n_port].push(job);
                self.missing[job].0 += 1;
                is_held = true;
            }
        }
        is_held
    }

    /// Requests may get lost: those sent from now on are sent again after twice R_A_TOV.
    pub(crate) fn be_patient(&mut self, r_a_tov: Span) {
        self.patience = Some(r_a_tov * 2);
    }

    /// A job that waited for other workloads starts then. False if logins are missing, after which it
    /// starts.
    pub(crate) fn may_start(&mut self, job: Id<RunningJob>, starts_at: Instant) -> bool {
        let Some((missing, at)) = self.missing.get_mut(job) else {
            return true;
        };
        *at = starts_at;
        *missing == 0
    }

    /// What the frames of all steps say.
    pub(crate) fn frames(&self) -> &IdVec<ServiceFrame> {
        &self.frames
    }
}

/// The request of a step.
pub(super) fn request_of(step: Id<Step>) -> Id<ServiceFrame> {
    Id::new(2 * step.number())
}

/// The answer of a step.
pub(super) fn answer_of(step: Id<Step>) -> Id<ServiceFrame> {
    Id::new(2 * step.number() + 1)
}

/// The step of a frame, and whether the frame is its request.
pub(super) fn step_of(frame: Id<ServiceFrame>) -> (Id<Step>, bool) {
    (
        Id::new(frame.number() / 2),
        frame.number().is_multiple_of(2),
    )
}
