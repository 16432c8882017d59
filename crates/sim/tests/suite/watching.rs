//! A run that is watched, held and let go again gives the results of one that is not.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::plan::{Distribution, RoutePolicy};
use sanlab_sim::{Control, NO_HOLD, Outcome, RunOptions, Snapshot, run};

const PATIENCE: Duration = Duration::from_secs(60);

/// Two hosts read and write through a switch.
fn busy(end_ps: u64) -> San {
    let mut san = San::new(end_ps);
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    let array = san.array("array", 90 * US, Distribution::Exponential);
    san.link(
        At::NPort(array),
        switch,
        Cable::new(212_500_000, 50 * NS, 4),
    );
    for number in 0..2 {
        let port = san.host(&format!("host{number}"));
        san.link(At::NPort(port), switch, Cable::new(425_000_000, 50 * NS, 4));
        san.job(number, 0, 65_536, 8).read_ppm = 500_000;
    }
    san
}

/// A run, and what `watch` saw of it.
fn watched<T: Send>(
    san: &San,
    options: &RunOptions,
    control: &Control,
    watch: impl FnOnce() -> T + Send,
) -> (Outcome, T) {
    std::thread::scope(|scope| {
        let engine = scope.spawn(|| run(&san.plan, options, control));
        let seen = watch();
        let outcome = engine.join().expect("no panic").expect("a run");
        (outcome, seen)
    })
}

fn options(every_event: bool) -> RunOptions {
    RunOptions {
        every_event,
        ..RunOptions::default()
    }
}

fn unwatched(san: &San, every_event: bool) -> Outcome {
    run(&san.plan, &options(every_event), &Control::default()).expect("a run")
}

fn same(left: &Outcome, right: &Outcome) {
    assert_eq!(left.summary.fingerprint, right.summary.fingerprint);
    assert_eq!(left.summary.events, right.summary.events);
    assert_eq!(left.summary.simulated_ps, right.summary.simulated_ps);
    assert_eq!(differences(left, right), "");
}

/// Held at an instant and at the next again, a run is there, counts no more than is due by then, and counts on.
fn in_steps(san: &San, every_event: bool, step_ps: u64) -> (Outcome, Vec<Snapshot>) {
    let control = Control::default();
    control.hold(step_ps);
    let (outcome, seen) = watched(san, &options(every_event), &control, || {
        let mut seen = Vec::new();
        let mut hold_at = step_ps;
        while let Some(snapshot) = control.snapshot(PATIENCE) {
            assert!(snapshot.at_ps <= hold_at, "held at {hold_at}");
            if snapshot.at_ps == hold_at {
                hold_at += step_ps;
                control.hold(hold_at);
                seen.push((*snapshot).clone());
            }
        }
        seen
    });
    (outcome, seen)
}

#[test]
fn held_at_every_step_a_run_is_the_same() {
    let san = busy(20 * MS);
    for every_event in [false, true] {
        let (outcome, seen) = in_steps(&san, every_event, MS);
        same(&outcome, &unwatched(&san, every_event));
        let times: Vec<u64> = seen.iter().map(|snapshot| snapshot.at_ps / MS).collect();
        assert_eq!(times, (1..20).collect::<Vec<_>>());
    }
}

/// What a snapshot says at the end of an interval is what the tables say of it.
#[test]
fn snapshots_agree_with_the_tables() {
    let mut san = busy(20 * MS);
    san.plan.interval_ps = Some(n64(MS));
    let (outcome, seen) = in_steps(&san, false, MS);
    let of_ports = text(&outcome, "port_series", "port");
    let sums = |column: &str, port: &str, until: u64| -> u64 {
        let values = whole(&outcome, "port_series", column);
        let times = whole(&outcome, "port_series", "time_ps");
        let rows = of_ports.iter().zip(times).zip(values);
        let rows = rows.filter(|((of, at), _)| *of == port && *at <= until);
        rows.map(|(_, value)| value).sum()
    };
    for snapshot in &seen {
        for (place, port) in snapshot.names.ports.iter().enumerate() {
            let told = [
                ("tx_bytes", &snapshot.tx_bytes),
                ("tx_payload_bytes", &snapshot.tx_payload_bytes),
                ("tx_credit_wait_ps", &snapshot.tx_credit_wait_ps),
            ];
            for (column, values) in told {
                assert_eq!(values[place], sums(column, port, snapshot.at_ps), "{port}");
            }
        }
        let ios = whole(&outcome, "workload_series", "io_count");
        let times = whole(&outcome, "workload_series", "time_ps");
        let done = times.iter().zip(ios).filter(|it| *it.0 <= snapshot.at_ps);
        assert_eq!(
            snapshot.ios.iter().sum::<u64>(),
            done.map(|it| it.1).sum::<u64>()
        );
        assert_eq!(
            snapshot.bytes.iter().sum::<u64>(),
            snapshot.ios.iter().sum::<u64>() * 65_536
        );
    }
}

#[test]
fn a_hold_ends_with_a_stop_and_the_run_there() {
    let (san, control) = (busy(SECOND), Control::default());
    control.hold(3 * MS);
    let (outcome, ()) = watched(&san, &RunOptions::default(), &control, || {
        while control.now_ps.load(Ordering::Relaxed) < 3 * MS {
            std::thread::yield_now();
        }
        control.stop();
    });
    assert!(!outcome.summary.is_complete);
    assert!((2 * MS..=3 * MS).contains(&outcome.summary.simulated_ps));
}

/// A hold that comes while it goes takes effect at the next look; lifted, it is forgotten.
#[test]
fn a_pause_of_a_run_that_goes_changes_nothing() {
    let (san, control) = (busy(200 * MS), Control::default());
    let (outcome, ()) = watched(&san, &RunOptions::default(), &control, || {
        let first = control.snapshot(PATIENCE).expect("an answer");
        control.hold(0);
        let mut paused = control.snapshot(PATIENCE).expect("an answer");
        loop {
            let next = control.snapshot(PATIENCE).expect("an answer");
            if next == paused {
                break;
            }
            paused = next;
        }
        assert!(first.at_ps <= paused.at_ps && paused.at_ps < 200 * MS);
        control.hold(NO_HOLD);
    });
    same(&outcome, &san.run());
}

/// A job that ends leaves nothing to wait for, though the hold is before the planned end.
#[test]
fn a_run_with_nothing_left_to_do_is_not_held() {
    let (mut san, control) = (busy(SECOND), Control::default());
    for job in &mut san.plan.jobs {
        job.total_bytes = Some(n64(10 * 65_536));
    }
    control.hold(SECOND / 2);
    let outcome = run(&san.plan, &RunOptions::default(), &control).expect("a run");
    same(&outcome, &san.run());
    assert!(outcome.summary.simulated_ps < SECOND / 2);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn holds_at_any_times_change_nothing(step_ps in 10 * US..5 * MS, every_event: bool) {
        let san = busy(5 * MS);
        let (outcome, _) = in_steps(&san, every_event, step_ps);
        same(&outcome, &unwatched(&san, every_event));
    }
}
