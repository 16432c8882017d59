//! N_Ports as they introduce themselves, and what each step of a dialogue asks for.

use sanlab_fc::link_services::{Party, Verb};

use crate::plan::{EndPlan, Plan, StepPlan, VerbPlan};

/// All N_Ports of a plan.
pub(super) fn parties(plan: &Plan) -> Vec<Party> {
    let node_names = plan
        .services
        .as_ref()
        .map_or(&[][..], |services| &services.node_names);
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

/// What a step asks for.
pub(super) fn verb_of(step: &StepPlan) -> Verb {
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
