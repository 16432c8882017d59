//! Loops at switches: closed forms of a read through an FL_Port, and what the loop is the bound of.

use crate::support::*;
use proptest::prelude::*;
use sanlab_fc::HEADER_IN_BYTES;
use sanlab_kernel::Rate;
use sanlab_sim::plan::{
    Distribution, Interleave, LoopActionPlan, LoopFaultPlan, RoutePolicy, VirtualChannelPlan,
};

const RATE: u64 = 212_500_000;
const LATENCY: u64 = 700 * NS;
const DELAY: u64 = 50 * NS;
const HOP: u64 = 6 * WORD_2GFC;

fn time_of(bytes: u64) -> u64 {
    Rate::from_bytes_per_s(RATE).time_for(bytes).as_ps()
}

/// Hosts on a switch and targets of memory, each an array of its own, on a loop at the switch.
fn public_loop(hosts: usize, targets: usize, service: u64, end: u64) -> San {
    let mut san = San::new(end);
    let switch = san.switch(LATENCY, true, RoutePolicy::OnePath);
    for host in 0..hosts {
        let port = san.host(&format!("host{host}"));
        san.link(At::NPort(port), switch, Cable::new(RATE, DELAY, 8));
    }
    let targets: Vec<_> = (0..targets)
        .map(|it| san.array(&format!("disk{it}"), service, Distribution::Constant))
        .collect();
    san.public_loop(&targets, switch, 8);
    san
}

/// One read at a time, every instant of it by hand: the command waits at the FL_Port for the loop, the
/// disk opens the FL_Port, and cut-through adds a header and the latency of the switch each way.
#[test]
fn a_read_through_an_fl_port_to_the_picosecond() {
    for (targets, place) in [(1usize, 0u32), (7, 3), (20, 19)] {
        let service = 50 * US;
        let mut san = public_loop(1, targets, service, 20 * MS);
        san.job(0, place, 512, 1);
        let outcome = san.run();
        let round = HOP * (targets as u64 + 1);
        let out = HOP * (u64::from(place) + 1);
        let header = time_of(HEADER_IN_BYTES);
        // Arbitration, OPN and the first R_RDY each take a round, then the frame.
        let opened = |wanted_at: u64| wanted_at + 2 * round + WORD_2GFC;
        let at_fl_port = DELAY + header + LATENCY;
        let at_disk = opened(at_fl_port) + time_of(wire(32)) + out;
        let data = opened(at_disk + service);
        let at_switch = data + (round - out) + header + LATENCY;
        let slot = time_of(wire(512) + 24);
        let response = at_switch + slot + time_of(wire(24)) + DELAY;
        assert_eq!(whole(&outcome, "workloads", "response_min_ps")[0], response);
        assert_eq!(whole(&outcome, "workloads", "response_max_ps")[0], response);
        let kinds = text(&outcome, "ports", "kind");
        assert_eq!(kinds.iter().filter(|kind| *kind == "fl_port").count(), 1);
    }
}

/// Disks that hosts of the fabric read share the rate of their loop, whatever the links carry.
#[test]
fn the_disks_of_a_loop_share_its_rate() {
    let payload = RATE as f64 * 2048.0 / (wire(2048) + 24) as f64;
    let rate = |hosts: u32, targets: u32, read_ppm| {
        let mut san = public_loop(hosts as usize, targets as usize, 100 * US, 30 * MS);
        for target in 0..targets {
            san.job(target % hosts, target, 65_536, 4).read_ppm = read_ppm;
        }
        let outcome = san.run();
        let rates = real(&outcome, "workloads", "throughput_bytes_per_s");
        rates.iter().sum::<f64>() / payload
    };
    for reads in [1_000_000, 0] {
        let (two, eight) = (rate(2, 4, reads), rate(4, 16, reads));
        assert!((0.9..=1.0).contains(&two), "{two}");
        assert!((0.9..=1.0).contains(&eight), "{eight}");
    }
}

/// A host on the loop that reads and writes at once, with an array of a faster link on the switch: the
/// circuits go both ways, so that both directions fill the loop as the queue grows.
/// With 16 buffers the R_RDYs of the port that opened a circuit come in time.
#[test]
fn reads_and_writes_of_a_host_on_the_loop_together_fill_both_directions() {
    let payload = RATE as f64 * 2048.0 / (wire(2048) + 24) as f64;
    for is_fair in [false, true] {
        let mut most = 0.0;
        for depth in [1, 2, 4, 8, 16] {
            let mut san = San::new(80 * MS);
            let switch = san.switch(LATENCY, true, RoutePolicy::OnePath);
            let host = san.host("host");
            let array = san.array("array", 100 * US, Distribution::Exponential);
            san.link(At::NPort(array), switch, Cable::new(4 * RATE, DELAY, 16));
            let of = san.public_loop(&[host], switch, 16);
            of.ports[0].is_fair = is_fair;
            of.ports[1].buffers = n32(16);
            san.plan.n_ports[array as usize].interleave = Interleave::Control;
            for read_ppm in [0, 1_000_000] {
                san.job(0, 0, 262_144, depth).read_ppm = read_ppm;
            }
            let rates = real(&san.run(), "workloads", "throughput_bytes_per_s");
            let (sum, least) = (rates.iter().sum::<f64>(), rates[0].min(rates[1]));
            assert!(
                sum > 0.99 * most,
                "fair {is_fair}, depth {depth}: {rates:?}"
            );
            assert!(
                least > 0.35 * sum,
                "fair {is_fair}, depth {depth}: {rates:?}"
            );
            assert!(
                depth < 8 || least > 0.97 * payload,
                "fair {is_fair}: {rates:?}"
            );
            most = f64::max(sum, most);
        }
    }
}

#[test]
fn a_private_disk_is_reached_on_its_loop_only() {
    let mut san = public_loop(1, 2, 10 * US, 5 * MS);
    san.plan.loops[0].ports[2].is_public = false;
    san.job(0, 1, 512, 1);
    let error = san.try_run(false).expect_err("a private disk");
    assert!(error.to_string().contains("no path between"), "{error}");
}

/// Two loops whose disks write to each other through FL_Ports with one buffer never wait in a circle.
#[test]
fn loops_that_send_to_each_other_go_on() {
    let mut san = San::new(20 * MS);
    let switch = san.switch(LATENCY, true, RoutePolicy::OnePath);
    for side in 0..2 {
        let host = san.host(&format!("host{side}"));
        let disk = san.array(&format!("disk{side}"), 10 * US, Distribution::Constant);
        san.public_loop(&[host, disk], switch, 1);
    }
    for (host, target) in [(0, 1), (1, 0)] {
        san.job(host, target, 65_536, 8).read_ppm = 500_000;
    }
    let outcome = san.run();
    let bytes = whole(&outcome, "workloads", "bytes");
    assert!(bytes.iter().all(|&bytes| bytes > 200_000), "{bytes:?}");
}

/// A disk that leaves the loop loses its commands, and the others of its loop go on.
#[test]
fn a_disk_pulled_from_a_public_loop_fails_alone() {
    let mut san = public_loop(1, 3, 10 * US, 200 * MS);
    let adapter = &mut san.plan.hosts[0].adapters[0];
    (adapter.command_timeout_ps, adapter.path_timeout_ps) = (Some(n64(20 * MS)), 20 * MS);
    for target in 0..3 {
        san.job(0, target, 4096, 2);
    }
    let before = whole(&san.run(), "jobs", "io_count");
    san.plan.loop_faults.push(LoopFaultPlan {
        at_ps: 50 * MS,
        loop_id: 0,
        action: LoopActionPlan::Remove { places: vec![2] },
    });
    let outcome = san.run();
    let after = whole(&outcome, "jobs", "io_count");
    assert!(
        before.iter().all(|&count| count > before[0] * 9 / 10),
        "{before:?}"
    );
    assert!(
        after[1] < before[1] / 3 && after[0] > before[0],
        "{before:?} {after:?}"
    );
    let errors: u64 = whole(&outcome, "workloads", "error_count").iter().sum();
    assert_eq!(errors, 2, "what was open on the disk");
}

proptest! {
    #![proptest_config(cases(64))]

    /// Two loops with hosts and disks, on switches that little credit joins: whatever waits for whatever, all
    /// work gets done, and the reference gives the same tables.
    #[test]
    fn swarm_of_loops_that_send_to_each_other(
        ports in prop::collection::vec(
            (1u64..40, any::<bool>(), any::<bool>(), any::<bool>(), 1u32..4, 1u32..5), 10),
        jobs in prop::collection::vec((0u32..4, 0u32..4, 1u64..20, 1u32..9, 0u32..=2), 2..8),
        buffers in (1u32..4, 1u32..4),
        (credit, has_channels, latency) in (1u32..4, any::<bool>(), prop::sample::select(&[0, US][..])),
    ) {
        let mut san = San::new(1000 * SECOND);
        let switches = [0, 1].map(|_| san.switch(latency, latency > 0, RoutePolicy::Destination));
        let isl = san.link(switches[0], switches[1], Cable::new(4 * RATE, 0, credit));
        if has_channels {
            san.plan.links[isl].virtual_channels = vec![VirtualChannelPlan {
                class_id: 0,
                credit_a_to_b: n32(credit),
                credit_b_to_a: n32(1),
            }];
        }
        let hosts: Vec<_> = (0..4).map(|number| san.host(&format!("host{number}"))).collect();
        let disks: Vec<_> = (0..4)
            .map(|number| san.array(&format!("disk{number}"), 20 * US, Distribution::Exponential))
            .collect();
        let mut drawn = ports.into_iter();
        for (side, buffers) in [buffers.0, buffers.1].into_iter().enumerate() {
            let own = 2 * side..2 * side + 2;
            let on_loop = [&hosts[own.clone()], &disks[own]].concat();
            let of = san.public_loop(&on_loop, switches[side], buffers);
            for place in &mut of.ports {
                let drawn = drawn.next().expect("one for each place");
                place.delay_ps = n64(drawn.0 * WORD_2GFC);
                place.repeat_ps = 0;
                (place.uses_transfer, place.is_full_duplex) = (drawn.1, drawn.2);
                (place.is_fair, place.tenancy_frames) = (true, n32(drawn.5));
                if place.n_port.is_some() {
                    (place.is_fair, place.buffers) = (drawn.3, n32(drawn.4));
                }
            }
        }
        let mut asked = 0;
        for (host, target, blocks, depth, reads) in jobs {
            let job = san.job(host, target, blocks * 512, depth);
            job.read_ppm = reads * 500_000;
            job.total_bytes = Some(n64(blocks * 512 * 30));
            asked += blocks * 512 * 30;
        }
        let fast = san.try_run(false);
        if fast.is_err() { std::fs::write("/tmp/hunt/p.json", serde_json::to_string(&san.plan).expect("x")).expect("x"); }
        prop_assert!(fast.is_ok(), "{:?}", fast.err());
        let (fast, slow) = (fast.expect("a run"), san.try_run(true).expect("a run"));
        prop_assert_eq!(asked, whole(&fast, "workloads", "bytes").iter().sum::<u64>());
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
        for (fast, slow) in fast.tables.iter().zip(&slow.tables) {
            prop_assert!(fast == slow, "table {} differs from the reference's", fast.name);
        }
    }

    /// Any behaviour of the ports of a loop at a switch: the laws hold, no job waits indefinitely where
    /// ports are fair, and the reference gives the same tables.
    #[test]
    fn swarm_of_public_loops(
        ports in prop::collection::vec(
            (1u64..40, any::<bool>(), any::<bool>(), 0u32..9, 1u32..9, 1u32..40), 10),
        jobs in prop::collection::vec((0u32..4, 0u32..6, 1u64..200, 1u32..9, 0u32..=2), 1..10),
        buffers in 1u32..9,
        hold in prop::sample::select(&[0, MS][..]),
    ) {
        let mut san = San::new(3 * MS);
        let switch = san.switch(LATENCY, true, RoutePolicy::OnePath);
        let hosts: Vec<_> = (0..4).map(|it| san.host(&format!("host{it}"))).collect();
        let disks: Vec<_> = (0..6)
            .map(|it| san.array(&format!("disk{it}"), 20 * US, Distribution::Exponential))
            .collect();
        for &port in hosts[..2].iter().chain(&disks[5..]) {
            san.link(At::NPort(port), switch, Cable::new(RATE, DELAY, 3));
        }
        let on_loop = [&hosts[2..], &disks[..5]].concat();
        let of = san.public_loop(&on_loop, switch, buffers);
        for (place, drawn) in of.ports.iter_mut().zip(ports) {
            place.delay_ps = n64(drawn.0 * WORD_2GFC);
            place.repeat_ps = 0;
            (place.uses_transfer, place.is_full_duplex) = (drawn.1, drawn.2);
            place.tenancy_frames = n32(drawn.5);
            if place.n_port.is_some() {
                (place.login_credit, place.buffers) = (drawn.3, n32(drawn.4));
            }
        }
        if hold > 0 {
            san.plan.switches[0].edge_hold_ps = Some(n64(hold));
            for host in &mut san.plan.hosts {
                host.adapters[0].command_timeout_ps = Some(n64(2 * MS));
            }
        }
        for (host, target, blocks, depth, reads) in jobs {
            san.job(host, target, blocks * 512, depth).read_ppm = reads * 500_000;
        }
        let fast = san.try_run(false);
        prop_assert!(fast.is_ok(), "{:?}", fast.err());
        let (fast, slow) = (fast.expect("a run"), san.try_run(true).expect("a run"));
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
        for (fast, slow) in fast.tables.iter().zip(&slow.tables) {
            prop_assert!(fast == slow, "table {} differs from the reference's", fast.name);
        }
        if hold == 0 {
            san.plan.end_ps = 400 * MS;
            for port in &mut san.plan.loops[0].ports {
                port.is_fair = true;
            }
            let done = whole(&san.run(), "jobs", "io_count");
            prop_assert!(done.iter().all(|&count| count > 0));
        }
    }
}
