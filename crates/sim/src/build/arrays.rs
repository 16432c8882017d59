//! Arrays of a plan become models.

use std::num::NonZeroU32;
use std::sync::Arc;

use sanlab_fc::{Flow, NPort};
use sanlab_kernel::{Id, IdVec, Instant, MaybeId, RandomStream, Rate, Span, Station};
use sanlab_storage::{
    Array, BackEnd, Cache, CacheSeat, Controller, ControllerCounters, Disk, Drive, Failing,
    Failover, Flash, FlashModel, FrontEndPort, Group, Level, Limit, Limits, LogicalUnit, Lun,
    LunMeter, Media, Mirror, MirrorMode, MirrorRoute, OpenBursts, PageCache, PageCacheModel,
    Partner, PrefetchModel, RaidMapping, Ram, Rebuild, Resume, ServiceTime, Ssd, SsdMedia, Stripe,
    WriteStrategy,
};

use crate::drive::drive_model;
use crate::flows::{back_end_flows, mirror_flows};
use crate::plan::{
    ArrayPlan, CachePlan, DestageOrderPlan, DiskModelPlan, DiskPlan, Distribution, GroupPlan,
    JournalFullPlan, LevelPlan, LimitedPlan, LunPlan, MediaPlan, MirrorModePlan, MirrorPlan, Plan,
    PlanError, RebuildPlan, SsdPlan, WriteStrategyPlan,
};

pub(super) fn arrays_of(plan: &Plan) -> Result<IdVec<Array>, PlanError> {
    let n_ports = plan.n_ports.len();
    let arrays = plan
        .arrays
        .iter()
        .map(|array| array_of(array, n_ports, plan.seed));
    let mut arrays: IdVec<Array> = arrays.collect::<Result<_, _>>()?;
    for (flow, array, lun) in mirror_flows(plan) {
        let planned = &plan.arrays[array].luns[lun];
        if let Some(mirror) = &planned.mirror {
            let owner = &mut arrays[Id::from_place(array)];
            let copies = mirror_of(mirror, planned.bytes, flow);
            owner.luns[Id::from_place(lun)].mirror = Some(copies);
        }
    }
    for (flow, array) in back_end_flows(plan) {
        if let Some(back_end) = &plan.arrays[array].back_end {
            let ids = |n_ports: &Vec<u32>| n_ports.iter().copied().map(Id::new).collect();
            arrays[Id::from_place(array)].back_end = Some(BackEnd {
                initiators: ids(&back_end.initiators),
                disks: back_end.disks.iter().map(ids).collect(),
                next_path: IdVec::filled(Id::new(0), back_end.disks.len()),
                flow: flow.same(),
            });
        }
    }
    Ok(arrays)
}

fn mirror_of(mirror: &MirrorPlan, lun_bytes: u64, flow: Id<Flow>) -> Mirror {
    let route = MirrorRoute {
        array: Id::new(mirror.array),
        lun: Id::new(mirror.lun),
        source_n_port: Id::new(mirror.source_n_port),
        target_n_port: Id::new(mirror.target_n_port),
        flow: flow.same(),
        one_round_trip_bytes: u64::from(mirror.one_round_trip_bytes),
    };
    let mode = match mirror.mode {
        MirrorModePlan::Synchronous {} => MirrorMode::Synchronous,
        MirrorModePlan::Asynchronous {} => MirrorMode::Asynchronous,
        MirrorModePlan::Journal { bytes, when_full } => MirrorMode::Journal {
            bytes: bytes.get(),
            suspends: when_full == JournalFullPlan::Suspend,
        },
    };
    let resume = mirror.resume.map(|resume| Resume {
        after: Span::from_ps(resume.after_ps.get()),
        region_bytes: resume.region_bytes.get(),
        rate: resume.bytes_per_s.map(Rate::from),
        lun_bytes,
    });
    Mirror::new(route, mode, mirror.max_outstanding.get()).resuming(resume)
}

fn array_of(array: &ArrayPlan, n_ports: usize, seed: u64) -> Result<Array, PlanError> {
    let luns: IdVec<Lun, LogicalUnit> = (array.luns.iter())
        .map(|lun| lun_of(lun, array, seed))
        .collect();
    let groups: IdVec<Group> = array.groups.iter().map(group_of).collect();
    let mut controllers = controllers_of(array, seed);
    for cache in controllers
        .iter_mut()
        .filter_map(|one| one.page_cache.as_mut())
    {
        let homes = luns
            .pairs()
            .map(|(lun, unit)| unit.media.home(lun, &groups));
        cache.set_homes(homes.collect());
    }
    Ok(Array {
        first_n_port: Id::new(array.n_ports[0]),
        n_ports: array.n_ports.iter().copied().map(Id::new).collect(),
        controllers,
        failover: failover_of(array),
        port_controllers: port_controllers(array),
        command: Span::from_ps(array.command_ps),
        burst_bytes: array.burst_bytes.get(),
        first_burst_bytes: array.first_burst_bytes.map_or(0, NonZeroU32::get),
        port_queue_depth: array.port_queue_depth.get(),
        port_open: IdVec::filled(0, array.n_ports.len()),
        open_bursts: array
            .open_bursts
            .map(|limit| IdVec::filled(OpenBursts::new(limit.get()), array.n_ports.len())),
        disks: disks_of(array, seed)?,
        disk_due: IdVec::filled(Instant::NEVER, array.disks.len()),
        disk_open: IdVec::filled(0, array.disks.len()),
        groups,
        parity: Station::new(1),
        parity_rate: array.parity_bytes_per_s.map(Rate::from),
        back_end: None,
        limits: limits_of(array, n_ports),
        luns,
    })
}

fn limits_of(array: &ArrayPlan, n_ports: usize) -> Limits {
    if array.limits.is_empty() {
        return Limits::default();
    }
    let mut limits = Limits {
        all: IdVec::new(),
        of_luns: IdVec::filled(MaybeId::NONE, array.luns.len()),
        of_ports: IdVec::filled(MaybeId::NONE, n_ports),
    };
    for plan in &array.limits {
        let commands = plan.commands_per_s.map(Rate::from);
        let bytes = plan.bytes_per_s.map(Rate::from);
        let limit = Limit::new(commands, bytes, Span::from_ps(plan.burst_ps));
        let id = MaybeId::from(limits.all.push(limit));
        match &plan.of {
            LimitedPlan::Lun { lun } => limits.of_luns[Id::new(*lun)] = id,
            LimitedPlan::Host { initiators } => {
                for &port in initiators {
                    limits.of_ports[Id::new(port)] = id;
                }
            }
        }
    }
    limits
}

fn controllers_of(array: &ArrayPlan, seed: u64) -> IdVec<Controller> {
    let count = array.controllers.len();
    let controllers = array.controllers.iter().enumerate();
    controllers
        .map(|(place, planned)| Controller {
            processors: Station::new(planned.processors.get()),
            forwarding: Station::settling(1),
            partner: Partner::default(),
            cache: hit_rate_cache_of(array, &planned.name, seed),
            page_cache: page_cache_of(array),
            seat: CacheSeat::of(place, count, mirrors_caches(array)),
            is_up: true,
            counters: ControllerCounters::default(),
        })
        .collect()
}

/// Whether writes to a cache of the array are copied to another controller.
fn mirrors_caches(array: &ArrayPlan) -> bool {
    matches!(
        array.cache,
        Some(CachePlan::Pages {
            partner: Some(_),
            ..
        })
    )
}

fn failover_of(array: &ArrayPlan) -> Failover {
    let plan = array.failover;
    Failover {
        takeover: Span::from_ps(plan.takeover_ps),
        give_back: plan.give_back_ps.map(Span::from_ps),
        told: Span::from_ps(plan.told_ps),
        forward: Span::from_ps(plan.forward_ps),
        forward_rate: plan.forward_bytes_per_s.map(Rate::from),
        mirrors_caches: mirrors_caches(array),
        writes_through_alone: plan.writes_through_alone,
    }
}

/// The controller of each port.
fn port_controllers(array: &ArrayPlan) -> IdVec<FrontEndPort, Id<Controller>> {
    let controller_of = |n_port: &u32| {
        let mut controllers = array.controllers.iter();
        let place = controllers.position(|it| it.n_ports.contains(n_port));
        Id::from_place(place.expect("a checked plan"))
    };
    array.n_ports.iter().map(controller_of).collect()
}

fn hit_rate_cache_of(array: &ArrayPlan, name: &str, seed: u64) -> Option<Cache> {
    let Some(CachePlan::HitRate {
        read_hit_ppm,
        access_ps,
        dirty_limit_bytes,
    }) = array.cache
    else {
        return None;
    };
    let dirty_limit = dirty_limit_bytes.map_or(0, u64::from);
    let draws = RandomStream::new(seed, &format!("{name}/cache"));
    let access = Span::from_ps(access_ps);
    Some(Cache::new(read_hit_ppm, access, dirty_limit, draws))
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
        destage_order,
        destage_age_ps,
        destage_rest_ps,
        partner,
    }) = array.cache
    else {
        return None;
    };
    Some(PageCache::new(PageCacheModel {
        page: page_bytes.get(),
        pages: pages.get(),
        access: Span::from_ps(access_ps),
        prefetch: prefetch.map(|of| PrefetchModel {
            after: of.after,
            window: of.bytes.get(),
            on_miss: of.on_miss,
            readers: of.readers.get() as usize,
        }),
        destage: destage_bytes,
        write_back,
        dirty_limit: dirty_pages,
        low_watermark: low_pages,
        high_watermark: high_pages,
        destages: destages.get(),
        by_address: destage_order == DestageOrderPlan::Address,
        age: destage_age_ps.map(Span::from_ps),
        rest: destage_rest_ps.map(Span::from_ps),
        partner: partner.map(|of| (Span::from_ps(of.latency_ps), Rate::from(of.bytes_per_s))),
    }))
}

/// Equal drives share their model; each has its platter at another angle.
fn disks_of(array: &ArrayPlan, seed: u64) -> Result<IdVec<Disk, Drive>, PlanError> {
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
        let drive = match disk.model {
            DiskModelPlan::Drive { drive } => drive,
            DiskModelPlan::Ssd { ssd } => return ssd_of(disk, &array.ssds[ssd as usize], seed),
        };
        let model = Arc::clone(&models[drive as usize]);
        let turn = model.geometry.revolution();
        let mut draws = RandomStream::new(seed, &format!("{spindle}/phase"));
        let disk = Disk::new(model, Span::from_ps(draws.below(turn.as_ps())));
        Drive::Disk(Box::new(disk))
    });
    Ok(disks.collect())
}

fn ssd_of(disk: &DiskPlan, plan: &SsdPlan, seed: u64) -> Drive {
    let media = match media_of(&plan.media, &disk.name, seed) {
        Media::Memory { service, station } => SsdMedia::Memory { service, station },
        Media::Flash(flash) => SsdMedia::Flash(flash),
        _ => unreachable!("a checked plan has SSDs of memory or flash"),
    };
    Drive::Ssd(Box::new(Ssd::new(media)))
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
        drives: u32::try_from(plan.disks.len()).expect("a checked plan"),
        unit: plan.unit_bytes.get(),
        rows: plan.rows.get(),
    };
    let strategy = match plan.write {
        WriteStrategyPlan::FewerOperations => WriteStrategy::FewerOperations,
        WriteStrategyPlan::ReadModifyWrite => WriteStrategy::ReadModifyWrite,
        WriteStrategyPlan::ReconstructWrite => WriteStrategy::ReconstructWrite,
    };
    let disks: Vec<_> = plan.disks.iter().copied().map(Id::new).collect();
    let mut group = Group::new(mapping, &disks, strategy);
    let failing = plan.failing.iter().map(|failing| Failing {
        slot: Id::new(failing.slot),
        at: Instant::from_ps(failing.at_ps),
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
    let (slot, spare) = (Id::new(plan.slot), Id::new(plan.spare));
    let rebuild = Rebuild::new(slot, spare, size, Span::from_ps(plan.delay_ps));
    rebuild.paced(rate, plan.step_bytes, plan.steps.get())
}

fn lun_of(plan: &LunPlan, array: &ArrayPlan, seed: u64) -> LogicalUnit {
    let owner = plan.owner.map(Id::new);
    let turn = plan.number as usize % array.controllers.len();
    LogicalUnit {
        number: plan.number,
        bytes: plan.bytes,
        queue_depth: plan.queue_depth.get(),
        open: 0,
        meter: LunMeter::default(),
        owner,
        served_by: owner,
        ready_at: Instant::START,
        cached_by: owner.unwrap_or_else(|| Id::from_place(turn)),
        media: media_of(&plan.media, &plan.name, seed),
        mirror: None,
    }
}

/// The media of a LUN or an SSD of this name.
fn media_of(media: &MediaPlan, name: &str, seed: u64) -> Media {
    let time = |mean_ps: u64, distribution: Distribution, what: &str| {
        let mean = Span::from_ps(mean_ps);
        match distribution {
            Distribution::Constant => ServiceTime::constant(mean),
            Distribution::Exponential => {
                let draws = RandomStream::new(seed, &format!("{name}/{what}"));
                ServiceTime::exponential(mean, draws)
            }
        }
    };
    match media {
        MediaPlan::Memory {
            service_ps,
            distribution: Distribution::Constant,
            spread,
            variation,
            servers,
        } => {
            let mean = Span::from_ps(*service_ps);
            let draws = RandomStream::new(seed, &format!("{name}/service"));
            Media::Memory {
                service: match spread.get() {
                    0 => ServiceTime::varying(mean, variation.get(), draws),
                    spread => ServiceTime::uniform(mean, spread, draws),
                },
                station: Box::new(Station::new(servers.get())),
            }
        }
        MediaPlan::Memory {
            service_ps,
            distribution,
            spread: _,
            variation: _,
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
            disks: disks.iter().copied().map(Id::new).collect(),
            start: *start_bytes,
            stripe_bytes: stripe_bytes.get(),
            block_bytes: block_bytes.get(),
        }),
        MediaPlan::Raid { group, start_bytes } => Media::Raid {
            group: Id::new(*group),
            start: *start_bytes,
        },
        &MediaPlan::Flash {
            channels,
            dies_per_channel,
            page_bytes,
            pages_per_block,
            read_ps,
            variation,
            program_ps,
            erase_ps,
            channel_bytes_per_s,
            buffer_bytes,
            latency_ps,
            amplification_ppm,
        } => {
            let model = FlashModel {
                channels: channels.get(),
                dies_per_channel: dies_per_channel.get(),
                page: page_bytes,
                pages_per_block,
                read: Span::from_ps(read_ps),
                variation_ppm: variation.get(),
                program: Span::from_ps(program_ps),
                erase: Span::from_ps(erase_ps),
                channel: Rate::from(channel_bytes_per_s),
                buffer: buffer_bytes,
                latency: Span::from_ps(latency_ps),
                amplification_ppm,
            };
            let draws = RandomStream::new(seed, &format!("{name}/read"));
            Media::Flash(Box::new(Flash::new(model, draws)))
        }
        MediaPlan::Ram {
            ports,
            command_ps,
            latency_ps,
            bytes_per_s,
            distribution,
        } => {
            let latency = time(*latency_ps, *distribution, "latency");
            let rate = Rate::from(*bytes_per_s);
            let command = Span::from_ps(*command_ps);
            Media::Ram(Box::new(Ram::new(ports.get(), command, latency, rate)))
        }
    }
}

/// For each N_Port of an array its number among that array's.
pub(super) fn port_places(plan: &Plan) -> IdVec<NPort, Id<FrontEndPort>> {
    let mut places = IdVec::filled(Id::new(0), plan.n_ports.len());
    for array in &plan.arrays {
        for (place, &n_port) in (0..).map(Id::new).zip(&array.n_ports) {
            places[Id::new(n_port)] = place;
        }
    }
    places
}
