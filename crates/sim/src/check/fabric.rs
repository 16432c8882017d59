//! N_Ports, switches, links, plain traffic.

use crate::plan::{EndPlan, LinkPlan, Plan, PlanError};

use super::bounds::{Within, fields, instant, known, rate, require, span};
use super::loads::check_load;

/// Ports of a domain: 16 bits of an address.
const MOST_PORTS: u64 = 1 << 16;
/// Buffers and sequences of a port.
const MOST_BUFFERS: u64 = 1 << 16;
/// BB credit of a trunk of 16 links with 16 bits of credit each (FC-FS).
const MOST_CREDIT: u64 = 1 << 20;
/// A frame is in before its hold time ends: the largest takes 23 us at 1GFC.
const SHORTEST_HOLD: u64 = 1_000_000_000;
const LARGEST_GAP: u64 = 1 << 20;
/// A cost of 0 would make a circle as short as no way at all.
const HIGHEST_COST: u64 = 1 << 40;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    n_ports(plan)?;
    switches(plan)?;
    for (index, link) in plan.links.iter().enumerate() {
        check_link(plan, link, |key| format!("links[{index}].{key}"))?;
    }
    one_place_each(plan)?;
    traffic(plan)
}

pub(super) fn n_port(
    plan: &Plan,
    id: u32,
    place: impl FnOnce() -> String,
) -> Result<(), PlanError> {
    known(id, plan.n_ports.len(), "N_Port", place)
}

fn n_ports(plan: &Plan) -> Result<(), PlanError> {
    for (index, port) in plan.n_ports.iter().enumerate() {
        let place = |key: &str| format!("n_ports[{index}].{key}");
        port.fc_id.within(0, 0xff_ffff, || place("fc_id"))?;
        port.tx_buffers
            .within(1, MOST_BUFFERS, || place("tx_buffers"))?;
        port.class3_sequences
            .within(1, MOST_BUFFERS, || place("class3_sequences"))?;
        span(port.rx_hold_ps, || place("rx_hold_ps"))?;
        rate(port.drain_bytes_per_s, || place("drain_bytes_per_s"))?;
        let Some(owner) = port.shares else { continue };
        n_port(plan, owner, || place("shares"))?;
        require(
            plan.n_ports[owner as usize].shares.is_none(),
            || place("shares"),
            || format!("N_Port {owner} has no link of its own"),
        )?;
    }
    Ok(())
}

fn switches(plan: &Plan) -> Result<(), PlanError> {
    let mut domains = vec![false; 256];
    for (index, switch) in plan.switches.iter().enumerate() {
        let place = |key: &str| format!("switches[{index}].{key}");
        span(switch.forwarding_ps, || place("forwarding_ps"))?;
        switch.ports.within(0, MOST_PORTS, || place("ports"))?;
        let limits = [
            (switch.edge_hold_ps, "edge_hold_ps"),
            (switch.core_hold_ps, "core_hold_ps"),
            (switch.no_credit_drop_ps, "no_credit_drop_ps"),
        ];
        for (limit, key) in limits {
            let Some(limit) = limit else { continue };
            span(limit, || place(key))?;
            require(
                limit.get() >= SHORTEST_HOLD,
                || place(key),
                || "a frame may not be in by then; 1 ms is the shortest".to_owned(),
            )?;
        }
        switch.domain.within(1, 239, || place("domain"))?;
        let before = std::mem::replace(&mut domains[switch.domain as usize], true);
        require(
            !before,
            || place("domain"),
            || format!("another switch has domain {}", switch.domain),
        )?;
    }
    Ok(())
}

fn check_link(
    plan: &Plan,
    link: &LinkPlan,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    rate(link.bytes_per_s, || place("bytes_per_s"))?;
    span(link.delay_ps, || place("delay_ps"))?;
    link.gap_bytes
        .within(0, LARGEST_GAP, || place("gap_bytes"))?;
    link.fspf_cost
        .within(1, HIGHEST_COST, || place("fspf_cost"))?;
    link.credit_a_to_b
        .within(1, MOST_CREDIT, || place("credit_a_to_b"))?;
    link.credit_b_to_a
        .within(1, MOST_CREDIT, || place("credit_b_to_a"))?;
    for (key, end) in [("a", link.a), ("b", link.b)] {
        match end {
            EndPlan::NPort { n_port: id } => n_port(plan, id, || place(key))?,
            EndPlan::Switch { switch, port } => {
                known(switch, plan.switches.len(), "switch", || place(key))?;
                let ports = plan.switches[switch as usize].ports as usize;
                known(port, ports, "port of that switch", || place(key))?;
            }
            EndPlan::Loop { loop_id } => {
                known(loop_id, plan.loops.len(), "loop", || place(key))?;
                super::loops::check_fl_link(plan, link, loop_id, || place(key))?;
            }
        }
    }
    let mut earliest = 0;
    for outage in &link.outages {
        instant(outage.from_ps, || place("outages"))?;
        instant(outage.until_ps, || place("outages"))?;
        require(
            outage.from_ps >= earliest && outage.from_ps < outage.end_ps(),
            || place("outages"),
            || "outages follow one another, and each has a length".into(),
        )?;
        earliest = outage.end_ps();
    }
    for outage in &link.member_outages {
        let members = link.members.get() as usize;
        known(outage.member, members, "member", || place("member_outages"))?;
        instant(outage.from_ps, || place("member_outages"))?;
        instant(outage.until_ps, || place("member_outages"))?;
    }
    let is_in_order = link
        .member_outages
        .is_sorted_by_key(|outage| outage.from_ps);
    require(
        is_in_order
            && link
                .member_outages
                .iter()
                .all(|it| it.from_ps < it.end_ps()),
        || place("member_outages"),
        || "outages are in the order of time, and each has a length".into(),
    )
}

/// Every N_Port has one link, one place on a loop, or shares the link of another.
fn one_place_each(plan: &Plan) -> Result<(), PlanError> {
    let mut taken = vec![false; plan.n_ports.len()];
    let mut take = |id: u32, place: String| {
        let before = std::mem::replace(&mut taken[id as usize], true);
        let reason = || format!("N_Port {id} has a link or a place on a loop already");
        require(!before, || place, reason)
    };
    for (index, link) in plan.links.iter().enumerate() {
        for (key, end) in [("a", link.a), ("b", link.b)] {
            if let EndPlan::NPort { n_port } = end {
                take(n_port, format!("links[{index}].{key}"))?;
            }
        }
    }
    for (index, of) in plan.loops.iter().enumerate() {
        for (place, port) in of.ports.iter().enumerate() {
            let at = format!("loops[{index}].ports[{place}].n_port");
            if let Some(id) = port.n_port {
                n_port(plan, id, || at.clone())?;
                take(id, at)?;
            }
        }
    }
    for (id, port) in (0..).zip(&plan.n_ports) {
        if port.shares.is_some() {
            take(id, format!("n_ports[{id}].shares"))?;
        }
    }
    if let Some(id) = taken.iter().position(|is_taken| !is_taken) {
        return Err(PlanError::new(format!("n_ports[{id}]"), "it has no link"));
    }
    let mut ends: Vec<_> = (plan.links.iter().enumerate())
        .flat_map(|(index, link)| [(link.a, index), (link.b, index)])
        .collect();
    ends.sort_unstable();
    let twice = ends.windows(2).find(|pair| pair[0].0 == pair[1].0);
    twice.map_or(Ok(()), |pair| {
        let place = format!("links[{}]", pair[1].1);
        Err(PlanError::new(place, "there is a second link at its port"))
    })
}

fn traffic(plan: &Plan) -> Result<(), PlanError> {
    for (index, traffic) in plan.traffic.iter().enumerate() {
        let place = |key: &str| format!("traffic[{index}].{key}");
        n_port(plan, traffic.source_n_port, || place("source_n_port"))?;
        n_port(plan, traffic.target_n_port, || place("target_n_port"))?;
        traffic
            .payload_bytes
            .within(0, 2112, || place("payload_bytes"))?;
        fields!(instant, traffic, place; start_ps);
        span(traffic.arrivals.map(|it| it.interval_ps), || {
            place("arrivals.interval_ps")
        })?;
        if let Some(load) = &traffic.load {
            check_load(load, traffic.arrivals.is_some(), place)?;
        }
    }
    Ok(())
}

/// An N_Port belongs to one adapter or one array. Plain traffic may use any.
pub(super) fn check_owners(plan: &Plan) -> Result<(), PlanError> {
    let adapters = plan.hosts.iter().flat_map(|host| &host.adapters);
    let of_arrays = plan.arrays.iter().flat_map(|array| &array.n_ports);
    let back_ends = plan
        .arrays
        .iter()
        .filter_map(|array| array.back_end.as_ref());
    let of_back_ends =
        back_ends.flat_map(|of| of.initiators.iter().chain(of.disks.iter().flatten()));
    let owned = adapters
        .map(|adapter| &adapter.n_port)
        .chain(of_arrays)
        .chain(of_back_ends);
    let mut is_owned = vec![false; plan.n_ports.len()];
    for &n_port in owned {
        let before = std::mem::replace(&mut is_owned[n_port as usize], true);
        require(
            !before,
            || format!("n_ports[{n_port}]"),
            || "it belongs to two adapters or arrays".into(),
        )?;
    }
    Ok(())
}
