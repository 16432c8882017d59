//! Rates over time, of jobs and of plain traffic.

use crate::plan::{LoadPlan, PlanError};

use super::bounds::{fields, require, share, span};

/// A curve is in the order of time and begins at 0. A curve that repeats has work to do.
pub(super) fn check_load(
    load: &LoadPlan,
    has_rate: bool,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let points = || place("load.points");
    require(
        has_rate,
        || place("load"),
        || "a load is a share of a rate, and there are no arrivals".into(),
    )?;
    for (number, point) in load.points.iter().enumerate() {
        let at = |key: &str| place(&format!("load.points[{number}].{key}"));
        fields!(span, point, at; at_ps);
        share(point.share_ppm, || at("share_ppm"))?;
    }
    let begins_at_0 = load.points.first().is_some_and(|point| point.at_ps == 0);
    let is_in_order = load.points.is_sorted_by_key(|point| point.at_ps);
    require(begins_at_0 && is_in_order, points, || {
        "points are in the order of time, the first at 0".into()
    })?;
    let has_work = load
        .points
        .windows(2)
        .any(|pair| pair[0].at_ps < pair[1].at_ps && pair[0].share_ppm.max(pair[1].share_ppm) > 0);
    require(!load.repeats || has_work, points, || {
        "a load that repeats has no share above 0".into()
    })
}
