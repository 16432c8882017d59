//! File systems: what a first write costs, and what is written besides.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use crate::support::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{AddressPlan, Distribution, FileSystemPlan, FileSystemUsePlan, RoutePolicy};

const BYTES: u64 = 4096;
const ALLOCATION: u64 = 200 * US;
const MESSAGE: u64 = 300 * US;
const EVERY: u32 = 32;

/// A host that writes so many blocks to a file, one after the other, on an array that takes 1 ms each.
fn san(blocks: u64, message_ps: u64, first_write: bool) -> San {
    let mut san = San::new(1000 * SECOND);
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    let cable = Cable::new(425_000_000, 50 * NS, 16);
    let host = san.host("host");
    let array = san.array("array", MS, Distribution::Constant);
    san.link(At::NPort(host), switch, cable);
    san.link(switch, At::NPort(array), cable);
    san.plan.file_systems.push(FileSystemPlan {
        name: "fs".into(),
        allocation_ps: ALLOCATION,
        message_ps,
    });
    let job = san.job(0, 0, BYTES, 1);
    job.total_bytes = Some(n64(BYTES * blocks));
    job.read_ppm = 0;
    job.addresses = AddressPlan::Sequential {};
    job.file_system = Some(FileSystemUsePlan::Data {
        file_system: 0,
        first_write,
    });
    san.journal(EVERY).iodepth = Some(n32(8));
    san
}

fn mean_response(outcome: &Outcome) -> f64 {
    real(outcome, "workloads", "response_mean_ps")[0]
}

/// One after the other: the first write waits for its allocation, and where hosts share the file
/// system for a message besides; the token is waited for once.
#[test]
fn a_first_write_waits_for_its_allocation() {
    let response = |message, first_write| mean_response(&san(20, message, first_write).run());
    let rewrite = response(0, false);
    assert_near(response(0, true), rewrite + ALLOCATION as f64, 1e-9);
    let token = MESSAGE as f64 / 20.0;
    assert_near(response(MESSAGE, false), rewrite + token, 1e-9);
    let shared = rewrite + (ALLOCATION + MESSAGE) as f64 + token;
    assert_near(response(MESSAGE, true), shared, 1e-9);
}

/// A log buffer is written whenever it is full; no application issues these writes.
#[test]
fn log_buffers_are_written_when_they_are_full() {
    for blocks in [31, 32, 100] {
        let outcome = san(blocks, 0, true).run();
        let of = |column| whole(&outcome, "file_systems", column)[0];
        assert_eq!(of("allocation_count"), blocks);
        assert_eq!(of("journal_write_count"), blocks / u64::from(EVERY));
        assert_eq!(of("journal_bytes"), of("journal_write_count") * 32_768);
        assert_eq!(whole(&outcome, "workloads", "io_count"), [blocks]);
        assert_eq!(text(&outcome, "workloads", "workload").len(), 1);
    }
    let rewritten = san(100, 0, false).run();
    assert_eq!(whole(&rewritten, "file_systems", "allocation_count"), [0]);
}

/// Two hosts that allocate at once share what the metadata server can do.
#[test]
fn allocations_of_all_hosts_are_made_one_after_the_other() {
    let mut san = san(50, MESSAGE, true);
    let switch = At::Switch(0);
    let other = san.host("other");
    san.link(
        At::NPort(other),
        switch,
        Cable::new(425_000_000, 50 * NS, 16),
    );
    san.plan.file_systems[0].allocation_ps = 5 * MS;
    let mut second = san.plan.jobs[0].clone();
    second.name = "other".into();
    second.host = 1;
    san.plan.jobs.push(second);
    let outcome = san.run();
    let busy = real(&outcome, "file_systems", "allocation_utilisation")[0];
    assert_near(
        outcome.summary.simulated_ps as f64 * busy,
        (100 * 5 * MS) as f64,
        1e-6,
    );
    assert!(busy > 0.95, "{busy}");
}

/// The engine in which everything is an event gives the same.
#[test]
fn the_reference_agrees() {
    let san = san(200, MESSAGE, true);
    let (fast, slow) = (san.try_run(false), san.try_run(true));
    let fingerprint =
        |outcome: Result<Outcome, _>| outcome.expect("the laws hold").summary.fingerprint;
    assert_eq!(fingerprint(fast), fingerprint(slow));
}
