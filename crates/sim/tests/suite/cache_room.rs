//! A cache that fills: writes wait for room before their data come, and data go to disk by their age and at
//! rest.

use std::num::NonZeroU64;

use crate::support::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{CachePlan, DestageOrderPlan, Distribution};

const PAGE: u64 = 4096;

/// A host that writes at once to an array whose blocks take `service`.
fn direct(service: u64, cache: CachePlan) -> San {
    let mut san = San::new(1000 * SECOND);
    let host = san.host("host");
    let array = san.array("array", service, Distribution::Constant);
    let cable = Cable::new(850_000_000, 50 * NS, 16);
    san.link(At::NPort(host), At::NPort(array), cable);
    san.plan.arrays[0].cache = Some(cache);
    san.plan.interval_ps = Some(n64(MS));
    san
}

fn writes(san: &mut San, bytes: u64, queue_depth: u32, count: u64) {
    let job = san.job(0, 0, bytes, queue_depth);
    (job.read_ppm, job.total_bytes) = (0, Some(n64(count * bytes)));
}

fn of_bytes(limit: u64) -> CachePlan {
    CachePlan::HitRate {
        read_hit_ppm: 0,
        access_ps: 20 * US,
        dirty_limit_bytes: Some(n64(limit)),
    }
}

fn of_pages(limit: u32, age: Option<u64>, rest: Option<u64>) -> CachePlan {
    CachePlan::Pages {
        page_bytes: n64(PAGE),
        pages: n32(4 * limit),
        access_ps: 20 * US,
        prefetch: None,
        destage_bytes: 0,
        write_back: true,
        dirty_pages: limit,
        low_pages: limit / 2,
        high_pages: limit,
        destages: n32(4),
        destage_order: DestageOrderPlan::Age,
        destage_age_ps: age,
        destage_rest_ps: rest,
        partner: None,
    }
}

fn cache(outcome: &Outcome, column: &str) -> u64 {
    whole(outcome, "caches", column)[0]
}

/// Two writes come at once to a cache with room for one. The second waits until the first is on disk: with
/// slower media by exactly as much longer, and its response is longer than that of the first by its wait and
/// the time between the two commands.
#[test]
fn a_write_waits_until_room_is_destaged() {
    let kinds = [|| of_bytes(PAGE), || of_pages(1, None, None)];
    for kind in kinds {
        let waits = [300 * US, 5 * MS].map(|service| {
            let mut san = direct(service, kind());
            writes(&mut san, PAGE, 2, 2);
            let outcome = san.run();
            assert_eq!(cache(&outcome, "room_waits_count"), 1);
            assert_eq!(
                cache(&outcome, "full_ps"),
                cache(&outcome, "room_wait_ps"),
                "one write waits"
            );
            let wait = cache(&outcome, "room_wait_ps");
            let column = |name| whole(&outcome, "workloads", name)[0];
            let later = column("response_max_ps") - column("response_min_ps");
            (wait, later - wait)
        });
        assert_eq!(waits[1].0 - waits[0].0, 5 * MS - 300 * US);
        // One command frame apart; the data of the first come before its destage begins.
        assert_eq!(waits[0].1, waits[1].1);
        assert!(waits[0].1 < US && waits[0].0 > 300 * US, "{waits:?}");
    }
}

/// No data come for a write that waits: at a full cache, frames of data have gone only for admitted writes.
#[test]
fn data_come_only_where_there_is_room() {
    let mut san = direct(10 * MS, of_bytes(2 * PAGE));
    writes(&mut san, PAGE, 8, 8);
    san.plan.end_ps = 5 * MS;
    let outcome = san.run();
    assert_eq!(of_port(&outcome, "host", "tx_payload_bytes"), {
        let commands = 8 * 32;
        commands + 2 * PAGE
    });
    assert_eq!(cache(&outcome, "room_waits_count"), 6);
    assert_eq!(cache(&outcome, "dirty_bytes"), 2 * PAGE);
}

/// The bins of a cache sum to its totals, and every byte written is overwritten, on disk or still dirty.
#[test]
fn bins_sum_to_the_totals() {
    for plan in [of_bytes(10 * PAGE), of_pages(10, None, None)] {
        let mut san = direct(2 * MS, plan);
        writes(&mut san, 2 * PAGE, 16, 200);
        let outcome = san.run();
        let sum = |name| whole(&outcome, "cache_series", name).iter().sum::<u64>();
        assert!(sum("room_waits_count") > 50);
        for name in ["room_waits_count", "full_ps"] {
            assert_eq!(sum(name), cache(&outcome, name));
        }
        let run = sum("span_ps");
        assert_eq!(run, outcome.summary.simulated_ps);
        let spans = whole(&outcome, "cache_series", "span_ps");
        let means = real(&outcome, "cache_series", "mean_dirty_bytes");
        let area: f64 = spans
            .iter()
            .zip(&means)
            .map(|(&span, mean)| span as f64 * mean)
            .sum();
        let mean = real(&outcome, "caches", "mean_dirty_bytes")[0];
        assert_near(area / run as f64, mean, 1e-9 * mean);
        let known = [
            "overwritten_bytes",
            "destaged_bytes",
            "lost_bytes",
            "dirty_bytes",
        ];
        let known: u64 = known.iter().map(|name| cache(&outcome, name)).sum();
        assert_eq!(
            (cache(&outcome, "written_bytes"), known),
            (400 * PAGE, 400 * PAGE)
        );
        assert!(cache(&outcome, "max_dirty_bytes") <= 10 * PAGE);
        let slow = san.try_run(true).expect("the laws hold in the reference");
        assert_eq!(outcome.summary.fingerprint, slow.summary.fingerprint);
    }
}

/// A page below the watermark is dirty for its age, or for the time of rest, and for the write to the media.
#[test]
fn data_are_dirty_for_their_age_and_the_media() {
    let (service, time) = (300 * US, 40 * MS);
    for (age, rest) in [
        (Some(time), None),
        (None, Some(time)),
        (Some(2 * time), Some(time)),
    ] {
        let mut san = direct(service, of_pages(10, age, rest));
        writes(&mut san, PAGE, 1, 1);
        let outcome = san.run();
        assert_eq!(cache(&outcome, "destaged_bytes"), PAGE);
        let mean = real(&outcome, "caches", "mean_dirty_bytes")[0];
        let area = mean * outcome.summary.simulated_ps as f64;
        let expected = (PAGE * (time + service)) as f64;
        assert_near(area, expected, 1e-6 * expected);
    }
    let mut san = direct(service, of_pages(10, None, None));
    writes(&mut san, PAGE, 1, 1);
    assert_eq!(cache(&san.run(), "dirty_bytes"), PAGE);
}

/// Commands that keep coming put rest off, but not age.
#[test]
fn a_cache_in_use_is_not_at_rest() {
    for (age, rest, destages) in [(None, Some(30 * MS), false), (Some(30 * MS), None, true)] {
        let mut san = direct(300 * US, of_pages(10_000, age, rest));
        writes(&mut san, PAGE, 1, 100_000);
        san.plan.end_ps = 60 * MS;
        let outcome = san.run();
        assert_eq!(cache(&outcome, "destages_count") > 0, destages);
        assert!(NonZeroU64::new(cache(&outcome, "dirty_bytes")).is_some());
    }
}
