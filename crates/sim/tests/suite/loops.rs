//! Loops under whole exchanges: closed forms, and what a switch in the enclosure changes.

use crate::support::{MS, San, US, WORD_2GFC, assert_near, cases, n32, n64, real, whole, wire};
use proptest::prelude::*;
use sanlab_kernel::Rate;
use sanlab_sim::plan::{Distribution, LoopActionPlan, LoopFaultPlan, MediumPlan, StringPlan};

const RATE: u64 = 212_500_000;

fn time_of(bytes: u64) -> u64 {
    Rate::from_bytes_per_s(RATE).time_for(bytes).as_ps()
}

fn gap() -> u64 {
    time_of(24)
}

/// A host and so many targets of memory on one loop; each target is its own array.
fn one_loop(targets: usize, service: u64, end: u64) -> San {
    let mut san = San::new(end);
    let mut ports = vec![san.host("host")];
    for target in 0..targets {
        ports.push(san.array(&format!("disk{target}"), service, Distribution::Constant));
    }
    san.arbitrated_loop(&ports, MediumPlan::Shared {});
    san.plan.hosts[0].adapters[0].submit_ps = ENGINE;
    san
}

/// Engine time of the host for a command. Without any it would answer in the circuit that brought
/// the data, before CLS is there.
const ENGINE: u64 = 2 * US;

/// One read at a time: every instant of it by hand.
#[test]
fn a_read_takes_two_tenancies() {
    for (targets, place) in [(1usize, 0u64), (7, 3), (20, 19)] {
        let service = 50 * US;
        let mut san = one_loop(targets, service, 20 * MS);
        san.job(0, u32::try_from(place).expect("small"), 512, 1);
        let outcome = san.run();
        let hop = 6 * WORD_2GFC;
        let round = hop * (targets as u64 + 1);
        let out = hop * (place + 1);
        let word = time_of(4);
        assert_eq!(word, WORD_2GFC);
        // Arbitration, OPN and the first R_RDY each take a round, then the frame.
        let opened = |won_at: u64| won_at + round + word;
        let command_arrives = opened(ENGINE + round) + time_of(wire(32)) + out;
        // CLS and its answer are long over when the target has the data.
        let data_starts = opened(command_arrives + service + round);
        let data = time_of(wire(512)) + gap();
        let response = data_starts + data + time_of(wire(24)) + (round - out);
        let reads = whole(&outcome, "workloads", "response_p50_ps");
        // The histogram is exact to 0.8 %; mean, least and most are exact.
        assert_near(reads[0] as f64, response as f64, 0.01);
        assert_eq!(whole(&outcome, "workloads", "response_min_ps")[0], response);
        assert_eq!(whole(&outcome, "workloads", "response_max_ps")[0], response);
    }
}

/// The wait for a loop is a stage of its own, and the stages sum to the whole: the run checks it.
#[test]
fn a_loop_that_is_shared_is_the_largest_stage() {
    let mut san = one_loop(16, 0, 60 * MS);
    for target in 0..16 {
        san.job(0, target, 65_536, 2);
    }
    let outcome = san.run();
    let stages = crate::support::text(&outcome, "stages", "stage");
    let shares = real(&outcome, "stages", "share");
    let waiting = (0..stages.len()).filter(|&row| stages[row] == "loop");
    assert!(waiting.clone().count() > 8);
    assert!(waiting.clone().all(|row| shares[row] > 0.5));
    let owned = real(&outcome, "loops", "owned_share")[0];
    let arbitrating = real(&outcome, "loops", "arbitrating_share")[0];
    assert!(
        owned + arbitrating > 0.98 && owned + arbitrating <= 1.0,
        "{owned} {arbitrating}"
    );
}

/// Bytes per second of reads of one size, so many targets, two outstanding on each.
fn rate(medium: MediumPlan, targets: u32, bytes: u64) -> f64 {
    let mut san = San::new(30 * MS);
    let mut ports = Vec::new();
    for host in 0..4 {
        ports.push(san.host(&format!("host{host}")));
    }
    for target in 0..targets {
        ports.push(san.array(&format!("disk{target}"), 100 * US, Distribution::Constant));
    }
    san.arbitrated_loop(&ports, medium);
    for target in 0..targets {
        san.job(target % 4, target, bytes, 2);
    }
    let outcome = san.run();
    real(&outcome, "workloads", "throughput_bytes_per_s")
        .iter()
        .sum()
}

fn one_crossbar() -> MediumPlan {
    MediumPlan::Switched {
        crossbars: vec!["chip".into()],
        strings: vec![],
    }
}

/// Four pairs at once, and nothing lost to the number of ports.
#[test]
fn a_switch_serves_disjoint_pairs_at_once() {
    let payload = RATE as f64 * 2048.0 / 2108.0;
    let shared = rate(MediumPlan::Shared {}, 64, 65_536);
    let switched = rate(one_crossbar(), 64, 65_536);
    assert!(shared < payload && switched < 4.0 * payload);
    assert!(switched > 3.85 * payload, "{}", switched / payload);
    let (few, many) = (
        rate(MediumPlan::Shared {}, 16, 512),
        rate(MediumPlan::Shared {}, 100, 512),
    );
    assert!(many < 0.5 * few, "{few} {many}");
    let (few, many) = (
        rate(one_crossbar(), 16, 512),
        rate(one_crossbar(), 100, 512),
    );
    assert!(many > 0.97 * few, "{few} {many}");
}

/// Two enclosures, hosts on one, targets on the other: the string is the bottleneck, link by link.
#[test]
fn a_string_carries_one_circuit_on_each_link() {
    let mut rates = Vec::new();
    for links in 1..=3 {
        let mut san = San::new(30 * MS);
        let mut ports: Vec<_> = (0..4)
            .map(|host| san.host(&format!("host{host}")))
            .collect();
        for target in 0..16 {
            ports.push(san.array(&format!("disk{target}"), 10 * US, Distribution::Constant));
        }
        let string = StringPlan {
            a: 0,
            b: 1,
            links: n32(links),
            delay_ps: 100_000,
        };
        let medium = MediumPlan::Switched {
            crossbars: vec!["top".into(), "bottom".into()],
            strings: vec![string],
        };
        let of = san.arbitrated_loop(&ports, medium);
        of.ports[4..].iter_mut().for_each(|port| port.crossbar = 1);
        for target in 0..16 {
            san.job(target % 4, target, 65_536, 4);
        }
        let outcome = san.run();
        assert_eq!(
            whole(&outcome, "strings", "most_held_count"),
            [u64::from(links)]
        );
        assert!(real(&outcome, "strings", "utilisation")[0] > 0.95);
        rates.push(
            real(&outcome, "workloads", "throughput_bytes_per_s")
                .iter()
                .sum::<f64>(),
        );
    }
    assert_near(rates[1], 2.0 * rates[0], 0.02);
    assert_near(rates[2], 3.0 * rates[0], 0.02);
}

/// With access fairness every target moves about as much, without it the strongest wins.
#[test]
fn fairness_starves_nobody() {
    for is_fair in [true, false] {
        let mut san = one_loop(12, 0, 500 * MS);
        for port in &mut san.plan.loops[0].ports {
            port.is_fair = is_fair;
        }
        for target in 0..12 {
            san.job(0, target, 65_536, 4);
        }
        // A job that never had an I/O done has no row.
        let bytes = whole(&san.run(), "jobs", "bytes");
        if is_fair {
            let (least, most) = (bytes.iter().min(), bytes.iter().max());
            let ratio = *least.expect("jobs") as f64 / *most.expect("jobs") as f64;
            assert!(bytes.len() == 12 && ratio > 0.9, "{bytes:?}");
        } else {
            assert!(bytes.len() < 6, "{bytes:?}");
        }
    }
}

/// A read alone on a loop: the engine, the command's arrival, the medium, the answer's arrival, and
/// two tenancies of two events on a shared loop, of three on a switched one.
#[test]
fn a_tenancy_costs_at_most_three_events() {
    for (medium, events_of_tenancy) in [(MediumPlan::Shared {}, 2.0), (one_crossbar(), 3.0)] {
        let mut san = one_loop(3, 50 * US, 50 * MS);
        san.plan.loops[0].medium = medium;
        san.job(0, 1, 4096, 1);
        let outcome = san.run();
        let events = outcome.summary.events as f64 / outcome.summary.ios as f64;
        assert_near(events, 4.0 + 2.0 * events_of_tenancy, 0.01);
    }
}

/// Tenancies of a read, and its events in all.
#[test]
fn a_read_on_a_large_jbod_costs_few_events() {
    let mut san = one_loop(112, 5 * MS, 200 * MS);
    for target in 0..112 {
        san.job(0, target, 4096, 4);
    }
    let outcome = san.run();
    let tenancies = whole(&outcome, "loops", "tenancies_count")[0] as f64;
    let reads = outcome.summary.ios as f64;
    let events = outcome.summary.events as f64;
    assert!(events / reads < 40.0, "{}", events / reads);
    // A command may ride back in the circuit that brings data.
    assert!(
        (1.0..=2.01).contains(&(tenancies / reads)),
        "{}",
        tenancies / reads
    );
}

fn any_san() -> impl Strategy<Value = San> {
    let port = (
        1u64..40,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        0u32..9,
        1u32..9,
        1u32..40,
    );
    let job = (0u32..3, 0u32..9, 1u64..200, 1u32..9, 0u32..=2, 0u64..300);
    (
        prop::collection::vec(port, 12),
        prop::collection::vec(job, 1..12),
        any::<bool>(),
        any::<u64>(),
    )
        .prop_map(|(ports, jobs, is_switched, seed)| {
            let mut san = San::new(3 * MS);
            san.plan.seed = seed;
            let mut n_ports: Vec<_> = (0..3)
                .map(|number| san.host(&format!("host{number}")))
                .collect();
            for number in 0..9 {
                n_ports.push(san.array(
                    &format!("disk{number}"),
                    20 * US,
                    Distribution::Exponential,
                ));
            }
            let medium = if is_switched {
                one_crossbar()
            } else {
                MediumPlan::Shared {}
            };
            let of = san.arbitrated_loop(&n_ports, medium);
            for (place, drawn) in of.ports.iter_mut().zip(ports) {
                place.delay_ps = n64(drawn.0 * WORD_2GFC);
                place.repeat_ps = place.repeat_ps.min(place.delay_ps.get());
                (place.is_fair, place.uses_transfer, place.is_full_duplex) =
                    (drawn.1, drawn.2, drawn.3);
                (place.login_credit, place.buffers, place.tenancy_frames) =
                    (drawn.4, n32(drawn.5), n32(drawn.6));
            }
            for (host, target, blocks, depth, reads, start) in jobs {
                let job = san.job(host, target, blocks * 512, depth);
                job.read_ppm = reads * 500_000;
                job.start_ps = start * US;
                job.stop_ps = Some(n64(2 * MS));
            }
            san
        })
}

proptest! {
    #![proptest_config(cases(64))]

    /// The laws hold whatever happens to the loop, and no request is forgotten.
    #[test]
    fn swarm_of_faults_keeps_the_laws(
        mut san in any_san(),
        faults in prop::collection::vec((0u64..3000, 0u32..5, 0u32..12, 1u64..400), 1..6),
    ) {
        for host in &mut san.plan.hosts {
            host.adapters[0].command_timeout_ps = Some(n64(MS / 2));
        }
        let is_switched = matches!(san.plan.loops[0].medium, MediumPlan::Switched { .. });
        let mut is_cut = is_switched;
        for (after, kind, place, span) in faults {
            let at_ps = after * US;
            let places = vec![place];
            let action = match kind {
                0 => LoopActionPlan::Stop { until_ps: at_ps + span * US },
                1 | 2 => LoopActionPlan::Remove { places },
                // Nothing is put back once places have moved to another loop.
                3 if is_cut && !is_switched => continue,
                4 if !is_cut && (3..9).contains(&place) => {
                    is_cut = true;
                    let (above_ps, below_ps) = (WORD_2GFC, WORD_2GFC);
                    LoopActionPlan::Cut { first: place, end: place + 2, above_ps, below_ps }
                }
                _ => LoopActionPlan::Insert { places },
            };
            san.plan.loop_faults.push(at(at_ps, action));
            if is_cut && !is_switched {
                break;
            }
        }
        san.plan.loop_faults.sort_by_key(|fault| fault.at_ps);
        let last_cut = san.plan.loop_faults.iter().position(|fault| {
            matches!(fault.action, LoopActionPlan::Cut { .. })
        });
        if let Some(cut) = last_cut {
            san.plan.loop_faults.truncate(cut + 1);
        }
        let outcome = san.try_run(false);
        prop_assert!(outcome.is_ok(), "{:?}", outcome.err());
    }

    /// Frames, exchanges, bytes and stages: the run refuses to end if one is lost. With fair
    /// ports, none waits indefinitely.
    #[test]
    fn swarm_of_loops_keeps_the_laws(mut san in any_san()) {
        let outcome = san.try_run(false);
        prop_assert!(outcome.is_ok(), "{:?}", outcome.err());
        for port in &mut san.plan.loops[0].ports {
            port.is_fair = true;
        }
        san.plan.end_ps = 400 * MS;
        let outcome = san.run();
        let done = whole(&outcome, "jobs", "io_count");
        prop_assert!(done.iter().all(|&count| count > 0));
        prop_assert_eq!(&outcome.summary.fingerprint, &san.run().summary.fingerprint);
    }
}

/// I/Os of each job that were done and that failed.
fn done_and_failed(san: &San) -> (Vec<u64>, u64) {
    let outcome = san.run();
    let errors = whole(&outcome, "workloads", "error_count").iter().sum();
    (whole(&outcome, "jobs", "io_count"), errors)
}

fn at(at_ps: u64, action: LoopActionPlan) -> LoopFaultPlan {
    LoopFaultPlan {
        at_ps,
        loop_id: 0,
        action,
    }
}

/// A loop that stops delays all I/Os for that time; nothing fails if that is shorter than the
/// time-out of the hosts.
#[test]
fn a_stopped_loop_delays_and_a_long_stop_fails() {
    for (stop, fails) in [(20 * MS, false), (70 * MS, true)] {
        let mut san = one_loop(4, 0, 200 * MS);
        san.plan.hosts[0].adapters[0].command_timeout_ps = Some(n64(50 * MS));
        (0..4).for_each(|target| {
            san.job(0, target, 4096, 2);
        });
        let before = done_and_failed(&san).0.iter().sum::<u64>() as f64;
        let until_ps = 50 * MS + stop;
        san.plan.loop_faults = vec![at(50 * MS, LoopActionPlan::Stop { until_ps })];
        let (done, failed) = done_and_failed(&san);
        let lost = 1.0 - done.iter().sum::<u64>() as f64 / before;
        assert_near(lost, stop as f64 / (200.0 * MS as f64), 0.05);
        assert_eq!(failed > 0, fails, "{failed}");
    }
}

/// A disk that is pulled fails for itself, and the others go on; put back, it answers again.
#[test]
fn a_removed_port_is_lost_and_comes_back() {
    for medium in [MediumPlan::Shared {}, one_crossbar()] {
        let mut san = one_loop(4, 10 * US, 400 * MS);
        san.plan.loops[0].medium = medium;
        san.plan.hosts[0].adapters[0].command_timeout_ps = Some(n64(30 * MS));
        san.plan.hosts[0].adapters[0].path_timeout_ps = 30 * MS;
        san.plan.faults.login_ps = 10 * MS;
        (0..4).for_each(|target| {
            san.job(0, target, 4096, 2);
        });
        let places = vec![2];
        san.plan.loop_faults = vec![at(100 * MS, LoopActionPlan::Remove { places: vec![2] })];
        let (done, failed) = done_and_failed(&san);
        // The two that were open; then the job waits.
        assert_eq!(failed, 2);
        assert!(done[1] < done[0] / 3 && done[3] > done[0] / 2, "{done:?}");
        san.plan.hosts[0].adapters[0].path_timeout_ps = 150 * MS;
        san.plan
            .loop_faults
            .push(at(200 * MS, LoopActionPlan::Insert { places }));
        let (back, failed) = done_and_failed(&san);
        assert!(back[1] > done[1] + done[0] / 4, "{back:?}");
        assert_eq!(failed, 0, "the disk is back before its path has failed");
    }
}

/// A ring that is cut serves its upper part from above and its lower part from below, both at once.
#[test]
fn a_cut_ring_is_two() {
    let mut san = San::new(100 * MS);
    let mut ports = vec![san.host("top")];
    for target in 0..6 {
        ports.push(san.array(&format!("disk{target}"), 0, Distribution::Constant));
    }
    ports.push(san.host("bottom"));
    san.arbitrated_loop(&ports, MediumPlan::Shared {});
    for host in &mut san.plan.hosts {
        host.adapters[0].submit_ps = ENGINE;
        host.adapters[0].command_timeout_ps = Some(n64(20 * MS));
        host.adapters[0].path_timeout_ps = 20 * MS;
    }
    for target in 0..6 {
        san.job(u32::from(target > 2), target, 65_536, 2);
    }
    let one = done_and_failed(&san).0.iter().sum::<u64>() as f64;
    let cut = LoopActionPlan::Cut {
        first: 3,
        end: 5,
        above_ps: 6 * WORD_2GFC,
        below_ps: 6 * WORD_2GFC,
    };
    san.plan.loop_faults = vec![at(MS, cut)];
    let (done, failed) = done_and_failed(&san);
    // Each half has nearly the rate the whole had; the two dark disks fail.
    assert!(
        done.iter().sum::<u64>() as f64 > 1.9 * one,
        "{done:?} {one}"
    );
    assert_eq!(failed, 2 * 2, "what was open on the two dark disks");
}

/// The instants of all frames of a tenancy are known when it begins. A run that ends within the first of
/// them has sent that part of it: what lies behind the end counts at neither port nor on the loop.
#[test]
fn a_run_that_ends_within_a_tenancy_has_sent_a_part_of_it() {
    let service = 50 * US;
    let (round, out, word) = (2 * 6 * WORD_2GFC, 6 * WORD_2GFC, time_of(4));
    let command_arrives = ENGINE + 2 * round + word + time_of(wire(32)) + out;
    let data_starts = command_arrives + service + 2 * round + word;
    let slot = time_of(wire(2048)) + gap();
    for sent in [0, 1, slot / 2, slot] {
        let end = data_starts + sent;
        let mut san = one_loop(1, service, end);
        san.plan.data_frame_bytes = 2048;
        san.job(0, 0, 65_536, 1);
        let outcome = san.run();
        let command = time_of(wire(32)) + gap();
        assert_eq!(whole(&outcome, "ports", "tx_busy_ps"), [command, sent]);
        assert_eq!(whole(&outcome, "loops", "sending_ps"), [command + sent]);
        let received = real(&outcome, "ports", "rx_utilisation");
        let shares = [sent, command].map(|busy| busy as f64 / end as f64);
        assert_eq!(received, shares);
    }
}
