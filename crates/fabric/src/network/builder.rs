//! Collects the parts of a network and wires them.

use sanlab_fc::{Fc2, NPort};
use sanlab_kernel::{Alarms, Arena, Fingerprint, Id, IdVec, Instant, MaybeId};

use super::state::Network;
use crate::bus::Buses;
use crate::fibre::{Fibre, Link, Sink, Source, link_of, way_back};
use crate::fspf::Hop;
use crate::loops::Loops;
use crate::parts::Switch;
use crate::patience::{Patience, Watches};
use crate::policy::Policy;
use crate::qos::VirtualChannel;
use crate::reference::Reference;
use crate::switch::SwitchModel;
use crate::topology::{Topology, null_fibre};
use crate::voq::Queues;

/// A number of alarms.
fn number(alarms: usize) -> u32 {
    u32::try_from(alarms).expect("fewer than 2^32 parts of a network")
}

/// Collects the parts of a [`Network`].
#[derive(Default)]
pub struct NetworkBuilder {
    /// Ports of nodes.
    pub n_ports: IdVec<NPort, Fc2>,
    /// Their addresses, which routes are chosen by.
    pub addresses: IdVec<NPort, u32>,
    /// Virtual N_Ports, each with the one whose link it shares.
    pub sharers: Vec<(Id<NPort>, Id<NPort>)>,
    /// Switches without routes.
    pub switches: IdVec<Switch, SwitchModel>,
    /// Fibres, two for each link.
    pub fibres: IdVec<Fibre>,
    /// FSPF cost of each link.
    pub costs: IdVec<Link, u64>,
    /// Loops.
    pub loops: Loops,
    /// Transmitters of their ports.
    pub loop_fibres: Vec<Fibre>,
    /// Loops that faults may make of them, at most.
    pub spare_loops: usize,
    /// I/O buses of hosts.
    pub buses: Buses,
    /// Virtual channels of fibres that have any.
    pub channels: Vec<(Id<Fibre>, Vec<VirtualChannel>)>,
    /// Policies, in the order of time.
    pub policies: IdVec<Policy>,
    /// How long transmitters of links wait; those that are not named wait indefinitely.
    pub patience: Vec<(Id<Fibre>, Patience)>,
    /// An R_RDY waits for the frame that is being sent the same way.
    pub r_rdy_waits: bool,
}

impl NetworkBuilder {
    /// Wire it up: outputs, virtual output queues, routes by FSPF.
    pub fn build<const EVERY_EVENT: bool>(mut self) -> Network<EVERY_EVENT> {
        let mut uplinks = IdVec::filled(None, self.n_ports.len());
        let mut attached = IdVec::filled(None, self.n_ports.len());
        let mut hops = Vec::new();
        for id in self.fibres.ids() {
            let far_end = self.fibres[way_back(id)].sink;
            let fibre = &mut self.fibres[id];
            match fibre.source {
                Source::NPort(n_port) => uplinks[n_port] = Some(id),
                Source::Loop(_) => fibre.on_slow_path = true,
                Source::Switch => {}
            }
            // The transmitter of a fibre is the receiver of the link's other fibre.
            if let Sink::Switch { switch, port } = far_end {
                let outputs = &mut self.switches[switch].outputs;
                outputs[port] = Some(id);
                fibre.queues = Queues::new(outputs.len());
                match fibre.sink {
                    Sink::NPort(n_port) => attached[n_port] = Some((switch, id)),
                    Sink::Loop(fl_port) => {
                        fibre.on_slow_path = true;
                        for n_port in self.loops.join_fabric(fl_port.same(), id) {
                            attached[n_port] = Some((switch, id));
                        }
                    }
                    Sink::Switch { switch: to, .. } => {
                        hops.push(Hop {
                            from: switch,
                            to,
                            fibre: id,
                            cost: self.costs[link_of(id)],
                        });
                    }
                }
            }
        }
        self.add_disciplines();
        for &(virtual_port, owner) in &self.sharers {
            uplinks[virtual_port] = uplinks[owner];
            attached[virtual_port] = attached[owner];
        }
        let fibres = self.fibres.len();
        let without = self.n_ports.len() - self.loops.port_of.len();
        let on_no_loop = std::iter::repeat_n(MaybeId::NONE, without);
        self.loops.port_of.extend(on_no_loop);
        self.fibres.extend(self.loop_fibres);
        let null_fibre = self.fibres.push(null_fibre());
        let topology = Topology {
            attached,
            hops,
            null_fibre,
        };
        topology.route(&mut self.switches, |_| true);
        for port in &self.loops.ports {
            if let Some(n_port) = port.settings.n_port.get() {
                uplinks[n_port] = Some(port.fibre);
            }
        }
        let all_loops = self.loops.loops.len() + self.spare_loops;
        let watches = watches_of(&mut self.fibres, fibres, self.r_rdy_waits, self.patience);
        let mut network = Network {
            n_ports: self.n_ports,
            fibres: self.fibres,
            frames: Arena::default(),
            fingerprint: Fingerprint::default(),
            alarms: Alarms::new(fibres + all_loops + self.buses.ports.len()),
            first_loop_alarm: number(fibres),
            first_bus_alarm: number(fibres + all_loops),
            buses: self.buses,
            tenancy_events: 0,
            frames_on_loops: 0,
            is_tenancy_step: false,
            lost: 0,
            dropped: 0,
            topology,
            accelerated: Vec::new(),
            loops: self.loops,
            policies: self.policies,
            switches: self.switches,
            addresses: self.addresses,
            uplinks: uplinks
                .into_iter()
                .map(|uplink| uplink.expect("every N_Port has a link, or shares one"))
                .collect(),
            sent: 0,
            delivered: 0,
            starts: 0,
            reference: Reference::new(if EVERY_EVENT { fibres } else { 0 }),
            watches,
            happened: Vec::new(),
        };
        network.mark_buses(fibres);
        if EVERY_EVENT {
            for (id, fibre) in network.fibres.pairs().take(fibres) {
                network.reference.grant(id, fibre);
            }
        }
        network.wake_all();
        network
    }
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// N_Ports on links may have something to send from the start.
    fn wake_all(&mut self) {
        for n_port in self.n_ports.ids() {
            if !self.is_on_loop(n_port) {
                self.wake(n_port, Instant::START);
            }
        }
    }
}

/// What fibres of links wait for besides, and how long.
fn watches_of(
    fibres: &mut IdVec<Fibre>,
    of_links: usize,
    r_rdy_waits: bool,
    patience: Vec<(Id<Fibre>, Patience)>,
) -> Watches {
    if r_rdy_waits {
        // A trunk has another member free.
        let links = fibres.iter_mut().take(of_links);
        for fibre in links.filter(|fibre| fibre.members() == 1 && fibre.fl_port().is_none()) {
            (fibre.r_rdy_waits, fibre.on_slow_path) = (true, true);
        }
    }
    let mut watches = Watches::new(fibres.len());
    for (fibre, patience) in patience {
        watches.set(fibre, patience);
    }
    watches
}
