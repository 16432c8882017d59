//! Drives: ranges of times and sizes.

use crate::plan::{DrivePlan, OverheadsPlan, PlanError, SeekPlan};

use super::bounds::{Within, fields, require};

/// Longest time of a drive, about two seconds. The time of as many blocks as the largest request has
/// stays below 2^64.
const LONGEST_PS: u64 = 1 << 41;
const MOST_SURFACES: u64 = 1 << 10;
const MOST_CYLINDERS: u64 = 1 << 26;
const MOST_BLOCKS: u64 = 1 << 20;
const MOST_SEGMENTS: u64 = 1 << 16;
/// Blocks of a buffer, spares of a zone, places of slips and defects.
const LARGEST: u64 = 1 << 56;

/// Check the ranges of a drive's numbers. The model checks whether they fit together.
pub(crate) fn check(drive: &DrivePlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    drive
        .surfaces
        .within(1, MOST_SURFACES, || place("surfaces"))?;
    drive
        .revolution_ps
        .within(1, LONGEST_PS, || place("revolution_ps"))?;
    fields!(time, drive, place; head_switch_ps, access_ps, position_margin_ps);
    drive
        .ageing_ppm
        .within(0, 1_000_000, || place("ageing_ppm"))?;
    fields!(pair, drive, place; block_transfer_ps);
    time(drive.write_settle_ps.unsigned_abs(), || {
        place("write_settle_ps")
    })?;
    overheads(&drive.overheads, |key| place(&format!("overheads.{key}")))?;
    seek(&drive.seek, || place("seek"))?;
    for (number, zone) in drive.zones.iter().enumerate() {
        let at = |key: &str| place(&format!("zones[{number}].{key}"));
        zone.last_cylinder
            .within(0, MOST_CYLINDERS, || at("last_cylinder"))?;
        zone.blocks_per_track
            .within(1, MOST_BLOCKS, || at("blocks_per_track"))?;
        fields!(time, zone, at; first_angle_ps, track_skew_ps, cylinder_skew_ps);
        fields!(large, zone, at; empty_front_blocks, spares);
        let defects = zone.defects.iter().flat_map(|&(from, to)| [from, to]);
        for block in zone.slips.iter().copied().chain(defects) {
            large(block, || at("slips"))?;
        }
    }
    let at = |key: &str| place(&format!("buffer.{key}"));
    let buffer = &drive.buffer;
    buffer
        .segments
        .within(1, MOST_SEGMENTS, || at("segments"))?;
    buffer
        .write_segments
        .within(0, MOST_SEGMENTS, || at("write_segments"))?;
    buffer
        .segment_blocks
        .within(1, LARGEST, || at("segment_blocks"))?;
    fields!(large, buffer, at; least_read_ahead);
    buffer
        .most_read_ahead
        .within(1, LARGEST, || at("most_read_ahead"))
}

fn overheads(of: &OverheadsPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    fields!(time, of, place;
        request_ps, read_completion_ps, write_completion_ps, data_preparation_ps, reselect_ps,
        write_disconnect_ps, least_write_seek_ps);
    fields!(pair, of, place;
        read_hit_ps, read_miss_ps, write_hit_ps, write_miss_ps, read_disconnect_ps);
    for value in of.extra_disconnect_ps.into_iter().flatten() {
        time(value, || place("extra_disconnect_ps"))?;
    }
    Ok(())
}

fn seek(of: &SeekPlan, place: impl Fn() -> String) -> Result<(), PlanError> {
    match of {
        SeekPlan::Constant { ps } => time(*ps, place),
        SeekPlan::Line {
            single_ps,
            average_ps,
            full_ps,
        }
        | SeekPlan::Curve {
            single_ps,
            average_ps,
            full_ps,
        } => [single_ps, average_ps, full_ps]
            .into_iter()
            .try_for_each(|value| time(*value, &place)),
        SeekPlan::RootAndLine {
            bound: _,
            root_ps,
            root_factor_ps,
            line_ps,
            line_factor_ps,
            single_ps,
            first_ps,
        } => {
            let bound = LONGEST_PS as f64;
            let factors = [root_ps, root_factor_ps, line_ps, line_factor_ps];
            let is_sound = factors.iter().all(|factor| factor.abs() <= bound);
            require(is_sound, &place, || {
                "a number of the curve is out of range".into()
            })?;
            let measured = first_ps.iter().flatten().chain(single_ps);
            measured.copied().try_for_each(|value| time(value, &place))
        }
        SeekPlan::Table { cylinders: _, ps } => {
            ps.iter().try_for_each(|value| time(*value, &place))
        }
    }
}

fn time(value: u64, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    value.within(0, LONGEST_PS, place)
}

fn pair(value: (u64, u64), place: impl Fn() -> String) -> Result<(), PlanError> {
    time(value.0, &place)?;
    time(value.1, place)
}

fn large(value: u64, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    value.within(0, LARGEST, place)
}
