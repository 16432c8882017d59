//! Links that fail, paths that take over, frames that are lost: what must hold then.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::plan::{
    AdapterPlan, CreditLossPlan, Distribution, DrainPlan, FaultsPlan, MemberOutagePlan,
    MultipathPlan, OutagePlan, PathPlan, RoutePolicy, SpreadingPlan, VirtualChannelPlan,
    VisibilityPlan,
};
use std::num::NonZeroU64;

const RATE: u64 = 850_000_000;

/// Timers short enough for a test.
fn quick() -> FaultsPlan {
    FaultsPlan {
        is_armed: true,
        notice_ps: MS,
        login_ps: 5 * MS,
        e_d_tov_ps: 10 * MS,
        r_a_tov_ps: 20 * MS,
        credit_timeout_ps: 10 * MS,
        ..FaultsPlan::none()
    }
}

fn round_robin() -> MultipathPlan {
    MultipathPlan {
        spreading: SpreadingPlan::RoundRobin { ios: n32(1) },
        queues_without_path: true,
        failback_ps: Some(0),
        checker_ps: 10 * MS,
    }
}

/// A host with two adapters, two switches, an array with two ports: two paths that share nothing.
fn two_paths(policy: Option<MultipathPlan>) -> San {
    let mut san = San::new(2 * SECOND);
    san.plan.faults = quick();
    let cable = Cable::new(RATE, 50 * NS, 16);
    let host = san.host("host");
    let second = san.n_port("host.b");
    let array = san.array("array", 100 * US, Distribution::Constant);
    let other = san.n_port("array.b");
    san.plan.arrays[0].n_ports.push(other);
    san.plan.arrays[0].controllers[0].n_ports.push(other);
    for (near, far) in [(host, array), (second, other)] {
        let switch = san.switch(US, true, RoutePolicy::OnePath);
        san.link(At::NPort(near), switch, cable);
        san.link(switch, At::NPort(far), cable);
    }
    let adapter = AdapterPlan {
        command_timeout_ps: Some(n64(300 * MS)),
        path_timeout_ps: 50 * MS,
        retries: 5,
        ..san.plan.hosts[0].adapters[0].clone()
    };
    san.plan.hosts[0].adapters = vec![
        adapter.clone(),
        AdapterPlan {
            n_port: second,
            ..adapter
        },
    ];
    san.plan.hosts[0].multipath = policy;
    let job = san.job(0, 0, 8192, 4);
    job.total_bytes = Some(n64(8192 * 4000));
    job.read_ppm = 500_000;
    if policy.is_some() {
        job.targets[0].paths.push(PathPlan {
            adapter: 1,
            target_n_port: other,
            group: 0,
        });
    }
    san
}

fn outage(from_ps: u64, until_ps: u64) -> Vec<OutagePlan> {
    let until_ps = Some(n64(until_ps));
    vec![OutagePlan { from_ps, until_ps }]
}

fn counts(san: &San) -> [u64; 4] {
    let outcome = san.run();
    ["io_count", "retried_count", "delayed_count", "error_count"]
        .map(|column| whole(&outcome, "workloads", column).iter().sum())
}

/// The cable of one path is pulled: what was under way over it waits until the path has failed, and
/// is done by the other; the application sees nothing but a pause of the time-out.
#[test]
fn a_pulled_cable_pauses_for_the_time_out_and_loses_nothing() {
    let mut san = two_paths(Some(round_robin()));
    san.plan.links[0].outages = vec![OutagePlan {
        from_ps: 100 * MS,
        until_ps: None,
    }];
    let outcome = san.run();
    let [done, retried, delayed, failed] = counts(&san);
    assert_eq!((done, failed), (4000, 0));
    assert!(retried > 0 && delayed >= retried, "{retried} {delayed}");
    let longest = *whole(&outcome, "workloads", "response_max_ps")
        .iter()
        .max()
        .unwrap();
    assert!((50 * MS..51 * MS).contains(&longest), "{longest}");
    let replaced = whole(&outcome, "paths", "replaced_ps");
    assert!((100 * MS..102 * MS).contains(&replaced[0]), "{replaced:?}"); // by what went there anyway
    assert_eq!(text(&outcome, "paths", "state"), ["failed", "up"]);
}

/// The far end's cable: the host learns of it when the fabric tells.
#[test]
fn a_far_cable_is_noticed_when_the_fabric_tells() {
    let mut san = two_paths(Some(round_robin()));
    san.plan.links[1].outages = outage(100 * MS, 400 * MS);
    let outcome = san.run();
    assert_eq!(
        whole(&outcome, "workloads", "error_count")
            .iter()
            .sum::<u64>(),
        0
    );
    assert_eq!(whole(&outcome, "paths", "lost_first_ps")[0], 101 * MS);
    // Lit at 400 ms, noticed a millisecond later, logged in, and looked at by the checker.
    assert_eq!(whole(&outcome, "paths", "lost_ps")[0], (410 - 101) * MS);
    let states = text(&outcome, "paths", "state");
    assert_eq!(states, ["up", "up"]);
}

/// One path, and its cable is back before it has failed: nothing fails. If it is not, all that was
/// open does, and nothing else before the cable is back.
#[test]
fn one_path_waits_or_fails() {
    let mut san = two_paths(None);
    san.plan.links[0].outages = outage(100 * MS, 130 * MS);
    assert_eq!(counts(&san)[3], 0);
    san.plan.links[0].outages = outage(100 * MS, 200 * MS);
    let [done, .., failed] = counts(&san);
    assert_eq!((done + failed, failed), (4000, 4));
}

/// One of two ISLs fails: until the switches have new routes, frames are lost; commands that
/// lost one are aborted at their time-out and sent again.
#[test]
fn an_isl_that_fails_costs_a_time_out() {
    let mut san = San::new(2 * SECOND);
    san.plan.faults = quick();
    let cable = Cable::new(RATE, 50 * NS, 16);
    let (near, far) = (
        san.switch(US, true, RoutePolicy::Exchange),
        san.switch(US, true, RoutePolicy::Exchange),
    );
    let host = san.host("host");
    let array = san.array("array", 100 * US, Distribution::Constant);
    san.link(At::NPort(host), near, cable);
    san.link(far, At::NPort(array), cable);
    let first = san.link(near, far, cable);
    san.link(near, far, cable);
    let adapter = &mut san.plan.hosts[0].adapters[0];
    (adapter.command_timeout_ps, adapter.retries) = (Some(n64(60 * MS)), 5);
    san.job(0, 0, 65_536, 8).total_bytes = Some(n64(65_536 * 2000));
    san.plan.links[first].outages = vec![OutagePlan {
        from_ps: 50 * MS,
        until_ps: None,
    }];
    san.plan.faults.route_updates_ps = vec![55 * MS];
    let outcome = san.run();
    assert_eq!(counts(&san)[0], 2000);
    assert_eq!(counts(&san)[3], 0);
    let longest = *whole(&outcome, "workloads", "response_max_ps")
        .iter()
        .max()
        .unwrap();
    assert!((60 * MS..65 * MS).contains(&longest), "{longest}");
}

/// Bits arrive inverted as often as the rate says, and every I/O is done in the end.
#[test]
fn bit_errors_lose_frames_in_proportion() {
    let mut san = two_paths(None);
    san.plan.hosts[0].adapters[0].retries = 50;
    san.plan.hosts[0].adapters[0].command_timeout_ps = Some(n64(5 * MS));
    san.plan.links[0].bit_error_interval = Some(n64(10_000_000));
    let outcome = san.run();
    let bits = 8.0 * whole(&outcome, "ports", "tx_bytes").iter().sum::<u64>() as f64 / 2.0;
    let dropped = whole(&outcome, "ports", "tx_dropped_count")
        .iter()
        .sum::<u64>() as f64;
    assert!(dropped > 20.0);
    assert!(
        (dropped / (bits / 1e7) - 1.0).abs() < 0.5,
        "{dropped} of {bits}"
    );
    assert_eq!(counts(&san)[3], 0);
}

/// Commands are aborted and sent again; the ids of their exchanges rest. The run is over with the last
/// I/O all the same, long before its cap.
#[test]
fn a_run_with_aborted_commands_ends_with_its_work() {
    for seed in 1..=12 {
        let mut san = two_paths(None);
        san.plan.seed = seed;
        san.plan.end_ps = 3600 * SECOND;
        san.plan.links[1].bit_error_interval = Some(n64(3_000_000));
        san.plan.faults.r_a_tov_ps = 10 * SECOND;
        san.plan.hosts[0].adapters[0].retries = 50;
        san.plan.jobs[0].block_bytes = n64(65_536);
        san.plan.jobs[0].read_ppm = 1_000_000;
        san.plan.jobs[0].total_bytes = Some(n64(8 << 20));
        let outcome = san.run();
        assert_eq!(counts(&san)[0], 128, "seed {seed}");
        let retried = whole(&outcome, "workloads", "retried_count")[0];
        assert!(retried > 0, "seed {seed}");
        // From the start to the last completion.
        let window = whole(&outcome, "workloads", "window_ps")[0];
        assert_eq!(outcome.summary.simulated_ps, window, "seed {seed}");
    }
}

/// A transmitter that loses all its credit stops until its link is reset; with BB_SC it recovers
/// lost credit while it sends.
#[test]
fn lost_credit_comes_back_by_reset_or_by_count() {
    let mut san = two_paths(None);
    san.plan.hosts[0].adapters[0].retries = 50;
    let loss = |count| CreditLossPlan {
        at_ps: 50 * MS,
        fibre: 0,
        count,
    };
    san.plan.faults.credit_losses = vec![loss(16)];
    let outcome = san.run();
    let what = text(&outcome, "happenings", "what");
    let times = whole(&outcome, "happenings", "time_ps");
    let reset = what
        .iter()
        .position(|it| it.starts_with("link reset"))
        .expect("a reset");
    assert!(
        (60 * MS..63 * MS).contains(&times[reset]),
        "{}",
        times[reset]
    );
    assert_eq!(counts(&san)[3], 0);
    san.plan.faults.credit_losses = vec![loss(5)];
    san.plan.faults.bb_sc_n = Some(n32(4));
    let outcome = san.run();
    let what = text(&outcome, "happenings", "what");
    assert!(what.iter().any(|it| it.starts_with("BB_SC")), "{what:?}");
}

/// On a busy link nearly all credit is in use: what a fault takes is lost when its R_RDYs come. Each
/// credit that is left carries a frame per round trip; without any, the link is reset.
#[test]
fn a_busy_link_loses_as_much_credit_as_the_fault_says() {
    let run = |count, end| {
        let mut san = San::new(end);
        san.plan.faults = quick();
        let near = san.switch(US, true, RoutePolicy::OnePath);
        let far = san.switch(US, true, RoutePolicy::OnePath);
        let host = san.host("host");
        let array = san.array("array", 20 * US, Distribution::Constant);
        san.link(At::NPort(host), near, Cable::new(RATE, 50 * NS, 16));
        let isl = san.link(near, far, Cable::new(RATE, 25 * US, 30));
        san.link(far, At::NPort(array), Cable::new(RATE, 50 * NS, 16));
        san.job(0, 0, 65_536, 16).read_ppm = 0;
        san.plan.faults.credit_losses = vec![CreditLossPlan {
            at_ps: 2 * MS,
            fibre: 2 * isl as u32,
            count,
        }];
        let fast = san.try_run(false).expect("the laws hold");
        let slow = san.try_run(true).expect("the laws hold in the reference");
        assert_eq!(differences(&fast, &slow), "", "{count} lost");
        let port = 2 * isl;
        let frames = whole(&fast, "ports", "tx_frames_count")[port];
        let resets = whole(&fast, "ports", "tx_link_reset_count")[port];
        let what = text(&fast, "happenings", "what");
        (frames, resets, what, whole(&fast, "happenings", "time_ps"))
    };
    let per_credit = |lost: u32| {
        let frames = run(lost, 11 * MS).0 - run(lost, 6 * MS).0;
        frames as f64 / f64::from(30 - lost)
    };
    let first = per_credit(15);
    for lost in [20, 25, 27, 29] {
        let ratio = per_credit(lost) / first;
        assert!((ratio - 1.0).abs() < 0.03, "{lost} lost: {ratio}");
    }
    for (count, said) in [
        (30, "30 credits get lost"),
        (
            1000,
            "30 credits get lost, all that were left, instead of 1000",
        ),
    ] {
        assert_eq!(run(count, 11 * MS).0, run(count, 3 * MS).0);
        let (_, resets, what, times) = run(count, 20 * MS);
        assert_eq!((resets, what[0].as_str()), (1, said));
        assert!(what[1].starts_with("link reset"), "{what:?}");
        assert_eq!(times[..2], [2 * MS, 12 * MS]);
    }
}

/// The second group of paths serves only while the first has none, and gives it back.
#[test]
fn the_second_group_takes_over_and_gives_back() {
    let policy = MultipathPlan {
        spreading: SpreadingPlan::OnePath {},
        failback_ps: Some(30 * MS),
        ..round_robin()
    };
    let mut san = two_paths(Some(policy));
    san.plan.jobs[0].targets[0].paths[1].group = 1;
    san.plan.jobs[0].total_bytes = Some(n64(8192 * 20_000));
    san.plan.links[0].outages = outage(100 * MS, 300 * MS);
    let outcome = san.run();
    let what = text(&outcome, "happenings", "what");
    let times = whole(&outcome, "happenings", "time_ps");
    let moves: Vec<u64> = what
        .iter()
        .zip(&times)
        .filter(|(what, _)| what.starts_with("lun moves"))
        .map(|(_, &at)| at)
        .collect();
    // Lost at 100, failed at 150; lit at 300, logged in, checked at 310, given back 30 ms later.
    assert_eq!(moves, [150 * MS, 340 * MS]);
    assert_eq!(whole(&outcome, "paths", "replaced_ps")[0] / MS, 150);
}

/// Any faults while a path remains: nothing is lost and nothing done twice, all laws hold, and the
/// slow reference agrees to the last digit.
#[derive(Clone, Debug)]
struct Trouble {
    link: usize,
    from: u64,
    length: u64,
    kind: u8,
}

fn trouble() -> impl Strategy<Value = Trouble> {
    (0..6usize, 1..60u64, 1..50u64, 0..5u8).prop_map(|(link, from, length, kind)| Trouble {
        link,
        from: from * MS,
        length: length * MS,
        kind,
    })
}

/// Two switches on each of two planes, joined by two ISLs; every path of the first plane may fail.
fn planes(troubles: &[Trouble], bit_errors: bool, policy: usize) -> San {
    let mut san = San::new(20 * SECOND);
    san.plan.faults = quick();
    san.plan.interval_ps = Some(n64(10 * MS));
    let cable = Cable::new(RATE, 2 * US, 4);
    let host = san.host("host");
    let second = san.n_port("host.b");
    let array = san.array("array", 50 * US, Distribution::Exponential);
    let other = san.n_port("array.b");
    san.plan.arrays[0].n_ports.push(other);
    san.plan.arrays[0].controllers[0].n_ports.push(other);
    san.plan.arrays[0].burst_bytes = n32(16_384);
    for (near, far) in [(host, array), (second, other)] {
        let (a, b) = (
            san.switch(US, true, RoutePolicy::Exchange),
            san.switch(US, false, RoutePolicy::SourceDestination),
        );
        san.link(At::NPort(near), a, cable);
        san.link(b, At::NPort(far), cable);
        san.link(a, b, cable);
        san.link(a, b, cable);
    }
    let adapter = AdapterPlan {
        command_timeout_ps: Some(n64(30 * MS)),
        path_timeout_ps: 15 * MS,
        retries: 1000,
        ..san.plan.hosts[0].adapters[0].clone()
    };
    let next = AdapterPlan {
        n_port: second,
        ..adapter.clone()
    };
    san.plan.hosts[0].adapters = vec![adapter, next];
    san.plan.hosts[0].multipath = Some(MultipathPlan {
        spreading: [
            SpreadingPlan::RoundRobin { ios: n32(3) },
            SpreadingPlan::LeastQueue {},
            SpreadingPlan::OnePath {},
        ][policy % 3],
        ..round_robin()
    });
    let job = san.job(0, 0, 32_768, 6);
    job.total_bytes = Some(n64(32_768 * 600));
    job.read_ppm = 500_000;
    job.targets[0].paths.push(PathPlan {
        adapter: 1,
        target_n_port: other,
        group: (policy / 3) as u32 % 2,
    });
    // The other plane stays whole, but for cables of a trunk and what virtual channels hold apart.
    san.plan.links[6].members = n32(3);
    san.plan.links[6].virtual_channels = vec![VirtualChannelPlan {
        class_id: 0,
        credit_a_to_b: n32(4),
        credit_b_to_a: n32(4),
    }];
    san.plan.links[3].members = n32(2);
    for trouble in troubles {
        apply(&mut san, trouble, (host, array));
    }
    if bit_errors {
        san.plan.links[1].bit_error_interval = Some(n64(20_000_000));
    }
    san
}

fn apply(san: &mut San, trouble: &Trouble, (host, array): (u32, u32)) {
    let (from, until) = (trouble.from, trouble.from + trouble.length);
    let faults = &mut san.plan.faults;
    match trouble.kind {
        0 => {
            let outages = &mut san.plan.links[trouble.link % 4].outages;
            if outages.last().is_none_or(|last| last.end_ps() < from) {
                outages.extend(outage(from, until));
                faults
                    .route_updates_ps
                    .extend([from + 3 * MS, until + 3 * MS]);
                faults.route_updates_ps.sort_unstable();
            }
        }
        1 => {
            for (link, member) in [(3, 1), (6, (trouble.link % 2) as u32)] {
                let outages = &mut san.plan.links[link].member_outages;
                let mine = outages.iter().rev().find(|it| it.member == member);
                if mine.is_none_or(|last| last.end_ps() < from) {
                    outages.push(MemberOutagePlan {
                        member,
                        from_ps: from,
                        until_ps: Some(n64(until)),
                    });
                }
            }
        }
        2 => {
            for (at_ps, visible) in [(from, false), (until, true)] {
                faults.visibility.push(VisibilityPlan {
                    at_ps,
                    told_ps: at_ps + MS,
                    a: host,
                    b: array,
                    visible,
                });
            }
        }
        3 => faults.credit_losses.push(CreditLossPlan {
            at_ps: from,
            fibre: trouble.link as u32,
            count: 1 + (trouble.length / MS % 6) as u32,
        }),
        _ => {
            for (at_ps, bytes_per_s) in [(from, NonZeroU64::new(3_000_000)), (until, None)] {
                faults.drains.push(DrainPlan {
                    at_ps,
                    n_port: array,
                    bytes_per_s,
                });
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn swarm_of_faults_loses_nothing(
        troubles in prop::collection::vec(trouble(), 1..6),
        bit_errors in any::<bool>(),
        policy in 0..6usize,
        patience in 0..4usize,
    ) {
        let mut sorted = troubles;
        sorted.sort_by_key(|it| it.from);
        let mut san = planes(&sorted, bit_errors, policy);
        san.plan.r_rdy_waits = patience % 2 == 1;
        for switch in &mut san.plan.switches {
            switch.edge_hold_ps = NonZeroU64::new([0, 2 * MS, 0, 2 * MS][patience]);
            switch.core_hold_ps = NonZeroU64::new([0, 5 * MS, 3 * MS, 0][patience]);
            switch.no_credit_drop_ps = NonZeroU64::new([0, 0, 2 * MS, MS][patience]);
        }
        let fast = san.try_run(false).expect("the laws hold");
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(differences(&fast, &slow), "");
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
        let done: u64 = whole(&fast, "workloads", "io_count").iter().sum();
        let failed: u64 = whole(&fast, "workloads", "error_count").iter().sum();
        prop_assert_eq!((done, failed), (600, 0));
    }
}

#[test]
fn credit_lost_during_a_wait_does_not_begin_the_wait_anew() {
    let trouble = |link, from: u64, length: u64, kind| Trouble {
        link,
        from: from * MS,
        length: length * MS,
        kind,
    };
    let troubles = [
        trouble(0, 3, 3, 2),
        trouble(1, 34, 27, 3),
        trouble(1, 35, 1, 3),
    ];
    let mut san = planes(&troubles, false, 2);
    san.plan.r_rdy_waits = true;
    for switch in &mut san.plan.switches {
        switch.edge_hold_ps = NonZeroU64::new(2 * MS);
        switch.core_hold_ps = NonZeroU64::new(5 * MS);
    }
    let fast = san.try_run(false).expect("the laws hold");
    let slow = san.try_run(true).expect("the laws hold in the reference");
    assert_eq!(differences(&fast, &slow), "");
    assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
}
