//! Task sets of LUNs, and percentiles of response times in each interval.

use crate::support::*;
use sanlab_sim::plan::Distribution;
use std::num::NonZeroU64;

/// Two LUN-sized arrays on a switch, read by one host with so many I/Os open.
fn reads(depth: u32, distribution: Distribution) -> San {
    let mut san = San::new(20 * MS);
    san.plan.interval_ps = NonZeroU64::new(MS);
    let switch = san.switch(US, true, sanlab_sim::plan::RoutePolicy::OnePath);
    let host = san.host("host");
    let array = san.array("array", 100 * US, distribution);
    for port in [host, array] {
        san.link(At::NPort(port), switch, Cable::new(850_000_000, 50 * NS, 8));
    }
    san.job(0, 0, 4096, depth);
    san
}

#[test]
fn a_task_set_counts_what_workloads_count() {
    for depth in [1, 4] {
        let outcome = reads(depth, Distribution::Exponential).run();
        let done = whole(&outcome, "workloads", "io_count")[0];
        let answered = whole(&outcome, "luns", "read_count")[0];
        assert!(
            answered.abs_diff(done) <= u64::from(depth),
            "{answered} {done}"
        );
        assert_eq!(whole(&outcome, "luns", "write_count"), [0]);
        assert_eq!(whole(&outcome, "luns", "read_bytes")[0], answered * 4096);
        // All that is open is at the array but for the way there and back.
        let open = real(&outcome, "luns", "mean_open")[0];
        assert!(
            open > 0.7 * f64::from(depth) && open <= f64::from(depth),
            "{open}"
        );
        for column in ["read_count", "read_bytes", "open_ps"] {
            let sum: u64 = whole(&outcome, "lun_series", column).iter().sum();
            assert_eq!(sum, whole(&outcome, "luns", column)[0], "{column}");
        }
    }
}

#[test]
fn commands_over_the_queue_depth_are_refused_and_counted() {
    let mut san = reads(8, Distribution::Constant);
    san.plan.arrays[0].luns[0].queue_depth = n32(2);
    let outcome = san.run();
    let refused = whole(&outcome, "luns", "queue_full_count")[0];
    assert!(refused > 0);
    assert_eq!(whole(&outcome, "workloads", "queue_full_count")[0], refused);
}

/// Of a constant response time every percentile of every interval is that time; of an exponential one the
/// percentiles are those of its law, within the width of a bucket and what chance allows.
#[test]
fn percentiles_of_intervals_are_those_of_the_law() {
    let outcome = reads(1, Distribution::Constant).run();
    let response = whole(&outcome, "workloads", "response_max_ps")[0];
    for column in ["response_p50_ps", "response_p99_ps"] {
        for found in whole(&outcome, "workload_series", column) {
            assert!(
                found == 0 || found.abs_diff(response) <= response / 32,
                "{found} {response}"
            );
        }
    }
    let mut san = reads(16, Distribution::Exponential);
    san.plan.end_ps = SECOND;
    san.plan.interval_ps = NonZeroU64::new(500 * MS);
    let outcome = san.run();
    let whole_run = |column| whole(&outcome, "workloads", column)[0] as f64;
    for column in ["response_p50_ps", "response_p99_ps"] {
        let found = whole(&outcome, "workload_series", column);
        let found: Vec<_> = found.into_iter().filter(|&ps| ps > 0).collect();
        assert_eq!(found.len(), 2);
        for ps in found {
            let ratio = ps as f64 / whole_run(column);
            assert!((0.93..1.07).contains(&ratio), "{column}: {ratio}");
        }
    }
}
