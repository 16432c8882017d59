//! The network of a plan.

use sanlab_fabric::{
    BusPort, Fibre, Forwarding, Loops, NetworkBuilder, RoutePolicy, Sink, Source, Switch,
};
use sanlab_fc::{BusModel, Generator, Interleave, IoBus, NPort};
use sanlab_kernel::{RandomStream, Rate, id_of};

use super::loops::add_loop;
use super::qos;
use crate::plan::{self, Distribution, EndPlan, NPortPlan, Plan, SwitchPlan, TrafficPlan};

/// Ports, switches, links, loops, buses, policies and traffic of a plan.
pub(super) fn network_of(plan: &Plan) -> NetworkBuilder {
    let mut builder = NetworkBuilder {
        n_ports: plan
            .n_ports
            .iter()
            .map(|port| n_port_of(port, plan.data_frame_bytes))
            .collect(),
        addresses: plan.n_ports.iter().map(|port| port.fc_id).collect(),
        sharers: (0..)
            .zip(&plan.n_ports)
            .filter_map(|(id, port)| Some((id, port.shares?)))
            .collect(),
        switches: plan.switches.iter().map(switch_of).collect(),
        loops: Loops::new(plan.n_ports.len()),
        spare_loops: plan.loop_faults.len(),
        ..NetworkBuilder::default()
    };
    for link in &plan.links {
        let rate = Rate::from_bytes_per_s(link.bytes_per_s);
        for (from, to, credit) in [
            (link.a, link.b, link.credit_a_to_b),
            (link.b, link.a, link.credit_b_to_a),
        ] {
            let source = match from {
                EndPlan::NPort(id) => Source::NPort(id),
                EndPlan::Switch { .. } => Source::Switch,
            };
            let sink = match to {
                EndPlan::NPort(id) => Sink::NPort(id),
                EndPlan::Switch { switch, port } => Sink::Switch { switch, port },
            };
            let fibre = Fibre::new(source, sink, rate, link.gap_bytes, link.delay_ps, credit);
            builder.fibres.push(fibre);
        }
        builder.costs.push(link.fspf_cost);
        qos::add_trunk(&mut builder, link);
    }
    add_buses(&mut builder, plan);
    qos::add_policies(&mut builder, plan);
    for ring in &plan.loops {
        add_loop(&mut builder, ring);
    }
    for (index, traffic) in plan.traffic.iter().enumerate() {
        let flow = id_of(plan.workloads.len() + index);
        let generator = generator_of(traffic, flow, plan.seed);
        builder.n_ports[traffic.source_n_port as usize].add_generator(generator);
    }
    builder
}

fn add_buses(builder: &mut NetworkBuilder, plan: &Plan) {
    for host in &plan.hosts {
        let first = id_of(builder.buses.segments.len());
        let segments = host.buses.iter().map(|bus| {
            IoBus::new(BusModel {
                rate: Rate::from_bytes_per_s(bus.bytes_per_s),
                burst: bus.burst_bytes,
                fetch_overhead: bus.fetch_overhead_ps,
                store_overhead: bus.store_overhead_ps,
                is_full_duplex: bus.full_duplex,
            })
        });
        builder.buses.segments.extend(segments);
        for adapter in &host.adapters {
            let Some(bus) = adapter.bus else { continue };
            let port = id_of(builder.buses.ports.len());
            let n_port = &mut builder.n_ports[adapter.n_port as usize];
            *n_port = n_port.clone().behind_bus(port);
            let bus_port = BusPort::new(adapter.n_port, first + bus);
            builder.buses.ports.push(bus_port);
        }
    }
}

fn n_port_of(port: &NPortPlan, data_frame_bytes: u32) -> NPort {
    let interleave = match port.interleave {
        plan::Interleave::Sequence => Interleave::Sequence,
        plan::Interleave::Frame => Interleave::Frame,
        plan::Interleave::Control => Interleave::Control,
    };
    let drain =
        (port.drain_bytes_per_s > 0).then(|| Rate::from_bytes_per_s(port.drain_bytes_per_s));
    NPort::new(
        data_frame_bytes,
        port.tx_buffers,
        port.class3_sequences,
        interleave,
    )
    .receiving(port.rx_hold_ps, drain)
}

fn switch_of(switch: &SwitchPlan) -> Switch {
    let forwarding = if switch.cut_through {
        Forwarding::CutThrough
    } else {
        Forwarding::StoreAndForward
    };
    let policy = match switch.routing {
        plan::RoutePolicy::OnePath => RoutePolicy::OnePath,
        plan::RoutePolicy::IngressPort => RoutePolicy::IngressPort,
        plan::RoutePolicy::Destination => RoutePolicy::Destination,
        plan::RoutePolicy::SourceDestination => RoutePolicy::SourceDestination,
        plan::RoutePolicy::Exchange => RoutePolicy::Exchange,
    };
    let model = Switch::new(
        switch.domain,
        forwarding,
        switch.forwarding_ps,
        policy,
        switch.ports as usize,
    );
    qos::classed(model, switch)
}

fn generator_of(traffic: &TrafficPlan, flow: u32, seed: u64) -> Generator {
    Generator {
        flow,
        destination: traffic.target_n_port,
        payload_bytes: traffic.payload_bytes,
        left: if traffic.frames == 0 {
            u64::MAX
        } else {
            traffic.frames
        },
        interval: traffic.interval_ps,
        draws: (traffic.interval_distribution == Distribution::Exponential)
            .then(|| RandomStream::new(seed, &format!("traffic/{}", traffic.name))),
        next_at: traffic.start_ps,
        sent: 0,
    }
}
