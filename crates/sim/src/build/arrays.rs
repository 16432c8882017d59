//! Arrays of a plan: caches, groups, disks, LUNs, mirrors.

use std::sync::Arc;

use sanlab_kernel::{NEVER, RandomStream, Rate, Station, id_of};
use sanlab_storage::{
    Array, BackEnd, Cache, Disk, Failing, Flash, FlashModel, Group, Level, Lun, Media, Mirror,
    PageCache, PageCacheModel, Partner, RaidMapping, Ram, Rebuild, Stripe, WriteStrategy,
};

use crate::check::PlanError;
use crate::drive::drive_model;
use crate::flows::{back_end_flows, mirror_flows};
use crate::plan::{
    ArrayPlan, Distribution, FlashPlan, GroupPlan, LunPlan, MediaPlan, PageCachePlan, Plan,
    WriteStrategyPlan,
};

/// Arrays with their mirrors and back ends.
pub(super) fn arrays_of(plan: &Plan) -> Result<Vec<Array>, PlanError> {
    let mut arrays: Vec<Array> = plan
        .arrays
        .iter()
        .map(|array| array_of(array, plan))
        .collect::<Result<_, _>>()?;
    for (flow, array, lun) in mirror_flows(plan) {
        if let Some(mirror) = &plan.arrays[array].luns[lun].mirror {
            let ports = (mirror.source_n_port, mirror.target_n_port);
            let to = (mirror.array, mirror.lun);
            arrays[array].luns[lun].mirror = Some(Mirror::new(
                to,
                ports,
                mirror.synchronous,
                mirror.max_outstanding,
                flow,
            ));
        }
    }
    for (flow, array) in back_end_flows(plan) {
        if let Some(back_end) = &plan.arrays[array].back_end {
            arrays[array].back_end = Some(BackEnd {
                initiators: back_end.initiators.clone(),
                disks: back_end.disks.clone(),
                next_path: vec![0; back_end.disks.len()],
                flow,
            });
        }
    }
    Ok(arrays)
}

fn array_of(array: &ArrayPlan, plan: &Plan) -> Result<Array, PlanError> {
    let cache = array.cache.as_ref().map(|cache| {
        let draws = RandomStream::new(plan.seed, &format!("{}/cache", array.name));
        Cache::new(
            cache.read_hit_ppm,
            cache.access_ps,
            cache.dirty_limit_bytes,
            draws,
        )
    });
    Ok(Array {
        first_n_port: array.n_ports[0],
        controllers: Station::new(array.controllers),
        command: array.command_ps,
        burst_bytes: u32::try_from(array.burst_bytes).unwrap_or(u32::MAX),
        port_queue_depth: array.port_queue_depth.max(1),
        port_open: vec![0; array.n_ports.len()],
        cache,
        disks: disks_of(array, plan.seed)?,
        disk_due: vec![NEVER; array.disks.len()],
        disk_open: vec![0; array.disks.len()],
        groups: array.groups.iter().map(group_of).collect(),
        parity: Station::new(1),
        parity_rate: (array.parity_bytes_per_s > 0)
            .then(|| Rate::from_bytes_per_s(array.parity_bytes_per_s)),
        page_cache: array.page_cache.as_ref().map(page_cache_of),
        partner: Partner::default(),
        back_end: None,
        luns: array
            .luns
            .iter()
            .map(|lun| lun_of(lun, plan.seed))
            .collect(),
    })
}

fn group_of(group: &GroupPlan) -> Group {
    let mapping = RaidMapping {
        level: Level::of_number(group.level).unwrap_or(Level::Raid0),
        drives: id_of(group.disks.len()),
        unit: group.unit_bytes,
        rows: group.rows,
    };
    let strategy = match group.write {
        WriteStrategyPlan::FewerOperations => WriteStrategy::FewerOperations,
        WriteStrategyPlan::ReadModifyWrite => WriteStrategy::ReadModifyWrite,
        WriteStrategyPlan::ReconstructWrite => WriteStrategy::ReconstructWrite,
    };
    let mut model = Group::new(mapping, &group.disks, strategy);
    model.failing = group
        .failing
        .iter()
        .map(|failing| Failing {
            slot: failing.slot,
            at: failing.at_ps,
        })
        .collect();
    model.failing.sort_by_key(|failing| failing.at);
    model.rebuilds = group
        .rebuilds
        .iter()
        .map(|plan| {
            let rate = if plan.bytes_per_s == 0 {
                u64::MAX
            } else {
                plan.bytes_per_s
            };
            let size = (group.rows, group.unit_bytes);
            Rebuild::new(plan.slot, plan.spare, size, plan.delay_ps).paced(
                rate,
                plan.step_bytes,
                plan.steps,
            )
        })
        .collect();
    model
}

fn page_cache_of(cache: &PageCachePlan) -> PageCache {
    PageCache::new(PageCacheModel {
        page: cache.page_bytes,
        pages: cache.pages,
        access: cache.access_ps,
        prefetch_after: cache.prefetch_after,
        prefetch_window: cache.prefetch_bytes,
        prefetch_on_miss: cache.prefetch_on_miss,
        destage: cache.destage_bytes,
        write_back: cache.write_back,
        dirty_limit: cache.dirty_pages,
        low_watermark: cache.low_pages,
        high_watermark: cache.high_pages,
        destages: cache.destages,
        partner: (cache.partner_bytes_per_s > 0).then(|| {
            (
                cache.partner_ps,
                Rate::from_bytes_per_s(cache.partner_bytes_per_s),
            )
        }),
    })
}

fn flash_of(flash: &FlashPlan) -> Flash {
    Flash::new(FlashModel {
        channels: flash.channels,
        dies_per_channel: flash.dies_per_channel,
        page: flash.page_bytes,
        pages_per_block: flash.pages_per_block,
        read: flash.read_ps,
        program: flash.program_ps,
        erase: flash.erase_ps,
        channel: Rate::from_bytes_per_s(flash.channel_bytes_per_s),
        buffer: flash.buffer_bytes,
        latency: flash.latency_ps,
        amplification_ppm: flash.amplification_ppm,
    })
}

/// Equal drives share their model; each has its platter somewhere else.
fn disks_of(array: &ArrayPlan, seed: u64) -> Result<Vec<Disk>, PlanError> {
    let mut models = Vec::with_capacity(array.drives.len());
    for drive in &array.drives {
        models.push(Arc::new(drive_model(drive, &drive.name)?));
    }
    // The spindles of a group of RAID 3 turn in lock step.
    let mut spindles: Vec<&str> = array.disks.iter().map(|disk| disk.name.as_str()).collect();
    for group in array.groups.iter().filter(|group| group.level == 3) {
        let spares = group.rebuilds.iter().map(|rebuild| &rebuild.spare);
        for &disk in group.disks.iter().chain(spares) {
            spindles[disk as usize] = &group.name;
        }
    }
    let disks = array.disks.iter().zip(spindles).map(|(disk, spindle)| {
        let model = Arc::clone(&models[disk.drive as usize]);
        let turn = model.geometry.revolution();
        let phase = RandomStream::new(seed, &format!("{spindle}/phase")).below(turn);
        Disk::new(model, phase)
    });
    Ok(disks.collect())
}

fn lun_of(lun: &LunPlan, seed: u64) -> Lun {
    let media = match &lun.media {
        MediaPlan::Memory {
            service_ps,
            distribution,
            servers,
        } => Media::Memory {
            service: *service_ps,
            draws: (*distribution == Distribution::Exponential)
                .then(|| RandomStream::new(seed, &format!("{}/service", lun.name))),
            station: Box::new(Station::new(*servers)),
        },
        MediaPlan::Stripe {
            disks,
            start_bytes,
            stripe_bytes,
            block_bytes,
        } => Media::Stripe(Stripe {
            disks: disks.clone(),
            start: *start_bytes,
            stripe_bytes: *stripe_bytes,
            block_bytes: *block_bytes,
        }),
        MediaPlan::Raid { group, start_bytes } => Media::Raid {
            group: *group,
            start: *start_bytes,
        },
        MediaPlan::Flash(flash) => Media::Flash(Box::new(flash_of(flash))),
        MediaPlan::Ram(ram) => {
            let draws = (ram.distribution == Distribution::Exponential)
                .then(|| RandomStream::new(seed, &format!("{}/latency", lun.name)));
            let rate = Rate::from_bytes_per_s(ram.bytes_per_s);
            let model = Ram::new(ram.ports, ram.command_ps, ram.latency_ps, rate);
            Media::Ram(Box::new(model.drawn(draws)))
        }
    };
    Lun {
        number: lun.number,
        bytes: lun.bytes,
        queue_depth: lun.queue_depth.max(1),
        open: 0,
        media,
        mirror: None,
    }
}

/// For each N_Port of an array its place among that array's.
pub(super) fn port_places(plan: &Plan) -> Vec<u32> {
    let mut place = vec![0; plan.n_ports.len()];
    for array in &plan.arrays {
        for (index, &n_port) in array.n_ports.iter().enumerate() {
            place[n_port as usize] = id_of(index);
        }
    }
    place
}
