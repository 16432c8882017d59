//! Refuses RAID groups, caches, back ends and solid-state media that do not hold together.

use sanlab_storage::{Level, MOST_SECTORS, SECTOR_BYTES};

use crate::check::{PlanError, require};
use crate::plan::{ArrayPlan, BackEndPlan, GroupPlan, MediaPlan, PageCachePlan, Plan};

/// Most drives of a group: the coefficients of RAID 6 run out of GF(256).
const MOST_DRIVES: usize = 255;

/// `capacities` are those of the array's kinds of drives.
pub(crate) fn check(
    plan: &Plan,
    array: &ArrayPlan,
    capacities: &[u64],
    place: &str,
) -> Result<(), PlanError> {
    let capacity = |disk: u32| {
        let disk = array.disks.get(disk as usize)?;
        capacities.get(disk.drive as usize).copied()
    };
    let mut is_taken = vec![false; array.disks.len()];
    for (number, of) in array.groups.iter().enumerate() {
        let at = || format!("{place}.groups[{number}]");
        group(of, capacity, at)?;
        let spares = of.rebuilds.iter().map(|it| &it.spare);
        for &disk in of.disks.iter().chain(spares) {
            let before = std::mem::replace(&mut is_taken[disk as usize], true);
            require(!before, at, "a disk has two places in groups")?;
        }
    }
    for (number, lun) in array.luns.iter().enumerate() {
        let at = || format!("{place}.luns[{number}]");
        media(array, &lun.media, lun.bytes, at)?;
        let is_known = |&n_port: &u32| (n_port as usize) < plan.n_ports.len();
        require(
            lun.initiators.iter().all(is_known),
            at,
            "no such N_Port may use it",
        )?;
    }
    if let Some(cache) = &array.page_cache {
        page_cache(array, cache, || format!("{place}.page_cache"))?;
    }
    match &array.back_end {
        Some(of) => back_end(plan, array, of, || format!("{place}.back_end")),
        None => Ok(()),
    }
}

fn group(
    of: &GroupPlan,
    capacity: impl Fn(u32) -> Option<u64>,
    place: impl Fn() -> String + Copy,
) -> Result<(), PlanError> {
    let drives = u32::try_from(of.disks.len()).unwrap_or(u32::MAX);
    let takes = |level: &Level| of.disks.len() <= MOST_DRIVES && level.takes(drives);
    let Some(level) = Level::of_number(of.level).filter(takes) else {
        return require(false, place, "no such level, or not of so many disks");
    };
    let is_whole = of.unit_bytes >= SECTOR_BYTES && of.unit_bytes.is_multiple_of(SECTOR_BYTES);
    require(
        is_whole && of.rows > 0,
        place,
        "units are whole sectors, and there is a row",
    )?;
    let needs = of.unit_bytes.saturating_mul(of.rows);
    let spares = of.rebuilds.iter().map(|it| it.spare);
    let mut disks = of.disks.iter().copied().chain(spares);
    let fit = disks.all(|disk| capacity(disk).is_some_and(|bytes| needs <= bytes));
    require(fit, place, "a disk is too small, or there is no such disk")?;
    let lost: Vec<u32> = of.failing.iter().map(|it| it.slot).collect();
    let are_known = lost.iter().all(|&slot| slot < drives);
    require(are_known, place, "a drive that is not there cannot fail")?;
    let survives = level.survives(drives, &lost);
    require(
        survives,
        place,
        "data are lost: more drives fail than the level survives",
    )?;
    let mut slots: Vec<u32> = of.rebuilds.iter().map(|it| it.slot).collect();
    slots.sort_unstable();
    slots.dedup();
    let are_lost = of
        .rebuilds
        .iter()
        .all(|it| lost.contains(&it.slot) && it.steps > 0);
    let is_sound = are_lost && slots.len() == of.rebuilds.len();
    require(is_sound, place, "a rebuild is of a drive that fails, once")
}

fn media(
    array: &ArrayPlan,
    of: &MediaPlan,
    bytes: u64,
    place: impl Fn() -> String,
) -> Result<(), PlanError> {
    match of {
        MediaPlan::Raid { group, start_bytes } => {
            let inside = array.groups.get(*group as usize).is_some_and(|group| {
                let drives = u32::try_from(group.disks.len()).unwrap_or(0);
                let units = Level::of_number(group.level).map_or(0, |it| it.data_units(drives));
                let row = group.unit_bytes.saturating_mul(u64::from(units));
                start_bytes.saturating_add(bytes) <= row.saturating_mul(group.rows)
            });
            require(inside, place, "the LUN is larger than its group")
        }
        MediaPlan::Flash(flash) => {
            let dies = u64::from(flash.channels) * u64::from(flash.dies_per_channel);
            let is_made = (1..=65_536).contains(&dies)
                && flash.page_bytes >= SECTOR_BYTES
                && flash.channel_bytes_per_s > 0
                && (1_000_000..=1_000_000_000).contains(&flash.amplification_ppm);
            require(
                is_made,
                place,
                "a flash SSD has channels, dies, pages and a rate",
            )
        }
        MediaPlan::Ram(ram) => {
            let is_made = ram.ports > 0 && ram.bytes_per_s > 0;
            require(is_made, place, "a RAM SSD has ports and a rate")
        }
        MediaPlan::Memory { .. } | MediaPlan::Stripe { .. } => Ok(()),
    }
}

fn page_cache(
    array: &ArrayPlan,
    of: &PageCachePlan,
    place: impl Fn() -> String + Copy,
) -> Result<(), PlanError> {
    let largest = SECTOR_BYTES * MOST_SECTORS;
    let is_page = of.page_bytes.is_power_of_two()
        && (SECTOR_BYTES..=largest).contains(&of.page_bytes)
        && of.pages > 0;
    require(
        is_page,
        place,
        "a page is a power of two from 512 to 65536 bytes",
    )?;
    let in_order = of.low_pages <= of.high_pages
        && of.high_pages <= of.dirty_pages
        && of.dirty_pages <= of.pages
        && (!of.write_back || of.dirty_pages > 0);
    require(in_order, place, "watermarks rise: low, high, limit, size")?;
    require(of.destages > 0, place, "nothing is ever destaged")?;
    require(array.cache.is_none(), place, "there is another cache")
}

fn back_end(
    plan: &Plan,
    array: &ArrayPlan,
    of: &BackEndPlan,
    place: impl Fn() -> String,
) -> Result<(), PlanError> {
    let paths = of.initiators.len();
    let is_known = |&port: &u32| (port as usize) < plan.n_ports.len();
    let is_whole = paths > 0
        && of
            .initiators
            .iter()
            .chain(of.disks.iter().flatten())
            .all(is_known)
        && of.disks.len() == array.disks.len()
        && of.disks.iter().all(|ports| ports.len() == paths);
    require(is_whole, place, "each disk has a port for each initiator")
}
