//! Frames that wait too long for credit, and links that are reset for want of it.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::Outcome;
use sanlab_sim::plan::{CreditLossPlan, Distribution, FaultsPlan, RoutePolicy, VirtualChannelPlan};

const RATE: u64 = 850_000_000;
const LATENCY: u64 = US;
const DELAY: u64 = 50 * NS;

/// Time of so many bytes, to the nearest picosecond.
fn time(bytes: u64) -> u64 {
    (bytes * SECOND + RATE / 2) / RATE
}

/// `a` sends frames to `b` by a switch. `b` grants two buffers and frees the first after 2 s.
fn stuck(frames: u64) -> San {
    let mut san = San::new(3 * SECOND);
    let (a, b) = (san.n_port("a"), san.n_port("b"));
    let switch = san.switch(LATENCY, true, RoutePolicy::OnePath);
    san.link(At::NPort(a), switch, Cable::new(RATE, DELAY, 100));
    san.link(switch, At::NPort(b), Cable::new(RATE, DELAY, 2));
    san.plan.n_ports[b as usize].rx_hold_ps = 2 * SECOND;
    san.traffic(a, b, 2112, frames, 0);
    san
}

fn run_both(san: &San) -> Outcome {
    let fast = san.try_run(false).expect("the laws hold");
    let slow = san.try_run(true).expect("the laws hold in the reference");
    assert_eq!(differences(&fast, &slow), "");
    fast
}

/// When something happened, by its first words.
fn happened(outcome: &Outcome, what: &str) -> Vec<u64> {
    let all = text(outcome, "happenings", "what");
    let times = whole(outcome, "happenings", "time_ps");
    let named = all
        .iter()
        .zip(times)
        .filter(|(name, _)| name.starts_with(what));
    named.map(|(_, at)| at).collect()
}

/// The third frame is ready when the switch has its header and has thought about it.
fn third_is_ready() -> u64 {
    2 * time(2148 + 24) + time(28) + DELAY + LATENCY
}

#[test]
fn a_stuck_port_discards_its_frames_exactly_after_the_hold_time() {
    let mut san = stuck(7);
    san.plan.switches[0].edge_hold_ps = Some(n64(220 * MS));
    san.plan.faults.credit_timeout_ps = 100 * SECOND;
    let outcome = run_both(&san);
    let ready = third_is_ready();
    assert_eq!(
        happened(&outcome, "frames are discarded"),
        [ready + 220 * MS]
    );
    // The last of the seven became ready four slots later.
    assert_eq!(
        outcome.summary.simulated_ps,
        ready + 4 * time(2148 + 24) + 220 * MS
    );
    assert_eq!(whole(&outcome, "ports", "tx_timeout_count"), [0, 0, 5, 0]);
    assert_eq!(whole(&outcome, "ports", "rx_timeout_count"), [0, 5, 0, 0]);
    assert_eq!(whole(&outcome, "ports", "tx_dropped_count"), [0, 0, 5, 0]);
    // All the time a frame waited, and none was sent.
    let waited = whole(&outcome, "ports", "tx_credit_wait_ps")[2];
    assert_eq!(waited, outcome.summary.simulated_ps - ready);
}

#[test]
fn a_port_to_another_switch_has_the_hold_time_of_the_core() {
    let mut san = stuck(0);
    let (c, d) = (san.n_port("c"), san.n_port("d"));
    let far = san.switch(LATENCY, true, RoutePolicy::OnePath);
    let cable = Cable::new(RATE, DELAY, 2);
    san.link(At::Switch(0), far, cable);
    san.link(far, At::NPort(d), cable);
    san.link(At::Switch(0), At::NPort(c), Cable::new(RATE, DELAY, 100));
    san.plan.n_ports[d as usize].rx_hold_ps = 2 * SECOND;
    san.traffic(c, d, 2112, 9, 0);
    san.plan.traffic.remove(0);
    san.plan.switches[0].edge_hold_ps = Some(n64(20 * MS));
    san.plan.switches[0].core_hold_ps = Some(n64(50 * MS));
    san.plan.faults.credit_timeout_ps = 100 * SECOND;
    san.plan.end_ps = 60 * MS;
    let outcome = run_both(&san);
    // Two in the buffers of `d`, two in those of the far switch, which has no hold time.
    let timeouts = whole(&outcome, "ports", "tx_timeout_count");
    assert_eq!(timeouts.iter().sum::<u64>(), 5);
    assert_eq!(timeouts[4], 5);
    let ready = 4 * time(2148 + 24) + time(28) + DELAY + LATENCY;
    assert_eq!(
        happened(&outcome, "frames are discarded"),
        [ready + 50 * MS]
    );
}

#[test]
fn a_port_without_credit_discards_all_until_credit_is_back() {
    let mut san = stuck(7);
    san.plan.switches[0].no_credit_drop_ps = Some(n64(30 * MS));
    san.plan.faults.credit_timeout_ps = 100 * SECOND;
    san.plan.traffic[0].arrivals = None;
    // Three more while the port discards, and the buffers of `b` free again before the last.
    san.traffic(0, 1, 100, 3, 10 * MS);
    san.plan.traffic[1].start_ps = 25 * MS;
    san.plan.n_ports[1].rx_hold_ps = 40 * MS;
    let outcome = run_both(&san);
    let since = third_is_ready();
    assert_eq!(
        happened(&outcome, "frames are discarded"),
        [since + 30 * MS]
    );
    // Five of the first, the second flow's at 25 and 35 ms; that at 45 ms is delivered.
    assert_eq!(
        whole(&outcome, "ports", "tx_no_credit_drop_count"),
        [0, 0, 7, 0]
    );
    assert_eq!(whole(&outcome, "ports", "tx_frames_count")[2], 3);
}

/// All credit of a transmitter is lost. Its frame starts when LR has gone to the other end and LRR is back.
#[test]
fn a_link_without_credit_is_reset_exactly_after_the_time_out() {
    let mut san = stuck(1);
    san.plan.n_ports[1].rx_hold_ps = 0;
    san.plan.traffic[0].start_ps = 60 * MS;
    san.plan.faults = FaultsPlan {
        is_armed: true,
        credit_timeout_ps: 2 * SECOND,
        credit_losses: vec![CreditLossPlan {
            at_ps: 50 * MS,
            fibre: 0,
            count: 100,
        }],
        ..FaultsPlan::none()
    };
    let outcome = run_both(&san);
    let reset_at = 50 * MS + 2 * SECOND;
    assert_eq!(happened(&outcome, "link reset"), [reset_at]);
    let begins_at = reset_at + 2 * (DELAY + time(4));
    let crosses = time(28) + DELAY + LATENCY + time(2148) + DELAY;
    assert_eq!(outcome.summary.simulated_ps, begins_at + crosses);
    assert_eq!(
        whole(&outcome, "ports", "tx_link_reset_count"),
        [1, 0, 0, 0]
    );
    // The time-out began before there was a frame to send.
    assert_eq!(
        whole(&outcome, "ports", "tx_credit_wait_ps")[0],
        reset_at - 60 * MS
    );
}

/// Two switches with a link of two virtual channels, a flow on each. Returns the link.
fn channels(san: &mut San, credit: u32, delay: u64) -> usize {
    let near = san.switch(LATENCY, true, RoutePolicy::OnePath);
    let far = san.switch(LATENCY, true, RoutePolicy::OnePath);
    let isl = san.link(near, far, Cable::new(RATE, delay, 2 * credit));
    san.plan.links[isl].virtual_channels = (0..2)
        .map(|_| VirtualChannelPlan {
            class_id: 0,
            credit_a_to_b: n32(credit),
            credit_b_to_a: n32(credit),
        })
        .collect();
    for (number, switch) in (0..).zip([near, near, far, far]) {
        let port = san.n_port(&format!("p{number}"));
        san.plan.n_ports[port as usize].fc_id = number << 8;
        san.link(switch, At::NPort(port), Cable::new(RATE, DELAY, 100));
    }
    san.plan.faults = FaultsPlan {
        is_armed: true,
        credit_timeout_ps: 2 * SECOND,
        ..FaultsPlan::none()
    };
    isl
}

/// One virtual channel loses all of its credit. The other one goes on, until the whole link is reset: a
/// channel is not reset alone.
#[test]
fn a_channel_without_credit_has_its_link_reset_exactly_after_the_time_out() {
    let mut san = San::new(4 * SECOND);
    let isl = channels(&mut san, 4, DELAY);
    san.traffic(0, 2, 2112, 1, 0);
    san.traffic(1, 3, 2112, 3000, MS);
    san.plan.traffic[0].start_ps = 60 * MS;
    san.plan.faults.credit_losses = vec![CreditLossPlan {
        at_ps: 50 * MS,
        fibre: 2 * isl as u32,
        count: 100,
    }];
    let outcome = run_both(&san);
    assert_eq!(happened(&outcome, "4 credits get lost"), [50 * MS]);
    let reset_at = 50 * MS + 2 * SECOND;
    assert_eq!(happened(&outcome, "link reset"), [reset_at]);
    let resets = whole(&outcome, "ports", "tx_link_reset_count");
    assert_eq!((resets.iter().sum::<u64>(), resets[2 * isl]), (1, 1));
    // All frames of both have crossed: that of the other channel which was sent at the reset too.
    assert_eq!(whole(&outcome, "ports", "tx_frames_count")[2 * isl], 3001);
    let gone: u64 = whole(&outcome, "ports", "tx_dropped_count").iter().sum();
    assert_eq!(gone, 0);
}

proptest! {
    #![proptest_config(cases(128))]

    /// Channels lose credit in both directions while frames pass: no law is broken, both engines agree, and
    /// what is sent after the last loss arrives.
    #[test]
    fn swarm_of_channels_that_lose_credit(
        losses in prop::collection::vec((0u64..40, 0u32..2, 1u32..12), 1..6),
        credit in 1u32..6,
        delay in prop::sample::select(&[DELAY, 5 * US, 100 * US][..]),
        time_out in prop::sample::select(&[2 * MS, 7 * MS][..]),
        interval in prop::sample::select(&[0, 3 * US, 400 * US][..]),
    ) {
        let mut san = San::new(SECOND);
        let isl = channels(&mut san, credit, delay);
        san.plan.faults.credit_timeout_ps = time_out;
        let mut sorted = losses;
        sorted.sort_unstable();
        san.plan.faults.credit_losses = (sorted.iter())
            .map(|&(at, way, count)| CreditLossPlan {
                at_ps: at * MS,
                fibre: 2 * isl as u32 + way,
                count,
            })
            .collect();
        for (from, to) in [(0, 2), (1, 3), (2, 1), (3, 0)] {
            san.traffic(from, to, 2112, 120, interval);
        }
        // A frame long after the last loss: its channel has had its reset by then.
        san.traffic(0, 2, 100, 1, 0);
        san.plan.traffic[4].start_ps = 400 * MS;
        let outcome = run_both(&san);
        let resets: u64 = whole(&outcome, "ports", "tx_link_reset_count").iter().sum();
        let frames = whole(&outcome, "ports", "tx_frames_count");
        let dropped: u64 = whole(&outcome, "ports", "tx_dropped_count").iter().sum();
        prop_assert!(resets > 0 || dropped == 0);
        let sent: u64 = 4 * 120 + 1;
        // Ports of the four hosts send all of theirs; the switches deliver what no reset took.
        let delivered: u64 = (0..4).map(|port| frames[2 * (isl + 1 + port)]).sum();
        prop_assert_eq!(delivered + dropped, sent);
    }
}

/// A host that drains too slowly for what it reads: the switch discards data, the host notices with the
/// response, and sends the command again. The plan has no fault.
#[test]
fn what_a_switch_discards_is_read_again() {
    let mut san = San::new(20 * SECOND);
    let host = san.host("host");
    let array = san.array("array", 20 * US, Distribution::Constant);
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    let cable = Cable::new(RATE, DELAY, 8);
    san.link(At::NPort(host), switch, cable);
    san.link(switch, At::NPort(array), Cable::new(RATE, DELAY, 200));
    san.plan.n_ports[host as usize].drain_bytes_per_s = std::num::NonZeroU64::new(1_400_000);
    san.plan.hosts[0].adapters[0].retries = 100;
    san.plan.hosts[0].adapters[0].command_timeout_ps = Some(n64(500 * MS));
    let job = san.job(0, 0, 65_536, 6);
    job.total_bytes = Some(n64(65_536 * 12));
    san.plan.switches[0].edge_hold_ps = Some(n64(220 * MS));
    let outcome = run_both(&san);
    let dropped: u64 = whole(&outcome, "ports", "tx_timeout_count").iter().sum();
    let retried: u64 = whole(&outcome, "workloads", "retried_count").iter().sum();
    assert!(dropped > 0 && retried > 0, "{dropped} {retried}");
    let failed: u64 = whole(&outcome, "workloads", "error_count").iter().sum();
    assert_eq!(failed, 0);
}

/// `a` has one credit, and `b` sends all the time: the R_RDY for a frame of `a` waits for the frame of `b` that
/// is under way when the buffer is free. A credit then takes two slots to go round instead of one frame and
/// the way there and back; it never takes more than a frame longer.
#[test]
fn an_r_rdy_waits_for_the_frame_that_is_sent_its_way() {
    let (frame, slot) = (time(2148), time(2148 + 24));
    let waited = |waits: bool| {
        let mut san = San::new(3 * SECOND);
        let (a, b) = (san.n_port("a"), san.n_port("b"));
        let link = san.link(At::NPort(a), At::NPort(b), Cable::new(RATE, DELAY, 1));
        san.plan.links[link].credit_b_to_a = n32(100);
        san.traffic(a, b, 2112, 1000, 0);
        san.traffic(b, a, 2112, 2500, 0);
        san.plan.r_rdy_waits = waits;
        whole(&run_both(&san), "ports", "tx_credit_wait_ps")[0]
    };
    let round_trip = frame + 2 * DELAY + time(4);
    assert_eq!(waited(false), 999 * (round_trip - slot));
    // The first is held back by the second frame of `b`, which starts while the light is on its way.
    let first = slot + frame + DELAY + time(4);
    assert_eq!(waited(true), (first - slot) + 998 * (2 * slot - slot));
    assert!(2 * slot - round_trip < frame);
}
