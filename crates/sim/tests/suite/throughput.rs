//! Throughput is what the fibres carried: no window and no interval shows more than their payload rate,
//! and a deeper queue never shows less.

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use crate::support::{At, Cable, MS, NS, San, US, cases, n32, n64, real, text, whole, wire};
use sanlab_sim::Outcome;
use sanlab_sim::plan::{Distribution, Interleave, MediaPlan, RoutePolicy};

const RATE: u64 = 425_000_000;

/// Payload per second of a fibre at `RATE` in full frames.
fn payload_rate() -> f64 {
    RATE as f64 * 2048.0 / (wire(2048) + 24) as f64
}

/// Hosts and arrays on one switch, every port as a default one is.
fn san(hosts: u32, end: u64) -> San {
    let mut san = San::new(end);
    let switch = san.switch(700 * NS, true, RoutePolicy::OnePath);
    for number in 0..hosts {
        let host = san.host(&format!("host{number}"));
        san.link(At::NPort(host), switch, Cable::new(RATE, 50 * NS, 16));
    }
    let array = san.array("array", 20 * US, Distribution::Exponential);
    san.link(At::NPort(array), switch, Cable::new(RATE, 50 * NS, 16));
    for n_port in &mut san.plan.n_ports {
        n_port.interleave = Interleave::Control;
        n_port.tx_buffers = 8;
    }
    san
}

/// Eight hosts that write 4 KiB to eight arrays each, a process for each array: bytes per second.
fn all_to_all(credit: u32, depth: u32) -> f64 {
    let mut san = San::new(14 * MS);
    let switch = san.switch(700 * NS, true, RoutePolicy::OnePath);
    let cable = Cable::new(RATE, 50 * NS, credit);
    for number in 0..8 {
        let host = san.host(&format!("host{number}"));
        san.link(At::NPort(host), switch, cable);
        let array = san.array(
            &format!("array{number}"),
            50 * US,
            Distribution::Exponential,
        );
        san.link(At::NPort(array), switch, cable);
    }
    for host in &mut san.plan.hosts {
        (host.cores, host.cpu_submit_ps) = (n32(16), 3 * US / 2);
    }
    for array in &mut san.plan.arrays {
        if let MediaPlan::Memory { servers, .. } = &mut array.luns[0].media {
            *servers = n32(1000);
        }
    }
    for n_port in &mut san.plan.n_ports {
        n_port.interleave = Interleave::Control;
        n_port.tx_buffers = 8;
    }
    for (host, array) in (0..8).flat_map(|host| (0..8).map(move |array| (host, array))) {
        let job = san.job(host, array, 4096, depth);
        (job.read_ppm, job.ramp_ps) = (0, 4 * MS);
    }
    real(&san.run(), "workloads", "throughput_bytes_per_s")
        .iter()
        .sum()
}

/// No convoy of all hosts to the first array, then the second: processes make their first requests by
/// turns. Where the switch has room for what waits for each output, more outstanding writes never move
/// less. Where its inputs have few buffers, frames for busy outputs take them from the others: that costs
/// a tenth at most.
#[test]
fn all_to_all_writes_do_not_fall_with_depth() {
    for (credit, tolerance) in [(128, 0.98), (16, 0.9)] {
        let mut most = 0.0;
        for depth in [1, 2, 4, 8, 16, 32] {
            let moved = all_to_all(credit, depth);
            assert!(
                moved > tolerance * most,
                "credit {credit}, depth {depth}: {moved} after {most}"
            );
            most = f64::max(moved, most);
        }
        assert!(
            most > 0.85 * 8.0 * payload_rate(),
            "credit {credit}: {most}"
        );
    }
}

fn sum_of(outcome: &Outcome, table: &str, op: &str) -> u64 {
    let ops = text(outcome, table, "op");
    let bytes = whole(outcome, table, "bytes");
    let of_op = ops.iter().zip(bytes).filter(|(known, _)| *known == op);
    of_op.map(|(_, bytes)| bytes).sum()
}

proptest! {
    #![proptest_config(cases(24))]

    /// One array port: what its two fibres can carry bounds every window and every interval, whatever the
    /// size of an I/O. Intervals and windows count the same bytes.
    #[test]
    fn no_window_shows_more_than_the_fibre_carries(
        blocks in 1u64..2048,
        depth in 1u32..64,
        reads in 0u32..=4,
        hosts in 1u32..4,
        ramp_ms in 0u64..20,
        splits in any::<bool>(),
    ) {
        let mut san = san(hosts, 50 * MS);
        san.plan.interval_ps = Some(n64(MS));
        for host in 0..hosts {
            if splits {
                san.plan.hosts[host as usize].max_request_bytes = Some(n64(65_536));
            }
            let job = san.job(host, 0, blocks * 512, depth);
            job.read_ppm = reads * 250_000;
            job.ramp_ps = ramp_ms * MS;
        }
        let outcome = san.run();
        let window_s = (50 - ramp_ms) as f64 / 1e3;
        let frames = f64::from(2 * hosts) * 2048.0;
        for op in ["read", "write"] {
            let moved = sum_of(&outcome, "workloads", op) as f64;
            prop_assert!(moved <= payload_rate() * window_s + frames, "{moved} in the window");
        }
        let ends = whole(&outcome, "workload_series", "time_ps");
        let bytes = whole(&outcome, "workload_series", "bytes");
        let ops = text(&outcome, "workload_series", "op");
        for end in (1..=50).map(|nth| nth * MS) {
            for op in ["read", "write"] {
                let rows = (0..ends.len()).filter(|&row| ends[row] == end && ops[row] == op);
                let moved = rows.map(|row| bytes[row]).sum::<u64>() as f64;
                prop_assert!(moved <= payload_rate() / 1e3 + frames, "{moved} until {end}");
            }
        }
        let of_rows = text(&outcome, "workload_series", "workload");
        let workloads = text(&outcome, "workloads", "workload");
        let kinds = text(&outcome, "workloads", "op");
        let in_windows = whole(&outcome, "workloads", "bytes");
        for (row, workload) in workloads.iter().enumerate() {
            let own = (0..ends.len())
                .filter(|&nth| of_rows[nth] == *workload && ops[nth] == kinds[row]);
            let after_ramp = own.filter(|&nth| ends[nth] > ramp_ms * MS);
            prop_assert_eq!(in_windows[row], after_ramp.map(|nth| bytes[nth]).sum::<u64>());
        }
    }

    /// More outstanding I/Os never move fewer bytes: commands do not wait for data. Reads and writes
    /// have jobs of their own, so that both keep their share whatever the seed.
    #[test]
    fn a_deeper_queue_never_moves_less(
        read_blocks in 8u64..1024,
        write_blocks in 8u64..1024,
        hosts in 1u32..3,
        is_split in any::<bool>(),
    ) {
        let mut most = 0.0;
        for depth in [1, 2, 4, 8, 16, 32, 64] {
            let mut san = san(hosts, 120 * MS);
            for host in 0..hosts {
                if is_split {
                    san.plan.hosts[host as usize].max_request_bytes = Some(n64(65_536));
                }
                for (blocks, read_ppm) in [(read_blocks, 1_000_000), (write_blocks, 0)] {
                    let job = san.job(host, 0, blocks * 512, depth);
                    job.read_ppm = read_ppm;
                    job.ramp_ps = 20 * MS;
                }
            }
            let rates = real(&san.run(), "workloads", "throughput_bytes_per_s");
            let moved = rates.iter().sum::<f64>();
            prop_assert!(moved > most * 0.99, "depth {depth}: {moved} after {most}");
            most = f64::max(moved, most);
        }
    }
}
