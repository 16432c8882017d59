//! Controllers of arrays held to closed forms, and random failures of them to the laws of every run.

#![allow(
    clippy::cast_possible_truncation,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::*;
use std::num::NonZeroU64;

const RATE: u64 = 800_000_000;
const COMMAND: u64 = 25 * US;
const PATH_TIMEOUT: u64 = 5 * MS;

/// A host with an adapter for each of two controllers, each pair on a link of its own. The LUN is on
/// memory of 64 servers.
fn two_controllers(owner: Option<u32>) -> San {
    let mut san = San::new(10 * SECOND);
    san.plan.faults = FaultsPlan {
        is_armed: true,
        notice_ps: MS,
        login_ps: MS,
        e_d_tov_ps: 10 * MS,
        r_a_tov_ps: 20 * MS,
        credit_timeout_ps: 10 * MS,
        ..FaultsPlan::none()
    };
    let cable = Cable::new(RATE, 50 * NS, 16);
    let (host, second) = (san.host("host"), san.n_port("host.b"));
    let array = san.array("array", 100 * US, Distribution::Constant);
    let other = san.n_port("array.b");
    san.link(At::NPort(host), At::NPort(array), cable);
    san.link(At::NPort(second), At::NPort(other), cable);
    let adapter = AdapterPlan {
        path_timeout_ps: PATH_TIMEOUT,
        command_timeout_ps: Some(n64(500 * MS)),
        retries: 100,
        ..san.plan.hosts[0].adapters[0].clone()
    };
    let twin = AdapterPlan {
        n_port: second,
        ..adapter.clone()
    };
    san.plan.hosts[0].adapters = vec![adapter, twin];
    san.plan.hosts[0].multipath = Some(MultipathPlan {
        spreading: SpreadingPlan::RoundRobin { ios: n32(1) },
        queues_without_path: true,
        failback_ps: Some(0),
        checker_ps: MS,
    });
    let of = &mut san.plan.arrays[0];
    of.n_ports.push(other);
    of.command_ps = COMMAND;
    of.controllers = [("array.c0", array), ("array.c1", other)]
        .map(|(name, n_port)| ControllerPlan {
            name: name.into(),
            n_ports: vec![n_port],
            processors: n32(1),
            outages: vec![],
        })
        .into();
    of.failover = FailoverPlan {
        takeover_ps: 20 * MS,
        give_back_ps: Some(10 * MS),
        told_ps: MS,
        forward_ps: 7 * US,
        forward_bytes_per_s: Some(n64(1_000_000_000)),
        writes_through_alone: true,
    };
    of.luns[0].owner = owner;
    let MediaPlan::Memory { servers, .. } = &mut of.luns[0].media else {
        unreachable!("the LUN of a test is on memory");
    };
    *servers = n32(64);
    san
}

fn job(san: &mut San, owner: Option<u32>, iodepth: u32) -> &mut JobPlan {
    let other = san.plan.arrays[0].n_ports[1];
    let job = san.job(0, 0, 8192, iodepth);
    let group = |controller| u32::from(owner.is_some_and(|owner| owner != controller));
    job.targets[0].paths[0].group = group(0);
    job.targets[0].paths.push(PathPlan {
        adapter: 1,
        target_n_port: other,
        group: group(1),
    });
    job.targets[0].paths.sort_by_key(|path| path.group);
    job
}

/// A controller fails with its port.
fn fails(san: &mut San, controller: usize, from_ps: u64, until_ps: Option<u64>) {
    let outage = OutagePlan {
        from_ps,
        until_ps: until_ps.and_then(NonZeroU64::new),
    };
    let of = &mut san.plan.arrays[0].controllers[controller];
    of.outages.push(outage);
    san.plan.links[controller].outages.push(outage);
}

fn of_controllers(outcome: &Outcome, column: &str) -> [u64; 2] {
    let found = whole(outcome, "controllers", column);
    found.try_into().expect("two controllers")
}

fn total(outcome: &Outcome, table: &str, column: &str) -> u64 {
    whole(outcome, table, column).iter().sum()
}

/// By a path that is not optimised each I/O pays the time of the interconnect and of its data on it.
#[test]
fn a_forwarded_command_pays_the_interconnect() {
    let response = |owner: u32| {
        let mut san = two_controllers(Some(owner));
        san.plan.hosts[0].multipath = None;
        san.job(0, 0, 8192, 1).total_bytes = Some(n64(8192 * 50));
        let outcome = san.run();
        let forwarded = of_controllers(&outcome, "forwarded_count");
        assert_eq!(forwarded, [50 * u64::from(owner), 0]);
        total(&outcome, "workloads", "response_max_ps")
    };
    assert_eq!(response(1) - response(0), 7 * US + 8192 * NS);
}

/// Data pass the interconnect one after another, at 500 MB/s, and the fixed times of commands overlap.
#[test]
fn forwarded_commands_share_the_interconnect_by_their_bytes() {
    let mut san = two_controllers(Some(1));
    san.plan.hosts[0].multipath = None;
    let failover = &mut san.plan.arrays[0].failover;
    (failover.forward_ps, failover.forward_bytes_per_s) = (100 * US, Some(n64(500_000_000)));
    san.plan.arrays[0].command_ps = 0;
    san.job(0, 0, 8192, 64).total_bytes = Some(n64(8192 * 2000));
    let outcome = san.run();
    assert_eq!(of_controllers(&outcome, "forwarded_count"), [2000, 0]);
    // One command at a time, with its fixed time, would take 233 ms.
    let taken = outcome.summary.simulated_ps;
    let of_bytes = 2000 * 2 * 8192 * NS;
    assert!((of_bytes..of_bytes + MS).contains(&taken), "{taken}");
}

/// Hosts use optimised paths, others only while no optimised one is left.
#[test]
fn hosts_prefer_the_controller_that_owns_the_lun() {
    let mut san = two_controllers(Some(1));
    job(&mut san, Some(1), 4).total_bytes = Some(n64(8192 * 2000));
    let outcome = san.run();
    assert_eq!(of_controllers(&outcome, "commands_count"), [0, 2000]);
    assert_eq!(of_controllers(&outcome, "forwarded_count"), [0, 0]);
    // Its port goes dark and comes back; the controller itself works on.
    san.plan.links[1].outages = vec![OutagePlan {
        from_ps: 10 * MS,
        until_ps: Some(n64(40 * MS)),
    }];
    let outcome = san.run();
    let [forwarded, _] = of_controllers(&outcome, "forwarded_count");
    assert!((100..1900).contains(&forwarded), "{forwarded}");
    let [none, commands] = of_controllers(&outcome, "commands_count");
    assert_eq!(none, 0);
    assert!(commands >= 2000, "{commands}");
    assert_eq!(total(&outcome, "workloads", "io_count"), 2000);
}

/// Two controllers that serve all LUNs have twice the rate of the processors of one; when one has
/// failed, the other has just its own.
#[test]
fn the_survivor_has_the_rate_of_its_processors() {
    let done_by = |end_ps: u64, failed: bool| {
        let mut san = two_controllers(None);
        san.plan.end_ps = end_ps;
        job(&mut san, None, 64);
        if failed {
            fails(&mut san, 0, 50 * MS, None);
        }
        total(&san.run(), "workloads", "io_count")
    };
    let rate = |failed| (done_by(200 * MS, failed) - done_by(100 * MS, failed)) as f64;
    let one = (100 * MS / COMMAND) as f64;
    assert_near(rate(true), one, 0.001);
    assert_near(rate(false), 2.0 * one, 0.001);
}

/// The LUNs of a failed controller are served again after the time of a takeover, by optimised paths;
/// they go back to it when it has returned.
#[test]
fn luns_go_over_and_come_back() {
    let mut san = two_controllers(Some(0));
    san.plan.end_ps = 200 * MS;
    job(&mut san, Some(0), 8);
    fails(&mut san, 0, 50 * MS, Some(100 * MS));
    let outcome = san.run();
    let what = text(&outcome, "happenings", "what");
    let times = whole(&outcome, "happenings", "time_ps");
    let at = |word: &str| -> Vec<u64> {
        let found = what
            .iter()
            .zip(&times)
            .filter(|(what, _)| what.contains(word));
        found.map(|(_, &at)| at / MS).collect()
    };
    assert_eq!(at("controller fails"), [50]);
    assert_eq!(at("controller is back"), [100]);
    assert_eq!(at("luns begin to go back"), [110]);
    assert_eq!(at("served by another"), [70, 130]);
    // Commands of 50 wait until 70, those of 110 until 130.
    let longest = total(&outcome, "workloads", "response_max_ps");
    assert!((20 * MS..21 * MS).contains(&longest), "{longest}");
    assert_eq!(of_controllers(&outcome, "held_count"), [0, 16]);
    // Of 130 to 131 hosts do not know yet that the paths have changed.
    let [_, forwarded] = of_controllers(&outcome, "forwarded_count");
    assert!((1..100).contains(&forwarded), "{forwarded}");
    assert_eq!(of_controllers(&outcome, "failed_ps"), [50 * MS, 0]);
    assert_eq!(of_controllers(&outcome, "luns_count"), [1, 0]);
    assert_eq!(total(&outcome, "workloads", "error_count"), 0);
}

/// A path is replaced by the first command of a LUN that went over it, not by those of a LUN of the other
/// controller, which went over the other path all along.
#[test]
fn only_a_lun_that_used_the_lost_path_replaces_it() {
    let mut san = two_controllers(Some(0));
    san.plan.end_ps = 200 * MS;
    let mut second = san.plan.arrays[0].luns[0].clone();
    (second.name, second.owner) = ("lun2".into(), Some(1));
    san.plan.arrays[0].luns.push(second);
    job(&mut san, Some(0), 8);
    job(&mut san, Some(1), 8).targets[0].lun = 1;
    fails(&mut san, 0, 50 * MS, None);
    let outcome = san.run();
    // The first LUN waits for the time-out of its path, and its first command is forwarded or held
    // until the takeover.
    assert_eq!(whole(&outcome, "paths", "lost_first_ps"), [50 * MS, 0]);
    let [replaced, never] = whole(&outcome, "paths", "replaced_ps")[..] else {
        panic!("two paths");
    };
    let failed_over = 50 * MS + PATH_TIMEOUT.max(20 * MS);
    assert!(
        (failed_over..failed_over + MS).contains(&replaced),
        "{replaced}"
    );
    assert_eq!(never, 0);
}

/// A run ends with its last work, not with the return of a LUN that no command cares for.
#[test]
fn a_run_does_not_wait_for_the_return_of_luns() {
    let mut san = two_controllers(Some(0));
    san.plan.arrays[0].failover.give_back_ps = Some(5 * SECOND);
    job(&mut san, Some(0), 8).total_bytes = Some(n64(8192 * 5000));
    fails(&mut san, 0, 50 * MS, Some(100 * MS));
    let outcome = san.run();
    assert_eq!(total(&outcome, "workloads", "io_count"), 5000);
    assert!(outcome.summary.simulated_ps < SECOND);
    assert_eq!(of_controllers(&outcome, "luns_count"), [0, 1]);
}

fn with_pages(san: &mut San, is_mirrored: bool) {
    let of = &mut san.plan.arrays[0];
    of.cache = Some(CachePlan::Pages {
        page_bytes: n64(4096),
        pages: n32(4096),
        access_ps: US,
        prefetch: None,
        destage_bytes: 0,
        write_back: true,
        dirty_pages: 2048,
        low_pages: 1000,
        high_pages: 1500,
        destages: n32(4),
        destage_order: DestageOrderPlan::Age,
        destage_age_ps: None,
        destage_rest_ps: None,
        partner: is_mirrored.then_some(PartnerPlan {
            latency_ps: US,
            bytes_per_s: n64(4_000_000_000),
        }),
    });
}

/// What a cache has that is not on disk is lost with its controller, unless another has a copy. Then the
/// cache writes through until the copies have a place again.
#[test]
fn only_what_is_in_an_unmirrored_cache_is_lost() {
    let run = |is_mirrored: bool, failed: bool| {
        let mut san = two_controllers(Some(0));
        san.plan.end_ps = 200 * MS;
        with_pages(&mut san, is_mirrored);
        let job = job(&mut san, Some(0), 1);
        job.read_ppm = 0;
        job.addresses = AddressPlan::Sequential {};
        job.total_bytes = Some(n64(8192 * 200));
        if failed {
            fails(&mut san, 0, 50 * MS, None);
        }
        // A second job begins when the survivor serves.
        let mut late = san.plan.jobs[0].clone();
        late.name = "late".into();
        late.start_ps = 80 * MS;
        san.plan.jobs.push(late);
        let outcome = san.run();
        assert_eq!(total(&outcome, "workloads", "io_count"), 400);
        let after = if failed {
            outcome.summary.simulated_ps - 50 * MS
        } else {
            0
        };
        let through = ["through_count", "alone_ps"];
        let through = through.map(|column| whole(&outcome, "caches", column)[0]);
        let is_alone = u64::from(is_mirrored && failed);
        assert_eq!(through, [200 * is_alone, after * is_alone]);
        ["written_bytes", "lost_bytes", "dirty_bytes"]
            .map(|column| whole(&outcome, "caches", column)[0])
    };
    let batch = 200 * 8192;
    assert_eq!(run(true, false), [2 * batch, 0, batch]); // the second writes the same blocks
    assert_eq!(run(true, true), [batch, 0, 0]); // written through over what was dirty
    assert_eq!(run(false, false), [2 * batch, 0, batch]);
    assert_eq!(run(false, true), [2 * batch, batch, batch]);
}

proptest! {
    #![proptest_config(cases(128))]

    /// Controllers fail and return at random: every I/O ends, nothing is lost but what was in a cache
    /// without a copy, and the slow reference agrees to the last digit.
    #[test]
    fn swarm_of_controller_failures_loses_nothing(
        owner in prop::option::of(0..2u32),
        failures in prop::collection::vec((0..2usize, 1..30u64, 1..30u64), 1..6),
        cache in 0..3u8,
        reads in 0..3u32,
        bursts in any::<bool>(),
        gives_back in any::<bool>(),
        takeover in 0..40u64,
    ) {
        let mut san = two_controllers(owner);
        san.plan.end_ps = 30 * SECOND;
        let of = &mut san.plan.arrays[0];
        of.failover.takeover_ps = takeover * MS;
        of.failover.give_back_ps = gives_back.then_some(5 * MS);
        if bursts {
            of.burst_bytes = n32(4096);
            of.open_bursts = Some(n32(2));
        }
        match cache {
            0 => {}
            1 => with_pages(&mut san, false),
            _ => with_pages(&mut san, true),
        }
        let work = job(&mut san, owner, 6);
        work.read_ppm = reads * 500_000;
        work.span_bytes = 1 << 24;
        work.targets[0].span_bytes = 1 << 24;
        work.total_bytes = Some(n64(8192 * 3000));
        // One after the other at each controller; both may have failed at once.
        let mut free = [MS; 2];
        let mut both_down = false;
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for (controller, after, length) in failures {
            let from = free[controller] + after * MS + 13;
            let until = from + length * MS;
            both_down |= spans.iter().any(|&(start, end)| start <= until && from <= end);
            spans.push((from, until));
            free[controller] = until + MS;
            fails(&mut san, controller, from, Some(until));
        }
        let fast = san.try_run(false).expect("the laws hold");
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(differences(&fast, &slow), "");
        let done = total(&fast, "workloads", "io_count");
        let failed = total(&fast, "workloads", "error_count");
        prop_assert_eq!((done, failed), (3000, 0));
        if cache == 2 && !both_down {
            prop_assert_eq!(total(&fast, "caches", "lost_bytes"), 0);
        }
    }
}
