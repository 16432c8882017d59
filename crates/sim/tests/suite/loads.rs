//! Rates over time, and phases of a run: closed forms.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use sanlab_sim::plan::{Distribution, LoadPlan, LoadPointPlan, OutagePlan, PhasePlan, PlanError};
use sanlab_sim::{Outcome, RunError, check};

const WHOLE: u32 = 1_000_000;

/// A host and an array on one link of no length.
fn direct(service: u64, end: u64) -> San {
    let mut san = San::new(end);
    let host = san.host("host");
    let array = san.array("array", service, Distribution::Constant);
    let cable = Cable::new(26_400_000_000, 0, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san
}

fn load(points: &[(u64, u32)], repeats: bool) -> LoadPlan {
    let points = points
        .iter()
        .map(|&(at_ps, share_ppm)| LoadPointPlan { at_ps, share_ppm });
    LoadPlan {
        points: points.collect(),
        repeats,
    }
}

fn phases(spans: &[(u64, u64)]) -> Vec<PhasePlan> {
    let phases = spans
        .iter()
        .enumerate()
        .map(|(number, &(from, to))| PhasePlan {
            name: format!("phase{number}"),
            from_ps: from,
            to_ps: Some(n64(to)),
        });
    phases.collect()
}

fn submitted(outcome: &Outcome) -> Vec<u64> {
    whole(outcome, "phases", "submitted_count")
}

/// A load at its whole rate changes no time of a run, to the picosecond.
#[test]
fn the_whole_rate_changes_nothing() {
    for arrivals in [constant(n64(70 * US)), poisson(n64(70 * US))] {
        let run = |load| {
            let mut san = direct(50 * US, SECOND / 10);
            san.plan.interval_ps = Some(n64(10 * MS));
            let job = san.job(0, 0, 4096, 0);
            job.start_ps = 3 * MS;
            job.arrivals = Some(arrivals);
            job.load = load;
            san.run()
        };
        let without = run(None);
        let points = [(0, WHOLE), (7 * MS, WHOLE), (20 * MS, WHOLE)];
        for repeats in [false, true] {
            let with = run(Some(load(&points, repeats)));
            assert_eq!(with.summary.fingerprint, without.summary.fingerprint);
            assert_eq!(differences(&with, &without), "");
        }
    }
}

/// The number of arrivals in each piece is its integral of the rate: exactly, rounded, at a constant
/// distance, and within five standard deviations in a Poisson process.
#[test]
fn each_piece_has_the_arrivals_of_its_integral() {
    let points = [
        (0, 100_000),
        (SECOND, 100_000),
        (SECOND, 800_000), // a step up
        (2 * SECOND, 800_000),
        (3 * SECOND, 200_000), // a ramp down
        (3 * SECOND, 0),       // a pause
        (4 * SECOND, 0),
        (5 * SECOND, WHOLE), // a ramp from nothing
    ];
    let integrals = [0.1, 0.8, 0.5, 0.0, 0.5, 1.0];
    let ends = [1, 2, 3, 4, 5, 6];
    let spans: Vec<_> = ends
        .iter()
        .map(|end| ((end - 1) * SECOND, end * SECOND))
        .collect();
    for arrivals in [constant(n64(10 * US)), poisson(n64(10 * US))] {
        let mut san = direct(US, 6 * SECOND);
        let job = san.job(0, 0, 512, 0);
        job.arrivals = Some(arrivals);
        job.load = Some(load(&points, false));
        san.plan.phases = phases(&spans);
        let counts = submitted(&san.run());
        for (&integral, &count) in integrals.iter().zip(&counts) {
            let expected = 1e5 * integral;
            let bound = match arrivals.distribution {
                Distribution::Constant => 1.0,
                Distribution::Exponential => 5.0 * f64::sqrt(expected),
            };
            assert!(
                (count as f64 - expected).abs() <= bound,
                "{count} instead of {expected}: {counts:?}"
            );
        }
    }
}

/// A curve that repeats has the same arrivals in each of its periods.
#[test]
fn a_period_repeats() {
    let mut san = direct(US, 5 * SECOND);
    let job = san.job(0, 0, 512, 0);
    job.arrivals = Some(constant(n64(100 * US)));
    job.load = Some(load(&[(0, 0), (SECOND, WHOLE)], true));
    san.plan.phases = phases(&[0, 1, 2, 3, 4].map(|at| (at * SECOND, (at + 1) * SECOND)));
    assert_eq!(submitted(&san.run()), [5000; 5]);
}

/// A job that starts at one time and stops at another makes I/O between them alone.
#[test]
fn a_job_makes_no_request_outside_its_time() {
    for depth in [0, 4] {
        let mut san = direct(50 * US, SECOND);
        let job = san.job(0, 0, 4096, depth);
        job.start_ps = 200 * MS;
        job.stop_ps = Some(n64(500 * MS));
        job.arrivals = (depth == 0).then(|| constant(n64(100 * US)));
        // Another job keeps the run alive.
        san.job(0, 0, 4096, 0).arrivals = Some(constant(n64(MS)));
        san.plan.phases = phases(&[
            (0, 200 * MS),
            (200 * MS, 500 * MS),
            (501 * MS, 900 * MS),
            (950 * MS, 2 * SECOND),
        ]);
        let outcome = san.run();
        let workloads = text(&outcome, "phases", "workload");
        let of_first = |column: &str| -> Vec<u64> {
            let values = whole(&outcome, "phases", column);
            let rows = values.into_iter().zip(&workloads);
            rows.filter(|(_, workload)| *workload == "work0")
                .map(|(value, _)| value)
                .collect()
        };
        let counts = of_first("submitted_count");
        assert_eq!((counts[0], counts[2], counts[3]), (0, 0, 0));
        assert!(counts[1] >= 3000);
        if depth == 0 {
            assert_eq!(counts[1], 3000);
        }
        // The last phase ends with the run.
        assert_eq!(of_first("to_ps")[3], SECOND);
    }
}

/// A stepped Poisson load on a server of constant time: each step, once it has settled, is M/D/1.
#[test]
fn each_step_is_m_d_1() {
    let service = 100 * US;
    let (step, settle) = (100 * SECOND, 2 * SECOND);
    let shares = [200_000, 500_000, 800_000, 300_000];
    let mut san = direct(service, 4 * step);
    let job = san.job(0, 0, 512, 0);
    job.arrivals = Some(poisson(n64(service)));
    let points = (0..)
        .zip(shares)
        .flat_map(|(number, share)| [(number * step, share), ((number + 1) * step, share)]);
    job.load = Some(load(&points.collect::<Vec<_>>(), false));
    let spans: Vec<_> = (0..4)
        .map(|n| (n * step + settle, (n + 1) * step))
        .collect();
    san.plan.phases = phases(&spans);
    let outcome = san.run();
    let means = real(&outcome, "phases", "response_mean_ps");
    let present = real(&outcome, "phases", "open_mean");
    for (number, share) in shares.into_iter().enumerate() {
        let load = f64::from(share) / 1e6;
        let expected = service as f64 * (1.0 + 0.5 * load / (1.0 - load));
        assert_near(means[number], expected, 0.03);
        // Little's law with the rate of the step.
        assert_near(present[number], load / service as f64 * expected, 0.03);
    }
}

/// Phases without gaps count every I/O once, and their areas and response times add up.
#[test]
fn phases_share_out_the_run() {
    let mut san = direct(50 * US, SECOND / 2);
    let job = san.job(0, 0, 4096, 8);
    job.read_ppm = 600_000;
    let cuts = [0, 13 * MS, 100 * MS, 333 * MS, 500 * MS];
    let spans: Vec<_> = cuts.windows(2).map(|pair| (pair[0], pair[1])).collect();
    san.plan.phases = phases(&spans);
    let outcome = san.run();
    let names: Vec<_> = outcome.summary.checks.iter().map(|it| it.name).collect();
    assert!(names.contains(&"Little's law in phases"));
    let ops = text(&outcome, "phases", "op");
    let sum_of = |op: &str, column: &str| -> u64 {
        let rows = whole(&outcome, "phases", column).into_iter().zip(&ops);
        rows.filter(|(_, known)| *known == op)
            .map(|(value, _)| value)
            .sum()
    };
    let totals = text(&outcome, "workloads", "op");
    for (row, op) in totals.iter().enumerate() {
        for column in ["io_count", "bytes"] {
            let whole_run = whole(&outcome, "workloads", column)[row];
            assert_eq!(sum_of(op, column), whole_run, "{column} of {op}");
        }
    }
    // A closed loop keeps its depth at all times.
    let open = real(&outcome, "phases", "open_mean");
    for pair in open.chunks(2) {
        assert!((pair[0] + pair[1] - 8.0).abs() < 1e-9, "{pair:?}");
    }
}

/// The reference with every step as an event has the same phases.
#[test]
fn phases_are_the_same_in_the_reference() {
    let mut san = direct(50 * US, 100 * MS);
    let job = san.job(0, 0, 65_536, 0);
    job.arrivals = Some(poisson(n64(60 * US)));
    job.load = Some(load(&[(0, WHOLE), (9 * MS, 0), (13 * MS, 700_000)], true));
    san.plan.phases = phases(&[(MS, 30 * MS), (40 * MS, 40 * MS + 1), (50 * MS, 99 * MS)]);
    let fast = san.try_run(false).expect("the laws hold");
    let slow = san.try_run(true).expect("the laws hold");
    assert_eq!(differences(&fast, &slow), "");
    assert_eq!(fast.summary.fingerprint, slow.summary.fingerprint);
}

fn refusal(change: impl Fn(&mut San)) -> String {
    let mut san = direct(US, SECOND);
    let job = san.job(0, 0, 512, 0);
    job.arrivals = Some(constant(n64(US)));
    job.load = Some(load(&[(0, WHOLE)], false));
    san.plan.phases = phases(&[(0, MS), (2 * MS, 3 * MS)]);
    check(&san.plan).expect("a plan that holds together");
    change(&mut san);
    let error: PlanError = check(&san.plan).expect_err("an impossible plan");
    RunError::from(error).to_string()
}

#[test]
fn impossible_loads_and_phases_are_refused() {
    let points = |points: &'static [(u64, u32)], repeats: bool| {
        refusal(move |san| san.plan.jobs[0].load = Some(load(points, repeats)))
    };
    assert!(points(&[], false).contains("the first at 0"));
    assert!(points(&[(1, 5)], false).contains("the first at 0"));
    assert!(points(&[(0, 5), (9, 5), (8, 5)], false).contains("in the order of time"));
    assert!(points(&[(0, 1_000_001)], false).contains("points[0].share_ppm"));
    assert!(points(&[(0, 0), (9, 0)], true).contains("no share above 0"));
    assert!(points(&[(0, 7)], true).contains("no share above 0"));
    let paced = refusal(|san| {
        san.plan.jobs[0].arrivals = None;
        san.plan.jobs[0].iodepth = std::num::NonZeroU32::new(1);
    });
    assert!(paced.contains("no arrivals"), "{paced}");
    let saturated = refusal(|san| {
        san.traffic(0, 1, 100, 0, 0);
        san.plan.traffic[0].load = Some(load(&[(0, WHOLE)], false));
    });
    assert!(saturated.contains("traffic[0].load"), "{saturated}");
    let overlap = refusal(|san| san.plan.phases[1].from_ps = MS - 1);
    assert!(overlap.contains("phases[1].from_ps"), "{overlap}");
    let empty = refusal(|san| san.plan.phases[1].from_ps = 3 * MS);
    assert!(empty.contains("before its own end"), "{empty}");
    let endless = refusal(|san| san.plan.phases[0].to_ps = None);
    assert!(endless.contains("phases[1].from_ps"), "{endless}");
}

/// Plain frames follow the integral of their rate too: exactly at a constant distance, within five standard
/// deviations in a Poisson process. At its whole rate, a load of frames at a constant distance changes nothing.
#[test]
fn frames_follow_a_curve() {
    let two_ports = || {
        let mut san = San::new(4 * SECOND);
        let (a, b) = (san.host("a"), san.host("b"));
        let cable = Cable::new(26_400_000_000, 0, 64);
        san.link(At::NPort(a), At::NPort(b), cable);
        san.traffic(a, b, 1000, 0, 20 * US);
        san.plan.interval_ps = Some(n64(SECOND));
        san
    };
    let points = [
        (0, 200_000),
        (SECOND, 200_000),
        (2 * SECOND, 0),
        (3 * SECOND, 0),
        (3 * SECOND, WHOLE),
    ];
    let expected = [0.2, 0.1, 0.0, 1.0].map(|integral| integral * 5e4);
    for arrivals in [constant(n64(20 * US)), poisson(n64(20 * US))] {
        let mut san = two_ports();
        san.plan.traffic[0].arrivals = Some(arrivals);
        san.plan.traffic[0].load = Some(load(&points, false));
        let outcome = san.run();
        let bytes = whole(&outcome, "port_series", "tx_payload_bytes");
        let sent = bytes.chunks(bytes.len() / 4);
        for (bytes, expected) in sent.zip(expected) {
            let frames = bytes.iter().sum::<u64>() as f64 / 1000.0;
            let bound = match arrivals.distribution {
                Distribution::Constant => 1.0,
                Distribution::Exponential => 5.0 * f64::sqrt(expected) + 1.0,
            };
            assert!((frames - expected).abs() <= bound, "{frames}: {expected}");
        }
        let slow = san.try_run(true).expect("the laws hold");
        assert_eq!(differences(&outcome, &slow), "");
    }
    let without = two_ports().run();
    let mut san = two_ports();
    san.plan.traffic[0].load = Some(load(&[(0, WHOLE), (7 * MS, WHOLE)], true));
    assert_eq!(san.run().summary.fingerprint, without.summary.fingerprint);
}

/// While the link is gone no frame is made, and what was due then is not made up for.
#[test]
fn a_curve_goes_on_after_an_outage() {
    let mut san = San::new(3 * SECOND);
    let (a, b) = (san.host("a"), san.host("b"));
    let link = san.link(
        At::NPort(a),
        At::NPort(b),
        Cable::new(26_400_000_000, 0, 64),
    );
    san.traffic(a, b, 1000, 0, 100 * US);
    san.plan.traffic[0].load = Some(load(&[(0, 500_000), (3 * SECOND, 500_000)], false));
    san.plan.faults.is_armed = true;
    san.plan.links[link].outages = vec![OutagePlan {
        from_ps: SECOND,
        until_ps: Some(n64(2 * SECOND)),
    }];
    let outcome = san.run();
    let frames = whole(&outcome, "ports", "tx_frames_count")
        .into_iter()
        .max();
    // Two of the three seconds, at half of 10,000 a second.
    assert!(
        frames.is_some_and(|count| count.abs_diff(10_000) <= 2),
        "{frames:?}"
    );
}
