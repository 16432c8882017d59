//! Access specifications and benchmark streams in whole runs: every law of a run holds (a run that
//! breaks one fails), the reference gives the same, and rates and mixes are those asked for.

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::plan::{
    AccessLinePlan, Distribution, PathPlan, PatternPlan, RoutePolicy, SizePlan, StreamPlan,
    TargetPlan,
};
use std::num::{NonZeroU32, NonZeroU64};

const LINE: AccessLinePlan = AccessLinePlan {
    bytes: n64(4096),
    share_ppm: 1_000_000,
    read_ppm: 600_000,
    random_ppm: 500_000,
    delay_ps: 0,
    burst: n32(1),
    align_bytes: n64(512),
    reply_bytes: None,
};

/// One host and three arrays of one LUN each behind a switch, and a job on all three.
fn san(duration: u64, iodepth: u32, pattern: PatternPlan) -> San {
    let mut san = San::new(duration);
    let switch = san.switch(US, true, RoutePolicy::Exchange);
    for number in 0..3 {
        let name = format!("array{number}");
        let port = san.array(&name, 50 * US, Distribution::Exponential);
        san.link(At::NPort(port), switch, Cable::new(850_000_000, 50 * NS, 8));
    }
    let host = san.host("host");
    san.link(
        At::NPort(host),
        switch,
        Cable::new(1_700_000_000, 50 * NS, 8),
    );
    let targets = (0..3)
        .map(|array| TargetPlan {
            array,
            lun: 0,
            offset_bytes: 0,
            span_bytes: 1 << 30,
            paths: vec![PathPlan {
                adapter: 0,
                target_n_port: san.plan.arrays[array as usize].n_ports[0],
                group: 0,
            }],
        })
        .collect();
    let job = san.job(0, 0, 4096, iodepth);
    job.pattern = pattern;
    job.targets = targets;
    san
}

fn runs_as_in_the_reference(san: &San) {
    let quick = san.run();
    let slow = san.try_run(true).expect("a run that keeps the laws");
    assert_eq!(quick.summary.fingerprint, slow.summary.fingerprint);
    assert_eq!(quick.summary.ios, slow.summary.ios);
    assert!(quick.summary.ios > 100);
}

#[test]
fn an_access_specification_keeps_its_requests_open_on_each_target() {
    let lines = vec![
        AccessLinePlan {
            share_ppm: 700_000,
            ..LINE
        },
        AccessLinePlan {
            bytes: n64(65_536),
            share_ppm: 300_000,
            read_ppm: 0,
            burst: n32(4),
            reply_bytes: Some(n32(8192)),
            ..LINE
        },
    ];
    let san = san(50 * MS, 6, PatternPlan::Access { lines });
    runs_as_in_the_reference(&san);
    // Each array has one server: with six open there, none is ever idle but at the very beginning.
    let outcome = san.run();
    let stations = text(&outcome, "stations", "station");
    let utilisations = real(&outcome, "stations", "utilisation");
    let of_luns = stations
        .iter()
        .zip(utilisations)
        .filter(|(name, _)| name.ends_with("lun0"));
    let busy: Vec<_> = of_luns.map(|(_, utilisation)| utilisation).collect();
    assert_eq!(busy.len(), 3);
    assert!(
        busy.iter().all(|utilisation| *utilisation > 0.5),
        "{busy:?}"
    );
}

/// A pause of 1 ms before bursts of five: five I/Os for each millisecond and a little.
#[test]
fn a_pause_before_bursts_sets_their_rate() {
    let lines = vec![AccessLinePlan {
        delay_ps: MS,
        burst: n32(5),
        ..LINE
    }];
    let san = san(200 * MS, 64, PatternPlan::Access { lines });
    runs_as_in_the_reference(&san);
    assert_eq!(san.run().summary.ios, 995); // the burst at 200 ms is not over
}

/// Half of the I/Os of a specification with replies are replies, in the opposite direction.
#[test]
fn replies_are_as_many_as_requests() {
    let lines = vec![AccessLinePlan {
        read_ppm: 1_000_000,
        reply_bytes: Some(n32(512)),
        ..LINE
    }];
    let san = san(50 * MS, 4, PatternPlan::Access { lines });
    let outcome = san.run();
    let counts = whole(&outcome, "jobs", "io_count");
    let bytes = whole(&outcome, "jobs", "bytes");
    assert_eq!(counts.len(), 2);
    assert!(counts[0].abs_diff(counts[1]) <= 12, "{counts:?}");
    assert_eq!(
        (bytes[0] / counts[0]).max(bytes[1] / counts[1]),
        4096,
        "requests are reads of 4 KiB, replies writes of 512 bytes"
    );
}

fn stream(requests: StreamPlan, stripe_bytes: u64) -> San {
    let pattern = PatternPlan::Stream {
        stripe_bytes: NonZeroU64::new(stripe_bytes),
        requests,
    };
    let mut san = san(500 * MS, 0, pattern);
    let job = &mut san.plan.jobs[0];
    job.read_ppm = 500_000;
    job.arrivals = Some(poisson(n64(100 * US)));
    (job.offset_bytes, job.span_bytes) = (1 << 29, 2 << 30);
    san
}

/// Over a volume of three LUNs, in stripes or not, each stream asks at its rate and reaches all of them.
#[test]
fn streams_ask_at_their_rate_on_all_luns() {
    let sizes = vec![SizePlan {
        bytes: n64(16_384),
        share_ppm: 1_000_000,
    }];
    for requests in [
        StreamPlan::Uniform {
            align_bytes: n64(8192),
        },
        StreamPlan::Walk { walkers: n32(100) },
        StreamPlan::Runs {
            runs: n32(100),
            run_bytes: 1 << 28,
            sizes,
        },
    ] {
        for stripe_bytes in [0, 1 << 20] {
            let san = stream(requests.clone(), stripe_bytes);
            runs_as_in_the_reference(&san);
            let outcome = san.run();
            // 5000 arrivals are expected, with a standard deviation of 71; cut ones count twice.
            assert_near(outcome.summary.ios as f64, 5000.0, 0.07);
            let stations = text(&outcome, "stations", "station");
            let busy = real(&outcome, "stations", "utilisation");
            let used = stations.iter().zip(busy);
            let used = used.filter(|(name, busy)| name.ends_with("lun0") && *busy > 0.01);
            assert_eq!(used.count(), 3);
        }
    }
}

/// The text of the plan is refused with a 0 here.
#[track_caller]
fn refuse_zero(san: &San, pointer: &str) {
    let error = refused_text(&san.plan, pointer, 0.into());
    assert!(error.contains("invalid value: integer `0`"), "{error}");
}

#[test]
fn patterns_that_do_not_hold_together_are_refused() {
    let access = |line: AccessLinePlan| {
        let lines = vec![line];
        san(MS, 1, PatternPlan::Access { lines })
    };
    for line in [
        AccessLinePlan {
            share_ppm: 999_999,
            ..LINE
        },
        AccessLinePlan {
            reply_bytes: Some(n32(u32::MAX)),
            ..LINE
        },
    ] {
        assert!(access(line).try_run(false).is_err(), "{line:?}");
    }
    for name in ["bytes", "burst", "align_bytes"] {
        refuse_zero(&access(LINE), &format!("/jobs/0/pattern/lines/0/{name}"));
    }
    let uniform = StreamPlan::Uniform {
        align_bytes: n64(512),
    };
    let walk = StreamPlan::Walk { walkers: n32(1) };
    for stripe_bytes in [0, 4096] {
        let (uniform, walk) = (
            stream(uniform.clone(), stripe_bytes),
            stream(walk.clone(), stripe_bytes),
        );
        refuse_zero(&uniform, "/jobs/0/pattern/requests/align_bytes");
        refuse_zero(&walk, "/jobs/0/pattern/requests/walkers");
    }
    let runs = StreamPlan::Runs {
        runs: n32(1),
        run_bytes: 1 << 40,
        sizes: vec![],
    };
    assert!(stream(runs.clone(), 0).try_run(false).is_err());
    for requests in [uniform, walk, runs] {
        assert!(stream(requests, 4097).try_run(false).is_err());
    }
    let mut none = access(LINE);
    none.plan.jobs[0].targets.clear();
    assert!(none.try_run(false).is_err());
}

/// Lines whose shares sum to the whole, of all sizes, bursts, pauses and replies.
fn any_lines() -> impl Strategy<Value = Vec<AccessLinePlan>> {
    let line = (
        (1u64..200, 0u32..=4, 0u32..=4, 1u32..20),
        (0u64..3, 1u32..6, 0u32..4, 0u32..3),
    )
        .prop_map(|((sectors, reads, random, weight), rest)| {
            let (delay, burst, align, reply) = rest;
            AccessLinePlan {
                bytes: n64(512 * sectors),
                share_ppm: weight,
                read_ppm: 250_000 * reads,
                random_ppm: 250_000 * random,
                delay_ps: delay * 200 * US,
                burst: n32(burst),
                align_bytes: n64(512 << (3 * align)),
                reply_bytes: NonZeroU32::new(4096 * reply),
            }
        });
    prop::collection::vec(line, 1..5).prop_map(|mut lines| {
        let whole: u32 = lines.iter().map(|line| line.share_ppm).sum();
        let mut left = 1_000_000;
        for line in &mut lines {
            line.share_ppm = line.share_ppm * 1_000_000 / whole;
            left -= line.share_ppm;
        }
        lines[0].share_ppm += left;
        lines
    })
}

proptest! {
    #![proptest_config(cases(40))]

    /// Whatever the specification: every law holds, bytes asked for bound the run, and the reference
    /// gives the same.
    #[test]
    fn any_access_specification_keeps_the_laws(
        lines in any_lines(),
        iodepth in 0u32..5,
        total in 0u64..400,
    ) {
        let mut san = san(5 * MS, iodepth, PatternPlan::Access { lines });
        let job = &mut san.plan.jobs[0];
        job.total_bytes = NonZeroU64::new(4096 * total);
        job.arrivals = (iodepth == 0).then(|| constant(n64(100 * US)));
        let quick = san.run();
        let slow = san.try_run(true).expect("a run that keeps the laws");
        prop_assert_eq!(&quick.summary.fingerprint, &slow.summary.fingerprint);
        prop_assert_eq!(quick.summary.ios, slow.summary.ios);
        let moved: u64 = whole(&quick, "jobs", "bytes").iter().sum();
        prop_assert!(total == 0 || moved < 4096 * total + 200 * 512);
    }
}
