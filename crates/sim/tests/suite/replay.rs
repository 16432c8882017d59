//! Traces that are replayed: at their times to the picosecond, and as other loads that are the same.

use crate::support::*;
use proptest::prelude::*;
use sanlab_kernel::Span;
use sanlab_sim::plan::{Distribution, PatternPlan, ReplayPlan, RoutePolicy};
use sanlab_sim::{Control, Outcome, RunError, RunOptions, TraceIo, run, write_trace_table};
use std::fs::File;
use std::path::PathBuf;

const DIGEST: &str = "0123456789abcdef0123456789abcdef";
const TIMED: ReplayPlan = ReplayPlan::Timed {
    speed_ppm: n64(1_000_000),
};

/// A folder with one table, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, ios: &[TraceIo]) -> Self {
        let path = std::env::temp_dir().join(format!("sanlab-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of tables");
        let file = File::create(path.join(format!("{DIGEST}.trace"))).expect("a table");
        write_trace_table(std::io::BufWriter::new(file), ios.iter().copied()).expect("a table");
        Self(path)
    }

    fn run(&self, san: &San, every_event: bool) -> Result<Outcome, RunError> {
        let options = RunOptions {
            every_event,
            traces: Some(self.0.clone()),
            ..RunOptions::default()
        };
        run(&san.plan, &options, &Control::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Reads of adjacent blocks, each after one of these gaps.
fn reads(gaps: impl IntoIterator<Item = u64>) -> Vec<TraceIo> {
    let mut at = 0;
    let with_number = (0u64..).zip(gaps);
    with_number
        .map(|(number, gap)| {
            at += gap;
            TraceIo {
                at: Span::from_ps(at),
                address: 4096 * number,
                bytes: 4096,
                depth: 1,
                is_read: true,
            }
        })
        .collect()
}

/// A host and an array of one LUN behind a switch.
fn san(service: u64) -> San {
    let mut san = San::new(10 * SECOND);
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    let (host, array) = (
        san.host("host"),
        san.array("array", service, Distribution::Constant),
    );
    let cable = Cable::new(1_700_000_000, 50 * NS, 16);
    san.link(At::NPort(host), switch, cable);
    san.link(switch, At::NPort(array), cable);
    san.job(0, 0, 4096, 0);
    san
}

fn replaying(mut san: San, ios: &[TraceIo], replay: ReplayPlan, iodepth: u32) -> San {
    let job = &mut san.plan.jobs[0];
    job.iodepth = std::num::NonZeroU32::new(iodepth);
    job.total_bytes = Some(n64(ios.iter().map(|io| u64::from(io.bytes)).sum()));
    job.block_bytes = n64(ios
        .iter()
        .map(|io| u64::from(io.bytes))
        .max()
        .expect("some"));
    job.pattern = PatternPlan::Trace {
        digest: DIGEST.into(),
        requests: n64(ios.len() as u64),
        length_ps: ios.last().expect("some").at.as_ps(),
        replay,
    };
    san
}

/// Over several blocks of the table every I/O is issued at its recorded time, none is late, and the last one
/// at the picosecond; twice as fast, at half of it.
#[test]
fn recorded_times_are_kept_to_the_picosecond() {
    let ios = reads((0..3000).map(|number| 100 * US + 7 * (number % 13)));
    let last = ios.last().expect("some").at.as_ps();
    let folder = Folder::new("times", &ios);
    for (speed, recorded) in [
        (1_000_000, last),
        (2_000_000, last / 2),
        (500_000, 2 * last),
    ] {
        let replay = ReplayPlan::Timed {
            speed_ppm: n64(speed),
        };
        let san = replaying(san(10 * US), &ios, replay, 0);
        let outcome = folder.run(&san, false).expect("a run that keeps the laws");
        assert_eq!(whole(&outcome, "replays", "submitted_count"), [3000]);
        assert_eq!(whole(&outcome, "replays", "recorded_ps"), [recorded]);
        let replayed = whole(&outcome, "replays", "replayed_ps");
        assert_eq!(
            replayed,
            [recorded],
            "the first request is at the start of the trace"
        );
        assert_eq!(whole(&outcome, "replays", "drift_count"), [3000]);
        assert_eq!(whole(&outcome, "replays", "drift_max_ps"), [0]);
    }
}

/// A trace of equal gaps is a constant rate, and one that is replayed as fast as it goes a closed loop: the
/// runs are the same to the last frame.
#[test]
fn equal_loads_give_equal_runs() {
    let ios = reads((0..2000).map(|number| if number == 0 { 0 } else { 30 * US }));
    let folder = Folder::new("equal", &ios);
    let mut rate = san(20 * US);
    let job = &mut rate.plan.jobs[0];
    job.addresses = addresses(false);
    job.total_bytes = Some(n64(2000 * 4096));
    let mut closed = rate.clone();
    rate.plan.jobs[0].arrivals = Some(constant(n64(30 * US)));
    closed.plan.jobs[0].iodepth = Some(n32(4));
    let asap = ReplayPlan::Asap {};
    for (other, replay, depth) in [(rate, TIMED, 0), (closed, asap, 4)] {
        let san = replaying(san(20 * US), &ios, replay, depth);
        let replayed = folder.run(&san, false).expect("a run that keeps the laws");
        let other = other.run();
        assert_eq!(replayed.summary.fingerprint, other.summary.fingerprint);
        for table in ["workloads", "response_histogram", "stages"] {
            let of = |outcome: &Outcome| {
                let found = outcome.tables.iter().find(|one| one.name == table);
                found.expect("a table of every run").columns.clone()
            };
            assert_eq!(of(&replayed), of(&other), "{table}");
        }
    }
}

/// With one request at a time and a service of 20 us, a trace that asks every 10 us falls behind by the
/// difference with each request.
#[test]
fn drift_is_what_a_depth_of_one_loses() {
    let ios = reads(std::iter::repeat_n(10 * US, 500));
    let folder = Folder::new("drift", &ios);
    let san = replaying(san(20 * US), &ios, TIMED, 1);
    let outcome = folder.run(&san, false).expect("a run that keeps the laws");
    let response = whole(&outcome, "workloads", "response_max_ps")[0];
    let behind = (response - 10 * US) * 499;
    assert_eq!(whole(&outcome, "replays", "drift_max_ps"), [behind]);
    let mean = real(&outcome, "replays", "drift_mean_ps")[0];
    assert!(
        (mean / (behind as f64 / 2.0) - 1.0).abs() < 1e-9,
        "{mean} {behind}"
    );
}

/// The closed replay at depth 1 is the closed loop of one request.
#[test]
fn a_recorded_depth_of_one_is_a_loop_of_one() {
    let ios = reads(std::iter::repeat_n(10 * US, 700));
    let folder = Folder::new("depth", &ios);
    let run = |replay, depth| {
        let san = replaying(san(20 * US), &ios, replay, depth);
        let outcome = folder.run(&san, false).expect("a run that keeps the laws");
        outcome.summary.fingerprint
    };
    assert_eq!(run(ReplayPlan::Closed {}, 64), run(ReplayPlan::Asap {}, 1));
}

/// A table that is missing, cut off or damaged in the middle ends the run with its name.
#[test]
fn a_table_that_is_not_the_plans_is_refused() {
    let mut ios = reads(std::iter::repeat_n(10 * US, 3000));
    let san = replaying(san(US), &ios, TIMED, 0);
    let failed = |folder: &Folder| {
        folder
            .run(&san, false)
            .expect_err("a wrong table")
            .to_string()
    };
    let missing = Folder::new("missing", &ios);
    std::fs::remove_file(missing.0.join(format!("{DIGEST}.trace"))).expect("the table");
    assert!(failed(&missing).contains(DIGEST));
    let short = Folder::new("short", &ios[1..]);
    assert!(failed(&short).ends_with("it is not the table of the plan"));
    ios[2500].address = 1 << 40;
    let damaged = Folder::new("damaged", &ios);
    assert!(failed(&damaged).ends_with("request 2500 is damaged"));
    assert!(san.try_run(false).is_err(), "no folder of tables is named");
}

proptest! {
    #![proptest_config(cases(32))]

    /// Any trace, in any mode: all of it is done, every law holds, and the reference gives the same tables.
    #[test]
    fn any_trace_is_replayed_as_in_the_reference(
        rows in prop::collection::vec((0..200u64, 0..1000u64, 1..40u32, 1..6u32, any::<bool>()), 1..200),
        mode in 0..4usize,
        depth in 1..5u32,
        submit in prop::sample::select(&[0, 3 * US][..]),
        split in any::<bool>(),
    ) {
        let mut at = 0;
        let ios: Vec<_> = rows.iter().map(|&(gap, block, sectors, open, is_read)| {
            at += gap * US / 4;
            TraceIo {
                at: Span::from_ps(at),
                address: 512 * block,
                bytes: 512 * sectors,
                depth: open,
                is_read,
            }
        }).collect();
        let (replay, iodepth) = [
            (TIMED, 0),
            (TIMED, depth),
            (ReplayPlan::Asap {}, depth),
            (ReplayPlan::Closed {}, 64),
        ][mode];
        let mut san = san(20 * US);
        san.plan.hosts[0].cpu_submit_ps = submit;
        san.plan.hosts[0].max_request_bytes = split.then_some(n64(4096));
        let san = replaying(san, &ios, replay, iodepth);
        let folder = Folder::new("swarm", &ios);
        let fast = folder.run(&san, false).expect("the laws hold");
        let slow = folder.run(&san, true).expect("the laws hold in the reference");
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
        prop_assert_eq!(differences(&fast, &slow), "");
        prop_assert_eq!(fast.summary.ios, ios.len() as u64);
        let bytes: u64 = whole(&fast, "workloads", "bytes").iter().sum();
        prop_assert_eq!(bytes, ios.iter().map(|io| u64::from(io.bytes)).sum::<u64>());
    }
}
