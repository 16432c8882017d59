//! Workloads that start when others have ended.

use crate::support::*;
use sanlab_sim::plan::{Distribution, PhasePlan, PlanError};
use sanlab_sim::{RunError, check};

/// A host and an array on one link of no length.
fn direct(end: u64) -> San {
    let mut san = San::new(end);
    let host = san.host("host");
    let array = san.array("array", 50 * US, Distribution::Constant);
    let cable = Cable::new(26_400_000_000, 0, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san
}

fn with_jobs(count: usize, end: u64) -> San {
    let mut san = direct(end);
    for number in 0..count {
        let job = san.job(0, 0, 4096, 2);
        job.total_bytes = Some(n64(4096 * 100));
        // Equal draws, so that equal jobs take equal time.
        job.name = format!("job{number}");
        job.addresses = addresses(false);
    }
    san
}

/// One after the other takes the sum of the times of each alone, and their delays, to the picosecond.
#[test]
fn a_chain_takes_the_sum_of_its_parts() {
    let alone = with_jobs(1, SECOND).run();
    let took = alone.summary.simulated_ps;
    let mut san = with_jobs(3, SECOND);
    san.plan.workloads[1].after = vec![0];
    san.plan.workloads[2].after = vec![1, 0];
    san.plan.jobs[1].start_ps = 5 * US;
    san.plan.jobs[2].start_ps = 7 * US;
    let chain = san.run();
    assert_eq!(chain.summary.simulated_ps, 3 * took + 12 * US);
    assert_eq!(
        whole(&chain, "workloads", "from_ps"),
        [0, took + 5 * US, 2 * took + 12 * US]
    );
    let windows = whole(&chain, "workloads", "window_ps");
    assert_eq!(windows, [took; 3]);
    let means = real(&chain, "workloads", "response_mean_ps");
    let same = |&mean: &f64| mean.to_bits() == means[0].to_bits();
    assert!(means.iter().all(same), "{means:?}");
}

/// A job at a rate is over when it stops, not when its next request would be due; one with open I/Os when
/// the last of them is done.
#[test]
fn a_job_is_over_when_it_stops() {
    for (depth, begins_at) in [(0, 500 * US), (1, 0)] {
        let mut san = direct(SECOND);
        let first = san.job(0, 0, 4096, depth);
        first.stop_ps = Some(n64(500 * US));
        first.arrivals = (depth == 0).then(|| constant(n64(400 * US)));
        let second = san.job(0, 0, 4096, 1);
        second.total_bytes = Some(n64(4096));
        san.plan.workloads[1].after = vec![0];
        let outcome = san.run();
        let from = whole(&outcome, "workloads", "from_ps")[1];
        if depth == 0 {
            assert_eq!(from, begins_at);
        } else {
            // The last request of the closed loop began before it stopped.
            assert!((500 * US..600 * US).contains(&from), "{from}");
        }
    }
}

/// Ramp and run time count from the end of what was waited for. The window has the data that arrive in it.
#[test]
fn windows_begin_late_too() {
    let late = |after: bool| {
        let mut san = with_jobs(1, SECOND);
        let second = san.job(0, 0, 4096, 4);
        second.ramp_ps = 3 * MS;
        second.stop_ps = Some(n64(23 * MS));
        if after {
            san.plan.workloads[1].after = vec![0];
        } else {
            // The same, by hand.
            let took = with_jobs(1, SECOND).run().summary.simulated_ps;
            san.plan.jobs[1].start_ps = took;
            san.plan.jobs[1].stop_ps = Some(n64(took + 23 * MS));
        }
        san.plan.interval_ps = Some(n64(10 * MS));
        san.plan.phases = vec![PhasePlan {
            name: "all".into(),
            from_ps: 0,
            to_ps: None,
        }];
        san
    };
    let (by_itself, by_hand) = (late(true), late(false));
    let expected = by_hand.run();
    for every_event in [false, true] {
        let outcome = by_itself.try_run(every_event).expect("the laws hold");
        assert_eq!(outcome.summary.fingerprint, expected.summary.fingerprint);
        assert_eq!(differences(&outcome, &expected), "");
    }
}

/// A workload waits for all jobs of all others, however they end.
#[test]
fn it_waits_for_the_last_job() {
    let mut san = with_jobs(3, SECOND);
    san.plan.jobs[1].workload = 0;
    san.plan.jobs[1].start_ps = 20 * MS;
    san.plan.jobs[1].think_ps = MS;
    san.plan.jobs[1].total_bytes = Some(n64(4096 * 10));
    san.plan.workloads[2].after = vec![0];
    let outcome = san.run();
    let ends_at = whole(&outcome, "workloads", "from_ps")[1];
    // Five times two requests of 50 us and more, each with a pause.
    assert!((20 * MS + 5 * MS..27 * MS).contains(&ends_at), "{ends_at}");
}

#[test]
fn impossible_orders_are_refused() {
    let refusal = |after: [&[u32]; 2]| {
        let mut san = with_jobs(2, SECOND);
        san.plan.workloads[0].after = after[0].to_vec();
        san.plan.workloads[1].after = after[1].to_vec();
        let error: PlanError = check(&san.plan).expect_err("an impossible plan");
        RunError::from(error).to_string()
    };
    assert!(refusal([&[1], &[0]]).contains("workloads[0].after: it waits for itself"));
    assert!(refusal([&[], &[1]]).contains("workloads[1].after: it waits for itself"));
    assert!(refusal([&[], &[2]]).contains("workloads[1].after"));
    let mut san = with_jobs(2, SECOND);
    san.plan.jobs[0].workload = 1;
    san.plan.workloads[1].after = vec![0];
    let error = check(&san.plan).expect_err("an impossible plan");
    assert!(error.to_string().contains("no job that could end"));
}
