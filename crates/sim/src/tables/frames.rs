//! Tables of frames.

use sanlab_metrics::{Column, Table};

use crate::flows::{back_end_flows, has_dialogues, mirror_flows};
use crate::plan::Plan;
use crate::world::World;

/// Frames of each flow and their latencies.
pub(super) fn frames<const E: bool>(world: &World<E>, plan: &Plan) -> Table {
    let mut names: Vec<(String, &str)> = plan
        .workloads
        .iter()
        .map(|workload| (workload.name.clone(), "workload"))
        .collect();
    names.extend(
        plan.traffic
            .iter()
            .map(|traffic| (traffic.name.clone(), "traffic")),
    );
    names.extend(
        mirror_flows(plan)
            .map(|(_, array, lun)| (plan.arrays[array].luns[lun].name.clone(), "mirror")),
    );
    names.extend(
        back_end_flows(plan).map(|(_, array)| (plan.arrays[array].name.clone(), "back_end")),
    );
    if has_dialogues(plan) {
        names.push(("fabric services".into(), "services"));
    }
    let rows: Vec<_> = names
        .into_iter()
        .zip(&world.meters.latencies().flows)
        .collect();
    Table::new(
        "frames",
        vec![
            ("flow", Column::text(&rows, |row| row.0.0.clone())),
            ("kind", Column::text(&rows, |row| row.0.1.into())),
            ("frames_count", Column::whole(&rows, |row| row.1.frames)),
            (
                "payload_bytes",
                Column::whole(&rows, |row| row.1.payload_bytes),
            ),
            (
                "network_mean_ps",
                Column::real(&rows, |row| row.1.network().0),
            ),
            (
                "network_max_ps",
                Column::whole(&rows, |row| row.1.network().1.as_ps()),
            ),
            (
                "end_to_end_mean_ps",
                Column::real(&rows, |row| row.1.end_to_end().0),
            ),
            (
                "end_to_end_max_ps",
                Column::whole(&rows, |row| row.1.end_to_end().1.as_ps()),
            ),
        ],
    )
}

/// Latencies of frames in buckets.
pub(super) fn frame_histogram<const E: bool>(world: &World<E>) -> Table {
    let latencies = world.meters.latencies();
    let both = [
        ("network", &latencies.network),
        ("end_to_end", &latencies.end_to_end),
    ];
    let rows: Vec<_> = both
        .into_iter()
        .flat_map(|(name, histogram)| histogram.buckets().map(move |bucket| (name, bucket)))
        .collect();
    Table::new(
        "frame_histogram",
        vec![
            ("latency", Column::text(&rows, |row| row.0.into())),
            ("low_ps", Column::whole(&rows, |row| row.1.0.as_ps())),
            ("high_ps", Column::whole(&rows, |row| row.1.1.as_ps())),
            ("frames_count", Column::whole(&rows, |row| row.1.2)),
        ],
    )
}
