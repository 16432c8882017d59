//! Writes over links whose near end answers for the target: one round trip over the distance.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers of a test"
)]

use std::num::NonZeroU64;

use crate::support::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{
    Distribution, LimitPlan, MirrorModePlan, MirrorPlan, OutagePlan, PolicyPlan, QosPlan,
    RoutePolicy,
};

const KIB: u64 = 1024;
/// Light in fibre takes 5 us for a kilometre.
const KM: u64 = 5 * US;
const SERVICE: u64 = 100 * US;
const FAST: u64 = 850_000_000;
const PLENTY: u64 = 1 << 30;

/// A host here and an array this far away, each at a switch of its own. The link between them has this much
/// room for accelerated writes.
fn distant(km: u64, room: u64, bytes: u64, iodepth: u32, ios: u64) -> San {
    let mut san = San::new(1000 * SECOND);
    let switches = [(); 2].map(|()| san.switch(US, true, RoutePolicy::Exchange));
    let isl = san.link(switches[0], switches[1], Cable::new(FAST, km * KM, 60_000));
    san.plan.links[isl].write_acceleration_bytes = NonZeroU64::new(room);
    let near = Cable::new(FAST, 50 * NS, 1000);
    let target = san.array("far", SERVICE, Distribution::Constant);
    san.link(switches[1], At::NPort(target), near);
    let host = san.host("host");
    san.link(switches[0], At::NPort(host), near);
    let job = san.job(0, 0, bytes, iodepth);
    (job.read_ppm, job.total_bytes) = (0, NonZeroU64::new(ios * bytes));
    san
}

fn response(outcome: &Outcome, op: &str) -> u64 {
    let means = real(outcome, "workloads", "response_mean_ps");
    let ops = text(outcome, "workloads", "op");
    let row = ops.iter().position(|other| other == op).expect("a row");
    means[row] as u64
}

/// Response time of one I/O this far away less that without distance.
fn added(km: u64, shape: impl Fn(u64) -> San, op: &str) -> u64 {
    response(&shape(km).run(), op) - response(&shape(0).run(), op)
}

/// A write costs one round trip over the distance for its command, and one more for each burst that its
/// target asks for. Accelerated, it costs one in all. To the picosecond.
#[test]
fn latency_of_a_write_against_distance() {
    for (room, bytes, burst, trips) in [
        (0, 64 * KIB, 1 << 30, 2),
        (0, 64 * KIB, 16_384, 5),
        (PLENTY, 64 * KIB, 1 << 30, 1),
        (PLENTY, 64 * KIB, 16_384, 1),
        (PLENTY, 64 * KIB, 10_000, 1),
        (PLENTY, 512, 1 << 30, 1),
        (64 * KIB, 64 * KIB, 16_384, 1),
        (64 * KIB - 1, 64 * KIB, 16_384, 5),
    ] {
        let shape = |km| {
            let mut san = distant(km, room, bytes, 1, 1);
            san.plan.arrays[0].burst_bytes = n32(burst);
            san
        };
        for km in [1, 35, 100, 1000] {
            let label = format!("{km} km, {room} bytes of room, bursts of {burst}");
            assert_eq!(added(km, shape, "write"), trips * 2 * km * KM, "{label}");
        }
    }
}

/// The target gets what it asked for and nothing before: a target that is slow to ask has the data as late as
/// one without distance would.
#[test]
fn data_wait_at_the_far_end_until_the_target_asks() {
    let shape = |km, room, command_ps| {
        let mut san = distant(km, room, 64 * KIB, 1, 1);
        san.plan.arrays[0].command_ps = command_ps;
        response(&san.run(), "write")
    };
    let slow = 5 * MS;
    let (km, way) = (100, 100 * KM);
    // Without distance, the data follow the XFER_RDY; far away, they are at the far end when it comes there.
    let here = shape(0, 0, slow) - shape(0, 0, 0);
    assert_eq!(here, slow);
    let far = shape(km, PLENTY, slow);
    assert!(far < shape(0, 0, slow) + 2 * way);
    let twice = shape(km, PLENTY, 2 * slow);
    assert_eq!(twice - far, slow);
}

/// Reads cost what they cost.
#[test]
fn reads_are_not_accelerated() {
    let shape = |room| {
        let mut san = distant(100, room, 64 * KIB, 4, 40);
        san.plan.jobs[0].read_ppm = 1_000_000;
        san.run()
    };
    assert_eq!(
        shape(0).summary.fingerprint,
        shape(PLENTY).summary.fingerprint
    );
}

/// Writes that find no room at the far end go as without acceleration; the room is free when the status has
/// come back.
#[test]
fn writes_without_room_are_left_to_their_target() {
    let bytes = 64 * KIB;
    for (places, expected) in [(1, 1), (3, 3), (8, 8)] {
        let san = distant(1000, places * bytes, bytes, 8, 8);
        let outcome = san.run();
        let near = |name| whole(&outcome, "accelerators", name)[0];
        assert_eq!(near("writes_count"), expected);
        assert_eq!(near("no_room_count"), 8 - expected);
        assert_eq!(near("max_used_bytes"), expected * bytes);
        assert_eq!(near("passed_bytes"), expected * bytes);
        assert_eq!(near("dropped_bytes"), 0);
    }
}

/// Copies between arrays cost one round trip as well.
#[test]
fn copies_are_accelerated() {
    let shape = |room, km| {
        let mut san = San::new(1000 * SECOND);
        let switches = [(); 2].map(|()| san.switch(US, true, RoutePolicy::Exchange));
        let isl = san.link(switches[0], switches[1], Cable::new(FAST, km * KM, 60_000));
        san.plan.links[isl].write_acceleration_bytes = NonZeroU64::new(room);
        let near = Cable::new(FAST, 50 * NS, 1000);
        let [source, target] =
            ["near", "far"].map(|name| san.array(name, SERVICE, Distribution::Constant));
        san.link(switches[0], At::NPort(source), near);
        san.link(switches[1], At::NPort(target), near);
        let host = san.host("host");
        san.link(switches[0], At::NPort(host), near);
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
        let job = san.job(0, 0, 32 * KIB, 1);
        (job.read_ppm, job.total_bytes) = (0, NonZeroU64::new(32 * KIB));
        san
    };
    for (room, trips) in [(0, 2), (PLENTY, 1)] {
        let added = added(300, |km| shape(room, km), "write");
        assert_eq!(added, trips * 2 * 300 * KM);
    }
}

/// A target that refuses a write answers when its data have come to the far end, where they are thrown away.
#[test]
fn refused_writes_are_sent_again() {
    let mut san = distant(100, PLENTY, 64 * KIB, 4, 40);
    san.plan.arrays[0].luns[0].queue_depth = n32(1);
    let outcome = san.run();
    let near = |name| whole(&outcome, "accelerators", name)[0];
    assert!(near("dropped_bytes") > 0);
    assert_eq!(near("passed_bytes"), 40 * 64 * KIB);
    assert_eq!(near("bytes"), near("passed_bytes") + near("dropped_bytes"));
}

/// With links that fail, switches with classes and limits, and a slow reference in which every step is an
/// event: the same run.
#[test]
fn the_reference_agrees() {
    for (room, outage) in [(PLENTY, None), (200_000, Some((20 * MS, 60 * MS)))] {
        let mut san = distant(100, room, 48 * KIB, 8, 400);
        san.plan.arrays[0].burst_bytes = n32(10_000);
        san.plan.jobs[0].read_ppm = 300_000;
        if let Some((from_ps, until_ps)) = outage {
            san.plan.links[0].outages = vec![OutagePlan {
                from_ps,
                until_ps: NonZeroU64::new(until_ps),
            }];
            san.plan.faults.is_armed = true;
        }
        san.plan.qos.push(QosPlan {
            at_ps: MS,
            policy: PolicyPlan::Ingress {
                n_port: 1,
                limit: Some(LimitPlan::Rate {
                    bytes_per_s: n64(100_000_000),
                    burst_bytes: 3000,
                }),
            },
        });
        let [fast, slow] =
            [false, true].map(|every_event| san.try_run(every_event).expect("a run"));
        assert_eq!(differences(&fast, &slow), "");
        assert!(whole(&fast, "accelerators", "writes_count")[0] > 0);
    }
}

/// Members of a trunk carry a short frame beside a long one: at the far end they are in order.
#[test]
fn a_trunk_keeps_data_in_order() {
    for bytes in [4096 + 512, 64 * KIB + 512] {
        let mut san = distant(100, PLENTY, bytes, 8, 100);
        san.plan.links[0].members = n32(4);
        san.plan.links[0].bytes_per_s = n64(106_250_000);
        san.plan.arrays[0].burst_bytes = n32(4096);
        let [fast, slow] =
            [false, true].map(|every_event| san.try_run(every_event).expect("a run"));
        assert_eq!(differences(&fast, &slow), "");
        assert_eq!(whole(&fast, "accelerators", "passed_bytes")[0], 100 * bytes);
    }
}

/// An end of an accelerated link sees every frame of a write: no other way leads past it.
#[test]
fn another_way_is_refused() {
    let mut san = distant(100, PLENTY, 64 * KIB, 4, 40);
    let ends = [0, 1].map(At::Switch);
    san.link(ends[0], ends[1], Cable::new(FAST, KM, 100));
    let refused = san.try_run(false).expect_err("refused").to_string();
    assert!(refused.contains("joined by other links"), "{refused}");
}
