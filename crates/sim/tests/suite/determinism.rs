//! The same plan and seed give the same run: twice, in the reference, and on every machine and in
//! every build. The fingerprints of a few plans are kept beside this file; one that moves belongs
//! into the changelog under "Results changed".

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use sanlab_sim::plan::{Distribution, Plan, RoutePolicy};

const KEPT: &str = include_str!("fingerprints.csv");

/// Six hosts of all kinds of load on two arrays over two switches and two ISLs.
fn mixed(seed: u64) -> San {
    let mut san = San::new(20 * MS);
    san.plan.seed = seed;
    let routing = RoutePolicy::Exchange;
    let (east, west) = (
        san.switch(US, true, routing),
        san.switch(2 * US, false, routing),
    );
    for delay in [US, 2 * US] {
        san.link(east, west, Cable::new(850_000_000, delay, 12));
    }
    for number in 0..2 {
        let port = san.array(
            &format!("array{number}"),
            90 * US,
            Distribution::Exponential,
        );
        san.link(west, At::NPort(port), Cable::new(850_000_000, 50 * NS, 8));
    }
    for number in 0..6 {
        let port = san.host(&format!("host{number}"));
        san.link(At::NPort(port), east, Cable::new(425_000_000, 50 * NS, 6));
        let job = san.job(
            number,
            number % 2,
            [4096, 65_536, 8192][number as usize % 3],
            8,
        );
        job.read_ppm = 300_000 * (number % 4);
        job.think_ps = if number == 3 { 100 * US } else { 0 };
    }
    san
}

fn fingerprint(san: &San) -> String {
    san.run().summary.fingerprint
}

#[test]
fn twice_the_same_and_another_seed_another_run() {
    assert_eq!(fingerprint(&mixed(1)), fingerprint(&mixed(1)));
    assert_ne!(fingerprint(&mixed(1)), fingerprint(&mixed(2)));
}

#[test]
fn kept_fingerprints_hold_in_this_build() {
    for line in KEPT.lines().skip(1) {
        let (seed, kept) = line.split_once(',').expect("seed,fingerprint");
        let seed = seed.parse().expect("a seed");
        assert_eq!(fingerprint(&mixed(seed)), kept, "seed {seed}");
    }
}

/// A new host without I/O does not change the draws of the other hosts.
#[test]
fn an_idle_host_changes_no_result() {
    let alone = mixed(1).run();
    let mut san = mixed(1);
    let port = san.host("idle");
    san.link(
        At::NPort(port),
        At::Switch(0),
        Cable::new(425_000_000, 50 * NS, 6),
    );
    let with_idle = san.run();
    for (name, column) in [("workloads", "bytes"), ("workloads", "response_p99_ps")] {
        assert_eq!(whole(&alone, name, column), whole(&with_idle, name, column));
    }
}

/// The plan survives its journey as JSON.
#[test]
fn a_plan_read_back_is_the_same_run() {
    let mut san = mixed(1);
    let text = serde_json::to_string(&san.plan).expect("a plan is plain data");
    let before = fingerprint(&san);
    san.plan = serde_json::from_str::<Plan>(&text).expect("what was written can be read");
    assert_eq!(fingerprint(&san), before);
}
