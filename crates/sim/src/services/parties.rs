//! N_Ports as they introduce themselves, and what each step of a dialogue asks for.

use sanlab_fc::NPort;
use sanlab_fc::link_services::{Party, Verb};
use sanlab_kernel::{Id, IdVec};

use crate::plan::{Plan, StepPlan, VerbPlan};

/// All N_Ports of a plan.
pub(super) fn parties(plan: &Plan) -> IdVec<NPort, Party> {
    let node_names = plan.services.as_ref().map_or(&[][..], |of| &of.node_names);
    let mut credit: IdVec<NPort, u32> = IdVec::filled(0, plan.n_ports.len());
    for link in &plan.links {
        for (end, granted) in [(link.a, link.credit_b_to_a), (link.b, link.credit_a_to_b)] {
            if let Some(n_port) = end.n_port() {
                credit[Id::new(n_port)] = granted.get();
            }
        }
    }
    let mut is_target: IdVec<NPort, bool> = IdVec::filled(false, plan.n_ports.len());
    for &n_port in plan.arrays.iter().flat_map(|array| &array.n_ports) {
        is_target[Id::new(n_port)] = true;
    }
    let parties = (0..).zip(&plan.n_ports).map(|(number, port)| {
        let id = Id::new(number);
        let credit = credit[port.shares.map_or(id, Id::new)];
        Party {
            fc_id: port.fc_id,
            wwpn: port.wwpn,
            wwnn: node_names.get(id.place()).copied().unwrap_or(port.wwpn),
            port_name: port.name.clone(),
            node_name: port.node.clone(),
            // The field of the login has 16 bits.
            bb_credit: u16::try_from(credit).unwrap_or(u16::MAX),
            is_target: is_target[id],
        }
    });
    parties.collect()
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
