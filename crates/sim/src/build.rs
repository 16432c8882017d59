//! A plan becomes a world.

use std::sync::Arc;

use sanlab_fabric::{
    BusPort, Fibre, Forwarding, Loops, NetworkBuilder, RoutePolicy, Sink, Source, Switch,
};
use sanlab_fc::{BusModel, ExchangeIds, Generator, Interleave, IoBus, NPort};
use sanlab_host::{
    AccessLine, AccessSpec, Adapter, Addresses, BlockLayer, CpuCosts, Extent, Host, Job,
    JobSettings, Pacing, Pattern, Region, Runs, Stream, StreamKind, Volume, Walk,
};
use sanlab_kernel::{Agenda, Arena, NEVER, RandomStream, Rate, Station, Zipf, id_of};
use sanlab_metrics::FrameLatencies;
use sanlab_scsi::Exchanges;
use sanlab_storage::{
    Array, BackEnd, Cache, Disk, Failing, Flash, FlashModel, Group, Level, Lun, Media, Mirror,
    PageCache, PageCacheModel, Partner, RaidMapping, Ram, Rebuild, Stripe, WriteStrategy,
};

use crate::build_loops::{add_loop, fault_of};
use crate::build_paths::device_of;
use crate::check::PlanError;
use crate::drive::drive_model;
use crate::event::Event;
use crate::faults::Faults;
use crate::file_system::FileSystem;
use crate::plan::{
    AccessLinePlan, AddressPlan, ArrayPlan, Distribution, EndPlan, FlashPlan, GroupPlan, JobPlan,
    LunPlan, MediaPlan, PageCachePlan, PatternPlan, Plan, StreamPlan, SubmissionPlan, TargetPlan,
    TrafficPlan, WriteStrategyPlan,
};
use crate::qos;
use crate::series::Series;
use crate::services::{Services, has_dialogues};
use crate::tables;
use crate::workload::WorkloadState;
use crate::world::{JobVolume, RunningJob, World};

/// Number of the flow that a mirror's frames are counted under: workloads come first, then traffic,
/// then mirrors in the order of arrays and LUNs.
pub(crate) fn mirror_flows(plan: &Plan) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
    let first = plan.workloads.len() + plan.traffic.len();
    let luns = plan.arrays.iter().enumerate().flat_map(|(array, of)| {
        let mirrored = of
            .luns
            .iter()
            .enumerate()
            .filter(|(_, lun)| lun.mirror.is_some());
        mirrored.map(move |(lun, _)| (array, lun))
    });
    luns.enumerate()
        .map(move |(index, (array, lun))| (id_of(first + index), array, lun))
}

/// Number of the flow of each array with loops to its disks; they come after the mirrors.
pub(crate) fn back_end_flows(plan: &Plan) -> impl Iterator<Item = (u32, usize)> + '_ {
    let first = plan.workloads.len() + plan.traffic.len() + mirror_flows(plan).count();
    let arrays = plan.arrays.iter().enumerate();
    let on_loops = arrays.filter(|(_, of)| of.back_end.is_some());
    let numbered = on_loops.enumerate();
    numbered.map(move |(index, (array, _))| (id_of(first + index), array))
}

/// Number of the flow that frames of services are counted under; it comes after all others.
fn services_flow(plan: &Plan) -> u32 {
    let flows = plan.workloads.len() + plan.traffic.len();
    id_of(flows + mirror_flows(plan).count() + back_end_flows(plan).count())
}

pub(crate) fn build<const E: bool>(plan: &Plan) -> Result<World<E>, PlanError> {
    let network = network_of(plan).build::<E>();
    let mut world = World {
        network,
        agenda: Agenda::new(),
        hosts: Vec::new(),
        adapters: Vec::new(),
        jobs: Vec::new(),
        arrays: arrays_of(plan)?,
        exchanges: Exchanges::default(),
        requests: Arena::default(),
        tasks: Arena::default(),
        operations: Vec::new(),
        exchange_ids: vec![ExchangeIds::default(); plan.n_ports.len()],
        port_of_array: ports_of_arrays(plan),
        workloads: plan
            .workloads
            .iter()
            .map(|_| WorkloadState::default())
            .collect(),
        latencies: FrameLatencies::new(
            plan.workloads.len()
                + plan.traffic.len()
                + mirror_flows(plan).count()
                + back_end_flows(plan).count()
                + usize::from(has_dialogues(plan)),
        ),
        series: Series::new(plan.interval_ps, tables::fibres(plan)),
        data_frame_bytes: plan.data_frame_bytes,
        exchanges_opened: 0,
        exchanges_closed: 0,
        events: 0,
        last_arrival_at: 0,
        failure: None,
        loop_faults: plan.loop_faults.iter().map(fault_of).collect(),
        file_systems: plan.file_systems.iter().map(FileSystem::new).collect(),
        faults: Faults::new(plan),
        services: Services::new(plan, services_flow(plan)),
        paths: Vec::new(),
        devices: Vec::new(),
    };
    add_hosts(&mut world, plan);
    add_failures(&mut world);
    for job in &plan.jobs {
        add_job(&mut world, plan, job);
    }
    check_reachable(&world, plan)?;
    qos::put_in_force(&mut world, plan);
    world.arm(plan);
    world.begin_dialogues(plan);
    Ok(world)
}

fn network_of(plan: &Plan) -> NetworkBuilder {
    let mut builder = NetworkBuilder {
        n_ports: plan
            .n_ports
            .iter()
            .map(|port| n_port_of(port, plan.data_frame_bytes))
            .collect(),
        addresses: plan.n_ports.iter().map(|port| port.fc_id).collect(),
        sharers: (0..)
            .zip(&plan.n_ports)
            .filter_map(|(id, port)| Some((id, port.shares?)))
            .collect(),
        switches: plan.switches.iter().map(switch_of).collect(),
        loops: Loops::new(plan.n_ports.len()),
        spare_loops: plan.loop_faults.len(),
        ..NetworkBuilder::default()
    };
    for link in &plan.links {
        let rate = Rate::from_bytes_per_s(link.bytes_per_s);
        for (from, to, credit) in [
            (link.a, link.b, link.credit_a_to_b),
            (link.b, link.a, link.credit_b_to_a),
        ] {
            let source = match from {
                EndPlan::NPort(id) => Source::NPort(id),
                EndPlan::Switch { .. } => Source::Switch,
            };
            let sink = match to {
                EndPlan::NPort(id) => Sink::NPort(id),
                EndPlan::Switch { switch, port } => Sink::Switch { switch, port },
            };
            let fibre = Fibre::new(source, sink, rate, link.gap_bytes, link.delay_ps, credit);
            builder.fibres.push(fibre);
        }
        builder.costs.push(link.fspf_cost);
        qos::add_trunk(&mut builder, link);
    }
    add_buses(&mut builder, plan);
    qos::add_policies(&mut builder, plan);
    for of in &plan.loops {
        add_loop(&mut builder, of);
    }
    for (index, traffic) in plan.traffic.iter().enumerate() {
        let flow = id_of(plan.workloads.len() + index);
        let generator = generator_of(traffic, flow, plan.seed);
        builder.n_ports[traffic.source_n_port as usize].add_generator(generator);
    }
    builder
}

fn add_buses(builder: &mut NetworkBuilder, plan: &Plan) {
    for host in &plan.hosts {
        let first = id_of(builder.buses.segments.len());
        let segments = host.buses.iter().map(|bus| {
            IoBus::new(BusModel {
                rate: Rate::from_bytes_per_s(bus.bytes_per_s),
                burst: bus.burst_bytes,
                fetch_overhead: bus.fetch_overhead_ps,
                store_overhead: bus.store_overhead_ps,
                is_full_duplex: bus.full_duplex,
            })
        });
        builder.buses.segments.extend(segments);
        for adapter in &host.adapters {
            let Some(bus) = adapter.bus else { continue };
            let port = id_of(builder.buses.ports.len());
            let n_port = &mut builder.n_ports[adapter.n_port as usize];
            *n_port = n_port.clone().behind_bus(port);
            let bus_port = BusPort::new(adapter.n_port, first + bus);
            builder.buses.ports.push(bus_port);
        }
    }
}

fn n_port_of(port: &crate::plan::NPortPlan, data_frame_bytes: u32) -> NPort {
    let interleave = match port.interleave {
        crate::plan::Interleave::Sequence => Interleave::Sequence,
        crate::plan::Interleave::Frame => Interleave::Frame,
        crate::plan::Interleave::Control => Interleave::Control,
    };
    let drain =
        (port.drain_bytes_per_s > 0).then(|| Rate::from_bytes_per_s(port.drain_bytes_per_s));
    NPort::new(
        data_frame_bytes,
        port.tx_buffers,
        port.class3_sequences,
        interleave,
    )
    .receiving(port.rx_hold_ps, drain)
}

fn switch_of(switch: &crate::plan::SwitchPlan) -> Switch {
    let forwarding = if switch.cut_through {
        Forwarding::CutThrough
    } else {
        Forwarding::StoreAndForward
    };
    let policy = match switch.routing {
        crate::plan::RoutePolicy::OnePath => RoutePolicy::OnePath,
        crate::plan::RoutePolicy::IngressPort => RoutePolicy::IngressPort,
        crate::plan::RoutePolicy::Destination => RoutePolicy::Destination,
        crate::plan::RoutePolicy::SourceDestination => RoutePolicy::SourceDestination,
        crate::plan::RoutePolicy::Exchange => RoutePolicy::Exchange,
    };
    let made = Switch::new(
        switch.domain,
        forwarding,
        switch.forwarding_ps,
        policy,
        switch.ports as usize,
    );
    qos::classed(made, switch)
}

fn generator_of(traffic: &TrafficPlan, flow: u32, seed: u64) -> Generator {
    Generator {
        flow,
        destination: traffic.target_n_port,
        payload_bytes: traffic.payload_bytes,
        left: if traffic.frames == 0 {
            u64::MAX
        } else {
            traffic.frames
        },
        interval: traffic.interval_ps,
        draws: (traffic.interval_distribution == Distribution::Exponential)
            .then(|| RandomStream::new(seed, &format!("traffic/{}", traffic.name))),
        next_at: traffic.start_ps,
        sent: 0,
    }
}

fn arrays_of(plan: &Plan) -> Result<Vec<Array>, PlanError> {
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

/// Drives that fail do so by events of their array.
fn add_failures<const E: bool>(world: &mut World<E>) {
    for (number, array) in (0..).zip(&world.arrays) {
        for (group, of) in (0..).zip(&array.groups) {
            for failing in &of.failing {
                let event = Event::DriveFails(number, group);
                world.agenda.schedule(failing.at, array.first_n_port, event);
            }
        }
    }
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
    let mut made = Group::new(mapping, &group.disks, strategy);
    made.failing = group
        .failing
        .iter()
        .map(|it| Failing {
            slot: it.slot,
            at: it.at_ps,
        })
        .collect();
    made.failing.sort_by_key(|failing| failing.at);
    made.rebuilds = group
        .rebuilds
        .iter()
        .map(|it| {
            let rate = if it.bytes_per_s == 0 {
                u64::MAX
            } else {
                it.bytes_per_s
            };
            let size = (group.rows, group.unit_bytes);
            Rebuild::new(it.slot, it.spare, size, it.delay_ps).paced(rate, it.step_bytes, it.steps)
        })
        .collect();
    made
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

/// Equal drives share their model; each has its platter somewhere else.
fn disks_of(array: &ArrayPlan, seed: u64) -> Result<Vec<Disk>, PlanError> {
    let mut models = Vec::with_capacity(array.drives.len());
    for drive in &array.drives {
        models.push(Arc::new(drive_model(drive, &drive.name)?));
    }
    // The spindles of a group of RAID 3 turn in lock step.
    let mut spindles: Vec<&str> = array.disks.iter().map(|disk| disk.name.as_str()).collect();
    for group in array.groups.iter().filter(|group| group.level == 3) {
        let spares = group.rebuilds.iter().map(|it| &it.spare);
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
            let made = Ram::new(ram.ports, ram.command_ps, ram.latency_ps, rate);
            Media::Ram(Box::new(made.drawn(draws)))
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

fn ports_of_arrays(plan: &Plan) -> Vec<u32> {
    let mut place = vec![0; plan.n_ports.len()];
    for array in &plan.arrays {
        for (index, &n_port) in array.n_ports.iter().enumerate() {
            place[n_port as usize] = id_of(index);
        }
    }
    place
}

fn add_hosts<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for host in &plan.hosts {
        let first = id_of(world.adapters.len());
        for adapter in &host.adapters {
            let costs = (adapter.submit_ps, adapter.complete_ps);
            world.adapters.push(Adapter::new(
                adapter.n_port,
                costs,
                adapter.max_commands,
                adapter.lun_queue_depth,
            ));
            if let Some(added) = world.adapters.last_mut() {
                added.command_timeout = adapter.command_timeout_ps;
                added.path_timeout = adapter.path_timeout_ps;
                added.retries = adapter.retries;
                added.transfer = adapter.transfer_ps;
                added.latency = adapter.latency_ps;
                added.interrupt_delay = adapter.interrupt_delay_ps;
            }
        }
        world.hosts.push(Host {
            cpu: Station::settling(host.cores),
            costs: CpuCosts::new(
                (host.cpu_submit_ps, host.cpu_complete_ps),
                host.cpu_command_ps,
                host.cpu_interrupt_ps,
            ),
            block_layer: BlockLayer {
                max_request: or_never(host.max_request_bytes),
                is_serial: host.submission == SubmissionPlan::Serial,
            },
            adapters: (first..id_of(world.adapters.len())).collect(),
        });
    }
}

fn add_job<const E: bool>(world: &mut World<E>, plan: &Plan, job: &JobPlan) {
    let devices: Vec<u32> = (0..)
        .zip(targets_of(job))
        .map(|(number, target)| device_of(world, plan, job, number, &target))
        .collect();
    let id = id_of(world.jobs.len());
    world.jobs.push(RunningJob {
        job: Job::new(settings_of(job), plan.seed, &job.name).after(pattern_of(job)),
        workload: job.workload,
        host: job.host,
        devices,
        volume: job.volume.map(|volume| JobVolume {
            map: Volume::new(extents_of(job), volume.stripe_bytes),
            copies: if volume.is_mirror {
                job.targets.len() as u64
            } else {
                1
            },
        }),
        file_system: job.file_system,
        first_write: job.first_write,
        token_at: 0,
        totals: Default::default(),
    });
    if let Some(of) = job.file_system.filter(|_| job.journal_every > 0) {
        world.file_systems[of as usize].add_journal(id, job.journal_every);
    }
    let n_port = world.component(id);
    let of_devices = world.jobs[id as usize].devices.iter();
    let routes = of_devices.flat_map(|&device| &world.devices[device as usize].routes);
    let mut ports: Vec<u32> = routes
        .map(|route| world.paths[route.path as usize].initiator)
        .collect();
    ports.sort_unstable();
    ports.dedup();
    if !world.services.hold(id, &ports) {
        world
            .agenda
            .schedule(job.start_ps, n_port, Event::JobStart(id));
    }
}

/// LUNs a job uses; of blocks on one LUN, that one.
pub(crate) fn targets_of(job: &JobPlan) -> Vec<TargetPlan> {
    if job.pattern != PatternPlan::Blocks || job.volume.is_some() {
        return job.targets.clone();
    }
    vec![TargetPlan {
        adapter: job.adapter,
        target_n_port: job.target_n_port,
        array: job.array,
        lun: job.lun,
        offset_bytes: job.offset_bytes,
        span_bytes: job.span_bytes,
    }]
}

fn extents_of(job: &JobPlan) -> Vec<Extent> {
    let extents = job.targets.iter().map(|target| Extent {
        offset: target.offset_bytes,
        bytes: target.span_bytes,
    });
    extents.collect()
}

fn pattern_of(job: &JobPlan) -> Pattern {
    match &job.pattern {
        PatternPlan::Blocks => Pattern::Blocks,
        PatternPlan::Access { lines } => {
            let regions = job.targets.iter().map(|target| Region {
                offset: target.offset_bytes,
                span: target.span_bytes,
            });
            Pattern::Access(Box::new(AccessSpec::new(
                lines.iter().map(line_of).collect(),
                regions.collect(),
                depth_of(job),
            )))
        }
        PatternPlan::Stream {
            stripe_bytes,
            requests,
        } => {
            let extents = job.targets.iter().map(|target| Extent {
                offset: target.offset_bytes,
                bytes: target.span_bytes,
            });
            Pattern::Stream(Box::new(Stream::new(
                kind_of(requests, job.span_bytes),
                job.read_ppm,
                job.block_bytes,
                (job.offset_bytes, job.span_bytes),
                Volume::new(extents.collect(), *stripe_bytes),
            )))
        }
    }
}

fn line_of(line: &AccessLinePlan) -> AccessLine {
    AccessLine {
        bytes: line.bytes,
        share_ppm: line.share_ppm,
        read_ppm: line.read_ppm,
        random_ppm: line.random_ppm,
        delay: line.delay_ps,
        burst: line.burst,
        align: line.align_bytes,
        reply: line.reply_bytes,
    }
}

fn kind_of(requests: &StreamPlan, span: u64) -> StreamKind {
    match requests {
        StreamPlan::Uniform { align_bytes } => StreamKind::Uniform {
            align: *align_bytes,
        },
        StreamPlan::Walk { walkers } => StreamKind::Walk(Walk::new(span, *walkers)),
        StreamPlan::Runs {
            runs,
            run_bytes,
            sizes,
        } => {
            let sizes = sizes.iter().map(|size| (size.bytes, size.share_ppm));
            StreamKind::Runs(Runs::new(sizes.collect(), *run_bytes, *runs))
        }
    }
}

fn depth_of(job: &JobPlan) -> u32 {
    if job.iodepth == 0 {
        u32::MAX
    } else {
        job.iodepth
    }
}

/// A limit; 0 in a plan is none.
fn or_never(limit: u64) -> u64 {
    if limit == 0 { NEVER } else { limit }
}

fn settings_of(job: &JobPlan) -> JobSettings {
    JobSettings {
        read_ppm: job.read_ppm,
        addresses: match (job.random, job.address) {
            (false, _) => Addresses::Sequential,
            (true, AddressPlan::Uniform) => Addresses::Uniform,
            (true, AddressPlan::Zipf { theta_milli }) => {
                let blocks = (job.span_bytes / job.block_bytes).max(1);
                Addresses::Zipf(Zipf::new(blocks, f64::from(theta_milli) / 1000.0))
            }
        },
        block_bytes: job.block_bytes,
        iodepth: depth_of(job),
        total_bytes: or_never(job.total_bytes),
        offset: job.offset_bytes,
        span: job.span_bytes,
        counted_from: job.start_ps.saturating_add(job.ramp_ps),
        stop_at: or_never(job.stop_ps),
        pacing: (job.interval_ps > 0).then_some(Pacing {
            interval: job.interval_ps,
            is_poisson: job.interval_distribution == Distribution::Exponential,
        }),
        think: job.think_ps,
        is_on_demand: job.journal_every > 0,
    }
}

/// Both directions of every conversation need a route.
fn check_reachable<const E: bool>(world: &World<E>, plan: &Plan) -> Result<(), PlanError> {
    // Where the fabric is not whole from the beginning, a run shows what becomes of it.
    if plan.faults.is_armed {
        return Ok(());
    }
    let jobs = world
        .jobs
        .iter()
        .zip(&plan.jobs)
        .flat_map(|(running, job)| {
            let devices = running
                .devices
                .iter()
                .map(|&id| &world.devices[id as usize]);
            let routes = devices.flat_map(|device| &device.routes);
            routes.map(|route| {
                let path = &world.paths[route.path as usize];
                (path.initiator, path.target, job.name.clone())
            })
        });
    let mirrors = plan
        .arrays
        .iter()
        .flat_map(|array| &array.luns)
        .filter_map(|lun| {
            let mirror = lun.mirror.as_ref()?;
            Some((mirror.source_n_port, mirror.target_n_port, lun.name.clone()))
        });
    let traffic = plan
        .traffic
        .iter()
        .map(|it| (it.source_n_port, it.target_n_port, it.name.clone()));
    let back_ends = plan.arrays.iter().flat_map(|array| {
        let of = array.back_end.iter();
        of.flat_map(move |back_end| {
            back_end.disks.iter().flat_map(move |ports| {
                let paths = back_end.initiators.iter().zip(ports);
                paths.map(move |(&from, &to)| (from, to, array.name.clone()))
            })
        })
    });
    for (from, to, name) in jobs.chain(mirrors).chain(traffic).chain(back_ends) {
        let both = world.network.is_reachable(from, to) && world.network.is_reachable(to, from);
        if !both {
            let ports = &plan.n_ports;
            let (from, to) = (&ports[from as usize].name, &ports[to as usize].name);
            let reason = format!("no path between {from} and {to}");
            return Err(PlanError {
                place: name,
                reason,
            });
        }
    }
    Ok(())
}
