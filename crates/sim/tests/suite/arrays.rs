//! Arrays held to closed forms, and random arrays to the laws of every run.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::LevelPlan::{Raid0, Raid1, Raid3, Raid5, Raid6, Raid10};
use sanlab_sim::plan::*;
use std::num::NonZeroU64;

const MIB: u64 = 1 << 20;

/// A host and an array on a quick link; the LUN is all of one RAID group, with a spare for each drive
/// that fails.
fn raid(level: LevelPlan, drives: u32, unit: u64, rows: u64, spares: u32) -> San {
    let mut san = San::new(100_000 * SECOND);
    let (host, array) = (
        san.host("host"),
        san.array("array", 0, Distribution::Constant),
    );
    let cable = Cable::new(26_400_000_000, 0, 200);
    san.link(At::NPort(host), At::NPort(array), cable);
    let data = match level {
        Raid0 => drives,
        Raid1 => 1,
        Raid10 => drives / 2,
        Raid6 => drives - 2,
        Raid3 | Raid5 => drives - 1,
    };
    let of = &mut san.plan.arrays[0];
    of.drives = vec![drive("drive", unit * rows + MIB)];
    let disk = |number| DiskPlan {
        name: format!("array.disk{number}"),
        model: DiskModelPlan::Drive { drive: 0 },
    };
    of.disks = (0..drives + spares).map(disk).collect();
    of.groups = vec![GroupPlan {
        name: "array.g1".into(),
        level,
        disks: (0..drives).collect(),
        unit_bytes: n64(unit),
        rows: n64(rows),
        write: WriteStrategyPlan::FewerOperations,
        failing: vec![],
        rebuilds: vec![],
    }];
    of.luns[0].bytes = unit * rows * u64::from(data);
    of.luns[0].media = MediaPlan::Raid {
        group: 0,
        start_bytes: 0,
    };
    san
}

fn job(san: &mut San, bytes: u64, iodepth: u32, ios: u64) -> &mut JobPlan {
    let span = san.plan.arrays[0].luns[0].bytes;
    let job = san.job(0, 0, bytes, iodepth);
    region(job, 0, span);
    job.total_bytes = Some(n64(ios * bytes));
    job
}

fn sum(outcome: &Outcome, column: &str) -> u64 {
    whole(outcome, "groups", column).iter().sum()
}

fn response_mean(outcome: &Outcome) -> f64 {
    let sums = real(outcome, "workloads", "response_mean_ps");
    *sums.iter().find(|mean| **mean > 0.0).expect("some I/O")
}

/// Disk operations of a small write by level: 1, 2, 4, 6 (Patterson, Gibson and Katz).
#[test]
fn small_writes_cost_what_the_level_says() {
    for (level, drives, reads, writes) in [
        (Raid0, 4, 0, 1),
        (Raid1, 2, 0, 2),
        (Raid10, 4, 0, 2),
        (Raid5, 5, 2, 2),
        (Raid6, 7, 3, 3),
    ] {
        let mut san = raid(level, drives, 65_536, 2000, 0);
        job(&mut san, 4096, 4, 200).read_ppm = 0;
        let outcome = san.run();
        assert_eq!(sum(&outcome, "disk_reads_count"), 200 * reads, "{level:?}");
        assert_eq!(
            sum(&outcome, "disk_writes_count"),
            200 * writes,
            "{level:?}"
        );
    }
}

/// A small write reads and writes the same sector: the second half comes a whole turn after the
/// first, on an arm that nothing else moves.
#[test]
fn a_small_write_takes_a_turn_more_than_a_read() {
    let time = |read_ppm: u32| {
        let mut san = raid(Raid5, 5, 65_536, 20, 0);
        let plan = &mut san.plan.arrays[0].drives[0];
        plan.seek = SeekPlan::Constant { ps: 0 };
        plan.head_switch_ps = 0;
        plan.write_settle_ps = 0;
        plan.overheads = OverheadsPlan::default();
        plan.buffer.read_ahead = ReadAheadPlan::Off;
        plan.buffer.keeps_reads = false;
        let job = job(&mut san, 4096, 1, 400);
        job.read_ppm = read_ppm;
        response_mean(&san.run())
    };
    // A read waits half a turn on average; of the two reads of a write the later one counts: 2/3 of a
    // turn where they are independent, and then the sector comes round again.
    let (read, write) = (time(1_000_000), time(0));
    let turn = 6.0 * MS as f64;
    assert_near(read, 0.5 * turn, 0.1);
    assert_near(write, (2.0 / 3.0 + 1.0) * turn, 0.1);
}

/// Sequential writes of whole rows: every disk writes its part, (n - 1) / n and (n - 2) / n of it data.
#[test]
fn full_stripes_read_nothing() {
    for (level, drives, data) in [(Raid5, 5, 4), (Raid3, 5, 4), (Raid6, 6, 4), (Raid10, 8, 4)] {
        let mut san = raid(level, drives, 65_536, 500, 0);
        let job = job(&mut san, 4 * 65_536, 1, 50);
        job.read_ppm = 0;
        job.addresses = AddressPlan::Sequential {};
        let outcome = san.run();
        assert_eq!(sum(&outcome, "disk_reads_count"), 0);
        assert_eq!(sum(&outcome, "full_rows_count"), 50);
        let written = sum(&outcome, "disk_write_bytes");
        assert_eq!(written * data, 50 * 4 * 65_536 * u64::from(drives));
    }
}

/// RAID 3 serves one request at a time on all spindles, which turn together: no more I/Os than one
/// spindle does, where RAID 5 does several times as many.
#[test]
fn raid_3_has_the_ios_of_one_spindle() {
    let rate = |level, drives, iodepth| {
        let mut san = raid(level, drives, 4096, 200_000, 0);
        job(&mut san, 4096, iodepth, 600);
        600.0 / (san.run().summary.simulated_ps as f64 * 1e-12)
    };
    let (one, three, five) = (rate(Raid0, 1, 16), rate(Raid3, 5, 16), rate(Raid5, 5, 16));
    assert_near(three, one, 0.05);
    assert!(
        five > 3.5 * one,
        "{five} of five drives against {one} of one"
    );
}

/// A degraded read takes all survivors, and only those of the lost drive do.
#[test]
fn degraded_reads_take_the_survivors() {
    let mut san = raid(Raid5, 5, 65_536, 2000, 0);
    san.plan.arrays[0].groups[0].failing = vec![FailingPlan { slot: 2, at_ps: 0 }];
    job(&mut san, 4096, 4, 1000);
    let outcome = san.run();
    let degraded = sum(&outcome, "degraded_reads_count");
    assert!(
        (150..250).contains(&degraded),
        "a fifth of 1000, not {degraded}"
    );
    assert_eq!(sum(&outcome, "disk_reads_count"), 1000 + 3 * degraded);
    assert_eq!(sum(&outcome, "missing_count"), 1);
}

/// Of two copies each does half the reads, and twice as many are done as by one drive.
#[test]
fn copies_share_reads() {
    let rate = |level, drives| {
        let mut san = raid(level, drives, 65_536, 20_000, 0);
        job(&mut san, 4096, 16, 1000);
        let outcome = san.run();
        let disks: Vec<_> = text(&outcome, "stations", "kind")
            .iter()
            .zip(whole(&outcome, "stations", "arrivals_count"))
            .filter(|(kind, _)| *kind == "disk")
            .map(|(_, count)| count)
            .collect();
        (1000.0 / outcome.summary.simulated_ps as f64, disks)
    };
    let ((one, _), (two, disks)) = (rate(Raid0, 1), rate(Raid1, 2));
    assert!(
        disks.iter().all(|&count| (450..550).contains(&count)),
        "{disks:?}"
    );
    assert!(
        (1.8..2.1).contains(&(two / one)),
        "{} times one drive",
        two / one
    );
}

fn rebuilding(rate: u64, rows: u64) -> San {
    let mut san = raid(Raid5, 4, 65_536, rows, 1);
    let of = &mut san.plan.arrays[0];
    of.drives[0].streaming = true;
    of.groups[0].failing = vec![FailingPlan {
        slot: 1,
        at_ps: SECOND,
    }];
    of.groups[0].rebuilds = vec![RebuildPlan {
        slot: 1,
        spare: 4,
        delay_ps: 2 * SECOND,
        bytes_per_s: NonZeroU64::new(rate),
        step_bytes: MIB,
        steps: n32(2),
    }];
    san
}

/// The rebuild takes the capacity over the rate, with the limit below what the drives do.
#[test]
fn a_rebuild_keeps_to_its_rate() {
    let san = rebuilding(5_000_000, 1600);
    let outcome = san.run();
    let first = whole(&outcome, "rebuilds", "first_ps")[0];
    let last = whole(&outcome, "rebuilds", "last_ps")[0];
    assert_eq!(first, 3 * SECOND);
    let expected = 1600.0 * 65_536.0 / 5e6 * 1e12;
    assert_near((last - first) as f64, expected, 0.02);
    assert_eq!(whole(&outcome, "groups", "missing_count"), [0]);
    let times = whole(&outcome, "rebuild_series", "time_ps");
    assert!(times.len() > 90 && times.is_sorted());
}

/// Without a limit it goes on as fast as the slowest drive takes: what one drive writes alone.
#[test]
fn a_rebuild_without_a_limit_goes_as_fast_as_a_drive_writes() {
    let alone = {
        let mut san = raid(Raid0, 1, 65_536, 1600, 0);
        san.plan.arrays[0].drives[0].streaming = true;
        let job = job(&mut san, MIB, 2, 100);
        job.addresses = AddressPlan::Sequential {};
        job.read_ppm = 0;
        san.run().summary.simulated_ps
    };
    let outcome = rebuilding(0, 1600).run();
    let span =
        whole(&outcome, "rebuilds", "last_ps")[0] - whole(&outcome, "rebuilds", "first_ps")[0];
    assert_near(span as f64, alone as f64, 0.1);
}

/// The host's I/O shares the disks with the rebuild: it is slower than on a degraded group without.
#[test]
fn hosts_and_rebuild_share_the_disks() {
    let during = |delay_ps| {
        let mut san = rebuilding(0, 16_000);
        san.plan.arrays[0].groups[0].rebuilds[0].delay_ps = delay_ps;
        san.plan.end_ps = 6 * SECOND;
        job(&mut san, 4096, 4, 1_000_000).start_ps = 3 * SECOND;
        let outcome = san.run();
        assert_eq!(
            whole(&outcome, "groups", "missing_count"),
            [1],
            "to the end"
        );
        response_mean(&outcome)
    };
    let (degraded, rebuilding) = (during(100 * SECOND), during(2 * SECOND));
    assert!(
        rebuilding > 1.2 * degraded,
        "{rebuilding} against {degraded}"
    );
}

/// What tests change of a cache of pages.
struct PageCache {
    page_bytes: u64,
    pages: u32,
    access_ps: u64,
    prefetch_bytes: u64,
    write_back: bool,
    dirty_pages: u32,
    low_pages: u32,
    high_pages: u32,
    destages: u32,
    destage_order: DestageOrderPlan,
    destage_age_ps: Option<u64>,
    partner_bytes_per_s: u64,
}

fn pages() -> PageCache {
    PageCache {
        page_bytes: 4096,
        pages: 1024,
        access_ps: 20 * US,
        prefetch_bytes: 0,
        write_back: true,
        dirty_pages: 512,
        low_pages: 128,
        high_pages: 384,
        destages: 8,
        destage_order: DestageOrderPlan::Age,
        destage_age_ps: None,
        partner_bytes_per_s: 409_600_000,
    }
}

impl PageCache {
    fn plan(self) -> CachePlan {
        let prefetch = NonZeroU64::new(self.prefetch_bytes).map(|bytes| PrefetchPlan {
            after: 2,
            bytes,
            on_miss: false,
            readers: n32(32),
        });
        let partner = NonZeroU64::new(self.partner_bytes_per_s).map(|bytes_per_s| PartnerPlan {
            latency_ps: 10 * US,
            bytes_per_s,
        });
        CachePlan::Pages {
            page_bytes: n64(self.page_bytes),
            pages: n32(self.pages),
            access_ps: self.access_ps,
            prefetch,
            destage_bytes: 0,
            write_back: self.write_back,
            dirty_pages: self.dirty_pages,
            low_pages: self.low_pages,
            high_pages: self.high_pages,
            destages: n32(self.destages),
            destage_order: self.destage_order,
            destage_age_ps: self.destage_age_ps,
            destage_rest_ps: None,
            partner,
        }
    }
}

/// A working set that fits hits after it has been read once; one twice the cache hits half the time.
#[test]
fn hits_are_the_share_of_the_working_set_that_fits() {
    for (span, expected) in [(512, 1.0), (2048, 0.5)] {
        let mut san = raid(Raid5, 5, 65_536, 200, 0);
        san.plan.arrays[0].cache = Some(pages().plan());
        region(job(&mut san, 4096, 4, 20_000), 0, span * 4096);
        let outcome = san.run();
        let hits = whole(&outcome, "caches", "hits_count")[0] as f64;
        let misses = whole(&outcome, "caches", "misses_count")[0] as f64;
        let warm = (span.min(1024)) as f64;
        assert_near(hits / (hits + misses - warm), expected, 0.05);
    }
}

/// A cached write of 4 KiB: the copy to the partner and the access, and at most 10 events.
#[test]
fn a_cached_write_is_a_copy_and_an_access() {
    let mut san = raid(Raid5, 5, 65_536, 200, 0);
    san.plan.arrays[0].cache = Some(pages().plan());
    let one = job(&mut san, 4096, 1, 300);
    one.read_ppm = 0;
    one.addresses = AddressPlan::Sequential {};
    let outcome = san.run();
    assert_eq!(
        whole(&outcome, "caches", "destages_count"),
        [0],
        "below the watermark"
    );
    let wire = 3.0 * MS as f64 / 1e3; // four information units on a quick link
    let expected = 40.0 * US as f64; // 10 and the bytes to the partner, 20 into the cache
    let got = response_mean(&outcome);
    assert!(got >= expected && got < expected + wire, "{got} ps");
    let events = outcome.summary.events - 1; // the start of the job
    assert!(events <= 300 * 10, "{events} events for 300 cached writes");
}

/// Copies to the partner pass the interconnect one after another, and their fixed times overlap: 16 open writes
/// take the time of the bytes of 16, 10 us each. The fixed time of 10 us would double it if it occupied the way.
#[test]
fn fixed_times_of_copies_to_the_partner_overlap() {
    let mut san = raid(Raid5, 5, 65_536, 200, 0);
    san.plan.arrays[0].cache = Some(pages().plan());
    let one = job(&mut san, 4096, 16, 350);
    one.read_ppm = 0;
    one.addresses = AddressPlan::Sequential {};
    let outcome = san.run();
    assert_eq!(whole(&outcome, "caches", "destages_count"), [0]);
    assert_near(response_mean(&outcome), 16.0 * 10.0 * US as f64, 0.1);
}

/// Sequential small writes become whole stripes in the cache.
#[test]
fn destages_of_sequential_writes_are_full_stripes() {
    let mut san = raid(Raid5, 5, 16_384, 800, 0);
    san.plan.arrays[0].cache = Some(pages().plan());
    let job = job(&mut san, 4096, 8, 8000);
    job.read_ppm = 0;
    job.addresses = AddressPlan::Sequential {};
    let outcome = san.run();
    let destages = whole(&outcome, "caches", "destages_count")[0];
    let full = whole(&outcome, "caches", "full_stripe_destages_count")[0];
    assert!(full * 100 >= destages * 95, "{full} of {destages}");
    assert!(sum(&outcome, "disk_reads_count") < destages / 10);
    let column = |name| whole(&outcome, "caches", name)[0];
    let known = column("overwritten_bytes") + column("destaged_bytes") + column("dirty_bytes");
    assert_eq!((column("written_bytes"), known), (8000 * 4096, 8000 * 4096));
}

/// A sequential reader with read-ahead hardly ever waits for a disk of its own.
#[test]
fn read_ahead_serves_a_sequential_reader() {
    let time = |window| {
        let mut san = raid(Raid0, 4, 65_536, 800, 0);
        san.plan.arrays[0].drives[0].buffer.read_ahead = ReadAheadPlan::Off;
        san.plan.arrays[0].cache = Some(
            PageCache {
                prefetch_bytes: window,
                ..pages()
            }
            .plan(),
        );
        let job = job(&mut san, 16_384, 1, 2000);
        job.addresses = AddressPlan::Sequential {};
        let outcome = san.run();
        (
            outcome.summary.simulated_ps,
            whole(&outcome, "caches", "misses_count")[0],
        )
    };
    let ((without, misses), (with, few)) = (time(0), time(MIB));
    assert_eq!(misses, 2000);
    assert!(few < 10, "{few} misses");
    assert!(with * 2 < without, "{with} against {without}");
}

/// An array on loops: every operation is an exchange with a disk, and takes longer than without.
#[test]
fn a_back_end_loop_carries_every_operation() {
    let time = |switched: Option<bool>| {
        let mut san = raid(Raid5, 5, 65_536, 2000, 0);
        if let Some(switched) = switched {
            put_on_loops(&mut san, 2, switched);
        }
        job(&mut san, 4096, 1, 200).read_ppm = 500_000;
        let outcome = san.run();
        (outcome, response_mean(&san.run()))
    };
    let ((direct, quick), (looped, slow), (_, middle)) =
        (time(None), time(Some(false)), time(Some(true)));
    assert!(slow > quick && middle > quick, "{slow} {middle} {quick}");
    let kinds = text(&looped, "frames", "kind");
    let row = kinds
        .iter()
        .position(|kind| kind == "back_end")
        .expect("its frames");
    let payload = whole(&looped, "frames", "payload_bytes")[row];
    let moved = sum(&looped, "disk_read_bytes") + sum(&looped, "disk_write_bytes");
    assert!(
        payload >= moved && payload < moved * 11 / 10,
        "{payload} for {moved} bytes"
    );
    assert_eq!(
        sum(&direct, "disk_reads_count"),
        sum(&looped, "disk_reads_count")
    );
}

fn put_on_loops(san: &mut San, loops: u32, switched: bool) {
    let disks = san.plan.arrays[0].disks.len();
    let mut back_end = BackEndPlan {
        initiators: vec![],
        disks: vec![vec![]; disks],
    };
    for which in 0..loops {
        let mut ports = vec![san.n_port(&format!("array.b{which}"))];
        back_end.initiators.push(ports[0]);
        for (disk, of) in back_end.disks.iter_mut().enumerate() {
            let port = san.n_port(&format!("array.disk{disk}.{which}"));
            of.push(port);
            ports.push(port);
        }
        let medium = if switched {
            MediumPlan::Switched {
                crossbars: vec!["x".into()],
                strings: vec![],
            }
        } else {
            MediumPlan::Shared {}
        };
        san.arbitrated_loop(&ports, medium);
    }
    san.plan.arrays[0].back_end = Some(back_end);
}

/// One controller under Poisson arrivals of commands that take constant time: M/D/1.
#[test]
fn the_controller_is_a_queue() {
    let mut san = raid(Raid0, 1, 65_536, 200, 0);
    san.plan.arrays[0].cache = Some(
        PageCache {
            access_ps: 0,
            ..pages()
        }
        .plan(),
    );
    san.plan.arrays[0].command_ps = 100 * US;
    let job = job(&mut san, 4096, 0, 60_000);
    region(job, 0, 4096);
    job.iodepth = Some(n32(100_000));
    job.arrivals = Some(poisson(n64(200 * US)));
    let outcome = san.run();
    let expected = 100.0 * US as f64 * (1.0 + 0.5 / (2.0 * 0.5));
    let kinds = text(&outcome, "stations", "kind");
    let row = kinds
        .iter()
        .position(|kind| kind == "controller")
        .expect("a controller");
    assert_near(
        real(&outcome, "stations", "mean_residence_ps")[row],
        expected,
        0.02,
    );
}

/// A flash SSD of one die and a RAM SSD of one port are queues of their service.
#[test]
fn solid_state_saturates_at_its_service() {
    let flash = MediaPlan::Flash {
        channels: n32(1),
        dies_per_channel: n32(4),
        page_bytes: 4096,
        pages_per_block: 256,
        read_ps: 100 * US,
        variation: Ppm::default(),
        program_ps: 500 * US,
        erase_ps: 0,
        channel_bytes_per_s: n64(4_096_000_000),
        buffer_bytes: 0,
        latency_ps: 5 * US,
        amplification_ppm: 1_000_000,
    };
    let ram = MediaPlan::Ram {
        ports: n32(1),
        command_ps: 20 * US,
        latency_ps: 15 * US,
        bytes_per_s: n64(1 << 40),
        distribution: Distribution::Constant,
    };
    for (media, read_ppm, rate) in [
        (flash.clone(), 1_000_000, 40_000.0),
        (flash, 0, 8000.0),
        (ram, 1_000_000, 50_000.0),
    ] {
        let mut san = San::new(100 * SECOND);
        let (host, array) = (
            san.host("host"),
            san.array("array", 0, Distribution::Constant),
        );
        san.link(
            At::NPort(host),
            At::NPort(array),
            Cable::new(26_400_000_000, 0, 200),
        );
        san.plan.arrays[0].luns[0].media = media;
        let job = job(&mut san, 4096, 64, 20_000);
        job.addresses = AddressPlan::Sequential {};
        job.read_ppm = read_ppm;
        let outcome = san.run();
        let got = 20_000.0 / (outcome.summary.simulated_ps as f64 * 1e-12);
        assert_near(got, rate, 0.05);
    }
}

fn refusal(change: impl Fn(&mut San)) -> String {
    let mut san = raid(Raid5, 5, 65_536, 2000, 1);
    job(&mut san, 4096, 4, 10);
    change(&mut san);
    san.try_run(false)
        .expect_err("a plan that does not hold together")
        .to_string()
}

#[test]
fn plans_that_do_not_hold_together_are_refused() {
    let group =
        |change: fn(&mut GroupPlan)| refusal(move |san| change(&mut san.plan.arrays[0].groups[0]));
    assert!(group(|it| it.disks.truncate(2)).contains("Raid5 cannot have 2 disks"));
    assert!(group(|it| it.unit_bytes = n64(1000)).contains("whole number of sectors"));
    assert!(group(|it| it.rows = n64(1 << 40)).contains("too small"));
    let lost = group(|it| it.failing = (0..2).map(|slot| FailingPlan { slot, at_ps: 0 }).collect());
    assert!(
        lost.contains("more disks fail than the level survives"),
        "{lost}"
    );
    let masked = refusal(|san| {
        let array = san.plan.arrays[0].n_ports[0];
        san.plan.arrays[0].luns[0].initiators = Some(vec![array]);
    });
    assert!(masked.contains("masked"), "{masked}");
    let cache = refusal(|san| {
        san.plan.arrays[0].cache = Some(
            PageCache {
                low_pages: 500,
                ..pages()
            }
            .plan(),
        );
    });
    assert!(cache.contains("must rise in this order"), "{cache}");
}

/// There is no RAID 4, so its name is refused.
#[test]
fn a_level_that_does_not_exist_is_refused() {
    let san = raid(Raid5, 5, 65_536, 2000, 1);
    let error = refused_text(&san.plan, "/arrays/0/groups/0/level", "raid4".into());
    assert!(error.starts_with("arrays[0].groups[0].level: "), "{error}");
    assert!(error.contains("unknown variant `raid4`"), "{error}");
}

struct Dice<'a> {
    rolls: &'a [u32],
    next: usize,
}

impl Dice<'_> {
    fn below(&mut self, limit: u32) -> u32 {
        self.next += 1;
        self.rolls[(self.next - 1) % self.rolls.len()] % limit
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

fn random_array(dice: &mut Dice<'_>) -> San {
    let (level, drives) = dice.pick(&[
        (Raid0, 3),
        (Raid1, 2),
        (Raid1, 3),
        (Raid3, 4),
        (Raid5, 3),
        (Raid5, 5),
        (Raid6, 4),
        (Raid6, 6),
        (Raid10, 4),
    ]);
    let lost = match level {
        Raid0 => 0,
        Raid6 => dice.below(3),
        _ => dice.below(2),
    };
    let mut san = raid(
        level,
        drives,
        dice.pick(&[4096, 16_384, 65_536]),
        40 + u64::from(dice.below(100)),
        lost,
    );
    san.plan.seed = u64::from(dice.below(1000));
    let group = &mut san.plan.arrays[0].groups[0];
    group.write = dice.pick(&[
        WriteStrategyPlan::FewerOperations,
        WriteStrategyPlan::ReadModifyWrite,
        WriteStrategyPlan::ReconstructWrite,
    ]);
    for which in 0..lost {
        let slot = (which * 2) % drives;
        let at_ps = dice.pick(&[0, 20 * MS, 100 * MS]);
        group.failing.push(FailingPlan { slot, at_ps });
        if dice.below(3) > 0 {
            group.rebuilds.push(RebuildPlan {
                slot,
                spare: drives + which,
                delay_ps: dice.pick(&[0, 30 * MS]),
                bytes_per_s: NonZeroU64::new(dice.pick(&[0, 2_000_000])),
                step_bytes: dice.pick(&[1, 65_536, MIB]),
                steps: n32(1 + dice.below(3)),
            });
        }
    }
    let array = &mut san.plan.arrays[0];
    array.parity_bytes_per_s = NonZeroU64::new(dice.pick(&[0, 100_000_000, 2_000_000_000]));
    array.command_ps = dice.pick(&[0, 50 * US]);
    array.burst_bytes = n32(dice.pick(&[16_384, 1 << 30]));
    array.luns[0].queue_depth = n32(dice.pick(&[4, 1000]));
    let buffer = &mut array.drives[0].buffer;
    buffer.write_cache = dice.pick(&[WriteCachePlan::Off, WriteCachePlan::On]);
    match dice.below(3) {
        0 => {}
        1 => {
            array.cache = Some(CachePlan::HitRate {
                read_hit_ppm: 300_000,
                access_ps: 10 * US,
                dirty_limit_bytes: NonZeroU64::new(dice.pick(&[0, 300_000])),
            });
        }
        _ => {
            array.cache = Some(
                PageCache {
                    page_bytes: dice.pick(&[512, 4096, 16_384]),
                    pages: 64,
                    dirty_pages: dice.pick(&[16, 64]),
                    high_pages: dice.pick(&[0, 8, 16]),
                    low_pages: 0,
                    write_back: dice.below(4) > 0,
                    prefetch_bytes: dice.pick(&[0, 100_000]),
                    partner_bytes_per_s: dice.pick(&[0, 400_000_000]),
                    destages: 1 + dice.below(4),
                    destage_order: dice.pick(&[DestageOrderPlan::Age, DestageOrderPlan::Address]),
                    destage_age_ps: dice.pick(&[None, Some(20 * MS)]),
                    ..pages()
                }
                .plan(),
            );
        }
    }
    match dice.below(3) {
        0 => {}
        kind => put_on_loops(&mut san, 1 + dice.below(2), kind == 2),
    }
    for _ in 0..=dice.below(2) {
        let bytes = dice.pick(&[512, 4096, 20_480, 131_072]);
        let (depth, ios) = (dice.pick(&[1, 4, 16]), 1 + u64::from(dice.below(60)));
        let job = job(&mut san, bytes, depth, ios);
        job.read_ppm = dice.pick(&[0, 500_000, 1_000_000]);
        job.addresses = addresses(dice.below(2) == 0);
    }
    san
}

proptest! {
    #![proptest_config(cases(256))]

    /// All work gets done on any array, every law holds, and the reference in which everything is an
    /// event gives the same tables.
    #[test]
    fn swarm_of_random_arrays(rolls in prop::collection::vec(any::<u32>(), 40..100)) {
        let san = random_array(&mut Dice { rolls: &rolls, next: 0 });
        let fast = san.try_run(false).expect("the laws hold");
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
        for (fast, slow) in fast.tables.iter().zip(&slow.tables) {
            prop_assert!(fast == slow, "table {} differs from the reference's", fast.name);
        }
        let asked: u64 = san.plan.jobs.iter().filter_map(|job| job.total_bytes).map(NonZeroU64::get).sum();
        let done: u64 = whole(&fast, "workloads", "bytes").iter().sum();
        prop_assert_eq!(asked, done);
        prop_assert!(whole(&fast, "rebuilds", "is_done").iter().all(|&done| done == 1));
        let missing = san.plan.arrays[0].groups[0].failing.len() - san.plan.arrays[0].groups[0].rebuilds.len();
        prop_assert_eq!(whole(&fast, "groups", "missing_count"), vec![missing as u64]);
    }

    /// A run cut short in the middle of everything keeps every law.
    #[test]
    fn swarm_of_arrays_cut_short(
        rolls in prop::collection::vec(any::<u32>(), 40..100),
        permille in 1..1000u64,
    ) {
        let mut san = random_array(&mut Dice { rolls: &rolls, next: 0 });
        san.plan.end_ps = san.run().summary.simulated_ps / 1000 * permille + 1;
        let fast = san.try_run(false).expect("the laws hold");
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
    }
}
