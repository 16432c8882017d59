//! Copies over distance: round trips, data in flight, lag, a full journal.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers of a test"
)]

use std::num::NonZeroU64;

use crate::support::*;
use sanlab_metrics::Column;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{
    CachePlan, DestageOrderPlan, Distribution, JournalFullPlan, MediaPlan, MirrorModePlan,
    MirrorPlan, PatternPlan, ResumePlan, RoutePolicy,
};

const KIB: u64 = 1024;
/// Light in fibre takes 5 us for a kilometre.
const KM: u64 = 5 * US;
/// Time in which the near array stores a write.
const SERVICE: u64 = 100 * US;
const FAST: u64 = 850_000_000;

/// A host writes to an array that copies to another, this far away over a link of this rate.
fn distant(km: u64, rate: u64, bytes: u64, iodepth: u32, writes: u64) -> San {
    let mut san = San::new(1000 * SECOND);
    let switches = [(); 2].map(|()| san.switch(US, true, RoutePolicy::Exchange));
    san.link(switches[0], switches[1], Cable::new(rate, km * KM, 60_000));
    let near = Cable::new(FAST, 50 * NS, 1000);
    let [source, target] =
        ["near", "far"].map(|name| san.array(name, SERVICE, Distribution::Constant));
    san.link(switches[0], At::NPort(source), near);
    san.link(switches[1], At::NPort(target), near);
    let host = san.host("host");
    san.link(switches[0], At::NPort(host), near);
    for array in &mut san.plan.arrays {
        let media = &mut array.luns[0].media;
        if let MediaPlan::Memory { servers, .. } = media {
            *servers = n32(60_000);
        }
    }
    san.plan.arrays[0].luns[0].mirror = Some(MirrorPlan {
        array: 1,
        lun: 0,
        source_n_port: source,
        target_n_port: target,
        mode: MirrorModePlan::Synchronous {},
        max_outstanding: n32(1000),
        one_round_trip_bytes: 0,
        resume: None,
    });
    let job = san.job(0, 0, bytes, iodepth);
    (job.read_ppm, job.total_bytes) = (0, NonZeroU64::new(writes * bytes));
    san
}

fn mirror(san: &mut San) -> &mut MirrorPlan {
    san.plan.arrays[0].luns[0]
        .mirror
        .as_mut()
        .expect("a mirror")
}

fn journal(bytes: u64, when_full: JournalFullPlan) -> MirrorModePlan {
    MirrorModePlan::Journal {
        bytes: n64(bytes),
        when_full,
    }
}

/// A write every so often, whether or not those before it are done.
fn every(san: &mut San, interval: u64) {
    let job = &mut san.plan.jobs[0];
    job.arrivals = Some(constant(n64(interval)));
    job.pattern = PatternPlan::Blocks {};
    job.iodepth = None;
}

fn response(outcome: &Outcome) -> u64 {
    let means = real(outcome, "workloads", "response_mean_ps");
    let writes = text(outcome, "workloads", "op");
    let row = writes.iter().position(|op| op == "write").expect("writes");
    means[row] as u64
}

fn lag(outcome: &Outcome, name: &str) -> u64 {
    whole(outcome, "mirrors", name)[0]
}

/// The latency of a synchronous write grows by 10 us for a kilometre and round trip: two round trips with
/// an XFER_RDY, one without.
#[test]
fn latency_of_a_synchronous_write_against_distance() {
    let latency = |km, one_round_trip_bytes| {
        let mut san = distant(km, FAST, 32 * KIB, 1, 1);
        mirror(&mut san).one_round_trip_bytes = one_round_trip_bytes;
        response(&san.run())
    };
    for (limit, trips) in [(0, 2), (16 * 1024, 2), (32 * 1024, 1), (u32::MAX, 1)] {
        let here = latency(0, limit);
        for km in [1, 35, 100, 1000] {
            let away = latency(km, limit);
            assert_eq!(
                away - here,
                trips * 2 * km * KM,
                "{km} km, {trips} round trips"
            );
        }
    }
}

/// Throughput is the data in flight over the round trips, until the link is full. With two round trips the
/// commands of copies wait behind the data of others when it is nearly full: it takes more to fill it.
#[test]
fn throughput_is_outstanding_data_over_the_round_trip() {
    let (km, rate, bytes) = (1000, 106_250_000, 64 * KIB);
    let cases: [(u32, u64, &[u32]); 2] = [
        (0, 2, &[1, 4, 8, 16, 200]),
        (u32::MAX, 1, &[1, 4, 8, 16, 32, 200]),
    ];
    for (limit, trips, places) in cases {
        for &outstanding in places {
            let writes = 4000.min(u64::from(outstanding) * 100);
            let mut san = distant(km, rate, bytes, 400, writes);
            let copies = mirror(&mut san);
            copies.mode = MirrorModePlan::Asynchronous {};
            (copies.max_outstanding, copies.one_round_trip_bytes) = (n32(outstanding), limit);
            let got = real(&san.run(), "mirrors", "throughput_bytes_per_s")[0];
            let second = |ps: u64| ps as f64 * 1e-12;
            let sending = (bytes / 2048 * (wire(2048) + 24)) as f64 / rate as f64;
            let full = bytes as f64 / sending;
            // A batch of copies leaves together, and the last one's answer comes after its data.
            let round_trips = second(trips * 2 * km * KM) + second(SERVICE);
            let expected = f64::from(outstanding) * bytes as f64 / (round_trips + sending);
            assert_near(got, expected.min(full), 0.015);
        }
    }
}

/// A copy that keeps up is behind by its own time less that of storing the write at the source.
#[test]
fn lag_of_a_copy_that_keeps_up() {
    let (bytes, writes) = (32 * KIB, 50);
    let mut san = distant(200, FAST, bytes, 1, writes);
    every(&mut san, 5 * MS);
    mirror(&mut san).mode = journal(1 << 30, JournalFullPlan::Wait);
    san.plan.interval_ps = NonZeroU64::new(3 * MS);
    let outcome = san.run();
    let copy = real(&outcome, "mirrors", "response_mean_ps")[0] as u64;
    assert!(copy > 4 * 200 * KM);
    assert_eq!(lag(&outcome, "max_lag_ps"), copy - SERVICE);
    assert_eq!(lag(&outcome, "max_lag_bytes"), bytes);
    assert_eq!(lag(&outcome, "end_lag_bytes"), 0);
    assert_eq!(lag(&outcome, "waits_count"), 0);
    let run = outcome.summary.simulated_ps as f64;
    let mean = real(&outcome, "mirrors", "mean_lag_bytes")[0];
    assert_near(mean, (writes * bytes * (copy - SERVICE)) as f64 / run, 1e-9);
    let worst = whole(&outcome, "mirror_series", "max_lag_ps");
    assert_eq!(worst.iter().max(), Some(&(copy - SERVICE)));
    let ends = whole(&outcome, "mirror_series", "time_ps");
    let means = real(&outcome, "mirror_series", "mean_lag_bytes");
    let begins = [0].into_iter().chain(ends.iter().copied());
    let spans = ends
        .iter()
        .zip(begins)
        .map(|(end, begin)| (end - begin) as f64);
    let area: f64 = spans.zip(means).map(|(span, mean)| span * mean).sum();
    assert_near(area, mean * run, 1e-9);
}

/// Writes come faster than one copy after the other goes: the lag grows with every write.
#[test]
fn lag_of_a_copy_that_falls_behind() {
    let (bytes, writes, interval) = (32 * KIB, 40, MS);
    let mut san = distant(200, FAST, bytes, 1, writes);
    every(&mut san, interval);
    let copies = mirror(&mut san);
    copies.mode = journal(1 << 30, JournalFullPlan::Suspend);
    copies.max_outstanding = n32(1);
    let outcome = san.run();
    let copy = real(&outcome, "mirrors", "response_mean_ps")[0] as u64;
    let expected = writes * copy - (writes - 1) * interval - SERVICE;
    assert_near(lag(&outcome, "max_lag_ps") as f64, expected as f64, 1e-6);
    let host = response(&outcome);
    assert!(host < 2 * MS, "writes do not wait: {host}");
    assert_eq!(lag(&outcome, "copies_count"), writes);
    assert_eq!(lag(&outcome, "suspended_ps"), 0);
}

/// A full journal makes writes wait: they come at the pace of the copies.
#[test]
fn writes_wait_for_room_in_a_full_journal() {
    let (bytes, writes) = (32 * KIB, 60);
    let mut san = distant(200, FAST, bytes, 1, writes);
    every(&mut san, MS);
    let copies = mirror(&mut san);
    copies.mode = journal(10 * bytes, JournalFullPlan::Wait);
    copies.max_outstanding = n32(1);
    let outcome = san.run();
    assert_eq!(lag(&outcome, "max_held_bytes"), 10 * bytes);
    assert_eq!(lag(&outcome, "copies_count"), writes);
    assert!(lag(&outcome, "max_lag_bytes") <= 10 * bytes);
    let copy = real(&outcome, "mirrors", "response_mean_ps")[0] as u64;
    let worst = lag(&outcome, "max_lag_ps");
    assert!(worst <= 10 * copy, "{worst}");
    assert!(lag(&outcome, "waits_count") > 30);
    assert!(response(&outcome) > 10 * copy);
}

/// A full journal suspends the mirror: writes go on as without one, and the copy grows old.
#[test]
fn a_full_journal_suspends() {
    let (bytes, writes) = (32 * KIB, 60);
    let run = |mode: Option<MirrorModePlan>| {
        let mut san = distant(200, FAST, bytes, 1, writes);
        every(&mut san, MS);
        mirror(&mut san).max_outstanding = n32(1);
        match mode {
            Some(mode) => mirror(&mut san).mode = mode,
            None => san.plan.arrays[0].luns[0].mirror = None,
        }
        san.run()
    };
    let outcome = run(Some(journal(10 * bytes, JournalFullPlan::Suspend)));
    let (copies, lost) = (lag(&outcome, "copies_count"), lag(&outcome, "lost_count"));
    assert_eq!((copies + lost, lag(&outcome, "waits_count")), (writes, 0));
    assert!(copies > 1 && lost > 10);
    assert_eq!(lag(&outcome, "end_lag_bytes"), lost * bytes);
    assert_eq!(lag(&outcome, "max_lag_ps"), lag(&outcome, "end_lag_ps"));
    assert!(lag(&outcome, "suspended_ps") > 0);
    // The oldest write that is lost came as the one after those that were copied.
    let left = outcome.summary.simulated_ps - copies * MS;
    assert_near(lag(&outcome, "end_lag_ps") as f64, left as f64, 0.1);
    assert_near(response(&outcome) as f64, response(&run(None)) as f64, 0.02);
}

/// A mirror that is suspended and goes on after a second, copying marked regions at this rate.
fn resuming(writes: u64, region: u64, rate: u64) -> San {
    let mut san = distant(200, FAST, 32 * KIB, 1, writes);
    every(&mut san, MS);
    san.plan.jobs[0].addresses = addresses(false);
    let copies = mirror(&mut san);
    copies.max_outstanding = n32(1);
    copies.mode = journal(10 * 32 * KIB, JournalFullPlan::Suspend);
    copies.resume = Some(ResumePlan {
        after_ps: n64(SECOND),
        region_bytes: n64(region),
        bytes_per_s: NonZeroU64::new(rate),
    });
    san
}

/// A suspended mirror goes on after its time and copies what it has marked. That takes the marked bytes over
/// the rate; the last region takes as long as a copy takes. Then the copy is behind by nothing.
#[test]
fn a_suspended_mirror_copies_what_it_has_marked() {
    let (bytes, writes, rate) = (32 * KIB, 60, 1_000_000);
    for pieces in [1, 2, 4] {
        let region = bytes * pieces;
        let outcome = resuming(writes, region, rate).run();
        let (copies, lost) = (lag(&outcome, "copies_count"), lag(&outcome, "lost_count"));
        assert_eq!(copies + lost, writes);
        // Blocks in order: the first of those not copied may begin within a region.
        let regions = writes.div_ceil(pieces) - copies / pieces;
        assert_eq!(lag(&outcome, "resync_bytes"), regions * region);
        assert_eq!(lag(&outcome, "suspended_ps"), SECOND);
        assert_eq!(lag(&outcome, "suspensions_count"), 1);
        let slot = region * SECOND / rate;
        let last = lag(&outcome, "resync_ps") - (regions - 1) * slot;
        let copy = real(&outcome, "mirrors", "response_mean_ps")[0];
        let sending = (region - bytes) as f64 * (wire(2048) + 24) as f64 / 2048.0 / FAST as f64;
        assert_near(last as f64, copy + sending * SECOND as f64, 0.01);
        for name in ["end_lag_bytes", "end_lag_ps", "unfinished_count"] {
            assert_eq!(lag(&outcome, name), 0, "{name}");
        }
        assert!(lag(&outcome, "max_lag_ps") > SECOND + (regions - 1) * slot);
        let slow = resuming(writes, region, rate).try_run(true).expect("a run");
        assert_eq!(differences(&outcome, &slow), "");
    }
}

/// A region is marked once, however often it is written: it is copied once.
#[test]
fn marks_are_kept_for_regions() {
    let (bytes, writes, blocks) = (32 * KIB, 200, 8);
    let mut san = resuming(writes, bytes, 0);
    region(&mut san.plan.jobs[0], 0, blocks * bytes);
    let outcome = san.run();
    assert!(lag(&outcome, "lost_count") > 100);
    assert_eq!(lag(&outcome, "resync_bytes"), blocks * bytes);
    let copy = real(&outcome, "mirrors", "response_mean_ps")[0];
    assert_near(
        lag(&outcome, "resync_ps") as f64,
        blocks as f64 * copy,
        0.01,
    );
    assert_eq!(lag(&outcome, "end_lag_bytes"), 0);
}

/// Writes go on while regions are copied. Those to marked regions are copied with them, others from the
/// journal; a journal that is full again suspends the mirror again. When the writes end, it catches up.
#[test]
fn writes_go_on_while_regions_are_copied() {
    let bytes = 32 * KIB;
    let mut san = resuming(3000, 2 * bytes, 0);
    san.plan.interval_ps = NonZeroU64::new(100 * MS);
    let job = &mut san.plan.jobs[0];
    region(job, 0, 2000 * bytes);
    // A copy takes 4.1 ms.
    job.arrivals = Some(constant(n64(3 * MS)));
    job.addresses = addresses(true);
    let outcome = san.run();
    assert!(lag(&outcome, "suspensions_count") > 1);
    assert!(lag(&outcome, "suspended_ps") > SECOND);
    assert!(lag(&outcome, "copies_count") > 20);
    for name in ["end_lag_bytes", "end_lag_ps", "unfinished_count"] {
        assert_eq!(lag(&outcome, name), 0, "{name}");
    }
    let states = ["suspended", "resynchronises"].map(|name| whole(&outcome, "mirror_series", name));
    assert!(states.iter().all(|of| of.contains(&1) && of.contains(&0)));
    let slow = san.try_run(true).expect("a run");
    assert_eq!(differences(&outcome, &slow), "");
}

/// Copies that the end of the run cuts off are counted beside the mean of those that are done.
#[test]
fn unfinished_copies_are_counted() {
    let mut san = distant(200, FAST, 32 * KIB, 1, 50);
    every(&mut san, MS);
    mirror(&mut san).mode = MirrorModePlan::Asynchronous {};
    san.plan.end_ps = 20 * MS;
    let outcome = san.run();
    let (done, open) = (
        lag(&outcome, "copies_count"),
        lag(&outcome, "unfinished_count"),
    );
    assert!(open == 4 || open == 5, "{open}");
    assert!(done + open >= 19, "{done}");
    assert_eq!(lag(&outcome, "end_lag_bytes"), open * 32 * KIB);
}

/// A synchronous copy is never behind, and has no row in the series.
#[test]
fn a_synchronous_copy_is_never_behind() {
    let mut san = distant(100, FAST, 32 * KIB, 4, 40);
    san.plan.interval_ps = NonZeroU64::new(MS);
    let outcome = san.run();
    for name in ["max_lag_ps", "max_lag_bytes", "end_lag_bytes"] {
        assert_eq!(lag(&outcome, name), 0);
    }
    let series = outcome
        .tables
        .iter()
        .find(|table| table.name == "mirror_series");
    let rows = series
        .and_then(|table| table.column("time_ps"))
        .map(Column::len);
    assert_eq!(rows, Some(0));
}

/// An array with a cache that holds so many bytes of writes before one server stores each for `service`.
fn give_cache(san: &mut San, array: usize, limit: u64, service: u64, is_of_pages: bool) {
    let of = &mut san.plan.arrays[array];
    if let MediaPlan::Memory {
        service_ps,
        servers,
        ..
    } = &mut of.luns[0].media
    {
        (*service_ps, *servers) = (service, n32(1));
    }
    // A page for a write: each is destaged at once.
    let pages = u32::try_from(limit / (32 * KIB)).expect("a small cache");
    of.cache = Some(if is_of_pages {
        CachePlan::Pages {
            page_bytes: n64(32 * KIB),
            pages: n32(4 * pages),
            access_ps: 20 * US,
            prefetch: None,
            destage_bytes: 0,
            write_back: true,
            dirty_pages: pages,
            low_pages: 0,
            high_pages: 0,
            destages: n32(8),
            destage_order: DestageOrderPlan::Age,
            destage_age_ps: None,
            destage_rest_ps: Some(MS),
            partner: None,
        }
    } else {
        CachePlan::HitRate {
            read_hit_ppm: 0,
            access_ps: 20 * US,
            dirty_limit_bytes: Some(n64(limit)),
        }
    });
}

/// Everything written is in the cache, overwritten, or on disk.
fn assert_conserved(outcome: &Outcome, cache: usize, bytes: u64) {
    let value = |name| whole(outcome, "caches", name)[cache];
    assert_eq!(value("written_bytes"), bytes);
    let known = ["overwritten_bytes", "destaged_bytes", "dirty_bytes"].map(value);
    assert_eq!(known.iter().sum::<u64>(), bytes);
    assert_eq!(value("lost_bytes"), 0);
}

/// The journal and the cache of the source are both full: a write first waits for room in the cache, with no
/// data sent, then for room in the journal, and comes at the pace of the copies. Every write is copied.
#[test]
fn a_full_journal_and_a_full_cache_together_lose_nothing() {
    let (bytes, writes, held, dirty) = (32 * KIB, 60, 8, 4);
    for is_of_pages in [false, true] {
        let mut san = distant(200, FAST, bytes, 60, writes);
        give_cache(&mut san, 0, dirty * bytes, MS, is_of_pages);
        let copies = mirror(&mut san);
        copies.mode = journal(held * bytes, JournalFullPlan::Wait);
        copies.max_outstanding = n32(1);
        let outcome = san.run();
        let cache = |name| whole(&outcome, "caches", name)[0];
        assert_eq!(cache("room_waits_count"), writes - dirty);
        assert_eq!(cache("max_dirty_bytes"), dirty * bytes);
        // Of the writes the journal takes at once one for each place; the first copy is still under way.
        assert_eq!(lag(&outcome, "max_held_bytes"), held * bytes);
        let waits = lag(&outcome, "waits_count");
        assert!(
            (writes - held - 4..=writes - held).contains(&waits),
            "{waits}"
        );
        for (name, expected) in [
            ("copies_count", writes),
            ("lost_count", 0),
            ("unfinished_count", 0),
        ] {
            assert_eq!(lag(&outcome, name), expected, "{name}");
        }
        assert_eq!(lag(&outcome, "bytes"), writes * bytes);
        assert_eq!(lag(&outcome, "end_lag_bytes"), 0);
        assert_conserved(&outcome, 0, writes * bytes);
        // One copy after the other, and the last write is acknowledged when the last but seven is copied.
        let copy = real(&outcome, "mirrors", "response_mean_ps")[0];
        let (first, last) = (lag(&outcome, "first_ps"), lag(&outcome, "last_ps"));
        assert_near((last - first) as f64, writes as f64 * copy, 0.001);
        let slowest = whole(&outcome, "workloads", "response_max_ps");
        let slowest = *slowest.iter().max().expect("a response") as f64;
        assert_near(slowest, (writes - held) as f64 * copy, 0.03);
        let slow = san.try_run(true).expect("the laws hold in the reference");
        assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}

/// The cache of the target is full: its copies wait for its media, so the journal of the source fills, and
/// writes come at the pace of those media.
#[test]
fn a_full_cache_of_the_target_fills_the_journal() {
    let (bytes, writes, held, dirty) = (32 * KIB, 100, 8, 4);
    let pace = 10 * MS;
    for is_of_pages in [false, true] {
        let mut san = distant(10, FAST, bytes, 100, writes);
        give_cache(&mut san, 1, dirty * bytes, pace, is_of_pages);
        let copies = mirror(&mut san);
        copies.mode = journal(held * bytes, JournalFullPlan::Wait);
        copies.max_outstanding = n32(32);
        let outcome = san.run();
        assert_eq!(
            whole(&outcome, "caches", "max_dirty_bytes"),
            [dirty * bytes]
        );
        assert_eq!(lag(&outcome, "max_held_bytes"), held * bytes);
        assert_eq!(lag(&outcome, "copies_count"), writes);
        assert_eq!(
            lag(&outcome, "lost_count") + lag(&outcome, "unfinished_count"),
            0
        );
        assert_conserved(&outcome, 0, writes * bytes);
        // The last copy is answered when all but those in the cache are on the media.
        let expected = (writes - dirty) * pace;
        assert_near(lag(&outcome, "last_ps") as f64, expected as f64, 0.02);
    }
}

/// A journal that suspends when the cache is full too: writes go on at the pace of the cache. What is not
/// copied is counted, and nothing is lost at the source.
#[test]
fn a_journal_that_suspends_leaves_writes_to_the_cache() {
    let (bytes, writes, dirty) = (32 * KIB, 60, 4);
    let mut san = distant(200, FAST, bytes, 60, writes);
    give_cache(&mut san, 0, dirty * bytes, MS, false);
    let copies = mirror(&mut san);
    copies.mode = journal(3 * bytes, JournalFullPlan::Suspend);
    copies.max_outstanding = n32(1);
    let outcome = san.run();
    let (copied, lost) = (lag(&outcome, "copies_count"), lag(&outcome, "lost_count"));
    assert_eq!((copied + lost, lag(&outcome, "waits_count")), (writes, 0));
    assert_eq!(lag(&outcome, "end_lag_bytes"), lost * bytes);
    assert_conserved(&outcome, 0, writes * bytes);
    let slowest = whole(&outcome, "workloads", "response_max_ps");
    let slowest = *slowest.iter().max().expect("a response");
    assert_near(slowest as f64, ((writes - dirty) * MS) as f64, 0.03);
}
