//! Limits of LUNs and hosts: the rate is the limit, a limit that is not reached changes nothing, and the wait
//! is a stage of its own.

use crate::support::*;
use sanlab_sim::check;
use sanlab_sim::plan::{Distribution, LimitedPlan, ServiceLimitPlan};

/// Two hosts and an array with two LUNs.
fn shared() -> San {
    let mut san = San::new(SECOND);
    let switch = san.switch(US, true, sanlab_sim::plan::RoutePolicy::OnePath);
    let cable = Cable::new(850_000_000, 50 * NS, 16);
    let ports = [san.host("host0"), san.host("host1")];
    let array = san.array("array", 100 * US, Distribution::Constant);
    for port in [ports[0], ports[1], array] {
        san.link(At::NPort(port), switch, cable);
    }
    let mut second = san.plan.arrays[0].luns[0].clone();
    (second.name, second.number) = ("array.lun1".into(), 1);
    san.plan.arrays[0].luns.push(second);
    san
}

fn limit(of: LimitedPlan, iops: Option<u64>, rate: Option<u64>, burst_ps: u64) -> ServiceLimitPlan {
    ServiceLimitPlan {
        name: "limit".into(),
        of,
        commands_per_s: iops.map(n64),
        bytes_per_s: rate.map(n64),
        burst_ps,
    }
}

fn stage(outcome: &sanlab_sim::Outcome, name: &str) -> u64 {
    let stages = text(outcome, "stages", "stage");
    let sums = whole(outcome, "stages", "total_ps");
    let of_name = stages.iter().zip(sums).filter(|it| it.0 == name);
    of_name.map(|it| it.1).sum()
}

/// A closed load gets the limit of its LUN exactly: what the burst allows, one, and then the rate. The time
/// that it waits is the stage `limit`.
#[test]
fn throughput_is_the_limit() {
    let of = || LimitedPlan::Lun { lun: 0 };
    for (limit, expected) in [
        (limit(of(), Some(1000), None, 0), 1000),
        (limit(of(), Some(1000), None, 100 * MS), 1100),
        (limit(of(), None, Some(4_096_000), 0), 1000),
        (limit(of(), Some(2000), Some(4_096_000), 0), 1000),
    ] {
        let mut san = shared();
        san.plan.arrays[0].limits = vec![limit];
        san.job(0, 0, 4096, 8).read_ppm = 500_000;
        let outcome = san.run();
        let count: u64 = whole(&outcome, "workloads", "io_count").iter().sum();
        assert!(count.abs_diff(expected) <= 8, "{count} of {expected}");
        let delayed = whole(&outcome, "limits", "delayed_count")[0];
        assert!(delayed > 900, "{delayed} of {count}");
        assert!(stage(&outcome, "limit") > 900 * 5 * MS);
        let slow = san.try_run(true).expect("the laws hold in the reference");
        assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}

/// Commands at constant distances below the limits: the run is the same as without.
#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let fingerprint = |limits: Vec<ServiceLimitPlan>| {
        let mut san = shared();
        san.plan.arrays[0].limits = limits;
        san.job(0, 0, 4096, 1).arrivals = Some(constant(n64(2 * MS)));
        let outcome = san.run();
        assert_eq!(stage(&outcome, "limit"), 0);
        outcome.summary.fingerprint
    };
    let initiators = vec![0];
    let limited = [
        limit(LimitedPlan::Lun { lun: 0 }, Some(501), Some(4_096_000), 0),
        limit(LimitedPlan::Host { initiators }, Some(501), None, 0),
    ];
    assert_eq!(fingerprint(limited.to_vec()), fingerprint(vec![]));
}

/// The limit of one host holds back that host alone, and what it leaves goes to the other.
#[test]
fn a_host_limit_is_of_that_host() {
    let mut san = shared();
    let initiators = vec![0];
    san.plan.arrays[0].limits = vec![limit(LimitedPlan::Host { initiators }, Some(500), None, 0)];
    san.job(0, 0, 4096, 4);
    san.job(1, 0, 4096, 4);
    let outcome = san.run();
    let count = whole(&outcome, "workloads", "io_count");
    let count: Vec<_> = count.into_iter().filter(|&count| count > 0).collect();
    assert!(count[0].abs_diff(500) <= 4, "{count:?}");
    assert!((count[0] + count[1]).abs_diff(10_000) <= 20, "{count:?}");
}

#[test]
fn two_limits_of_a_lun_are_refused() {
    let mut san = shared();
    let one = limit(LimitedPlan::Lun { lun: 1 }, Some(500), None, 0);
    san.plan.arrays[0].limits = vec![one.clone(), one];
    let error = check(&san.plan).expect_err("a LUN has one").to_string();
    assert!(
        error.contains("arrays[0].limits: a LUN has one limit at most"),
        "{error}"
    );
}
