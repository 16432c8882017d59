//! Collects the parts of a network and wires them.

use sanlab_fc::NPort;
use sanlab_kernel::{Alarms, Arena, Fingerprint, NONE, id_of};

use super::state::Network;
use crate::bus::Buses;
use crate::fibre::{Fibre, Sink, Source};
use crate::fspf::Hop;
use crate::loops::Loops;
use crate::policy::Policy;
use crate::qos::VirtualChannel;
use crate::reference::Reference;
use crate::switch::Switch;
use crate::topology::{Topology, null_fibre};
use crate::voq::Queues;

/// Collects the parts of a [`Network`].
#[derive(Default)]
pub struct NetworkBuilder {
    /// Ports of nodes.
    pub n_ports: Vec<NPort>,
    /// Their addresses, which routes are chosen by.
    pub addresses: Vec<u32>,
    /// Virtual N_Ports, each with the one whose link it shares.
    pub sharers: Vec<(u32, u32)>,
    /// Switches without routes.
    pub switches: Vec<Switch>,
    /// Fibres, two for each link.
    pub fibres: Vec<Fibre>,
    /// FSPF cost of each link.
    pub costs: Vec<u64>,
    /// Loops.
    pub loops: Loops,
    /// Transmitters of their ports.
    pub loop_fibres: Vec<Fibre>,
    /// Loops that faults may make of them, at most.
    pub spare_loops: usize,
    /// I/O buses of hosts.
    pub buses: Buses,
    /// Virtual channels of fibres that have any.
    pub channels: Vec<(u32, Vec<VirtualChannel>)>,
    /// Policies, in the order of time.
    pub policies: Vec<Policy>,
}

impl NetworkBuilder {
    /// Wire it up: outputs, virtual output queues, routes by FSPF.
    pub fn build<const EVERY_EVENT: bool>(mut self) -> Network<EVERY_EVENT> {
        let mut uplinks = vec![NONE; self.n_ports.len()];
        let mut attached = vec![None; self.n_ports.len()];
        let mut hops = Vec::new();
        for id in 0..self.fibres.len() {
            let far_end = self.fibres[id ^ 1].sink;
            let fibre = &mut self.fibres[id];
            if let Source::NPort(n_port) = fibre.source {
                uplinks[n_port as usize] = id_of(id);
            }
            // The transmitter of a fibre is the receiver of the link's other fibre.
            if let Sink::Switch { switch, port } = far_end {
                let outputs = &mut self.switches[switch as usize].outputs;
                outputs[port as usize] = id_of(id);
                fibre.queues = Queues::new(outputs.len());
                match fibre.sink {
                    Sink::NPort(n_port) => attached[n_port as usize] = Some((switch, id_of(id))),
                    Sink::Switch { switch: to, .. } => {
                        hops.push(Hop {
                            from: switch,
                            to,
                            fibre: id_of(id),
                            cost: self.costs[id / 2],
                        });
                    }
                }
            }
        }
        self.add_disciplines();
        for &(virtual_port, owner) in &self.sharers {
            uplinks[virtual_port as usize] = uplinks[owner as usize];
            attached[virtual_port as usize] = attached[owner as usize];
        }
        let fibres = self.fibres.len();
        self.loops.port_of.resize(self.n_ports.len(), NONE);
        self.fibres.append(&mut self.loop_fibres);
        self.fibres.push(null_fibre());
        let topology = Topology {
            attached,
            hops,
            null_fibre: id_of(self.fibres.len() - 1),
        };
        topology.route(&mut self.switches, |_| true);
        for port in &self.loops.ports {
            uplinks[port.settings.n_port as usize] = port.fibre;
        }
        let all_loops = self.loops.loops.len() + self.spare_loops;
        let mut network = Network {
            n_ports: self.n_ports,
            fibres: self.fibres,
            frames: Arena::default(),
            fingerprint: Fingerprint::default(),
            alarms: Alarms::new(fibres + all_loops + self.buses.ports.len()),
            first_loop_alarm: id_of(fibres),
            first_bus_alarm: id_of(fibres + all_loops),
            buses: self.buses,
            tenancy_events: 0,
            frames_on_loops: 0,
            is_tenancy_step: false,
            lost: 0,
            dropped: 0,
            topology,
            loops: self.loops,
            policies: self.policies,
            switches: self.switches,
            addresses: self.addresses,
            uplinks,
            sent: 0,
            delivered: 0,
            starts: 0,
            reference: Reference::new(if EVERY_EVENT { fibres } else { 0 }),
        };
        network.mark_buses(fibres);
        if EVERY_EVENT {
            for (id, fibre) in network.fibres[..fibres].iter().enumerate() {
                network.reference.grant(id_of(id), fibre);
            }
        }
        for n_port in 0..network.n_ports.len() {
            if network.loops.port_of[n_port] == NONE {
                network.wake(id_of(n_port), 0);
            }
        }
        network
    }
}
