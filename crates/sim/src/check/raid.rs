//! RAID groups.

use sanlab_kernel::Id;
use sanlab_storage::{Level, SECTOR_BYTES};

use crate::build::level_of;
use crate::plan::{ArrayPlan, GroupPlan, PlanError};

use super::bounds::{LARGEST_LUN, MOST_SLOTS, Within, instant, known, rate, require, span};

/// Most disks of a group: the coefficients of RAID 6 run out of GF(256).
const MOST_DISKS: usize = 255;

/// Check the groups of an array whose disks have these capacities in bytes.
pub(super) fn check(
    array: &ArrayPlan,
    capacities: &[u64],
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let mut is_taken = vec![false; array.disks.len()];
    for (number, group) in array.groups.iter().enumerate() {
        let at = |key: &str| place(&format!("groups[{number}].{key}"));
        let spares = group.rebuilds.iter().map(|rebuild| &rebuild.spare);
        for &disk in group.disks.iter().chain(spares) {
            known(disk, array.disks.len(), "disk of that array", || {
                at("disks")
            })?;
            let before = std::mem::replace(&mut is_taken[disk as usize], true);
            require(
                !before,
                || at("disks"),
                || format!("disk {disk} has two places in groups"),
            )?;
        }
        check_group(group, capacities, at)?;
    }
    Ok(())
}

fn check_group(
    group: &GroupPlan,
    capacities: &[u64],
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let level: Level = level_of(group.level);
    let count = group.disks.len();
    let disks = u32::try_from(count.min(MOST_DISKS + 1)).unwrap_or(u32::MAX);
    require(
        count <= MOST_DISKS && level.takes(disks),
        || place("disks"),
        || format!("{:?} cannot have {count} disks", group.level),
    )?;
    group
        .unit_bytes
        .within(SECTOR_BYTES, LARGEST_LUN, || place("unit_bytes"))?;
    let is_whole = group.unit_bytes.get().is_multiple_of(SECTOR_BYTES);
    require(
        is_whole,
        || place("unit_bytes"),
        || "a unit is a whole number of sectors".into(),
    )?;
    let needs = group.unit_bytes.get().saturating_mul(group.rows.get());
    let spares = group.rebuilds.iter().map(|rebuild| rebuild.spare);
    let fit =
        (group.disks.iter().copied().chain(spares)).all(|disk| needs <= capacities[disk as usize]);
    require(fit, || place("rows"), || "a disk is too small".into())?;
    failures(group, level, disks, place)
}

fn failures(
    group: &GroupPlan,
    level: Level,
    disks: u32,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    for (number, failing) in group.failing.iter().enumerate() {
        let at = |key: &str| place(&format!("failing[{number}].{key}"));
        known(failing.slot, disks as usize, "disk of that group", || {
            at("slot")
        })?;
        instant(failing.at_ps, || at("at_ps"))?;
    }
    let lost: Vec<u32> = group.failing.iter().map(|failing| failing.slot).collect();
    let slots: Vec<_> = lost.iter().copied().map(Id::new).collect();
    require(
        level.survives(disks, &slots),
        || place("failing"),
        || "more disks fail than the level survives".into(),
    )?;
    let mut rebuilt = Vec::new();
    for (number, rebuild) in group.rebuilds.iter().enumerate() {
        let at = |key: &str| place(&format!("rebuilds[{number}].{key}"));
        let is_new = lost.contains(&rebuild.slot) && !rebuilt.contains(&rebuild.slot);
        require(
            is_new,
            || at("slot"),
            || "a rebuild is of a disk that fails, once".into(),
        )?;
        rebuilt.push(rebuild.slot);
        span(rebuild.delay_ps, || at("delay_ps"))?;
        rate(rebuild.bytes_per_s, || at("bytes_per_s"))?;
        rebuild
            .step_bytes
            .within(0, LARGEST_LUN, || at("step_bytes"))?;
        rebuild.steps.within(1, MOST_SLOTS, || at("steps"))?;
    }
    Ok(())
}
