//! Where models meet their limits: full queues, ends in the middle of everything, several paths, and
//! plans that must be refused.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use sanlab_sim::check;
use sanlab_sim::plan::{CachePlan, Distribution, MirrorModePlan, MirrorPlan, Plan, RoutePolicy};

/// The longest span that a plan may name.
const LONGEST: u64 = 1 << 60;

/// A host and an array on one link of no length.
fn direct(service: u64) -> San {
    let mut san = San::new(1000 * SECOND);
    let host = san.host("host");
    let array = san.array("array", service, Distribution::Constant);
    let cable = Cable::new(26_400_000_000, 0, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san
}

/// A fibre that is never free is busy all the time: not more, wherever run and bins end.
#[test]
fn a_saturated_fibre_is_busy_exactly_all_the_time() {
    let mut san = San::new(12_345_678_901);
    let (a, b) = (san.n_port("a"), san.n_port("b"));
    san.link(
        At::NPort(a),
        At::NPort(b),
        Cable::new(212_500_000, 50 * NS, 64),
    );
    san.plan.interval_ps = Some(n64(1_234_567_890));
    san.traffic(a, b, 2048, 0, 0);
    let outcome = san.run();
    assert_eq!(of_port(&outcome, "a", "tx_busy_ps"), san.plan.end_ps);
    let bins = real(&outcome, "port_series", "tx_utilisation");
    let of_a: Vec<_> = bins.chunks(2).map(|ports| ports[0]).collect();
    assert_eq!(of_a, vec![1.0; 11]);
}

/// Work that waits when the run ends has not been done: ten commands of 10 ms each come at once, and
/// after 25 ms two are done.
#[test]
fn stations_count_what_they_have_done_and_not_what_they_will() {
    let mut san = direct(10 * MS);
    san.plan.end_ps = 25 * MS;
    san.job(0, 0, 4096, 10);
    let outcome = san.run();
    let first = whole(&outcome, "workloads", "response_min_ps")[0] / MS;
    assert_eq!(first, 10);
    let (utilisation, residence) = (
        real(&outcome, "stations", "utilisation")[0],
        real(&outcome, "stations", "mean_residence_ps")[0],
    );
    assert!(utilisation < 1.0);
    assert_near(utilisation, 1.0, 1e-4);
    assert_near(residence, 15.0 * MS as f64, 1e-4);
}

/// The rate of an open loop is that at which it asks, however early its last answer comes.
#[test]
fn the_window_of_a_paced_job_lasts_until_it_stops() {
    let mut san = direct(10 * US);
    let job = san.job(0, 0, 4096, 0);
    job.arrivals = Some(constant(n64(100 * MS)));
    (job.stop_ps, job.ramp_ps) = (Some(n64(SECOND)), 350 * MS);
    let outcome = san.run();
    assert_eq!(whole(&outcome, "workloads", "io_count"), [6]);
    assert_eq!(whole(&outcome, "workloads", "window_ps"), [650 * MS]);
    assert_eq!(outcome.summary.ios, 10);
}

/// An I/O is done when it has its answer, not when the pause after it is over.
#[test]
fn a_pause_that_lasts_does_not_hide_its_io() {
    let mut san = direct(10 * US);
    san.plan.end_ps = SECOND;
    let job = san.job(0, 0, 4096, 3);
    job.think_ps = 10 * SECOND;
    assert_eq!(san.run().summary.ios, 3);
}

/// The first I/O that counts is the one that is done when the warm-up ends.
#[test]
fn the_warm_up_ends_to_the_picosecond() {
    let count = |ramp_ps| {
        let mut san = direct(10 * US);
        let job = san.job(0, 0, 4096, 1);
        (job.total_bytes, job.ramp_ps) = (Some(n64(4096)), ramp_ps);
        let outcome = san.run();
        (
            whole(&outcome, "workloads", "io_count").len(),
            outcome.summary.simulated_ps,
        )
    };
    let (_, end) = count(0);
    assert_eq!([count(end).0, count(end + 1).0], [1, 0]);
}

/// More exchanges than there are ids: the run says which port.
#[test]
fn exhausted_exchange_ids_fail_the_run_by_name() {
    let mut san = direct(SECOND);
    let adapter = &mut san.plan.hosts[0].adapters[0];
    (adapter.max_commands, adapter.lun_queue_depth) = (n32(100_000), n32(100_000));
    san.job(0, 0, 512, 66_000);
    let error = san.try_run(false).expect_err("66,000 open commands");
    assert!(
        error.to_string().starts_with("host has all 65535"),
        "{error}"
    );
}

/// A sequence of more frames than SEQ_CNT counts arrives whole.
#[test]
fn a_sequence_may_have_more_than_65536_frames() {
    let mut san = direct(US);
    for read_ppm in [0, 1_000_000] {
        let job = san.job(0, 0, 140_000_001, 1);
        (job.read_ppm, job.total_bytes) = (read_ppm, Some(n64(140_000_001)));
    }
    let outcome = san.run();
    assert_eq!(whole(&outcome, "workloads", "bytes"), [140_000_001; 2]);
    let frames: u64 = whole(&outcome, "frames", "frames_count").iter().sum();
    assert_eq!(frames, 2 * (140_000_001u64.div_ceil(2048) + 2) + 1);
}

/// Transmit buffers move where end-to-end latency begins, and nothing on any fibre.
#[test]
fn transmit_buffers_change_no_frame() {
    let run = |tx_buffers| {
        let mut san = direct(US);
        san.plan.n_ports[0].tx_buffers = tx_buffers;
        let job = san.job(0, 0, 65_536, 4);
        (job.read_ppm, job.total_bytes) = (0, Some(n64(65_536 * 20)));
        let outcome = san.run();
        let latency = real(&outcome, "frames", "end_to_end_mean_ps")[0];
        (outcome.summary.fingerprint, latency)
    };
    let (one, eight) = (run(1), run(8));
    assert_eq!(one.0, eight.0);
    assert!(eight.1 > 2.0 * one.1, "{} {}", eight.1, one.1);
}

/// Two arrays that mirror a LUN each to the other, one copy at a time, with little room everywhere
/// (hosts may hold three of a port's four places, so that a copy always finds one): all is done, as
/// often as asked, and the reference agrees.
#[test]
fn arrays_that_mirror_to_each_other_get_all_done() {
    for mode in [
        MirrorModePlan::Synchronous {},
        MirrorModePlan::Asynchronous {},
    ] {
        let mut san = San::new(1000 * SECOND);
        let switch = san.switch(US, true, RoutePolicy::Exchange);
        let cable = Cable::new(850_000_000, 50 * NS, 4);
        for name in ["east", "west"] {
            let port = san.array(name, 300 * US, Distribution::Exponential);
            san.link(switch, At::NPort(port), cable);
        }
        for array in 0..2u32 {
            let far = 1 - array;
            let ports = [array, far].map(|id| san.plan.arrays[id as usize].n_ports[0]);
            let of = &mut san.plan.arrays[array as usize];
            of.port_queue_depth = n32(4);
            of.cache = Some(CachePlan::HitRate {
                read_hit_ppm: 0,
                access_ps: 20 * US,
                dirty_limit_bytes: Some(n64(20_000)),
            });
            let mut copy = of.luns[0].clone();
            copy.name = format!("copy{far}");
            of.luns.push(copy);
            of.luns[0].queue_depth = n32(3);
            of.luns[0].mirror = Some(MirrorPlan {
                array: far,
                lun: 1,
                source_n_port: ports[0],
                target_n_port: ports[1],
                mode,
                max_outstanding: n32(1),
                one_round_trip_bytes: 0,
                resume: None,
            });
        }
        for number in 0..2 {
            let port = san.host(&format!("host{number}"));
            san.link(switch, At::NPort(port), cable);
            for bytes in [8192, 32_768] {
                let job = san.job(number, number, bytes, 8);
                (job.read_ppm, job.total_bytes) = (300_000, Some(n64(100 * bytes)));
            }
        }
        let outcome = san.run();
        let done = whole(&outcome, "workloads", "io_count");
        assert_eq!(done.iter().sum::<u64>(), 400);
        let writes = text(&outcome, "workloads", "op");
        let writes = writes.iter().zip(&done).filter(|it| it.0 == "write");
        let copies = whole(&outcome, "mirrors", "copies_count");
        assert_eq!(
            copies.iter().sum::<u64>(),
            writes.map(|it| it.1).sum::<u64>()
        );
        assert_eq!(whole(&outcome, "mirrors", "max_outstanding"), [1, 1]);
        assert!(
            whole(&outcome, "workloads", "queue_full_count")
                .iter()
                .sum::<u64>()
                > 0
        );
        let slow = san.try_run(true).expect("the laws hold in the reference");
        assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}

/// Reads over three equal paths, spread by exchange: all three are used alike in both directions, in
/// which each switch chooses for itself. A fourth that costs more is not used.
#[test]
fn exchanges_spread_over_the_equal_paths_both_ways() {
    let mut san = San::new(SECOND);
    let host = san.host("host");
    let array = san.array("array", 0, Distribution::Constant);
    let ends = [0; 2].map(|_| san.switch(US, true, RoutePolicy::Exchange));
    let cable = Cable::new(850_000_000, 50 * NS, 16);
    for path in 0..4 {
        let isl = if path == 1 {
            san.link(ends[1], ends[0], cable) // whichever end comes first
        } else {
            san.link(ends[0], ends[1], cable)
        };
        san.plan.links[isl].fspf_cost = n64(if path == 3 { 501 } else { 500 });
    }
    san.link(At::NPort(host), ends[0], cable);
    san.link(ends[1], At::NPort(array), cable);
    san.job(0, 0, 8192, 16).total_bytes = Some(n64(8192 * 3000));
    let frames = whole(&san.run(), "ports", "tx_frames_count");
    let (out, back) = (
        [frames[0], frames[3], frames[4]],
        [frames[1], frames[2], frames[5]],
    );
    for (commands, answers) in out.into_iter().zip(back) {
        assert_near(commands as f64, 1000.0, 0.1);
        assert_eq!(answers % 5, 0); // four frames of data and a response on one path
        assert_near(answers as f64, 5000.0, 0.1);
    }
    assert_eq!(out.iter().sum::<u64>(), 3000);
    assert_eq!(back.iter().sum::<u64>(), 15_000);
    assert_eq!(frames[6] + frames[7], 0);
}

/// A detour over two cheap links is taken instead of one that costs more than both.
#[test]
fn the_cheaper_way_is_taken_even_if_it_is_a_detour() {
    for (direct, takes_detour) in [(999, false), (1001, true)] {
        let mut san = San::new(SECOND);
        let (a, b) = (san.n_port("a"), san.n_port("b"));
        let ring = [0; 3].map(|_| san.switch(US, true, RoutePolicy::OnePath));
        let cable = Cable::new(850_000_000, 50 * NS, 16);
        for (link, (from, to)) in [(0, 1), (0, 2), (2, 1)].into_iter().enumerate() {
            san.link(ring[from], ring[to], cable);
            san.plan.links[link].fspf_cost = n64(if link == 0 { direct } else { 500 });
        }
        san.link(At::NPort(a), ring[0], cable);
        san.link(ring[1], At::NPort(b), cable);
        san.traffic(a, b, 2048, 10, 0);
        let frames = whole(&san.run(), "ports", "tx_frames_count");
        let expected = if takes_detour {
            [0, 10, 10]
        } else {
            [10, 0, 0]
        };
        assert_eq!([frames[0], frames[2], frames[4]], expected);
    }
}

/// Bins are merged when there are too many; what they hold stays.
#[test]
fn time_lines_keep_their_sums_when_bins_merge() {
    let mut san = direct(20 * US);
    san.plan.end_ps = 50 * MS;
    san.plan.interval_ps = Some(n64(10 * US));
    san.job(0, 0, 4096, 4);
    let outcome = san.run();
    let times = whole(&outcome, "workload_series", "time_ps");
    assert!((1024..=2048).contains(&times.len()), "{}", times.len());
    let steps: Vec<_> = times.chunks(2).map(|rows| rows[0]).collect();
    assert!(
        steps
            .iter()
            .zip(1..)
            .all(|(&time, number)| time == number * 80 * US)
    );
    for (series, total) in [("io_count", "io_count"), ("bytes", "bytes")] {
        let sum: u64 = whole(&outcome, "workload_series", series).iter().sum();
        assert_eq!([sum], whole(&outcome, "workloads", total)[..]);
    }
    let busy = real(&outcome, "port_series", "tx_utilisation");
    let busy: f64 = busy
        .chunks(2)
        .map(|ports| ports[1] * 80.0 * US as f64)
        .sum();
    assert_near(busy, of_port(&outcome, "array", "tx_busy_ps") as f64, 1e-9);
}

/// What is wrong with a plan is said with its place.
#[test]
fn plans_that_do_not_hold_together_are_refused() {
    let good = || {
        let mut san = San::new(SECOND);
        let (host, switch) = (san.host("host"), san.switch(0, true, RoutePolicy::OnePath));
        let cable = Cable::new(850_000_000, 0, 1);
        san.link(At::NPort(host), switch, cable);
        for name in ["array", "other"] {
            let port = san.array(name, 0, Distribution::Constant);
            san.link(switch, At::NPort(port), cable);
        }
        san.job(0, 0, 4096, 1);
        san.plan
    };
    let mirror = |array| MirrorPlan {
        array,
        lun: 0,
        source_n_port: 2 - array,
        target_n_port: 1 + array,
        mode: MirrorModePlan::Synchronous {},
        max_outstanding: n32(1),
        one_round_trip_bytes: 0,
        resume: None,
    };
    assert_eq!(check(&good()), Ok(()));
    let refuse = |expected: &str, spoil: &dyn Fn(&mut Plan)| {
        let mut plan = good();
        spoil(&mut plan);
        let error = check(&plan).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    refuse("links[0].bytes_per_s", &|plan| {
        plan.links[0].bytes_per_s = n64(8_000_000_000_000);
    });
    refuse("n_ports[1]: it belongs to two", &|plan| {
        plan.arrays[1].n_ports[0] = 1;
        plan.arrays[1].controllers[0].n_ports[0] = 1;
    });
    refuse("arrays[1].controllers: each port", &|plan| {
        plan.arrays[1].controllers[0].n_ports.clear();
    });
    refuse("links[2]: there is a second link", &|plan| {
        plan.links[2].a = plan.links[1].a;
    });
    refuse("jobs[0].offset_bytes", &|plan| {
        plan.jobs[0].offset_bytes = u64::MAX;
    });
    refuse(
        "jobs[0].targets[0].span_bytes: the region is not on the LUN",
        &|plan| {
            region(&mut plan.jobs[0], u64::MAX, 1 << 30);
        },
    );
    refuse("jobs[0].span_bytes: it is not the region of", &|plan| {
        plan.jobs[0].offset_bytes = 4096;
    });
    refuse("jobs[0].think_ps", &|plan| {
        plan.jobs[0].think_ps = u64::MAX - 5;
    });
    refuse("jobs[0].arrivals.interval_ps", &|plan| {
        plan.jobs[0].arrivals = Some(constant(n64(u64::MAX - 5)));
    });
    refuse("jobs[0].ramp_ps", &|plan| plan.jobs[0].ramp_ps = u64::MAX);
    refuse("jobs[0].iodepth: a job without arrivals", &|plan| {
        plan.jobs[0].iodepth = None;
    });
    refuse("end_ps", &|plan| plan.end_ps = u64::MAX);
    refuse(
        "arrays[0].luns[0].mirror: the copy is mirrored itself",
        &|plan| {
            plan.arrays[0].luns[0].mirror = Some(mirror(1));
            plan.arrays[1].luns[0].mirror = Some(mirror(0));
        },
    );
    for (pointer, place) in [
        ("/links/1/fspf_cost", "links[1].fspf_cost"),
        ("/links/0/credit_a_to_b", "links[0].credit_a_to_b"),
        ("/links/0/bytes_per_s", "links[0].bytes_per_s"),
        ("/jobs/0/iodepth", "jobs[0].iodepth"),
        ("/jobs/0/block_bytes", "jobs[0].block_bytes"),
    ] {
        let error = refused_text(&good(), pointer, 0.into());
        let expected = format!("{place}: invalid value: integer `0`");
        assert!(error.starts_with(&expected), "{error}");
    }
}

/// Switches that are not connected: refused before anything runs, with both names.
#[test]
fn switches_without_a_path_between_them_are_refused() {
    let mut san = San::new(SECOND);
    for name in ["a", "b"] {
        let port = san.n_port(name);
        let switch = san.switch(0, true, RoutePolicy::OnePath);
        san.link(At::NPort(port), switch, Cable::new(850_000_000, 0, 1));
    }
    san.traffic(0, 1, 64, 1, 0);
    let error = san.try_run(false).expect_err("no path").to_string();
    assert_eq!(error, "flow0: no path between a and b");
}

/// The longest spans a plan may name end long after any run and break nothing.
#[test]
fn the_longest_pauses_never_end() {
    let mut san = direct(US);
    san.plan.end_ps = SECOND;
    san.job(0, 0, 4096, 1).think_ps = LONGEST;
    let job = san.job(0, 0, 4096, 0);
    (job.arrivals, job.ramp_ps) = (Some(constant(n64(LONGEST))), LONGEST);
    job.start_ps = MS;
    assert_eq!(san.run().summary.ios, 2);
}
