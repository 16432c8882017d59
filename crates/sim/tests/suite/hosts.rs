//! Laws of hosts: block layer, processors, buses, adapters.

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{
    AddressPlan, BusPlan, Distribution, EnginePlan, Interleave, SubmissionPlan,
};

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
        *of = n32(servers);
    }
    let cable = Cable::new(425_000_000, 50 * NS, 64);
    san.link(At::NPort(host), At::NPort(array), cable);
    san
}

/// Requests of this size, one after the other.
fn one_by_one(mut san: San, bytes: u64, count: u64, is_read: bool) -> Outcome {
    let job = san.job(0, 0, bytes, 1);
    job.total_bytes = Some(n64(count * bytes));
    job.addresses = AddressPlan::Sequential {};
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
        san.plan.hosts[0].max_request_bytes = Some(n64(65_536));
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
    san.plan.hosts[0].max_request_bytes = Some(n64(65_536));
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
    san.plan.hosts[0].max_request_bytes = Some(n64(65_536));
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

/// Two ports at 4GFC behind one bus, each with a job that reads and one that writes, each on an array
/// of its own that takes no time.
fn dual_port(bus: Option<BusPlan>) -> San {
    let mut san = San::new(50 * MS);
    let cable = Cable::new(425_000_000, 50 * NS, 64);
    let ports = [san.host("host"), san.n_port("host.p1")];
    let mut second = san.plan.hosts[0].adapters[0].clone();
    second.n_port = ports[1];
    san.plan.hosts[0].adapters.push(second);
    let is_on_bus = bus.is_some();
    san.plan.hosts[0].buses = bus.into_iter().collect();
    for adapter in &mut san.plan.hosts[0].adapters {
        adapter.bus = is_on_bus.then_some(0);
    }
    for (number, port) in (0..).zip(ports) {
        san.plan.n_ports[port as usize].tx_buffers = 2;
        let array = san.array(&format!("array{number}"), 0, Distribution::Constant);
        san.link(At::NPort(port), At::NPort(array), cable);
        for read_ppm in [0, 1_000_000] {
            let job = san.job(0, number, 65_536, 8);
            job.targets[0].paths[0].adapter = number;
            job.read_ppm = read_ppm;
        }
    }
    // Commands and XFER_RDYs do not wait for whole sequences of data.
    for port in &mut san.plan.n_ports {
        port.interleave = Interleave::Frame;
    }
    san
}

/// Bytes per second of all workloads.
fn throughput(outcome: &Outcome) -> f64 {
    real(outcome, "workloads", "throughput_bytes_per_s")
        .iter()
        .sum()
}

/// A half-duplex bus is a server for both directions: with four streams of data that would fill
/// four fibres, each byte takes its share of the peak, data and overhead.
#[test]
fn a_half_duplex_bus_bounds_both_directions_together() {
    let free = throughput(&dual_port(None).run());
    assert_near(free, 4.0 * 425e6 * 2048.0 / 2108.0, 0.02);
    let outcome = dual_port(Some(pci_x_133("bus", false))).run();
    let [out, back] = ["from_memory_bytes", "to_memory_bytes"]
        .map(|name| whole(&outcome, "buses", name)[0] as f64);
    // 64 data clocks a burst, and 12 or 6 beside.
    let peak = 1_066_666_667.0;
    let busy = out / peak * (64.0 + 12.0) / 64.0 + back / peak * (64.0 + 6.0) / 64.0;
    assert_near(busy, 0.05, 0.01);
    assert_near(real(&outcome, "buses", "utilisation")[0], 1.0, 0.01);
    assert!(
        throughput(&outcome) < 0.93 * peak,
        "{}",
        throughput(&outcome)
    );
}

/// With a server for each direction, what is fetched has all of one.
#[test]
fn a_full_duplex_bus_bounds_each_direction() {
    let outcome = dual_port(Some(pci_x_133("bus", true))).run();
    let rates = real(&outcome, "workloads", "throughput_bytes_per_s");
    let ops = text(&outcome, "workloads", "op");
    let of = |op: &str| -> f64 {
        let rows = rates.iter().zip(&ops).filter(|(_, other)| *other == op);
        rows.map(|(rate, _)| rate).sum()
    };
    // Both ports both ways at 4GFC need 826 MB/s each way, and 841 are left of 1067.
    assert_near(of("read"), 2.0 * 425e6 * 2048.0 / 2108.0, 0.02);
    assert_near(of("write"), 2.0 * 425e6 * 2048.0 / 2108.0, 0.02);
}

/// One request at a time: the bus adds the entry of the ring and, of a write, its first frame, since the
/// others are fetched ahead; the stages say so, to the picosecond.
#[test]
fn a_bus_adds_what_nothing_hides() {
    for is_read in [true, false] {
        let mut san = direct(90 * US, 1);
        san.plan.n_ports[0].tx_buffers = 2;
        let free = response(&one_by_one(san.clone(), 65_536, 8, is_read));
        san.plan.hosts[0].buses = vec![pci_x_133("bus", false)];
        san.plan.hosts[0].adapters[0].bus = Some(0);
        let outcome = one_by_one(san, 65_536, 8, is_read);
        let data = |bytes: f64| bytes / 1_066_666_667.0 * 1e12;
        let (command, answer) = (data(64.0) + 90e3, data(64.0) + 45e3);
        let hidden_until = if is_read {
            // The response is 92 bytes behind the last frame, which is still being stored.
            let behind = (60.0 + 24.0) / 425e6 * 1e12;
            (data(2048.0) + 4.0 * 45e3 - behind).max(0.0)
        } else {
            data(2048.0) + 4.0 * 90e3
        };
        let added = command + answer + hidden_until;
        assert!(
            (response(&outcome) - free - added).abs() < 10.0,
            "{is_read}"
        );
        let stages = text(&outcome, "stages", "stage");
        let bus = stages.iter().position(|stage| stage == "bus");
        let told = real(&outcome, "stages", "mean_ps")[bus.expect("a stage of the bus")];
        assert!((told - added).abs() < 10.0, "{told} {added}");
    }
}

/// What an engine does for a command bounds the rate, and a write has an XFER_RDY more; time on the card
/// delays, and does not.
#[test]
fn an_engine_bounds_the_rate_and_its_latency_does_not() {
    for (latency, depth) in [(0, 8), (20 * US, 32)] {
        for (read_ppm, each) in [(1_000_000, 28.4), (0, 48.5)] {
            let mut san = direct(0, 1);
            let adapter = &mut san.plan.hosts[0].adapters[0];
            (adapter.submit_ps, adapter.complete_ps) = (14_200 * NS, 14_200 * NS);
            (adapter.transfer_ps, adapter.latency_ps) = (20_100 * NS, latency);
            san.plan.end_ps = 100 * MS;
            san.job(0, 0, 1024, depth).read_ppm = read_ppm;
            let outcome = san.run();
            assert_near(real(&outcome, "workloads", "iops")[0], 1e6 / each, 0.01);
            assert_near(
                real(&outcome, "adapters", "engine_utilisation")[0],
                1.0,
                0.005,
            );
        }
    }
    let mut san = direct(90 * US, 1);
    let free = response(&one_by_one(san.clone(), 4096, 4, true));
    san.plan.hosts[0].adapters[0].latency_ps = 7 * US;
    let late = response(&one_by_one(san, 4096, 4, true));
    assert_near(late, free + 14e6, 1e-9);
}

/// An interrupt that is held back costs one process its delay, and serves many at once.
#[test]
fn interrupts_are_held_back_and_serve_all_that_came() {
    let mut san = direct(10 * US, 1);
    san.plan.hosts[0].cpu_interrupt_ps = 2 * US;
    let free = response(&one_by_one(san.clone(), 4096, 4, true));
    san.plan.hosts[0].adapters[0].interrupt_delay_ps = Some(n64(100 * US));
    let alone = one_by_one(san.clone(), 4096, 4, true);
    assert_near(response(&alone), free + 100e6, 1e-9);
    assert_eq!(whole(&alone, "adapters", "interrupt_count"), [4]);
    san.plan.end_ps = 100 * MS;
    san.job(0, 0, 4096, 16);
    let outcome = san.run();
    let ios = whole(&outcome, "workloads", "io_count")[0];
    let interrupts = whole(&outcome, "adapters", "interrupt_count")[0];
    assert!(ios > 5 * interrupts, "{ios} {interrupts}");
}

proptest! {
    #![proptest_config(cases(256))]

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
        job.total_bytes = Some(n64(10 * bytes));
        job.read_ppm = 500_000;
        let whole_events = san.run().summary.events;
        let host = &mut san.plan.hosts[0];
        host.max_request_bytes = Some(n64(most));
        let kinds = [SubmissionPlan::Together, SubmissionPlan::Serial];
        host.submission = kinds[usize::from(is_serial)];
        if most >= bytes {
            prop_assert_eq!(san.run().summary.events, whole_events);
        }
        let host = &mut san.plan.hosts[0];
        (host.cpu_submit_ps, host.cpu_complete_ps) = (costs[0], costs[1]);
        (host.cpu_command_ps, host.cpu_interrupt_ps) = (costs[2], costs[3]);
        host.cores = n32(1 + depth % 3);
        let outcome = san.run();
        let done: u64 = whole(&outcome, "workloads", "bytes").iter().sum();
        let commands: u64 = whole(&outcome, "workloads", "command_count").iter().sum();
        prop_assert_eq!(done, 10 * bytes);
        prop_assert_eq!(commands, 10 * bytes.div_ceil(most));
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}

/// Reads of 1 KiB through two ports whose engines are the limit.
fn reads_of_two_ports(engines: u32, bytes_per_s: Option<u64>) -> f64 {
    let mut san = dual_port(None);
    let host = &mut san.plan.hosts[0];
    let engine = EnginePlan {
        bytes_per_s: bytes_per_s.map(n64),
        ..EnginePlan::ideal("engine")
    };
    host.engines = vec![engine; engines as usize];
    for (number, adapter) in (0..).zip(&mut host.adapters) {
        adapter.engine = number % engines;
        (adapter.submit_ps, adapter.complete_ps) = (10 * US, 10 * US);
    }
    for job in &mut san.plan.jobs {
        (job.block_bytes, job.read_ppm) = (n64(1024), 1_000_000);
    }
    real(&san.run(), "workloads", "iops").iter().sum()
}

/// Ports with engines of their own do twice what one engine for both does. Bytes take time of an engine
/// beside commands where it has a rate.
#[test]
fn an_engine_for_the_card_is_shared_by_its_ports() {
    for (engines, bytes_per_s, each_us) in [
        (2, None, 10.0),
        (1, None, 20.0),
        (2, Some(256_000_000), 12.0),
        (1, Some(256_000_000), 24.0),
    ] {
        assert_near(
            reads_of_two_ports(engines, bytes_per_s),
            1e6 / each_us,
            0.01,
        );
    }
}

/// Engines that take turns between reads and writes do less than with either alone.
#[test]
fn a_turn_costs_its_time() {
    let rate_of = |read_ppm| {
        let mut san = direct(0, 64);
        let host = &mut san.plan.hosts[0];
        host.engines[0].turnaround_ps = 30 * US;
        host.adapters[0].submit_ps = 10 * US;
        san.plan.end_ps = 400 * MS;
        san.job(0, 0, 1024, 1).read_ppm = read_ppm;
        real(&san.run(), "workloads", "iops").iter().sum::<f64>()
    };
    // One at a time: half of the I/Os are of the other kind than the one before.
    let [reads, writes, mixed] = [1_000_000, 0, 500_000].map(|ppm| 1e6 / rate_of(ppm));
    assert_near(mixed, f64::midpoint(reads, writes) + 15.0, 0.02);
}
