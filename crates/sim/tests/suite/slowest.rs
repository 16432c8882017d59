//! The slowest I/Os: they are those of the tables, and their stages sum to their response time.

use crate::support::*;
use sanlab_kernel::Stage;
use sanlab_sim::plan::{Distribution, RoutePolicy};
use sanlab_sim::{Control, Outcome, RunOptions, run};

/// Hosts that read and write; with pieces where the block layer splits.
fn mixed(max_request: Option<u64>) -> San {
    let mut san = San::new(50 * MS);
    let switch = san.switch(US, true, RoutePolicy::OnePath);
    let array = san.array("array", 90 * US, Distribution::Exponential);
    san.link(
        At::NPort(array),
        switch,
        Cable::new(212_500_000, 50 * NS, 4),
    );
    for number in 0..3 {
        let port = san.host(&format!("host{number}"));
        san.link(At::NPort(port), switch, Cable::new(425_000_000, 50 * NS, 4));
        let job = san.job(number, 0, 32_768, 6);
        job.read_ppm = 500_000;
        job.start_ps = u64::from(number) * MS;
    }
    if let Some(bytes) = max_request {
        for host in &mut san.plan.hosts {
            host.max_request_bytes = Some(n64(bytes));
        }
    }
    san
}

fn rows(outcome: &Outcome) -> usize {
    text(outcome, "slowest", "workload").len()
}

#[test]
fn stages_of_each_sum_to_its_response_time() {
    for san in [mixed(None), mixed(Some(8192))] {
        let outcome = san.run();
        assert!(rows(&outcome) > 100, "20 reads and 20 writes of most hosts");
        let responses = whole(&outcome, "slowest", "response_ps");
        for (row, response) in responses.iter().enumerate() {
            let times = Stage::ALL.map(|stage| whole(&outcome, "slowest", stage.column())[row]);
            assert_eq!(times.iter().sum::<u64>(), *response, "row {row}");
        }
    }
}

/// The first of each operation is the longest of its workload, and none follows a faster one.
#[test]
fn they_are_in_order_and_the_first_is_the_longest() {
    let outcome = mixed(None).run();
    let flows = |table: &str| -> Vec<(String, String)> {
        let names = text(&outcome, table, "workload");
        let ops = text(&outcome, table, "op");
        names.into_iter().zip(ops).collect()
    };
    let slowest = flows("slowest");
    let responses = whole(&outcome, "slowest", "response_ps");
    let most = whole(&outcome, "workloads", "response_max_ps");
    for (flow, most) in flows("workloads").iter().zip(most) {
        let of_op = slowest.iter().zip(&responses).filter(|it| it.0 == flow);
        let of_op: Vec<u64> = of_op.map(|it| *it.1).collect();
        assert_eq!(of_op.len(), 20);
        assert_eq!(of_op[0], most);
        assert!(of_op.is_sorted_by(|slow, fast| slow >= fast));
    }
}

/// The same I/Os, in every number, when every step is an event.
#[test]
fn the_reference_finds_the_same() {
    let san = mixed(Some(8192));
    let options = RunOptions {
        every_event: true,
        ..RunOptions::default()
    };
    let slow = run(&san.plan, &options, &Control::default()).expect("a run");
    assert_eq!(differences(&san.run(), &slow), "");
}

#[test]
fn none_is_of_the_warm_up() {
    let mut san = mixed(None);
    for job in &mut san.plan.jobs {
        job.ramp_ps = 20 * MS;
    }
    let outcome = san.run();
    let starts = whole(&outcome, "slowest", "start_ps");
    let responses = whole(&outcome, "slowest", "response_ps");
    let mut ends = starts.iter().zip(&responses);
    assert!(ends.all(|(start, response)| start + response >= 20 * MS));
}
