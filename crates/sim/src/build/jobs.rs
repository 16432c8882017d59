//! Jobs of a plan become models, each with the LUNs it uses.

use sanlab_host::{
    AccessLine, AccessSpec, Addresses, Extent, Job, JobSettings, Pacing, Pattern, Region, Replay,
    Runs, Stream, StreamKind, Target, Trace, Volume, Walk,
};
use sanlab_kernel::{Id, IdVec, Instant, Load, Span, Zipf};

use crate::host::order::Order;
use crate::host::running_job::{JobVolume, RunningJob};
use crate::host::state::HostParts;
use crate::plan::{
    AccessLinePlan, AddressPlan, Distribution, FileSystemUsePlan, JobPlan, LoadPlan, PatternPlan,
    Plan, ReplayPlan, StreamPlan, VolumePlan,
};
use crate::trace_table::TraceTables;

use super::paths::Devices;

/// Jobs with the LUNs they use and the paths to them.
pub(super) fn add_jobs(parts: &mut HostParts, plan: &Plan, tables: &TraceTables) {
    let mut devices = Devices::default();
    parts.order = Order::new(plan);
    for (place, job) in plan.jobs.iter().enumerate() {
        let settings = settings_of(job);
        let pattern = match replay_of(job) {
            Some((count, replay)) => {
                let table = tables.of_job(place);
                Pattern::Trace(Box::new(Trace::new(table, count, replay, job.offset_bytes)))
            }
            None => pattern_of(job),
        };
        let model = Job::new(settings, plan.seed, &job.name).after(pattern);
        add_job(parts, &mut devices, plan, (job, model));
    }
}

/// The requests of a job that replays a trace, and when it makes them.
pub(crate) fn replay_of(job: &JobPlan) -> Option<(u64, Replay)> {
    let PatternPlan::Trace {
        requests, replay, ..
    } = &job.pattern
    else {
        return None;
    };
    let replay = match replay {
        ReplayPlan::Timed { speed_ppm } => Replay::Timed {
            speed_ppm: speed_ppm.get(),
        },
        ReplayPlan::Asap {} => Replay::Asap,
        ReplayPlan::Closed {} => Replay::Closed,
    };
    Some((requests.get(), replay))
}

fn add_job(parts: &mut HostParts, known: &mut Devices, plan: &Plan, (job, model): (&JobPlan, Job)) {
    let targets = job.targets.iter();
    let devices: IdVec<Target, _> = targets
        .map(|target| known.device_of(parts, plan, job, target))
        .collect();
    let first_path = parts.devices[devices[Id::new(0)]].routes[Id::new(0)];
    // A job whose requests have times of their own does not make the first ones by turns.
    let is_timed = model.is_timed_replay();
    let id = parts.jobs.push(RunningJob {
        job: model,
        workload: Id::new(job.workload),
        host: Id::new(job.host),
        component: parts.adapters[first_path.adapter].n_port.same(),
        devices,
        volume: job.volume.map(|volume| Box::new(volume_of(job, volume))),
        file_system: job.file_system.map(|of| Id::new(of.file_system())),
        first_write: matches!(
            job.file_system,
            Some(FileSystemUsePlan::Data {
                first_write: true,
                ..
            })
        ),
        is_awaited: parts.order.is_awaited(Id::new(job.workload)),
        is_filling: !is_timed,
        token_at: Instant::START,
        asked: 0,
        last_asked_at: Instant::START,
        drift: is_timed.then(Box::default),
        totals: Default::default(),
        open_at_first: [0; 2],
        open_at_last: [0; 2],
    });
    if let Some(FileSystemUsePlan::Journal { file_system, every }) = job.file_system {
        parts.file_systems[Id::new(file_system)].add_journal(id.same(), every.get());
    }
}

fn extents_of(job: &JobPlan) -> IdVec<Target, Extent> {
    let extents = job.targets.iter().map(|target| Extent {
        offset: target.offset_bytes,
        bytes: target.span_bytes,
    });
    extents.collect()
}

fn volume_of(job: &JobPlan, volume: VolumePlan) -> JobVolume {
    let (stripe_bytes, copies) = match volume {
        VolumePlan::Stripe { stripe_bytes } => (stripe_bytes.get(), 1),
        VolumePlan::Concat {} => (0, 1),
        VolumePlan::Mirror {} => (0, job.targets.len() as u64),
    };
    JobVolume {
        map: Volume::new(extents_of(job), stripe_bytes),
        copies,
    }
}

fn pattern_of(job: &JobPlan) -> Pattern {
    match &job.pattern {
        PatternPlan::Blocks {} | PatternPlan::Trace { .. } => Pattern::Blocks,
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
        } => Pattern::Stream(Box::new(Stream::new(
            kind_of(requests, job.span_bytes),
            job.read_ppm,
            job.block_bytes.get(),
            (job.offset_bytes, job.span_bytes),
            Volume::new(extents_of(job), stripe_bytes.map_or(0, u64::from)),
        ))),
    }
}

fn line_of(line: &AccessLinePlan) -> AccessLine {
    AccessLine {
        bytes: line.bytes.get(),
        share_ppm: line.share_ppm,
        read_ppm: line.read_ppm,
        random_ppm: line.random_ppm,
        delay: Span::from_ps(line.delay_ps),
        burst: line.burst.get(),
        align: line.align_bytes.get(),
        reply: line.reply_bytes.map_or(0, u32::from),
    }
}

fn kind_of(requests: &StreamPlan, span: u64) -> StreamKind {
    match requests {
        StreamPlan::Uniform { align_bytes } => StreamKind::Uniform {
            align: align_bytes.get(),
        },
        StreamPlan::Walk { walkers } => StreamKind::Walk(Walk::new(span, walkers.get())),
        StreamPlan::Runs {
            runs,
            run_bytes,
            sizes,
        } => {
            let sizes = sizes.iter().map(|size| (size.bytes.get(), size.share_ppm));
            StreamKind::Runs(Runs::new(sizes.collect(), *run_bytes, runs.get()))
        }
    }
}

fn depth_of(job: &JobPlan) -> u32 {
    job.iodepth.map_or(u32::MAX, u32::from)
}

pub(super) fn load_of(load: &LoadPlan) -> Load {
    let points = load.points.iter();
    let points: Vec<_> = points
        .map(|point| (Span::from_ps(point.at_ps), point.share_ppm))
        .collect();
    Load::new(&points, load.repeats)
}

fn settings_of(job: &JobPlan) -> JobSettings {
    JobSettings {
        read_ppm: job.read_ppm,
        addresses: match job.addresses {
            AddressPlan::Sequential {} => Addresses::Sequential,
            AddressPlan::Uniform {} => Addresses::Uniform,
            AddressPlan::Zipf { theta_milli } => {
                let blocks = job.span_bytes / job.block_bytes;
                Addresses::Zipf(Zipf::new(blocks, f64::from(theta_milli) / 1000.0))
            }
        },
        block_bytes: job.block_bytes.get(),
        iodepth: depth_of(job),
        total_bytes: job.total_bytes.map_or(u64::MAX, u64::from),
        offset: job.offset_bytes,
        span: job.span_bytes,
        counted_from: Instant::from_ps(job.start_ps).saturating_add(Span::from_ps(job.ramp_ps)),
        stop_at: job
            .stop_ps
            .map_or(Instant::NEVER, |at| Instant::from_ps(at.get())),
        pacing: job.arrivals.map(|arrivals| Pacing {
            interval: Span::from_ps(arrivals.interval_ps.get()),
            is_poisson: arrivals.distribution == Distribution::Exponential,
        }),
        load: job.load.as_ref().map(load_of).map(Box::new),
        think: Span::from_ps(job.think_ps),
        is_on_demand: job.is_journal(),
    }
}
