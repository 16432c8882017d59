//! One I/O step by step: the same times as in the run it is of.

use crate::support::*;
use sanlab_kernel::Stage;
use sanlab_metrics::Table;
use sanlab_sim::plan::{Distribution, RoutePolicy};
use sanlab_sim::{Control, IoName, Outcome, RunOptions, run};

/// A host that reads or writes over two switches.
fn far(read_ppm: u32) -> San {
    let mut san = San::new(20 * MS);
    let near = san.switch(US, true, RoutePolicy::OnePath);
    let far = san.switch(2 * US, false, RoutePolicy::OnePath);
    san.link(near, far, Cable::new(212_500_000, 5 * US, 2));
    let array = san.array("array", 90 * US, Distribution::Exponential);
    san.link(At::NPort(array), far, Cable::new(425_000_000, 50 * NS, 4));
    for number in 0..2 {
        let port = san.host(&format!("host{number}"));
        san.link(At::NPort(port), near, Cable::new(425_000_000, 50 * NS, 4));
        san.job(number, 0, 32_768, 2).read_ppm = read_ppm;
    }
    san
}

fn ladder(san: &San, job: u32, number: u64, every_event: bool) -> Vec<Table> {
    let options = RunOptions {
        every_event,
        ladder: Some(IoName { job, number }),
        ..RunOptions::default()
    };
    let outcome = run(&san.plan, &options, &Control::default()).expect("a run");
    outcome.ladder
}

fn values(table: &Table, column: &str) -> Vec<u64> {
    match table.column(column) {
        Some(sanlab_metrics::Column::Whole(values)) => values.clone(),
        other => panic!("{column}: {other:?}"),
    }
}

fn words(table: &Table, column: &str) -> Vec<String> {
    match table.column(column) {
        Some(sanlab_metrics::Column::Text(values)) => values.clone(),
        other => panic!("{column}: {other:?}"),
    }
}

/// Job, number and stage times of the slowest I/O of a run.
fn slowest(outcome: &Outcome) -> (u32, u64, Vec<u64>) {
    let job = text(outcome, "slowest", "job")[0].clone();
    let job = text(outcome, "jobs", "job")
        .iter()
        .position(|name| *name == job)
        .expect("a job");
    let times = Stage::ALL.map(|stage| whole(outcome, "slowest", stage.column())[0]);
    let number = whole(outcome, "slowest", "number")[0];
    (
        u32::try_from(job).expect("few jobs"),
        number,
        times.to_vec(),
    )
}

#[test]
fn steps_have_the_times_of_the_slowest_table() {
    for read_ppm in [0, 1_000_000] {
        let san = far(read_ppm);
        let (job, number, times) = slowest(&san.run());
        for every_event in [false, true] {
            let tables = ladder(&san, job, number, every_event);
            let steps = &tables[3];
            let mut sums = vec![0; times.len()];
            let mut ended = None;
            let spans = values(steps, "from_ps")
                .into_iter()
                .zip(values(steps, "to_ps"));
            for ((from, to), stage) in spans.zip(words(steps, "stage")) {
                assert!(ended.is_none_or(|ended| ended == from), "no gap");
                ended = Some(to);
                let place = Stage::ALL.iter().position(|known| known.name() == stage);
                sums[place.expect("a stage")] += to - from;
            }
            assert_eq!(sums, times);
        }
    }
}

/// Each frame leaves, arrives and goes on; waits end at its start; the credit comes back after the buffer is free.
#[test]
fn hops_follow_each_other() {
    let san = far(0);
    let (job, number, _) = slowest(&san.run());
    let tables = ladder(&san, job, number, false);
    let hops = &tables[2];
    let kinds = words(hops, "kind");
    for kind in ["FCP_CMND", "FCP_XFER_RDY", "FCP_DATA", "FCP_RSP"] {
        let starts = kinds.iter().filter(|other| *other == kind).count();
        assert_eq!(starts % 3, 0, "three transmitters send each {kind}");
        assert!(starts > 0, "{kind}");
    }
    let (sent, last) = (values(hops, "sent_ps"), values(hops, "sent_last_ps"));
    let (arrived, back) = (values(hops, "arrived_ps"), values(hops, "credit_back_ps"));
    for row in 0..sent.len() {
        assert!(sent[row] < last[row] && last[row] <= arrived[row]);
        assert!(back[row] > last[row], "credit of row {row} comes back");
    }
    let payload: u64 = kinds
        .iter()
        .zip(values(hops, "payload_bytes"))
        .filter(|(kind, _)| *kind == "FCP_DATA")
        .map(|(_, bytes)| bytes)
        .sum();
    assert_eq!(payload, 3 * 32_768);
}

/// The reference sends the same frames at the same times.
#[test]
fn the_reference_climbs_the_same_ladder() {
    let san = far(500_000);
    for number in [0, 3, 17] {
        let fast = ladder(&san, 0, number, false);
        let slow = ladder(&san, 0, number, true);
        for column in ["kind", "sender"] {
            assert_eq!(words(&fast[2], column), words(&slow[2], column));
        }
        for column in ["sent_ps", "sent_last_ps", "arrived_ps"] {
            assert_eq!(values(&fast[2], column), values(&slow[2], column));
        }
        assert_eq!(fast[3], slow[3]);
    }
}
