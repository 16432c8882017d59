//! Pools of SSDs that LUNs share, and times of service that vary, held to closed forms.

use crate::support::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::LevelPlan::{Raid0, Raid1, Raid5, Raid6};
use sanlab_sim::plan::*;

const UNIT: u64 = 4096;
const ROWS: u64 = 20_000;
const SERVICE: u64 = 100 * US;

fn share(ppm: u32) -> Ppm {
    Ppm::try_from(ppm).expect("a share")
}

fn memory(variation_ppm: u32) -> MediaPlan {
    MediaPlan::Memory {
        service_ps: SERVICE,
        distribution: Distribution::Constant,
        spread: Ppm::default(),
        variation: share(variation_ppm),
        servers: n32(1),
    }
}

/// Four dies; one page takes 100 us to read, 500 us to program, and each block of ten 2 ms to erase.
fn flash(amplification_ppm: u64) -> MediaPlan {
    MediaPlan::Flash {
        channels: n32(2),
        dies_per_channel: n32(2),
        page_bytes: 4096,
        pages_per_block: 10,
        read_ps: 100 * US,
        variation: Ppm::default(),
        program_ps: 500 * US,
        erase_ps: 2000 * US,
        channel_bytes_per_s: n64(4_096_000_000),
        buffer_bytes: 1 << 18,
        latency_ps: 0,
        amplification_ppm,
    }
}

/// A host, and an array whose LUNs lie in equal parts on one group of SSDs.
fn pool(level: LevelPlan, ssds: u32, luns: u64, media: MediaPlan) -> San {
    let mut san = San::new(100_000 * SECOND);
    let (host, array) = (
        san.host("host"),
        san.array("array", 0, Distribution::Constant),
    );
    let cable = Cable::new(26_400_000_000, 0, 200);
    san.link(At::NPort(host), At::NPort(array), cable);
    let data = match level {
        Raid1 => 1,
        Raid6 => ssds - 2,
        Raid5 => ssds - 1,
        _ => ssds,
    };
    let of = &mut san.plan.arrays[0];
    of.ssds = vec![SsdPlan {
        bytes: UNIT * ROWS,
        media,
    }];
    let slot = |number| DiskPlan {
        name: format!("array.ssd{number}"),
        model: DiskModelPlan::Ssd { ssd: 0 },
    };
    of.disks = (0..=ssds).map(slot).collect();
    of.groups = vec![GroupPlan {
        name: "array.pool".into(),
        level,
        disks: (0..ssds).collect(),
        unit_bytes: n64(UNIT),
        rows: n64(ROWS),
        write: WriteStrategyPlan::FewerOperations,
        failing: vec![],
        rebuilds: vec![],
    }];
    let part = UNIT * u64::from(data) * (ROWS / luns);
    let lun = of.luns[0].clone();
    of.luns = (0..luns)
        .map(|number| LunPlan {
            name: format!("array.lun{number}"),
            number: u32::try_from(number).expect("few LUNs"),
            bytes: part,
            media: MediaPlan::Raid {
                group: 0,
                start_bytes: part * number,
            },
            ..lun.clone()
        })
        .collect();
    san
}

/// So many requests of one unit, one after the other on a LUN.
fn job(san: &mut San, lun: u32, iodepth: u32, ios: u64) -> &mut JobPlan {
    let span = san.plan.arrays[0].luns[lun as usize].bytes;
    let job = san.job(0, 0, UNIT, iodepth);
    job.targets[0].lun = lun;
    region(job, 0, span);
    job.addresses = AddressPlan::Sequential {};
    job.total_bytes = Some(n64(ios * UNIT));
    job
}

fn per_second(outcome: &Outcome, ios: u64) -> f64 {
    ios as f64 / (outcome.summary.simulated_ps as f64 * 1e-12)
}

fn sum(outcome: &Outcome, table: &str, column: &str) -> u64 {
    whole(outcome, table, column).iter().sum()
}

/// A pool serves devices x rate, whatever the number of its LUNs.
#[test]
fn a_pool_serves_what_its_devices_do_whatever_the_number_of_luns() {
    for ssds in [2, 8] {
        for luns in [1, 4] {
            let mut san = pool(Raid0, ssds, luns, memory(0));
            for lun in 0..u32::try_from(luns).expect("few LUNs") {
                job(
                    &mut san,
                    lun,
                    128 / u32::try_from(luns).expect("few"),
                    40_000 / luns,
                );
            }
            let rate = f64::from(ssds) * 1e12 / SERVICE as f64;
            assert_near(per_second(&san.run(), 40_000), rate, 0.02);
        }
    }
}

/// A small write on RAID 5 over SSDs costs two reads and two writes, which take the time of two; the
/// devices together do a quarter of their rate. RAID 1 costs two writes, RAID 6 three and three.
#[test]
fn small_writes_on_ssds_cost_what_the_level_says() {
    for (level, ssds, reads, writes) in [
        (Raid0, 5, 0, 1),
        (Raid1, 2, 0, 2),
        (Raid5, 5, 2, 2),
        (Raid6, 7, 3, 3),
    ] {
        let mut san = pool(level, ssds, 1, memory(0));
        job(&mut san, 0, 1, 500).read_ppm = 0;
        let alone = san.run();
        assert_eq!(sum(&alone, "groups", "disk_reads_count"), 500 * reads);
        assert_eq!(sum(&alone, "groups", "disk_writes_count"), 500 * writes);
        let phases = if reads > 0 { 2.0 } else { 1.0 };
        let response = real(&alone, "workloads", "response_mean_ps")[0];
        assert_near(response, phases * SERVICE as f64, 0.05);

        let mut san = pool(level, ssds, 1, memory(0));
        let writer = job(&mut san, 0, 256, 20_000);
        writer.read_ppm = 0;
        writer.addresses = AddressPlan::Uniform {};
        let rate = f64::from(ssds) * 1e12 / SERVICE as f64 / (reads + writes) as f64;
        assert_near(per_second(&san.run(), 20_000), rate, 0.05);
    }
}

/// Sustained writes: a page costs the dies WA programs, WA - 1 reads and its share of WA blocks' erasure. The
/// dies of all devices share that, whichever LUNs the writes go to.
#[test]
fn sustained_writes_of_all_luns_share_the_dies_of_the_pool() {
    for (ppm, amplification) in [(1_000_000, 1.0), (2_360_000, 2.36)] {
        for luns in [1, 4] {
            let mut san = pool(Raid0, 3, luns, flash(ppm));
            for lun in 0..u32::try_from(luns).expect("few LUNs") {
                job(&mut san, lun, 64, 40_000 / luns).read_ppm = 0;
            }
            let outcome = san.run();
            let page = amplification * (500.0 + 2000.0 / 10.0) + (amplification - 1.0) * 100.0;
            // What is in the buffers at the end has been answered and not programmed.
            let rate = 3.0 * 4.0 * 1e6 / page * (40_000.0 / (40_000.0 - 3.0 * 64.0));
            assert_near(per_second(&outcome, 40_000), rate, 0.02);
            let moved = sum(&outcome, "flash", "pages_moved_count") as f64;
            assert_near(1.0 + moved / 40_000.0, amplification, 0.001);
        }
    }
}

/// Writes to one LUN make the reads of another wait for the dies, and garbage collection more so. With media
/// of their own they do not.
#[test]
fn collection_for_one_lun_slows_the_reads_of_another() {
    let read_mean = |ppm: u64, writes: bool| {
        let mut san = pool(Raid0, 3, 2, flash(ppm));
        san.plan.end_ps = SECOND;
        let reader = job(&mut san, 0, 1, 100_000);
        reader.addresses = AddressPlan::Uniform {};
        if writes {
            let writer = job(&mut san, 1, 1, 1_000_000);
            writer.read_ppm = 0;
            writer.arrivals = Some(ArrivalsPlan {
                interval_ps: n64(200 * US),
                distribution: Distribution::Exponential,
            });
            writer.iodepth = None;
        }
        real(&san.run(), "workloads", "response_mean_ps")[0]
    };
    let (idle, written, collected) = (
        read_mean(2_360_000, false),
        read_mean(1_000_000, true),
        read_mean(2_360_000, true),
    );
    assert!(written > 1.1 * idle, "{written} {idle}");
    assert!(collected > 1.3 * written, "{collected} {written}");
}

/// A failed SSD: reads of its units read all others of the row, and a rebuild writes a spare whole.
#[test]
fn a_failed_ssd_is_read_around_and_rebuilt() {
    let mut san = pool(Raid5, 5, 1, memory(0));
    let group = &mut san.plan.arrays[0].groups[0];
    group.rows = n64(1000);
    group.failing = vec![FailingPlan { slot: 1, at_ps: 0 }];
    group.rebuilds = vec![RebuildPlan {
        slot: 1,
        spare: 5,
        delay_ps: 0,
        bytes_per_s: None,
        step_bytes: 0,
        steps: n32(1),
    }];
    san.plan.arrays[0].luns[0].bytes = UNIT * 4000;
    job(&mut san, 0, 1, 10);
    let outcome = san.run();
    assert_eq!(whole(&outcome, "rebuilds", "rebuilt_bytes"), [UNIT * 1000]);
    // Each row is read from four and written to one: two services.
    let took = whole(&outcome, "rebuilds", "last_ps")[0] as f64;
    assert_near(took, 1000.0 * 2.0 * SERVICE as f64, 0.01);
}

/// Pollaczek and Khinchine with the coefficient of variation that is stated: W = S (1 + rho (1 + v^2) / (2 (1 -
/// rho))). The reference gives the same run.
#[test]
fn varying_service_is_a_queue_with_that_variation() {
    for (ppm, v) in [
        (0, 0.0),
        (180_000, 0.18),
        (500_000, 0.5),
        (1_000_000, 1.0_f64),
    ] {
        let mut san = pool(Raid0, 1, 1, memory(ppm));
        let load = 0.8;
        let job = job(&mut san, 0, 1, 200_000);
        job.addresses = AddressPlan::Uniform {};
        job.iodepth = None;
        job.arrivals = Some(ArrivalsPlan {
            interval_ps: n64(SERVICE * 10 / 8),
            distribution: Distribution::Exponential,
        });
        let outcome = san.run();
        let expected = 1.0 + load * (1.0 + v * v) / (2.0 * (1.0 - load));
        let station = whole(&outcome, "stations", "arrivals_count");
        let media = station.iter().rposition(|count| *count == 200_000);
        let mean = real(&outcome, "stations", "mean_residence_ps")[media.expect("an SSD")];
        assert_near(mean, expected * SERVICE as f64, 0.03);
        let slow = san.try_run(true).expect("the laws hold in the reference");
        assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}

/// An SSD is made of memory or flash, and a slot names one there is.
#[test]
fn plans_of_impossible_ssds_are_refused() {
    let refusal = |change: fn(&mut ArrayPlan)| {
        let mut san = pool(Raid5, 5, 1, memory(0));
        job(&mut san, 0, 1, 10);
        change(&mut san.plan.arrays[0]);
        san.try_run(false).expect_err("no such SSD").to_string()
    };
    let raid = refusal(|array| array.ssds[0].media = array.luns[0].media.clone());
    assert!(
        raid.contains("arrays[0].ssds[0]") && raid.contains("memory or flash"),
        "{raid}"
    );
    let unknown = refusal(|array| array.disks[2].model = DiskModelPlan::Ssd { ssd: 1 });
    assert!(unknown.contains("arrays[0].disks[2].model"), "{unknown}");
    let small = refusal(|array| array.ssds[0].bytes = UNIT);
    assert!(small.contains("too small"), "{small}");
}
