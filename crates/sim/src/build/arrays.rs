//! Arrays of a plan become models.

use std::sync::Arc;

use sanlab_kernel::{NEVER, RandomStream, Rate, Station, id_of};
use sanlab_storage::{
    Array, BackEnd, Cache, Disk, Failing, Flash, FlashModel, Group, Level, Lun, Media, Mirror,
    PageCache, PageCacheModel, Partner, RaidMapping, Ram, Rebuild, ServiceTime, Stripe,
    WriteStrategy,
};

use crate::drive::drive_model;
use crate::flows::{back_end_flows, mirror_flows};
use crate::plan::{
    ArrayPlan, CachePlan, Distribution, GroupPlan, LevelPlan, LunPlan, MediaPlan, Plan, PlanError,
    RebuildPlan, WriteStrategyPlan,
};

pub(super) fn arrays_of(plan: &Plan) -> Result<Vec<Array>, PlanError> {
    let arrays = plan.arrays.iter().map(|array| array_of(array, plan.seed));
    let mut arrays: Vec<Array> = arrays.collect::<Result<_, _>>()?;
    for (flow, array, lun) in mirror_flows(plan) {
        if let Some(mirror) = &plan.arrays[array].luns[lun].mirror {
            arrays[array].luns[lun].mirror = Some(Mirror::new(
                (mirror.array, mirror.lun),
                (mirror.source_n_port, mirror.target_n_port),
                mirror.synchronous,
                mirror.max_outstanding.get(),
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

fn array_of(array: &ArrayPlan, seed: u64) -> Result<Array, PlanError> {
    Ok(Array {
        first_n_port: array.n_ports[0],
        controllers: Station::new(array.controllers.get()),
        command: array.command_ps,
        burst_bytes: array.burst_bytes.get(),
        port_queue_depth: array.port_queue_depth.get(),
        port_open: vec![0; array.n_ports.len()],
        cache: hit_rate_cache_of(array, seed),
        disks: disks_of(array, seed)?,
        disk_due: vec![NEVER; array.disks.len()],
        disk_open: vec![0; array.disks.len()],
        groups: array.groups.iter().map(group_of).collect(),
        parity: Station::new(1),
        parity_rate: array.parity_bytes_per_s.map(Rate::from),
        page_cache: page_cache_of(array),
        partner: Partner::default(),
        back_end: None,
        luns: array.luns.iter().map(|lun| lun_of(lun, seed)).collect(),
    })
}

fn hit_rate_cache_of(array: &ArrayPlan, seed: u64) -> Option<Cache> {
    let Some(CachePlan::HitRate {
        read_hit_ppm,
        access_ps,
        dirty_limit_bytes,
    }) = array.cache
    else {
        return None;
    };
    let dirty_limit = dirty_limit_bytes.map_or(0, u64::from);
    let draws = RandomStream::new(seed, &format!("{}/cache", array.name));
    Some(Cache::new(read_hit_ppm, access_ps, dirty_limit, draws))
}

fn page_cache_of(array: &ArrayPlan) -> Option<PageCache> {
    let Some(CachePlan::Pages {
        page_bytes,
        pages,
        access_ps,
        prefetch,
        destage_bytes,
        write_back,
        dirty_pages,
        low_pages,
        high_pages,
        destages,
        partner,
    }) = array.cache
    else {
        return None;
    };
    Some(PageCache::new(PageCacheModel {
        page: page_bytes.get(),
        pages: pages.get(),
        access: access_ps,
        prefetch_after: prefetch.map_or(0, |of| of.after),
        prefetch_window: prefetch.map_or(0, |of| of.bytes.get()),
        prefetch_on_miss: prefetch.is_some_and(|of| of.on_miss),
        destage: destage_bytes,
        write_back,
        dirty_limit: dirty_pages,
        low_watermark: low_pages,
        high_watermark: high_pages,
        destages: destages.get(),
        partner: partner.map(|of| (of.latency_ps, Rate::from(of.bytes_per_s))),
    }))
}

/// Equal drives share their model; each has its platter at another angle.
fn disks_of(array: &ArrayPlan, seed: u64) -> Result<Vec<Disk>, PlanError> {
    let mut models = Vec::with_capacity(array.drives.len());
    for drive in &array.drives {
        models.push(Arc::new(drive_model(drive, &drive.name)?));
    }
    // The spindles of a group of RAID 3 turn in lock step.
    let mut spindles: Vec<&str> = array.disks.iter().map(|disk| disk.name.as_str()).collect();
    let in_lock_step = (array.groups.iter()).filter(|group| group.level == LevelPlan::Raid3);
    for group in in_lock_step {
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

/// The model's RAID level.
pub(crate) fn level_of(level: LevelPlan) -> Level {
    match level {
        LevelPlan::Raid0 => Level::Raid0,
        LevelPlan::Raid1 => Level::Raid1,
        LevelPlan::Raid3 => Level::Raid3,
        LevelPlan::Raid5 => Level::Raid5,
        LevelPlan::Raid6 => Level::Raid6,
        LevelPlan::Raid10 => Level::Raid10,
    }
}

fn group_of(plan: &GroupPlan) -> Group {
    let mapping = RaidMapping {
        level: level_of(plan.level),
        drives: id_of(plan.disks.len()),
        unit: plan.unit_bytes.get(),
        rows: plan.rows.get(),
    };
    let strategy = match plan.write {
        WriteStrategyPlan::FewerOperations => WriteStrategy::FewerOperations,
        WriteStrategyPlan::ReadModifyWrite => WriteStrategy::ReadModifyWrite,
        WriteStrategyPlan::ReconstructWrite => WriteStrategy::ReconstructWrite,
    };
    let mut group = Group::new(mapping, &plan.disks, strategy);
    let failing = plan.failing.iter().map(|failing| Failing {
        slot: failing.slot,
        at: failing.at_ps,
    });
    group.failing = failing.collect();
    group.failing.sort_by_key(|failing| failing.at);
    let rebuilds = plan.rebuilds.iter();
    group.rebuilds = rebuilds.map(|rebuild| rebuild_of(rebuild, plan)).collect();
    group
}

fn rebuild_of(plan: &RebuildPlan, group: &GroupPlan) -> Rebuild {
    let rate = plan.bytes_per_s.map_or(u64::MAX, u64::from);
    let size = (group.rows.get(), group.unit_bytes.get());
    Rebuild::new(plan.slot, plan.spare, size, plan.delay_ps).paced(
        rate,
        plan.step_bytes,
        plan.steps.get(),
    )
}

fn lun_of(plan: &LunPlan, seed: u64) -> Lun {
    Lun {
        number: plan.number,
        bytes: plan.bytes,
        queue_depth: plan.queue_depth.get(),
        open: 0,
        media: media_of(plan, seed),
        mirror: None,
    }
}

fn media_of(lun: &LunPlan, seed: u64) -> Media {
    let time = |mean: u64, distribution: Distribution, what: &str| match distribution {
        Distribution::Constant => ServiceTime::constant(mean),
        Distribution::Exponential => {
            let draws = RandomStream::new(seed, &format!("{}/{what}", lun.name));
            ServiceTime::exponential(mean, draws)
        }
    };
    match &lun.media {
        MediaPlan::Memory {
            service_ps,
            distribution: Distribution::Constant,
            spread,
            servers,
        } if spread.get() > 0 => {
            let draws = RandomStream::new(seed, &format!("{}/service", lun.name));
            Media::Memory {
                service: ServiceTime::uniform(*service_ps, spread.get(), draws),
                station: Box::new(Station::new(servers.get())),
            }
        }
        MediaPlan::Memory {
            service_ps,
            distribution,
            spread: _,
            servers,
        } => Media::Memory {
            service: time(*service_ps, *distribution, "service"),
            station: Box::new(Station::new(servers.get())),
        },
        MediaPlan::Stripe {
            disks,
            start_bytes,
            stripe_bytes,
            block_bytes,
        } => Media::Stripe(Stripe {
            disks: disks.clone(),
            start: *start_bytes,
            stripe_bytes: stripe_bytes.get(),
            block_bytes: block_bytes.get(),
        }),
        MediaPlan::Raid { group, start_bytes } => Media::Raid {
            group: *group,
            start: *start_bytes,
        },
        &MediaPlan::Flash {
            channels,
            dies_per_channel,
            page_bytes,
            pages_per_block,
            read_ps,
            program_ps,
            erase_ps,
            channel_bytes_per_s,
            buffer_bytes,
            latency_ps,
            amplification_ppm,
        } => Media::Flash(Box::new(Flash::new(FlashModel {
            channels: channels.get(),
            dies_per_channel: dies_per_channel.get(),
            page: page_bytes,
            pages_per_block,
            read: read_ps,
            program: program_ps,
            erase: erase_ps,
            channel: Rate::from(channel_bytes_per_s),
            buffer: buffer_bytes,
            latency: latency_ps,
            amplification_ppm,
        }))),
        MediaPlan::Ram {
            ports,
            command_ps,
            latency_ps,
            bytes_per_s,
            distribution,
        } => {
            let latency = time(*latency_ps, *distribution, "latency");
            let rate = Rate::from(*bytes_per_s);
            Media::Ram(Box::new(Ram::new(ports.get(), *command_ps, latency, rate)))
        }
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
