//! Laws of hosts: block layer, processors, buses, adapters.

mod support;

use proptest::prelude::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{Distribution, SubmissionPlan};
use support::*;

/// One host and one array of memory with this many servers, joined by a link at 4GFC.
fn direct(service: u64, servers: u32) -> San {
    let mut san = San::new(1000 * SECOND);
    let (host, array) = (
        san.host("host"),
        san.array("array", service, Distribution::Constant),
    );
    if let sanlab_sim::plan::MediaPlan::Memory { servers: of, .. } =
        &mut san.plan.arrays[0].luns[0].media
    {
        *of = servers;
    }
    let cable = Cable::new(425_000_000, 50 * NS, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san
}

/// Requests of this size, one after the other.
fn one_by_one(mut san: San, bytes: u64, count: u64, is_read: bool) -> Outcome {
    let job = san.job(0, 0, bytes, 1);
    job.total_bytes = count * bytes;
    job.random = false;
    job.read_ppm = if is_read { 1_000_000 } else { 0 };
    san.run()
}

fn response(outcome: &Outcome) -> f64 {
    real(outcome, "workloads", "response_mean_ps")[0]
}

/// Pieces one after the other take as long as as many requests of their size, to the picosecond.
#[test]
fn serial_pieces_take_the_sum_of_their_times() {
    for is_read in [true, false] {
        let mut san = direct(90 * US, 1);
        let alone = response(&one_by_one(san.clone(), 65_536, 8, is_read));
        san.plan.hosts[0].max_request_bytes = 65_536;
        san.plan.hosts[0].submission = SubmissionPlan::Serial;
        let split = one_by_one(san, 4 * 65_536, 2, is_read);
        assert_near(response(&split), 4.0 * alone, 1e-12);
        assert_eq!(whole(&split, "workloads", "io_count"), [2]);
        assert_eq!(whole(&split, "workloads", "command_count"), [8]);
    }
}

/// Pieces issued together overlap at a device with a server for each: one service, and their data
/// one after the other on the fibre.
#[test]
fn pieces_together_overlap() {
    let mut san = direct(5 * MS, 16);
    let alone = response(&one_by_one(san.clone(), 65_536, 8, true));
    san.plan.hosts[0].max_request_bytes = 65_536;
    let split = one_by_one(san, 16 * 65_536, 2, true);
    let frame = (2048.0 + 36.0 + 24.0) / 425e6 * 1e12;
    let rsp_and_command = 2.0 * 92.0 / 425e6 * 1e12;
    let expected = alone + 15.0 * (32.0 * frame + rsp_and_command);
    assert_near(response(&split), expected, 0.001);
    assert_eq!(whole(&split, "workloads", "command_count"), [32]);
}

/// A call costs once, a command and an interrupt for each piece; serial pieces show all of it.
#[test]
fn processors_are_paid_for_each_call_command_and_interrupt() {
    let mut san = direct(90 * US, 1);
    san.plan.hosts[0].max_request_bytes = 65_536;
    san.plan.hosts[0].submission = SubmissionPlan::Serial;
    let free = response(&one_by_one(san.clone(), 4 * 65_536, 4, true));
    let host = &mut san.plan.hosts[0];
    (host.cpu_submit_ps, host.cpu_complete_ps) = (3 * US, 5 * US);
    (host.cpu_command_ps, host.cpu_interrupt_ps) = (7 * US, 11 * US);
    let paid = one_by_one(san, 4 * 65_536, 4, true);
    let cost = f64::from(3 + 5 + 4 * (7 + 11)) * 1e6;
    assert_near(response(&paid), free + cost, 1e-12);
    let stages = text(&paid, "stages", "stage");
    let cpu = stages.iter().position(|stage| stage == "host_cpu");
    let told = real(&paid, "stages", "mean_ps")[cpu.expect("a stage of the processor")];
    assert_near(told, cost, 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However requests are split: every byte is asked for once, every piece is a command, the
    /// stages sum (a run that breaks that fails), and what is not split costs no more events.
    #[test]
    fn swarm_of_pieces(
        blocks in 1..300u64,
        most in prop::sample::select(&[512u64, 4096, 65_536, 131_072, 1 << 20][..]),
        is_serial in any::<bool>(),
        depth in 1..9u32,
        costs in prop::array::uniform4(prop::sample::select(&[0, US, 4 * US][..])),
    ) {
        let mut san = direct(20 * US, 4);
        let bytes = blocks * 512;
        let job = san.job(0, 0, bytes, depth);
        job.total_bytes = 10 * bytes;
        job.read_ppm = 500_000;
        let whole_events = san.run().summary.events;
        let host = &mut san.plan.hosts[0];
        host.max_request_bytes = most;
        let kinds = [SubmissionPlan::Together, SubmissionPlan::Serial];
        host.submission = kinds[usize::from(is_serial)];
        if most >= bytes {
            prop_assert_eq!(san.run().summary.events, whole_events);
        }
        let host = &mut san.plan.hosts[0];
        (host.cpu_submit_ps, host.cpu_complete_ps) = (costs[0], costs[1]);
        (host.cpu_command_ps, host.cpu_interrupt_ps) = (costs[2], costs[3]);
        host.cores = 1 + depth % 3;
        let outcome = san.run();
        let done: u64 = whole(&outcome, "workloads", "bytes").iter().sum();
        let commands: u64 = whole(&outcome, "workloads", "command_count").iter().sum();
        prop_assert_eq!(done, 10 * bytes);
        prop_assert_eq!(commands, 10 * bytes.div_ceil(most));
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}
