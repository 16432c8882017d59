//! Dialogues of a run: link service requests between ports, in the order of the plan.

use sanlab_fc::link_services::{Party, ServiceFrame, TimeOuts, Verb, answer, request};
use sanlab_kernel::{Picoseconds, id_of};

use super::parties::{parties, verb_of};
use crate::flows::has_dialogues;
use crate::plan::{DialoguePlan, Plan};

const MS: Picoseconds = 1_000_000_000;

/// Dialogues of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Services {
    pub(super) dialogues: Vec<Dialogue>,
    /// All steps: of each the dialogue it belongs to; its frames are twice its number, and one more.
    pub(super) steps: Vec<Step>,
    /// What their frames say.
    frames: Vec<ServiceFrame>,
    /// For each N_Port the jobs that wait for its logins.
    pub(super) waiting: Vec<Vec<u32>>,
    /// For each N_Port whether a dialogue logs it in.
    logs_in: Vec<bool>,
    /// For each job the number of N_Ports it waits for, and when it starts at the earliest.
    pub(super) missing: Vec<(u32, Picoseconds)>,
    /// From a request to its answer.
    pub(super) takes: Picoseconds,
    /// A request without an answer is sent again after this long; `None` if nothing gets lost.
    pub(super) patience: Option<Picoseconds>,
    /// What their frames are counted under.
    pub(super) flow: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Dialogue {
    pub(super) first: u32,
    pub(super) count: u32,
    /// The step that waits for its answer.
    pub(super) at: u32,
    /// Its end logs this port in.
    pub(super) logs_in: Option<u32>,
    /// When it begins at the earliest.
    pub(super) begins_at: Picoseconds,
    /// Dialogues that wait for its end.
    pub(super) followers: Vec<u32>,
    /// The one of the same port before it.
    pub(super) before: Option<u32>,
    /// It ends those before it.
    pub(super) replaces: bool,
    pub(super) is_begun: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) dialogue: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) ox_id: u16,
    pub(super) is_discarded: bool,
}

impl Services {
    /// The dialogues of a plan; `flow` is the number their frames are counted under.
    pub(crate) fn new(plan: &Plan, flow: u32) -> Self {
        let Some(services) = plan.services.as_ref().filter(|_| has_dialogues(plan)) else {
            return Self::default();
        };
        let parties = parties(plan);
        let times = TimeOuts {
            e_d_tov: u32::try_from(plan.faults.e_d_tov_ps / MS).unwrap_or(u32::MAX),
            r_a_tov: u32::try_from(plan.faults.r_a_tov_ps / MS).unwrap_or(u32::MAX),
        };
        let mut state = Self {
            waiting: vec![Vec::new(); plan.n_ports.len()],
            logs_in: vec![false; plan.n_ports.len()],
            missing: plan.jobs.iter().map(|job| (0, job.start_ps)).collect(),
            takes: services.service_ps,
            // Twice R_A_TOV (FC-LS, "ELS time-out").
            patience: plan.faults.is_armed.then_some(2 * plan.faults.r_a_tov_ps),
            flow,
            ..Self::default()
        };
        for (number, dialogue) in (0..).zip(&services.dialogues) {
            state.add(number, dialogue, &parties, times);
        }
        state
    }

    fn add(&mut self, number: u32, plan: &DialoguePlan, parties: &[Party], times: TimeOuts) {
        self.dialogues.push(Dialogue {
            first: id_of(self.steps.len()),
            count: id_of(plan.steps.len()),
            at: 0,
            logs_in: plan.logs_in,
            begins_at: plan.at_ps,
            followers: Vec::new(),
            before: plan.replaces.or(plan.after),
            replaces: plan.replaces.is_some(),
            is_begun: false,
        });
        if let Some(n_port) = plan.logs_in {
            self.logs_in[n_port as usize] = true;
        }
        if let Some(before) = plan.after {
            self.dialogues[before as usize].followers.push(number);
        }
        for step in &plan.steps {
            let (from, to) = (
                &parties[step.asks as usize],
                &parties[step.answers as usize],
            );
            let ports: Vec<u32> = step
                .ports
                .iter()
                .map(|&port| parties[port as usize].fc_id)
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

    /// Holds a job until the logins of these N_Ports are done. False if it need not wait.
    pub(crate) fn hold(&mut self, job: u32, n_ports: &[u32]) -> bool {
        let mut is_held = false;
        for &n_port in n_ports {
            if self.logs_in.get(n_port as usize) == Some(&true) {
                self.waiting[n_port as usize].push(job);
                self.missing[job as usize].0 += 1;
                is_held = true;
            }
        }
        is_held
    }

    /// What the frames of all steps say.
    pub(crate) fn frames(&self) -> &[ServiceFrame] {
        &self.frames
    }
}
