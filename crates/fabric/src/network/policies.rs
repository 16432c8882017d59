//! Policies come into force.

use sanlab_kernel::{Id, Instant};

use super::builder::NetworkBuilder;
use super::state::Network;
use crate::fibre::{Fibre, Sink, Source, way_back};
use crate::parts::{Switch, area_of};
use crate::policy::{Policy, PolicyChange};
use crate::qos::{Class, Discipline, Pair, VirtualChannel};
use crate::voq::Queues;

impl NetworkBuilder {
    /// Outputs of switches that policies or virtual channels concern tell frames apart.
    pub(crate) fn add_disciplines(&mut self) {
        for id in self.fibres.ids() {
            let (fibre, Sink::Switch { switch, .. }) =
                (&self.fibres[id], self.fibres[way_back(id)].sink)
            else {
                continue;
            };
            let reaches = match fibre.sink {
                Sink::NPort(n_port) => Some(n_port),
                Sink::Switch { .. } => None,
                // The loop decides the order of frames there.
                Sink::Loop(_) => continue,
            };
            let changes = self.policies.iter();
            let named = changes.filter_map(|policy| policy.change.pair_at(switch, reaches));
            let mut pairs: Vec<Pair> = named.collect();
            pairs.sort_unstable();
            pairs.dedup();
            let channels = self.channels_of(id);
            if pairs.is_empty() && channels.is_empty() {
                continue;
            }
            let at_switch = &self.switches[switch];
            let discipline = Discipline::new(
                at_switch.outputs.len(),
                &at_switch.classes,
                at_switch.shared_class,
                channels,
                &pairs,
                |n_port| area_of(self.addresses[n_port]),
            );
            let fibre = &mut self.fibres[id];
            fibre.queues = Queues::new(discipline.queues());
            fibre.features_mut().discipline = Some(discipline);
        }
        self.watch_ingress();
    }

    fn channels_of(&self, fibre: Id<Fibre>) -> &[VirtualChannel] {
        let entry = self.channels.iter().find(|(id, _)| *id == fibre);
        entry.map_or(&[], |(_, channels)| channels)
    }

    /// Fibres that an ingress limit ever holds for.
    fn watch_ingress(&mut self) {
        for policy in &self.policies {
            let PolicyChange::Ingress(n_port, _) = policy.change else {
                continue;
            };
            let uplinks = self.fibres.iter_mut();
            for fibre in uplinks.filter(|fibre| fibre.source == Source::NPort(n_port)) {
                fibre.features_mut();
            }
        }
    }
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// A policy comes into force.
    pub fn apply_policy(&mut self, policy: Id<Policy>, now: Instant) {
        match self.policies[policy].change {
            PolicyChange::Ingress(n_port, limit) => {
                let uplink = self.uplinks[n_port];
                self.fibres[uplink]
                    .features_mut()
                    .ingress
                    .change(limit, now);
            }
            PolicyChange::Limit(pair, limit) => {
                if self.is_on_loop(pair.1) {
                    return;
                }
                let downlink = way_back(self.uplinks[pair.1]);
                let change = |discipline: &mut Discipline| discipline.limit(pair, limit, now);
                if let Some(opens_at) = self.discipline_mut(downlink, now, change) {
                    self.settle(downlink, now, opens_at);
                }
            }
            PolicyChange::Class(pair, class, at) => {
                for switch in self.switches.ids() {
                    if at.is_none_or(|only| only == switch) {
                        self.classify(switch, pair, class, now);
                    }
                }
            }
        }
    }

    fn classify(&mut self, switch: Id<Switch>, pair: Pair, class: Id<Class>, now: Instant) {
        let area = area_of(self.addresses[pair.1]);
        for port in self.switches[switch].outputs.ids() {
            let Some(output) = self.switches[switch].outputs[port] else {
                continue;
            };
            let change = |discipline: &mut Discipline| discipline.classify(pair, class, area);
            if self.discipline_mut(output, now, change).is_some() {
                self.settle(output, now, Instant::NEVER);
            }
        }
    }

    /// Change the discipline of an output; what it has waited for credit until now is counted before.
    fn discipline_mut<T>(
        &mut self,
        output: Id<Fibre>,
        now: Instant,
        change: impl FnOnce(&mut Discipline) -> T,
    ) -> Option<T> {
        self.fibres[output].discipline()?;
        self.fibres[output].counters.credit_wait = self.credit_wait(output, now);
        let features = self.fibres[output].features_mut();
        features.discipline.as_mut().map(change)
    }

    /// After a change the output begins anew: nothing starts earlier than now.
    fn settle(&mut self, output: Id<Fibre>, now: Instant, gate_opens_at: Instant) {
        let fibre = &mut self.fibres[output];
        fibre.free_at = fibre.free_at.max(now);
        if EVERY_EVENT {
            self.reference.forget_starving(output);
            self.reference.open_gate(output, now, gate_opens_at);
        }
        self.reschedule(output, now);
    }
}
