//! Arrays: ports, disks, cache, LUNs, mirrors, back ends.

use sanlab_storage::{BLOCK_BYTES, MOST_SECTORS, SECTOR_BYTES};

use crate::drive::drive_model;
use crate::plan::{
    ArrayPlan, BackEndPlan, CachePlan, DiskModelPlan, JournalFullPlan, LimitedPlan, LunPlan,
    MirrorModePlan, Plan, PlanError,
};

use super::bounds::{
    LARGEST_LUN, LARGEST_REQUEST, MOST_SLOTS, Within, known, rate, require, share, span,
};
use super::fabric::n_port;
use super::{media, raid};

/// Pages of a cache; 2^28 pages of 4 KiB are a terabyte.
const MOST_PAGES: u64 = 1 << 28;
/// Most sequential readers that a cache follows: each read is compared with all of them.
const MOST_READERS: u64 = 4096;
/// Commands per second of a limit: one in a nanosecond.
const MOST_COMMANDS: u64 = 1_000_000_000;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    for (index, array) in plan.arrays.iter().enumerate() {
        check_array(plan, array, |key| format!("arrays[{index}].{key}"))?;
    }
    Ok(())
}

fn check_array(
    plan: &Plan,
    array: &ArrayPlan,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    require(
        !array.n_ports.is_empty(),
        || place("n_ports"),
        || "an array needs a port".into(),
    )?;
    for &id in &array.n_ports {
        n_port(plan, id, || place("n_ports"))?;
    }
    check_controllers(array, &place)?;
    span(array.command_ps, || place("command_ps"))?;
    array
        .burst_bytes
        .within(1, LARGEST_REQUEST, || place("burst_bytes"))?;
    if let Some(bytes) = array.first_burst_bytes {
        bytes.within(1, LARGEST_REQUEST, || place("first_burst_bytes"))?;
    }
    rate(array.parity_bytes_per_s, || place("parity_bytes_per_s"))?;
    let capacities = capacities(array, &place)?;
    raid::check(array, &capacities, &place)?;
    if let Some(cache) = &array.cache {
        check_cache(cache, |key| place(&format!("cache.{key}")))?;
    }
    if let Some(back_end) = &array.back_end {
        check_back_end(plan, array, back_end, || place("back_end"))?;
    }
    check_limits(plan, array, &place)?;
    for (number, lun) in array.luns.iter().enumerate() {
        let at = |key: &str| place(&format!("luns[{number}].{key}"));
        lun.bytes.within(1, LARGEST_LUN, || at("bytes"))?;
        if let Some(owner) = lun.owner {
            known(owner, array.controllers.len(), "controller", || at("owner"))?;
        }
        media::check(array, lun, &capacities, || at("media"))?;
        mirror(plan, array, lun, || at("mirror"))?;
        for &id in lun.initiators.iter().flatten() {
            n_port(plan, id, || at("initiators"))?;
        }
    }
    Ok(())
}

fn check_limits(
    plan: &Plan,
    array: &ArrayPlan,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let mut limited: Vec<(bool, u32)> = Vec::new();
    for (number, limit) in array.limits.iter().enumerate() {
        let at = |key: &str| place(&format!("limits[{number}].{key}"));
        limit
            .commands_per_s
            .within(1, MOST_COMMANDS, || at("commands_per_s"))?;
        rate(limit.bytes_per_s, || at("bytes_per_s"))?;
        span(limit.burst_ps, || at("burst_ps"))?;
        match &limit.of {
            LimitedPlan::Lun { lun } => {
                known(*lun, array.luns.len(), "LUN", || at("of.lun"))?;
                limited.push((true, *lun));
            }
            LimitedPlan::Host { initiators } => {
                for &id in initiators {
                    n_port(plan, id, || at("of.initiators"))?;
                    limited.push((false, id));
                }
            }
        }
    }
    limited.sort_unstable();
    require(
        limited.windows(2).all(|pair| pair[0] != pair[1]),
        || place("limits"),
        || "a LUN has one limit at most, and so has an N_Port".into(),
    )
}

fn check_controllers(array: &ArrayPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    let mut ports: Vec<u32> = Vec::new();
    for (number, controller) in array.controllers.iter().enumerate() {
        let at = |key: &str| place(&format!("controllers[{number}].{key}"));
        controller
            .processors
            .within(1, MOST_SLOTS, || at("processors"))?;
        ports.extend(&controller.n_ports);
        let mut last_ps = None;
        for outage in &controller.outages {
            let follows = last_ps.is_none_or(|last| last < outage.from_ps);
            let in_order = follows && outage.from_ps < outage.end_ps();
            require(
                in_order,
                || at("outages"),
                || "outages follow one after the other".into(),
            )?;
            last_ps = Some(outage.end_ps());
        }
    }
    ports.sort_unstable();
    let mut all = array.n_ports.clone();
    all.sort_unstable();
    require(
        !array.controllers.is_empty() && ports == all,
        || place("controllers"),
        || "each port of an array belongs to one controller".into(),
    )?;
    let failover = &array.failover;
    for (key, value_ps) in [
        ("takeover_ps", failover.takeover_ps),
        ("give_back_ps", failover.give_back_ps.unwrap_or(0)),
        ("told_ps", failover.told_ps),
        ("forward_ps", failover.forward_ps),
    ] {
        span(value_ps, || place(&format!("failover.{key}")))?;
    }
    rate(failover.forward_bytes_per_s, || {
        place("failover.forward_bytes_per_s")
    })
}

/// Bytes of each disk and SSD.
fn capacities(array: &ArrayPlan, place: impl Fn(&str) -> String) -> Result<Vec<u64>, PlanError> {
    let mut of_drives = Vec::with_capacity(array.drives.len());
    for (number, drive) in array.drives.iter().enumerate() {
        let model = drive_model(drive, &place(&format!("drives[{number}]")))?;
        of_drives.push(model.geometry.blocks() * BLOCK_BYTES);
    }
    for (number, ssd) in array.ssds.iter().enumerate() {
        media::check_ssd(ssd, || place(&format!("ssds[{number}]")))?;
    }
    let mut of_disks = Vec::with_capacity(array.disks.len());
    for (number, disk) in array.disks.iter().enumerate() {
        let at = || place(&format!("disks[{number}].model"));
        of_disks.push(match disk.model {
            DiskModelPlan::Drive { drive } => {
                known(drive, array.drives.len(), "kind of drive", at)?;
                of_drives[drive as usize]
            }
            DiskModelPlan::Ssd { ssd } => {
                known(ssd, array.ssds.len(), "kind of SSD", at)?;
                array.ssds[ssd as usize].bytes
            }
        });
    }
    Ok(of_disks)
}

fn check_cache(cache: &CachePlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    match cache {
        CachePlan::HitRate {
            read_hit_ppm,
            access_ps,
            ..
        } => {
            share(*read_hit_ppm, || place("read_hit_ppm"))?;
            span(*access_ps, || place("access_ps"))
        }
        CachePlan::Pages {
            page_bytes,
            pages,
            access_ps,
            prefetch,
            destage_bytes,
            write_back,
            dirty_pages,
            low_pages,
            high_pages,
            destages: _,
            destage_order: _,
            destage_age_ps,
            destage_rest_ps,
            partner,
        } => {
            span(*destage_age_ps, || place("destage_age_ps"))?;
            span(*destage_rest_ps, || place("destage_rest_ps"))?;
            let largest = SECTOR_BYTES * MOST_SECTORS;
            page_bytes.within(SECTOR_BYTES, largest, || place("page_bytes"))?;
            require(
                page_bytes.is_power_of_two(),
                || place("page_bytes"),
                || "a page is a power of two".into(),
            )?;
            pages.within(1, MOST_PAGES, || place("pages"))?;
            span(*access_ps, || place("access_ps"))?;
            destage_bytes.within(0, LARGEST_LUN, || place("destage_bytes"))?;
            prefetch
                .map(|it| it.bytes)
                .within(1, LARGEST_REQUEST, || place("prefetch.bytes"))?;
            prefetch
                .map(|it| u64::from(it.readers.get()))
                .within(1, MOST_READERS, || place("prefetch.readers"))?;
            rate(partner.map(|it| it.bytes_per_s), || {
                place("partner.bytes_per_s")
            })?;
            span(partner.map(|it| it.latency_ps), || {
                place("partner.latency_ps")
            })?;
            let in_order = low_pages <= high_pages
                && high_pages <= dirty_pages
                && *dirty_pages <= pages.get()
                && (!write_back || *dirty_pages > 0);
            require(
                in_order,
                || place("dirty_pages"),
                || "low_pages, high_pages, dirty_pages and pages must rise in this order".into(),
            )
        }
    }
}

fn check_back_end(
    plan: &Plan,
    array: &ArrayPlan,
    of: &BackEndPlan,
    place: impl Fn() -> String,
) -> Result<(), PlanError> {
    for &id in of.initiators.iter().chain(of.disks.iter().flatten()) {
        n_port(plan, id, &place)?;
    }
    let paths = of.initiators.len();
    let is_whole = paths > 0
        && of.disks.len() == array.disks.len()
        && of.disks.iter().all(|ports| ports.len() == paths);
    require(is_whole, place, || {
        "each disk has a port for each initiator".into()
    })
}

fn mirror(
    plan: &Plan,
    array: &ArrayPlan,
    lun: &LunPlan,
    place: impl Fn() -> String,
) -> Result<(), PlanError> {
    let Some(mirror) = &lun.mirror else {
        return Ok(());
    };
    known(mirror.array, plan.arrays.len(), "array", &place)?;
    let other = &plan.arrays[mirror.array as usize];
    known(mirror.lun, other.luns.len(), "LUN of that array", &place)?;
    let copy = &other.luns[mirror.lun as usize];
    let ports_belong = array.n_ports.contains(&mirror.source_n_port)
        && other.n_ports.contains(&mirror.target_n_port);
    require(ports_belong, &place, || {
        "its ports belong to other arrays".into()
    })?;
    require(copy.bytes >= lun.bytes, &place, || {
        "the copy is smaller than the LUN".into()
    })?;
    require(copy.mirror.is_none(), &place, || {
        "the copy is mirrored itself".into()
    })?;
    let Some(resume) = mirror.resume else {
        return Ok(());
    };
    span(resume.after_ps, &place)?;
    rate(resume.bytes_per_s, &place)?;
    resume.region_bytes.within(512, 1 << 40, &place)?;
    let suspends = matches!(
        mirror.mode,
        MirrorModePlan::Journal {
            when_full: JournalFullPlan::Suspend,
            ..
        }
    );
    require(suspends, place, || "only a full journal suspends".into())
}
