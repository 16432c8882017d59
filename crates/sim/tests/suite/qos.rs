//! Limits, priorities, virtual channels and trunks: closed forms.

#![allow(
    clippy::cast_precision_loss,
    reason = "numbers of a test, far below 2^52"
)]

use crate::support::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{
    ClassPlan, ClassesPlan, LimitPlan, PolicyPlan, QosPlan, RoutePolicy, VirtualChannelPlan,
};

const RATE: u64 = 212_500_000;
/// A full frame with the gap behind it.
const FULL: f64 = 2048.0 + 36.0 + 24.0;
const MIB: f64 = 1_048_576.0;

fn wheel(slots: u32) -> LimitPlan {
    LimitPlan::Wheel {
        slots: n32(slots),
        of: n32(7),
    }
}

fn limit(at: u64, (source, destination): (u32, u32), limit: Option<LimitPlan>) -> QosPlan {
    QosPlan {
        at_ps: at,
        policy: PolicyPlan::Limit {
            source,
            destination,
            limit,
        },
    }
}

fn class(at: u64, (source, destination): (u32, u32), class: u32) -> QosPlan {
    QosPlan {
        at_ps: at,
        policy: PolicyPlan::Priority {
            source,
            destination,
            class_id: class,
            switch: None,
        },
    }
}

/// Frames that no policy names are in the class `shared`.
fn classes(classes: Vec<ClassPlan>, shared: u32) -> ClassesPlan {
    ClassesPlan { classes, shared }
}

fn level(level: u32, weight: u32) -> ClassPlan {
    ClassPlan {
        level,
        weight: n32(weight),
    }
}

/// Sources that saturate one destination behind one switch, or each its own.
fn star(sources: u32, destinations: u32, end: u64) -> (San, Vec<u32>, Vec<u32>) {
    let mut san = San::new(end);
    let cable = Cable::new(RATE, 50 * NS, 16);
    let switch = san.switch(400 * NS, true, RoutePolicy::OnePath);
    let mut add = |name: &str, number: u32| {
        let port = san.n_port(&format!("{name}{number}"));
        san.link(switch, At::NPort(port), cable);
        port
    };
    let from: Vec<_> = (0..sources).map(|number| add("from", number)).collect();
    let to: Vec<_> = (0..destinations).map(|number| add("to", number)).collect();
    (san, from, to)
}

/// Both engines, which must agree.
fn run(san: &San) -> Outcome {
    let fast = san.try_run(false).expect("the laws hold");
    let slow = san.try_run(true).expect("the laws hold in the reference");
    for (fast, slow) in fast.tables.iter().zip(&slow.tables) {
        assert!(fast == slow, "table {} differs", fast.name);
    }
    fast
}

/// Payload of each flow, in MiB/s.
fn rates(outcome: &Outcome, end: u64) -> Vec<f64> {
    let bytes = whole(outcome, "frames", "payload_bytes");
    let of = |bytes: &u64| *bytes as f64 / MIB / (end as f64 * 1e-12);
    bytes.iter().map(of).collect()
}

/// k of N slots are k/N of the wire, whatever the other load.
#[test]
fn slots_are_their_share_of_the_wire() {
    let whole_wire = RATE as f64 * 2048.0 / FULL / MIB;
    for slots in 1..7 {
        for others in [false, true] {
            let (mut san, from, to) = star(3, 1, 200 * MS);
            san.traffic(from[0], to[0], 2048, 0, 0);
            if others {
                san.traffic(from[1], to[0], 2048, 0, 0);
                san.traffic(from[2], to[0], 512, 0, 0);
            }
            san.plan.qos = vec![limit(0, (from[0], to[0]), Some(wheel(slots)))];
            let got = rates(&run(&san), 200 * MS)[0];
            assert_near(got, whole_wire * f64::from(slots) / 7.0, 0.003);
        }
    }
}

/// A pair that is held back takes nothing from another that comes in by the same port, as long as there
/// are buffers; and the limit may change while the run goes on.
#[test]
fn limits_change_in_the_middle_of_a_run() {
    let (mut san, from, to) = star(1, 1, 400 * MS);
    san.plan.interval_ps = Some(n64(100 * MS));
    san.traffic(from[0], to[0], 2048, 0, 0);
    let pair = (from[0], to[0]);
    san.plan.qos = vec![
        limit(100 * MS, pair, Some(wheel(2))),
        limit(200 * MS, pair, Some(wheel(4))),
        limit(300 * MS, pair, None),
    ];
    let outcome = run(&san);
    let ports = text(&outcome, "port_series", "port");
    let bytes = whole(&outcome, "port_series", "tx_payload_bytes");
    let at_output = ports
        .iter()
        .zip(bytes)
        .filter(|(port, _)| *port == "sw0.f1");
    let got: Vec<f64> = at_output
        .map(|(_, bytes)| bytes as f64 / MIB * 10.0)
        .collect();
    for (got, sevenths) in got.iter().zip([7.0, 2.0, 4.0, 7.0]) {
        assert_near(*got, 196.9 * sevenths / 7.0, 0.005);
    }
}

/// A bucket lets its burst through at once and its rate from then on.
#[test]
fn a_rate_counts_frames_from_start_to_end() {
    for ingress in [false, true] {
        let (mut san, from, to) = star(1, 1, 100 * MS);
        san.traffic(from[0], to[0], 2048, 0, 0);
        let rate = Some(LimitPlan::Rate {
            bytes_per_s: n64(50_000_000),
            burst_bytes: 1_000_000,
        });
        san.plan.qos = vec![if ingress {
            QosPlan {
                at_ps: 0,
                policy: PolicyPlan::Ingress {
                    n_port: from[0],
                    limit: rate,
                },
            }
        } else {
            limit(0, (from[0], to[0]), rate)
        }];
        let sent = whole(&run(&san), "frames", "payload_bytes")[0] as f64;
        let expected = (50_000_000.0 * 0.1 + 1_000_000.0) * 2048.0 / 2084.0;
        assert_near(sent, expected, 0.003);
    }
}

/// Classes of a level share by weight, in bytes and not in frames; a lower level takes all it wants.
#[test]
fn classes_share_by_weight_and_levels_go_first() {
    let (mut san, from, to) = star(3, 1, 200 * MS);
    for (source, payload) in from.iter().zip([512, 2048, 1024]) {
        san.traffic(*source, to[0], payload, 0, 0);
    }
    san.plan.switches[0].classes = Some(classes(vec![level(0, 60), level(0, 30), level(0, 10)], 1));
    san.plan.qos = vec![class(0, (from[0], to[0]), 0), class(0, (from[2], to[0]), 2)];
    let outcome = run(&san);
    let on_the_wire = [512.0 + 36.0, 2048.0 + 36.0, 1024.0 + 36.0];
    let frames = whole(&outcome, "frames", "frames_count");
    let bytes: Vec<f64> = frames
        .iter()
        .zip(on_the_wire)
        .map(|(&n, size)| n as f64 * size)
        .collect();
    let all: f64 = bytes.iter().sum();
    for (bytes, share) in bytes.iter().zip([0.6, 0.3, 0.1]) {
        assert_near(bytes / all, share, 0.01);
    }
    san.plan.switches[0].classes = Some(classes(vec![level(0, 1), level(1, 1), level(2, 1)], 1));
    let frames = whole(&run(&san), "frames", "frames_count");
    assert!(frames[0] > 100 * (frames[1] + frames[2]), "{frames:?}");
}

/// Two switches with one link, a slow drainer and a fast one behind it.
fn slow_drain(channels: u32) -> Vec<f64> {
    let mut san = San::new(200 * MS);
    let cable = Cable::new(RATE, 50 * NS, 8);
    let near = san.switch(400 * NS, true, RoutePolicy::OnePath);
    let far = san.switch(400 * NS, true, RoutePolicy::OnePath);
    let isl = san.link(near, far, cable);
    let mut ports = Vec::new();
    for (number, switch) in (0..).zip([near, near, far, far]) {
        let port = san.n_port(&format!("p{number}"));
        san.plan.n_ports[port as usize].fc_id = number << 8;
        san.link(switch, At::NPort(port), cable);
        ports.push(port);
    }
    san.plan.n_ports[ports[2] as usize].drain_bytes_per_s = Some(n64(10_000_000));
    san.traffic(ports[0], ports[2], 2048, 0, 0);
    san.traffic(ports[1], ports[3], 2048, 0, 0);
    san.plan.links[isl].virtual_channels = (0..channels)
        .map(|_| VirtualChannelPlan {
            class_id: 0,
            credit_a_to_b: n32(8 / channels.max(1)),
            credit_b_to_a: n32(8),
        })
        .collect();
    rates(&run(&san), 200 * MS)
}

/// With one credit for all, who drains slowly slows who doesn't; on a channel of its own only itself.
#[test]
fn a_slow_drainer_keeps_to_its_virtual_channel() {
    let shared = slow_drain(0);
    assert_near(shared[0], shared[1], 0.05);
    let apart = slow_drain(2);
    assert_near(apart[0], 10_000_000.0 / MIB, 0.03);
    assert!(apart[1] > 180.0, "{apart:?}");
}

/// A trunk of k carries k times the line rate, of one flow too, and keeps its order.
#[test]
fn a_trunk_is_one_link_of_the_sum() {
    for members in 1..=4u32 {
        let mut san = San::new(100 * MS);
        let fast = Cable::new(4 * RATE, 50 * NS, 32);
        let near = san.switch(400 * NS, true, RoutePolicy::OnePath);
        let far = san.switch(400 * NS, false, RoutePolicy::OnePath);
        let isl = san.link(near, far, Cable::new(RATE, 50 * NS, 32));
        san.plan.links[isl].members = n32(members);
        let (a, b) = (san.n_port("a"), san.n_port("b"));
        san.link(near, At::NPort(a), fast);
        san.link(far, At::NPort(b), fast);
        san.traffic(a, b, 2048, 0, 0);
        let outcome = run(&san);
        let expected = f64::from(members) * RATE as f64 * 2048.0 / FULL / MIB;
        assert_near(rates(&outcome, 100 * MS)[0], expected, 0.003);
        let busy = real(&outcome, "ports", "tx_utilisation")[0];
        assert_near(busy, 1.0, 0.003);
    }
}

/// Flows that a hash puts on links of their own wait longer than frames that take the next free one.
#[test]
fn a_trunk_waits_less_than_hashed_links() {
    let wait = |members: u32, links: u32| {
        let mut san = San::new(400 * MS);
        let edge = Cable::new(RATE, 50 * NS, 60);
        let near = san.switch(400 * NS, true, RoutePolicy::SourceDestination);
        let far = san.switch(400 * NS, true, RoutePolicy::SourceDestination);
        for _ in 0..links {
            let isl = san.link(near, far, edge);
            san.plan.links[isl].members = n32(members);
        }
        for number in 0..6 {
            let (a, b) = (
                san.n_port(&format!("a{number}")),
                san.n_port(&format!("b{number}")),
            );
            san.link(near, At::NPort(a), edge);
            san.link(far, At::NPort(b), edge);
            // Six flows of half a link on four links: three quarters of the whole.
            san.traffic(a, b, 2048, 0, 2 * 9_920 * NS);
            let flow = san.plan.traffic.last_mut().expect("just made");
            flow.arrivals = flow.arrivals.map(|it| poisson(it.interval_ps));
        }
        let outcome = run(&san);
        let isls = (links as usize) * 2;
        whole(&outcome, "ports", "tx_queue_wait_ps")[..isls]
            .iter()
            .sum::<u64>()
    };
    let (trunk, hashed) = (wait(4, 1), wait(1, 4));
    assert!(2 * trunk < hashed, "{trunk} {hashed}");
}
