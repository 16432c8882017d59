//! What a run costs, counted and not timed: events and memory.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use crate::support::*;
use sanlab_sim::plan::{
    CachePlan, DestageOrderPlan, DiskModelPlan, DiskPlan, Distribution, LunPlan, MediaPlan,
    RoutePolicy,
};

/// Hosts, a switch, an ISL for every four of them, a switch, targets; all 2GFC with 12 credits.
fn dumbbell(hosts: usize, frames: u64, interval: u64) -> San {
    let mut san = San::new(1000 * SECOND);
    let routing = RoutePolicy::IngressPort;
    let (east, west) = (san.switch(0, false, routing), san.switch(0, false, routing));
    let cable = Cable {
        gap: 0,
        ..Cable::new(212_500_000, 50 * NS, 12)
    };
    let ports: Vec<_> = (0..2 * hosts)
        .map(|number| san.n_port(&format!("port{number}")))
        .collect();
    for &port in &ports[..hosts] {
        san.link(At::NPort(port), east, cable);
    }
    for _ in 0..hosts / 4 {
        san.link(east, west, cable);
    }
    for &port in &ports[hosts..] {
        san.link(west, At::NPort(port), cable);
    }
    for pair in 0..hosts {
        san.traffic(ports[pair], ports[hosts + pair], 2112, frames, interval);
    }
    san
}

/// One event for each frame and hop, whether ports are starved of credit or not.
#[test]
fn a_frame_hop_is_one_event() {
    for interval in [0, 54 * US] {
        let outcome = dumbbell(16, 2000, interval).run();
        assert_eq!(outcome.summary.frame_hops, 16 * 2000 * 3);
        assert!(
            outcome.summary.events_per_frame_hop <= 1.0,
            "interval {interval}"
        );
        let starved: u64 = whole(&outcome, "ports", "tx_credit_wait_count")
            .iter()
            .sum();
        assert_eq!(starved > 1000, interval == 0);
    }
}

/// The ISLs are saturated: the duration is known.
#[test]
fn the_dumbbell_ends_when_its_isls_are_done() {
    let outcome = dumbbell(16, 2000, 0).run();
    let frame = 2148.0 / 212.5e6 * 1e12;
    assert_near(outcome.summary.simulated_ps as f64, 8000.0 * frame, 0.001);
}

/// A 4 KiB read through all layers and three hops.
#[test]
fn a_small_read_is_at_most_25_events() {
    let mut san = San::new(100 * SECOND);
    let routing = RoutePolicy::Exchange;
    let (east, west) = (san.switch(US, true, routing), san.switch(US, true, routing));
    let cable = Cable::new(1_700_000_000, 50 * NS, 16);
    let host = san.host("host");
    let array = san.array("array", 90 * US, Distribution::Exponential);
    san.link(At::NPort(host), east, cable);
    san.link(east, west, cable);
    san.link(west, At::NPort(array), cable);
    san.plan.hosts[0].cpu_submit_ps = 3 * US;
    san.plan.hosts[0].cpu_complete_ps = 3 * US;
    san.plan.hosts[0].adapters[0].submit_ps = US;
    san.plan.hosts[0].adapters[0].complete_ps = US;
    san.plan.arrays[0].command_ps = 10 * US;
    san.plan.arrays[0].cache = Some(CachePlan::HitRate {
        read_hit_ppm: 500_000,
        access_ps: 20 * US,
        dirty_limit_bytes: Some(n64(1 << 30)),
    });
    let job = san.job(0, 0, 4096, 8);
    job.total_bytes = Some(n64(4096 * 1000));
    let summary = san.run().summary;
    assert_eq!(summary.ios, 1000);
    assert!(
        summary.events <= 25 * 1000,
        "{} events for 1000 reads",
        summary.events
    );
}

/// Everything a 4 KiB I/O can meet: block layer, processors for calls, commands and interrupts, an I/O
/// bus, time on the card, three hops, a controller, a disk.
#[test]
fn a_small_io_from_process_to_disk_is_under_40_events() {
    for read_ppm in [0, 1_000_000] {
        let mut san = San::new(1000 * SECOND);
        let routing = RoutePolicy::Exchange;
        let (east, west) = (san.switch(US, true, routing), san.switch(US, true, routing));
        let cable = Cable::new(1_700_000_000, 50 * NS, 16);
        let host = san.host("host");
        let array = san.array("array", 0, Distribution::Constant);
        san.link(At::NPort(host), east, cable);
        san.link(east, west, cable);
        san.link(west, At::NPort(array), cable);
        let of = &mut san.plan.hosts[0];
        (of.cpu_submit_ps, of.cpu_complete_ps) = (3 * US, 3 * US);
        (of.cpu_command_ps, of.cpu_interrupt_ps) = (2 * US, 2 * US);
        of.max_request_bytes = Some(n64(65_536));
        of.buses = vec![pci_x_133("bus", false)];
        let adapter = &mut of.adapters[0];
        adapter.bus = Some(0);
        (adapter.submit_ps, adapter.complete_ps) = (US, US);
        (adapter.transfer_ps, adapter.latency_ps) = (US, 2 * US);
        adapter.interrupt_delay_ps = Some(n64(10 * US));
        let to = &mut san.plan.arrays[0];
        to.command_ps = 10 * US;
        to.disks = vec![DiskPlan {
            name: "disk".into(),
            model: DiskModelPlan::Drive { drive: 0 },
        }];
        to.drives = vec![drive("drive", 40_000_000_000)];
        to.luns[0].media = MediaPlan::Stripe {
            disks: vec![0],
            start_bytes: 1 << 20,
            stripe_bytes: n64(32_768),
            block_bytes: n64(8192),
        };
        let job = san.job(0, 0, 4096, 1);
        job.total_bytes = Some(n64(4096 * 1000));
        job.read_ppm = read_ppm;
        let summary = san.run().summary;
        assert_eq!(summary.ios, 1000);
        let each = summary.events / 1000;
        assert!(each < 40, "{each} events for an I/O, {read_ppm} ppm reads");
    }
}

/// An array with a LUN on each of its drives behind a cache of pages that writes out all the time; every LUN
/// has more I/Os than its queue in the host lets go. Always 69,120 I/Os in all.
fn drives_behind_a_cache(drives: u32) -> San {
    let mut san = San::new(1000 * SECOND);
    let switch = san.switch(US, true, RoutePolicy::Exchange);
    let cable = Cable::new(6_800_000_000, 50 * NS, 16);
    let host = san.host("host");
    let array = san.array("array", 0, Distribution::Constant);
    san.link(At::NPort(host), switch, cable);
    san.link(switch, At::NPort(array), cable);
    san.plan.hosts[0].adapters[0].lun_queue_depth = n32(2);
    let to = &mut san.plan.arrays[0];
    to.drives = vec![drive("drive", 40_000_000_000)];
    to.cache = Some(CachePlan::Pages {
        page_bytes: n64(4096),
        pages: n32(64 * drives),
        access_ps: 20 * US,
        prefetch: None,
        destage_bytes: 0,
        write_back: true,
        dirty_pages: 8 * drives,
        low_pages: drives,
        high_pages: 4 * drives,
        destages: n32(drives),
        destage_order: DestageOrderPlan::Age,
        destage_age_ps: Some(20 * MS),
        destage_rest_ps: None,
        partner: None,
    });
    let lun = to.luns.remove(0);
    for disk in 0..drives {
        to.disks.push(DiskPlan {
            name: format!("disk{disk}"),
            model: DiskModelPlan::Drive { drive: 0 },
        });
        to.luns.push(LunPlan {
            name: format!("lun{disk}"),
            number: disk,
            media: MediaPlan::Stripe {
                disks: vec![disk],
                start_bytes: 1 << 20,
                stripe_bytes: n64(32_768),
                block_bytes: n64(8192),
            },
            ..lun.clone()
        });
    }
    for lun in 0..drives {
        let job = san.job(0, 0, 4096, 8);
        job.targets[0].lun = lun;
        job.read_ppm = 500_000;
        job.workload = 0;
        job.total_bytes = Some(n64(4096 * 69_120 / u64::from(drives)));
    }
    san.plan.workloads.truncate(1);
    san
}

/// Processor time of this thread.
fn processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells it");
    let first = text.split(' ').next().expect("a number");
    first.parse().expect("a number")
}

/// Forty-eight times as many drives, LUNs and destages: an I/O is as many events, and none of them looks at
/// all drives, queues or dirty pages. What an I/O takes of a processor may still differ, as what it needs is no
/// longer in its caches.
#[test]
fn an_io_costs_the_same_with_24_drives_and_with_1152() {
    let cost = |drives| {
        let san = drives_behind_a_cache(drives);
        let before = processor_ns();
        let outcome = san.run();
        let took = processor_ns() - before;
        assert_eq!(outcome.summary.ios, 69_120);
        let destages: u64 = whole(&outcome, "caches", "destages_count").iter().sum();
        assert!(destages > 20_000, "{destages} destages of {drives} drives");
        (outcome.summary.events as f64, took as f64)
    };
    let (few, many) = (cost(24), cost(1152));
    let ratios = (many.0 / few.0, many.1 / few.1);
    assert!((0.5..2.0).contains(&ratios.0), "events {ratios:?}");
    assert!(ratios.1 < 4.0, "processor time {ratios:?}");
}

/// 256 hosts at saturation need little memory, and ten times the frames need no more.
#[test]
fn memory_does_not_grow_with_simulated_time() {
    let peak = |frames| {
        let plan = serde_json::to_string(&dumbbell(256, frames, 0).plan).expect("plain data");
        let path =
            std::env::temp_dir().join(format!("sanlab-{}-{frames}.json", std::process::id()));
        std::fs::write(&path, plan).expect("a place for temporary files");
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_run_plan"))
            .arg(&path)
            .arg("--stats")
            .output()
            .expect("the binary runs");
        std::fs::remove_file(&path).expect("the file is there");
        let summary: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        summary["peak_rss_bytes"].as_u64().expect("a number")
    };
    let (short, long) = (peak(100), peak(1000));
    assert!(short < 100_000_000, "{short} bytes");
    assert!(
        long < short + short / 10,
        "{short} bytes for a short run, {long} for a long one"
    );
}
