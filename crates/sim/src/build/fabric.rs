//! Ports, switches, links, buses and plain traffic of a plan become a network.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use sanlab_fabric::{
    BusPort, Class, Fibre, Forwarding, Limit, Link, Loops, NetworkBuilder, Patience, Policy,
    PolicyChange, RoutePolicy, Sink, Source, SwitchModel, Trunk, VirtualChannel, fibres_of,
};
use sanlab_fc::{BusModel, Fc2, Flow, Generator, Interleave, IoBus, NPort, RateCurve, wire_bytes};
use sanlab_kernel::{Id, IdVec, Instant, RandomStream, Rate, Span};

use crate::build::jobs::load_of;
use crate::build::loops::{add_loop, fl_port_of};
use crate::plan::{
    self, Distribution, EndPlan, LimitPlan, LinkPlan, LoopPlan, NPortPlan, Plan, PolicyPlan,
    SwitchPlan, TrafficPlan, VirtualChannelPlan,
};

/// The network of a plan, before its routes are computed.
pub(super) fn network_of(plan: &Plan) -> NetworkBuilder {
    let n_ports = plan.n_ports.iter();
    let mut builder = NetworkBuilder {
        n_ports: n_ports
            .clone()
            .map(|port| n_port_of(port, plan.data_frame_bytes))
            .collect(),
        addresses: n_ports.map(|port| port.fc_id).collect(),
        sharers: (0..)
            .zip(&plan.n_ports)
            .filter_map(|(id, port)| Some((Id::new(id), Id::new(port.shares?))))
            .collect(),
        switches: plan.switches.iter().map(switch_of).collect(),
        loops: Loops::new(plan.n_ports.len()),
        spare_loops: plan.loop_faults.len(),
        ..NetworkBuilder::default()
    };
    for link in &plan.links {
        add_link(&mut builder, link, &plan.loops);
    }
    add_accelerators(&mut builder, plan);
    add_buses(&mut builder, plan);
    builder.policies = policies_of(plan);
    builder.patience = patience_of(plan);
    builder.r_rdy_waits = plan.r_rdy_waits;
    for of in &plan.loops {
        add_loop(&mut builder, of);
    }
    for (index, traffic) in plan.traffic.iter().enumerate() {
        let flow = Id::from_place(plan.workloads.len() + index);
        let generator = generator_of(traffic, flow, plan.seed);
        builder.n_ports[Id::new(traffic.source_n_port)].add_generator(generator);
    }
    builder
}

fn n_port_of(port: &NPortPlan, data_frame_bytes: u32) -> Fc2 {
    let interleave = match port.interleave {
        plan::Interleave::Sequence => Interleave::Sequence,
        plan::Interleave::Frame => Interleave::Frame,
        plan::Interleave::Control => Interleave::Control,
    };
    let drain = port.drain_bytes_per_s.map(Rate::from);
    Fc2::new(
        data_frame_bytes,
        port.tx_buffers,
        port.class3_sequences,
        interleave,
    )
    .receiving(Span::from_ps(port.rx_hold_ps), drain)
}

fn switch_of(plan: &SwitchPlan) -> SwitchModel {
    let forwarding = if plan.cut_through {
        Forwarding::CutThrough
    } else {
        Forwarding::StoreAndForward
    };
    let policy = match plan.routing {
        plan::RoutePolicy::OnePath => RoutePolicy::OnePath,
        plan::RoutePolicy::IngressPort => RoutePolicy::IngressPort,
        plan::RoutePolicy::Destination => RoutePolicy::Destination,
        plan::RoutePolicy::SourceDestination => RoutePolicy::SourceDestination,
        plan::RoutePolicy::Exchange => RoutePolicy::Exchange,
    };
    let mut switch = SwitchModel::new(
        plan.domain,
        forwarding,
        Span::from_ps(plan.forwarding_ps),
        policy,
        plan.ports as usize,
    );
    if let Some(classes) = &plan.classes {
        switch.classes = classes
            .classes
            .iter()
            .map(|class| Class {
                level: class.level,
                weight: class.weight.get(),
            })
            .collect();
        switch.shared_class = Id::new(classes.shared);
    }
    switch
}

fn add_link(builder: &mut NetworkBuilder, link: &LinkPlan, loops: &[LoopPlan]) {
    let rate = Rate::from(link.bytes_per_s);
    for (from, to, credit) in [
        (link.a, link.b, link.credit_a_to_b),
        (link.b, link.a, link.credit_b_to_a),
    ] {
        let source = match from {
            EndPlan::NPort { n_port } => Source::NPort(Id::new(n_port)),
            EndPlan::Switch { .. } => Source::Switch,
            EndPlan::Loop { loop_id } => Source::Loop(fl_port_of(loops, loop_id)),
        };
        let sink = match to {
            EndPlan::NPort { n_port } => Sink::NPort(Id::new(n_port)),
            EndPlan::Switch { switch, port } => Sink::Switch {
                switch: Id::new(switch),
                port: Id::new(port),
            },
            EndPlan::Loop { loop_id } => Sink::Loop(fl_port_of(loops, loop_id)),
        };
        let fibre = Fibre::new(
            source,
            sink,
            rate,
            link.gap_bytes,
            Span::from_ps(link.delay_ps),
            credit.get(),
        );
        builder.fibres.push(fibre);
    }
    let id = builder.costs.push(link.fspf_cost.get());
    add_trunk(builder, id, link);
}

/// Let the link just added carry frames by several members, or over virtual channels.
fn add_trunk(builder: &mut NetworkBuilder, id: Id<Link>, link: &LinkPlan) {
    if link.members.get() > 1 {
        for fibre in fibres_of(id) {
            let fibre = &mut builder.fibres[fibre];
            fibre.features_mut().trunk = Some(Trunk::new(link.members.get()));
        }
    }
    let granted: [fn(&VirtualChannelPlan) -> u32; 2] = [
        |channel| channel.credit_a_to_b.get(),
        |channel| channel.credit_b_to_a.get(),
    ];
    if link.virtual_channels.is_empty() {
        return;
    }
    for (fibre, credit) in fibres_of(id).into_iter().zip(granted) {
        let channels = link.virtual_channels.iter();
        let channels = channels.map(|channel| VirtualChannel {
            class: Id::new(channel.class_id),
            credit: credit(channel),
        });
        builder.channels.push((fibre, channels.collect()));
    }
}

/// Give the switches at the ends of accelerated links a further port, by which frames of the ends enter.
fn add_accelerators(builder: &mut NetworkBuilder, plan: &Plan) {
    let mut ends = BTreeSet::new();
    for (id, link) in (0..).map(Id::new).zip(&plan.links) {
        if link.write_acceleration_bytes.is_none() {
            continue;
        }
        for fibre in fibres_of(id) {
            builder.fibres[fibre].on_slow_path = true;
        }
        ends.extend([link.a, link.b]);
    }
    let switches: BTreeSet<u32> = ends
        .into_iter()
        .filter_map(|end| match end {
            EndPlan::Switch { switch, .. } => Some(switch),
            EndPlan::NPort { .. } | EndPlan::Loop { .. } => None,
        })
        .collect();
    for switch in switches {
        builder.switches[Id::new(switch)].outputs.push(None);
    }
}

fn add_buses(builder: &mut NetworkBuilder, plan: &Plan) {
    for host in &plan.hosts {
        let first = builder.buses.segments.next_id().number();
        let segments = host.buses.iter().map(|bus| {
            IoBus::new(BusModel {
                rate: Rate::from(bus.bytes_per_s),
                burst: bus.burst_bytes.get(),
                fetch_overhead: Span::from_ps(bus.fetch_overhead_ps),
                store_overhead: Span::from_ps(bus.store_overhead_ps),
                is_full_duplex: bus.full_duplex,
            })
        });
        builder.buses.segments.extend(segments);
        for adapter in &host.adapters {
            let Some(bus) = adapter.bus else { continue };
            let id = Id::new(adapter.n_port);
            let bus_port = BusPort::new(id, Id::new(first + bus));
            let port = builder.buses.ports.push(bus_port);
            let n_port = &mut builder.n_ports[id];
            *n_port = n_port.clone().behind_bus(port);
        }
    }
}

fn generator_of(traffic: &TrafficPlan, flow: Id<Flow>, seed: u64) -> Generator {
    let is_poisson =
        (traffic.arrivals).is_some_and(|of| of.distribution == Distribution::Exponential);
    let starts_at = Instant::from_ps(traffic.start_ps);
    let interval = (traffic.arrivals).map_or(Span::ZERO, |of| Span::from_ps(of.interval_ps.get()));
    let mut draws =
        is_poisson.then(|| RandomStream::new(seed, &format!("traffic/{}", traffic.name)));
    let mut next_at = starts_at;
    let mut curve = None;
    if let Some(load) = &traffic.load {
        let mut begins = RateCurve::new(load_of(load), starts_at);
        // A Poisson process begins with a pause like any other.
        let pause = draws.as_mut().map(|draws| draws.exponential_span(interval));
        next_at = begins.after(pause.unwrap_or(Span::ZERO));
        curve = Some(Box::new(begins));
    }
    Generator {
        flow,
        destination: Id::new(traffic.target_n_port),
        payload_bytes: traffic.payload_bytes,
        left: traffic.frames.map_or(u64::MAX, u64::from),
        interval,
        draws,
        curve,
        next_at,
        sent: 0,
    }
}

/// How long each transmitter of a link waits. Links are reset where something may be lost.
fn patience_of(plan: &Plan) -> Vec<(Id<Fibre>, Patience)> {
    let span = |ps: Option<NonZeroU64>| ps.map(|ps| Span::from_ps(ps.get()));
    let discards = |switch: &SwitchPlan| {
        let limits = [
            switch.edge_hold_ps,
            switch.core_hold_ps,
            switch.no_credit_drop_ps,
        ];
        limits.iter().any(Option::is_some)
    };
    let may_reset = plan.faults.is_armed || plan.switches.iter().any(discards);
    let reset = may_reset.then(|| Span::from_ps(plan.faults.credit_timeout_ps));
    let transmitters = (0..).map(Id::new).zip(&plan.links).flat_map(|(id, link)| {
        let [out, back] = fibres_of(id);
        [(out, link.a, link.b), (back, link.b, link.a)]
    });
    let patience = transmitters.map(|(fibre, from, to)| {
        let switch = match from {
            EndPlan::NPort { .. } | EndPlan::Loop { .. } => None,
            EndPlan::Switch { switch, .. } => Some(&plan.switches[switch as usize]),
        };
        let (hold, no_credit) = match (switch, to) {
            (None, _) => (None, None),
            (Some(at), EndPlan::NPort { .. }) => (at.edge_hold_ps, at.no_credit_drop_ps),
            (Some(at), EndPlan::Switch { .. }) => (at.core_hold_ps, None),
            // What it waits for there is the loop, not credit.
            (Some(at), EndPlan::Loop { .. }) => (at.edge_hold_ps, None),
        };
        let is_loop = |end| matches!(end, EndPlan::Loop { .. });
        let reset = reset.filter(|_| !is_loop(from) && !is_loop(to));
        let patience = Patience {
            hold: span(hold),
            no_credit: span(no_credit),
            reset,
        };
        (fibre, patience)
    });
    patience
        .filter(|(_, patience)| *patience != Patience::default())
        .collect()
}

/// Policies of the plan, in its order.
fn policies_of(plan: &Plan) -> IdVec<Policy> {
    let slots = slots_of_n_ports(plan);
    let policies = plan.qos.iter().map(|change| Policy {
        at: Instant::from_ps(change.at_ps),
        change: change_of(&change.policy, &slots),
    });
    policies.collect()
}

fn change_of(policy: &PolicyPlan, slots: &IdVec<NPort, Span>) -> PolicyChange {
    match *policy {
        PolicyPlan::Limit {
            source,
            destination,
            limit,
        } => {
            let (source, destination) = (Id::new(source), Id::new(destination));
            let limit = limit.map(|limit| limit_of(limit, slots[destination]));
            PolicyChange::Limit((source, destination), limit)
        }
        PolicyPlan::Ingress { n_port, limit } => {
            let n_port = Id::new(n_port);
            let limit = limit.map(|limit| limit_of(limit, slots[n_port]));
            PolicyChange::Ingress(n_port, limit)
        }
        PolicyPlan::Priority {
            source,
            destination,
            class_id,
            switch,
        } => {
            let pair = (Id::new(source), Id::new(destination));
            PolicyChange::Class(pair, Id::new(class_id), switch.map(Id::new))
        }
    }
}

fn limit_of(limit: LimitPlan, slot: Span) -> Limit {
    match limit {
        LimitPlan::Wheel { slots, of } => Limit::Wheel {
            slots: slots.get(),
            wheel_slots: of.get(),
            turn: slot * u64::from(of.get()),
        },
        LimitPlan::Rate {
            bytes_per_s,
            burst_bytes,
        } => Limit::Rate {
            bytes_per_s: bytes_per_s.get(),
            burst_bytes,
        },
    }
}

/// Time of a full frame on the link of each N_Port.
fn slots_of_n_ports(plan: &Plan) -> IdVec<NPort, Span> {
    let mut slots = IdVec::filled(Span::ZERO, plan.n_ports.len());
    for link in &plan.links {
        let rate = Rate::from(link.bytes_per_s);
        let bytes = wire_bytes(plan.data_frame_bytes) + link.gap_bytes;
        for n_port in [link.a, link.b].into_iter().filter_map(EndPlan::n_port) {
            slots[Id::new(n_port)] = rate.time_for(u64::from(bytes));
        }
    }
    slots
}
