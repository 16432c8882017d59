//! Jobs of a plan.

use sanlab_host::{
    AccessLine, AccessSpec, Addresses, Extent, Job, JobSettings, Pacing, Pattern, Region, Runs,
    Stream, StreamKind, Volume, Walk,
};
use sanlab_kernel::{NEVER, Zipf, id_of};

use super::paths::device_of;
use crate::host::running_job::{JobVolume, RunningJob};
use crate::host::state::HostParts;
use crate::plan::{
    AccessLinePlan, AddressPlan, Distribution, JobPlan, PatternPlan, Plan, StreamPlan, TargetPlan,
};

/// A job with the LUNs it uses and the paths to them.
pub(super) fn add_job(parts: &mut HostParts, plan: &Plan, job: &JobPlan) {
    let devices: Vec<u32> = (0..)
        .zip(targets_of(job))
        .map(|(number, target)| device_of(parts, plan, job, number, &target))
        .collect();
    let id = id_of(parts.jobs.len());
    parts.jobs.push(RunningJob {
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
    if let Some(number) = job.file_system.filter(|_| job.journal_every > 0) {
        parts.file_systems[number as usize].add_journal(id, job.journal_every);
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
        } => Pattern::Stream(Box::new(Stream::new(
            kind_of(requests, job.span_bytes),
            job.read_ppm,
            job.block_bytes,
            (job.offset_bytes, job.span_bytes),
            Volume::new(extents_of(job), *stripe_bytes),
        ))),
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

/// A limit; 0 in a plan means none.
pub(super) fn limit(limit: u64) -> u64 {
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
        total_bytes: limit(job.total_bytes),
        offset: job.offset_bytes,
        span: job.span_bytes,
        counted_from: job.start_ps.saturating_add(job.ramp_ps),
        stop_at: limit(job.stop_ps),
        pacing: (job.interval_ps > 0).then_some(Pacing {
            interval: job.interval_ps,
            is_poisson: job.interval_distribution == Distribution::Exponential,
        }),
        think: job.think_ps,
        is_on_demand: job.journal_every > 0,
    }
}
