//! Closed forms that the simulator must give where it reduces to them. Tolerances are relative and
//! stated with each law.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{Distribution, Interleave, RoutePolicy};

/// Two N_Ports and one link between them.
fn pair(cable: Cable) -> San {
    let mut san = San::new(1000 * SECOND);
    let (a, b) = (san.n_port("a"), san.n_port("b"));
    san.link(At::NPort(a), At::NPort(b), cable);
    san
}

#[test]
fn line_rate_by_frame_size_and_generation() {
    for (name, bytes_per_s) in GENERATIONS {
        for payload in [64, 512, 1024, 2048, 2112] {
            let mut san = pair(Cable::new(bytes_per_s, 50 * NS, 64));
            san.traffic(0, 1, payload, 20_000, 0);
            let outcome = san.run();
            let rate =
                20_000.0 * f64::from(payload) / (outcome.summary.simulated_ps as f64 * 1e-12);
            let slot = wire(u64::from(payload)) + 24;
            let expected = bytes_per_s as f64 * f64::from(payload) / slot as f64;
            assert_near(rate, expected, 0.001);
            assert!(rate < bytes_per_s as f64, "{name} {payload}");
        }
    }
}

/// BB_Credit frames a round trip, or the line rate, whichever is less: within 0.2 %.
#[test]
fn credit_limits_a_long_link() {
    for (_, bytes_per_s) in [
        GENERATIONS[0],
        GENERATIONS[1],
        GENERATIONS[4],
        GENERATIONS[6],
    ] {
        for km in [1, 10, 100, 1786] {
            for payload in [512u64, 2048] {
                for credit in [1, 2, 8, 40, 255, 900, 2000] {
                    let delay = km * 5 * US;
                    let mut san = pair(Cable::new(bytes_per_s, delay, credit));
                    let frames = u64::from(credit) * 50 + 5_000;
                    san.traffic(0, 1, payload as u32, frames, 0);
                    let outcome = san.run();
                    let second = 1e12;
                    let sending = wire(payload) as f64 / bytes_per_s as f64 * second;
                    let slot = (wire(payload) + 24) as f64 / bytes_per_s as f64 * second;
                    let r_rdy = 4.0 / bytes_per_s as f64 * second;
                    let round = sending + 2.0 * delay as f64 + r_rdy;
                    let per_frame = slot.max(round / f64::from(credit));
                    let start = sending + delay as f64 + slot * f64::from(credit);
                    let expected = per_frame * frames as f64;
                    let got = outcome.summary.simulated_ps as f64;
                    assert!(
                        got >= expected * 0.998 - start && got <= expected * 1.002 + start + round,
                        "{km} km, {credit} credits: {got} ps, expected {expected}"
                    );
                }
            }
        }
    }
}

/// One frame over k switches: exactly, to the picosecond.
#[test]
fn latency_of_one_frame_over_hops() {
    let (bytes_per_s, delay, latency) = (212_500_000, 100 * NS, 1_880 * NS);
    let rate = sanlab_kernel::Rate::from_bytes_per_s(bytes_per_s);
    for cut_through in [true, false] {
        for switches in 0..=4u64 {
            let mut san = San::new(SECOND);
            let (a, b) = (san.n_port("a"), san.n_port("b"));
            let mut last = At::NPort(a);
            for _ in 0..switches {
                let next = san.switch(latency, cut_through, RoutePolicy::OnePath);
                san.link(last, next, Cable::new(bytes_per_s, delay, 12));
                last = next;
            }
            san.link(last, At::NPort(b), Cable::new(bytes_per_s, delay, 12));
            san.traffic(a, b, 2048, 1, 0);
            let outcome = san.run();
            let [whole_frame, header] = [wire(2048), 28].map(|bytes| rate.time_for(bytes).as_ps());
            let per_switch = delay + latency + if cut_through { header } else { whole_frame };
            let expected = switches * per_switch + delay + whole_frame;
            assert_eq!(whole(&outcome, "frames", "network_max_ps"), [expected]);
            assert_eq!(outcome.summary.simulated_ps, expected);
        }
    }
}

/// A faster output cannot cut through: the frame would run dry.
#[test]
fn a_faster_output_waits_for_the_tail() {
    let mut san = San::new(SECOND);
    let (a, b) = (san.n_port("a"), san.n_port("b"));
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    san.link(At::NPort(a), switch, Cable::new(212_500_000, 0, 12));
    san.link(switch, At::NPort(b), Cable::new(1_700_000_000, 0, 12));
    san.traffic(a, b, 2048, 1, 0);
    let [slow, fast] = [212_500_000, 1_700_000_000].map(|bytes_per_s| {
        let rate = sanlab_kernel::Rate::from_bytes_per_s(bytes_per_s);
        rate.time_for(wire(2048)).as_ps()
    });
    assert_eq!(san.run().summary.simulated_ps, slow + US + fast);
}

/// A host and an array on one link so fast and short that only the service counts.
fn queue(service: u64, distribution: Distribution) -> San {
    let mut san = San::new(1_000_000 * SECOND);
    let host = san.host("host");
    let array = san.array("array", service, distribution);
    san.link(
        At::NPort(host),
        At::NPort(array),
        Cable::new(26_400_000_000, 0, 64),
    );
    san
}

fn mean_response(outcome: &Outcome) -> f64 {
    real(outcome, "workloads", "response_mean_ps")[0]
}

#[test]
fn m_d_1_and_m_m_1() {
    for (distribution, factor) in [
        (Distribution::Constant, 0.5),
        (Distribution::Exponential, 1.0),
    ] {
        for load in [0.3, 0.6, 0.8] {
            let service = 100 * US;
            let mut san = queue(service, distribution);
            san.plan.end_ps = 60_000 * SECOND;
            let job = san.job(0, 0, 512, 0);
            job.total_bytes = Some(n64(512 * 400_000));
            job.arrivals = Some(poisson(n64((service as f64 / load) as u64)));
            // Pollaczek and Khinchine: W = S (1 + rho (1 + c^2) / (2 (1 - rho))).
            let expected = service as f64 * (1.0 + factor * load / (1.0 - load));
            assert_near(mean_response(&san.run()), expected, 0.03);
        }
    }
}

/// Closed network of an exponential station and think time: mean value analysis, within 2 %.
#[test]
fn mean_value_analysis_for_queue_depths() {
    let service = 100 * US;
    for depth in [1, 2, 4, 8, 16, 32, 64] {
        let mut san = queue(service, Distribution::Exponential);
        let job = san.job(0, 0, 512, depth);
        job.total_bytes = Some(n64(512 * 200_000));
        job.think_ps = 500 * US;
        let outcome = san.run();
        let (mut residence, mut present) = (0.0, 0.0);
        for customers in 1..=depth {
            residence = service as f64 * (1.0 + present);
            present = f64::from(customers) * residence / (residence + 500.0 * US as f64);
        }
        // A constant delay has the same product form as an exponential one (BCMP, type 3).
        assert_near(mean_response(&outcome), residence, 0.02);
    }
}

/// Little's law from outside: depth = rate x response time, exactly the queue depth.
#[test]
fn little_s_law_gives_the_queue_depth() {
    for depth in [1, 7, 32] {
        let mut san = queue(100 * US, Distribution::Exponential);
        san.plan.end_ps = 2 * SECOND;
        san.job(0, 0, 512, depth);
        let outcome = san.run();
        let rate = real(&outcome, "workloads", "iops")[0] * 1e-12;
        assert_near(rate * mean_response(&outcome), f64::from(depth), 0.005);
    }
}

/// Times of a frame with this payload: from its first bit to its last, and to the next frame's first.
fn frame_times(bytes_per_s: u64) -> (impl Fn(u64) -> u64, impl Fn(u64) -> u64) {
    let rate = sanlab_kernel::Rate::from_bytes_per_s(bytes_per_s);
    (
        move |payload| rate.time_for(wire(payload)).as_ps(),
        move |payload| rate.time_for(wire(payload) + 24).as_ps(),
    )
}

/// One read is a command out, data and response back; one write has a round trip more, and one for
/// every further burst. To the picosecond.
#[test]
fn read_and_write_round_trips() {
    let (bytes_per_s, delay) = (850_000_000u64, 250 * US);
    let (time, slot) = frame_times(bytes_per_s);
    for bursts in [1, 4] {
        for is_read in [true, false] {
            let mut san = San::new(SECOND);
            let host = san.host("host");
            let array = san.array("array", 70 * US, Distribution::Constant);
            san.link(
                At::NPort(host),
                At::NPort(array),
                Cable::new(bytes_per_s, delay, 64),
            );
            san.plan.arrays[0].burst_bytes = n32(8192 / bursts as u32);
            let job = san.job(0, 0, 8192, 1);
            job.total_bytes = Some(n64(8192));
            job.read_ppm = if is_read { 1_000_000 } else { 0 };
            let response = whole(&san.run(), "workloads", "response_max_ps")[0];
            let command = time(32) + delay;
            let expected = if is_read {
                // The response frame follows the last data frame after its gap.
                command + 70 * US + 4 * slot(2048) + time(24) + delay
            } else {
                let frames = 4 / bursts;
                let burst = time(12) + delay + (frames - 1) * slot(2048) + time(2048) + delay;
                command + bursts * burst + 70 * US + time(24) + delay
            };
            assert_eq!(response, expected, "read {is_read}, {bursts} bursts");
        }
    }
}

/// The first burst of a write follows its command: a write that fits into it has one round trip, like a
/// read. To the picosecond.
#[test]
fn a_first_burst_saves_a_round_trip() {
    let (bytes_per_s, delay) = (850_000_000u64, 250 * US);
    let (time, slot) = frame_times(bytes_per_s);
    let data = |frames: u64| (frames - 1) * slot(2048) + time(2048) + delay;
    for (first_burst, controller) in [(8192, 0), (65_536, 0), (4096, 0), (8192, 900 * US)] {
        let mut san = San::new(SECOND);
        let host = san.host("host");
        let array = san.array("array", 70 * US, Distribution::Constant);
        let cable = Cable::new(bytes_per_s, delay, 64);
        san.link(At::NPort(host), At::NPort(array), cable);
        san.plan.arrays[0].first_burst_bytes = Some(n32(first_burst));
        san.plan.arrays[0].command_ps = controller;
        let job = san.job(0, 0, 8192, 1);
        job.total_bytes = Some(n64(8192));
        job.read_ppm = 0;
        let response = whole(&san.run(), "workloads", "response_max_ps")[0];
        // A slow controller takes the command in when the data are already there.
        let first = slot(32) + data(u64::from(first_burst.min(8192)) / 2048);
        let taken_in = first.max(time(32) + delay + controller);
        let rest = if first_burst < 8192 {
            time(12) + delay + data(2)
        } else {
            0
        };
        let expected = taken_in + rest + 70 * US + time(24) + delay;
        assert_eq!(response, expected, "first burst {first_burst}");
    }
}

/// A command that is refused has its answer when its first burst is in, and is sent again.
#[test]
fn first_bursts_of_refused_commands_are_taken_in() {
    let mut san = San::new(SECOND);
    let host = san.host("host");
    let array = san.array("array", 70 * US, Distribution::Constant);
    let cable = Cable::new(850_000_000, 10 * US, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san.plan.arrays[0].first_burst_bytes = Some(n32(4096));
    san.plan.arrays[0].luns[0].queue_depth = n32(2);
    let job = san.job(0, 0, 8192, 8);
    job.total_bytes = Some(n64(80 * 8192));
    job.read_ppm = 0;
    let outcome = san.run();
    assert_eq!(outcome.summary.ios, 80);
    assert!(whole(&outcome, "workloads", "queue_full_count")[0] > 0);
}

/// A port that waits for one burst at a time takes the bursts of eight writes one after another.
#[test]
fn open_bursts_are_limited() {
    let (bytes_per_s, delay) = (850_000_000u64, 250 * US);
    let (time, slot) = frame_times(bytes_per_s);
    let mut san = San::new(SECOND);
    let host = san.host("host");
    let array = san.array("array", 70 * US, Distribution::Constant);
    let cable = Cable::new(bytes_per_s, delay, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san.plan.arrays[0].open_bursts = Some(n32(1));
    let job = san.job(0, 0, 8192, 8);
    job.total_bytes = Some(n64(8 * 8192));
    job.read_ppm = 0;
    let response = whole(&san.run(), "workloads", "response_max_ps")[0];
    let burst = time(12) + delay + 3 * slot(2048) + time(2048) + delay;
    let expected = time(32) + delay + 8 * burst + 70 * US + time(24) + delay;
    assert_eq!(response, expected);
}

/// Reads and writes at once: more outstanding I/Os never make them slower together, whatever their sizes.
#[test]
fn mixed_throughput_never_falls_with_depth() {
    for (reads, writes) in [
        (262_144, 262_144),
        (65_536, 65_536),
        (4096, 262_144),
        (262_144, 4096),
    ] {
        let mut before = 0;
        for depth in [1, 4, 16, 64] {
            let mut san = San::new(200 * MS);
            let host = san.host("host");
            let array = san.array("array", 0, Distribution::Constant);
            let cable = Cable::new(425_000_000, 50 * NS, 64);
            san.link(At::NPort(host), At::NPort(array), cable);
            san.plan.n_ports[array as usize].interleave = Interleave::Control;
            san.job(0, 0, reads, depth);
            san.job(0, 0, writes, depth).read_ppm = 0;
            let outcome = san.run();
            let bytes: u64 = whole(&outcome, "workloads", "bytes").iter().sum();
            assert!(
                bytes >= before - before / 50,
                "{bytes} bytes at depth {depth}, {before} before"
            );
            before = bytes;
        }
    }
}

/// Four hosts on one output share it evenly, whatever they offer: within one frame in a thousand.
#[test]
fn the_crossbar_is_fair() {
    let mut san = San::new(SECOND);
    let target = san.n_port("target");
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    san.link(
        switch,
        At::NPort(target),
        Cable::new(425_000_000, 50 * NS, 16),
    );
    for (host, credit) in [2, 4, 16, 64].into_iter().enumerate() {
        let port = san.n_port(&format!("host{host}"));
        san.link(
            At::NPort(port),
            switch,
            Cable::new(425_000_000, 50 * NS, credit),
        );
        san.traffic(port, target, 2048, 0, 0);
    }
    let frames = whole(&san.run(), "frames", "frames_count");
    let (least, most) = (*frames.iter().min().unwrap(), *frames.iter().max().unwrap());
    assert!(most - least <= 1 + most / 1000, "{frames:?}");
}

/// A slow receiver behind a shared ISL takes the bandwidth of an unrelated flow, though the ISL is
/// far from busy; and the counters say who: the slow port is busy all the time and waits for nothing,
/// everything upstream of it waits for credit.
#[test]
fn congestion_spreads_over_a_shared_isl() {
    let build = |slow_rate: u64, slow_sends: bool| {
        let mut san = San::new(100 * MS);
        let (east, west) = (
            san.switch(US, true, RoutePolicy::OnePath),
            san.switch(US, true, RoutePolicy::OnePath),
        );
        let fast = Cable::new(1_700_000_000, 50 * NS, 16);
        for name in ["host1", "host2"] {
            let port = san.n_port(name);
            san.link(At::NPort(port), east, fast);
        }
        san.link(east, west, fast);
        let (slow, other) = (san.n_port("slow"), san.n_port("other"));
        san.link(west, At::NPort(slow), Cable::new(slow_rate, 50 * NS, 16));
        san.link(west, At::NPort(other), fast);
        if slow_sends {
            san.traffic(0, slow, 2048, 0, 0);
        }
        // An unrelated flow that asks for a third of the ISL.
        san.traffic(1, other, 2048, 0, 3_700 * NS);
        san.run()
    };
    let payload = |outcome: &Outcome, port: &str| of_port(outcome, port, "rx_payload_bytes") as f64;
    let alone = payload(&build(425_000_000, false), "other");
    let outcome = build(425_000_000, true);
    let victim = payload(&outcome, "other");
    assert!(victim < 0.8 * alone, "the victim keeps {victim} of {alone}");
    let isl = real(&outcome, "ports", "tx_utilisation")[4];
    assert!(isl < 0.6, "the ISL is busy {isl}");
    let waits = |port: &str| of_port(&outcome, port, "tx_credit_wait_ps");
    let (end, culprit) = (outcome.summary.simulated_ps, "sw1.f1");
    assert!(of_port(&outcome, culprit, "tx_busy_ps") > end / 100 * 99);
    assert!(waits(culprit) < end / 100);
    assert!(waits("sw0.e2") > end / 3);
    assert!(waits("host1") > end / 2);
}

/// Sequences of one port take turns frame by frame, or one after the other: a small write beside a
/// large one is done early in the first case.
#[test]
fn interleaving_lets_small_sequences_pass() {
    let response = |interleave| {
        let mut san = San::new(SECOND);
        let host = san.host("host");
        let array = san.array("array", 0, Distribution::Constant);
        san.link(
            At::NPort(host),
            At::NPort(array),
            Cable::new(106_250_000, 50 * NS, 64),
        );
        san.plan.n_ports[host as usize].interleave = interleave;
        for (bytes, start) in [(1 << 20, 0), (4096, MS)] {
            let job = san.job(0, 0, bytes, 1);
            job.read_ppm = 0;
            job.total_bytes = Some(n64(bytes));
            job.start_ps = start;
        }
        whole(&san.run(), "workloads", "response_max_ps")[1]
    };
    assert!(response(Interleave::Frame) * 5 < response(Interleave::Sequence));
}

/// Routes over two equal-cost ISLs: one path uses one, the exchange hash uses both alike.
#[test]
fn route_policies_spread_over_equal_cost_links() {
    let frames_on_isls = |routing| {
        let mut san = San::new(SECOND);
        let host = san.host("host");
        let array = san.array("array", 0, Distribution::Constant);
        let (east, west) = (san.switch(US, true, routing), san.switch(US, true, routing));
        let cable = Cable::new(850_000_000, 50 * NS, 16);
        san.link(At::NPort(host), east, cable);
        san.link(east, west, cable);
        san.link(east, west, cable);
        san.link(west, At::NPort(array), cable);
        let job = san.job(0, 0, 4096, 16);
        job.total_bytes = Some(n64(4096 * 4000));
        let outcome = san.run();
        let frames = whole(&outcome, "ports", "rx_frames_count");
        (frames[2], frames[4])
    };
    for routing in [
        RoutePolicy::OnePath,
        RoutePolicy::IngressPort,
        RoutePolicy::SourceDestination,
    ] {
        let (first, second) = frames_on_isls(routing);
        assert!(
            first == 0 || second == 0,
            "{routing:?}: {first} and {second}"
        );
    }
    let (first, second) = frames_on_isls(RoutePolicy::Exchange);
    assert_near(first as f64, second as f64, 0.1);
}

/// A target that accepts few commands answers TASK SET FULL, and everything is done in the end.
#[test]
fn task_set_full_is_retried_until_done() {
    let mut san = queue(100 * US, Distribution::Constant);
    san.plan.arrays[0].luns[0].queue_depth = n32(4);
    let job = san.job(0, 0, 4096, 32);
    job.total_bytes = Some(n64(4096 * 2000));
    let outcome = san.run();
    assert_eq!(whole(&outcome, "workloads", "io_count"), [2000]);
    assert!(whole(&outcome, "workloads", "queue_full_count")[0] > 0);
    // The device is never idle: 2000 services one after the other, within 1 %.
    assert_near(
        outcome.summary.simulated_ps as f64,
        2000.0 * 100.0 * US as f64,
        0.01,
    );
}

/// A port that empties its buffers slowly passes exactly that rate.
#[test]
fn a_slow_drain_sets_the_rate() {
    let mut san = pair(Cable::new(1_700_000_000, 50 * NS, 16));
    san.plan.n_ports[1].drain_bytes_per_s = Some(n64(100_000_000));
    san.plan.end_ps = SECOND;
    san.traffic(0, 1, 2048, 0, 0);
    let outcome = san.run();
    assert_near(
        of_port(&outcome, "b", "rx_payload_bytes") as f64,
        1e8,
        0.001,
    );
    assert!(of_port(&outcome, "a", "tx_credit_wait_ps") > SECOND / 10 * 8);
}

/// A ring of switches, and a flow from each over two ISLs of one credit: each waits for the next.
fn ring() -> San {
    let mut san = San::new(10 * MS);
    let cable = Cable::new(212_500_000, 50 * NS, 1);
    let ring: Vec<_> = (0..5)
        .map(|_| san.switch(US, false, RoutePolicy::OnePath))
        .collect();
    for place in 0..5 {
        san.link(ring[place], ring[(place + 1) % 5], cable);
    }
    let ports: Vec<_> = (0..5)
        .map(|place| {
            let port = san.n_port(&format!("port{place}"));
            san.link(At::NPort(port), ring[place], Cable { credit: 8, ..cable });
            port
        })
        .collect();
    for place in 0..5 {
        san.traffic(ports[place], ports[(place + 2) % 5], 2048, 0, 0);
    }
    san
}

/// A ring of switches whose routes wait for each other in a circle: nothing moves any more, and the run
/// says so instead of calling it a result.
#[test]
fn a_credit_deadlock_fails_the_run() {
    let error = ring().try_run(false).expect_err("a deadlock");
    assert!(error.to_string().starts_with("nothing moves"), "{error}");
    let slow = ring().try_run(true);
    assert_eq!(error, slow.expect_err("a deadlock in the reference too"));
}

/// The same while traffic elsewhere goes on to the end of the run.
#[test]
fn a_deadlock_is_not_hidden_by_other_traffic() {
    let mut san = ring();
    let (a, b) = (san.n_port("a"), san.n_port("b"));
    san.link(At::NPort(a), At::NPort(b), Cable::new(212_500_000, 0, 8));
    san.traffic(a, b, 2048, 0, 0);
    let error = san.try_run(false).expect_err("a deadlock");
    assert!(error.to_string().contains("in a circle"), "{error}");
    let slow = san.try_run(true);
    assert_eq!(error, slow.expect_err("a deadlock in the reference too"));
}

/// Starvation is not deadlock: with one flow less, the ring never stops.
#[test]
fn a_ring_without_a_circle_goes_on() {
    let mut san = ring();
    san.plan.traffic.pop();
    assert!(
        whole(&san.run(), "frames", "frames_count")
            .iter()
            .all(|&frames| frames > 100)
    );
}

/// Frames that come later than the event queue can hold never come, and break nothing.
#[test]
fn traffic_beyond_the_horizon_waits_for_ever() {
    let mut san = pair(Cable::new(212_500_000, 50 * NS, 8));
    san.plan.end_ps = SECOND;
    san.traffic(0, 1, 2048, 0, 1_000_000 * SECOND);
    san.traffic(0, 1, 2048, 0, 1_000_000 * SECOND);
    san.plan.traffic[1].start_ps = 2_000_000 * SECOND;
    assert_eq!(whole(&san.run(), "frames", "frames_count"), [1, 0]);
    san.plan.traffic[1].start_ps = 17_000_000 * SECOND;
    let error = san
        .try_run(false)
        .expect_err("beyond the clock")
        .to_string();
    assert!(error.contains("traffic[1].start_ps"), "{error}");
}

/// A single read never waits: its time is service and wire, to the picosecond.
#[test]
fn a_lone_read_has_no_queue() {
    let mut san = San::new(SECOND);
    let host = san.host("host");
    let array = san.array("array", 70 * US, Distribution::Constant);
    san.link(
        At::NPort(host),
        At::NPort(array),
        Cable::new(212_500_000, US, 64),
    );
    for bytes in [512, 8192, 10_000] {
        san.plan.jobs.clear();
        san.plan.workloads.clear();
        let job = san.job(0, 0, bytes, 1);
        job.total_bytes = Some(n64(bytes));
        let outcome = san.run();
        let stages = text(&outcome, "stages", "stage");
        let times = whole(&outcome, "stages", "total_ps");
        let told: Vec<_> = stages
            .iter()
            .zip(&times)
            .filter(|(_, time)| **time > 0)
            .map(|it| it.0.as_str())
            .collect();
        assert_eq!(told, ["wire", "media"], "{bytes} bytes: {times:?}");
    }
}

/// A wait for credit counts in the interval in which it is, not in the one in which it ends, and one
/// that never ends counts too.
#[test]
fn a_lasting_credit_wait_is_counted_as_it_lasts() {
    for every_event in [false, true] {
        let mut san = pair(Cable::new(212_500_000, 5 * MS, 1));
        san.plan.end_ps = 25 * MS;
        san.plan.interval_ps = Some(n64(MS));
        san.traffic(0, 1, 2048, 0, 0);
        let outcome = san.try_run(every_event).expect("the laws hold");
        let ports = text(&outcome, "port_series", "port");
        let waits = whole(&outcome, "port_series", "tx_credit_wait_ps");
        let of_a: Vec<_> = ports
            .iter()
            .zip(waits)
            .filter(|it| it.0 == "a")
            .map(|it| it.1)
            .collect();
        assert_eq!(of_a.len(), 25);
        assert!(
            of_a.iter().all(|&wait| wait <= MS && wait > MS * 9 / 10),
            "{of_a:?}"
        );
        assert_eq!(
            of_port(&outcome, "a", "tx_credit_wait_ps"),
            of_a.iter().sum::<u64>()
        );
    }
}
