//! What jobs ask for: volumes, access specifications, streams.

use crate::plan::{
    AccessLinePlan, JobPlan, PatternPlan, PlanError, ReplayPlan, StreamPlan, TargetPlan, VolumePlan,
};

use super::bounds::{LARGEST_REQUEST, WHOLE_PPM, Within, require, share, span};

/// Walkers of a stream, runs at a time, sizes to choose from. A scenario has at most 100,000 walkers.
const MOST_AT_ONCE: u64 = 1 << 17;
/// Largest region of a stream of walks: 2^32 leaves of 8 blocks of 4 KiB would be 128 TiB; its table
/// of places takes 8 bytes a leaf.
const MOST_LEAVES: u64 = 1 << 28;

/// I/Os that a job may have open at once. An open loop counts one.
pub(super) fn open_ios(job: &JobPlan) -> u64 {
    let depth = job.iodepth.map_or(1, |depth| u64::from(depth.get()));
    match job.pattern {
        PatternPlan::Access { .. } => depth.saturating_mul(job.targets.len() as u64),
        _ => depth,
    }
}

pub(super) fn check(job: &JobPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    match &job.pattern {
        PatternPlan::Blocks {} => blocks(job, place),
        PatternPlan::Trace {
            digest,
            length_ps,
            replay,
            ..
        } => trace(job, (digest, *length_ps, *replay), place),
        PatternPlan::Access { lines } => access(job, lines, place),
        PatternPlan::Stream {
            stripe_bytes,
            requests,
        } => {
            let stripe = stripe_bytes.map(|bytes| VolumePlan::Stripe {
                stripe_bytes: bytes,
            });
            let layout = stripe.unwrap_or(VolumePlan::Concat {});
            volume(job, layout, |key| place(key))?;
            stream(job, requests, place)
        }
    }
}

fn blocks(job: &JobPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    if let Some(layout) = job.volume {
        return volume(job, layout, place);
    }
    require(
        job.targets.len() == 1,
        || place("targets"),
        || "blocks are on one LUN or on a volume".into(),
    )?;
    let region = (job.offset_bytes, job.span_bytes);
    let target = &job.targets[0];
    require(
        region == (target.offset_bytes, target.span_bytes),
        || place("span_bytes"),
        || "it is not the region of the job's LUN".into(),
    )
}

fn trace(
    job: &JobPlan,
    (digest, length_ps, replay): (&str, u64, ReplayPlan),
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let is_digest = digest.len() == 32
        && digest
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    require(
        is_digest,
        || place("pattern.digest"),
        || "a digest has 32 hexadecimal digits".into(),
    )?;
    require(
        job.arrivals.is_none() && job.think_ps == 0,
        || place("arrivals"),
        || "a trace has times of its own".into(),
    )?;
    let due = match replay {
        ReplayPlan::Timed { speed_ppm } => {
            let scaled = u128::from(length_ps) * 1_000_000 / u128::from(speed_ppm.get());
            u64::try_from(scaled).unwrap_or(u64::MAX)
        }
        ReplayPlan::Asap {} | ReplayPlan::Closed {} => 0,
    };
    span(due, || place("pattern.length_ps"))?;
    blocks(job, place)
}

/// The region of the job is on the volume that its LUNs form.
fn volume(
    job: &JobPlan,
    layout: VolumePlan,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let spans = || job.targets.iter().map(|target| target.span_bytes);
    let sum = spans().fold(0, u64::saturating_add);
    let whole = match layout {
        VolumePlan::Stripe { stripe_bytes } => {
            let first = job.targets[0].span_bytes;
            let is_even =
                spans().all(|span| span == first) && first.is_multiple_of(stripe_bytes.get());
            require(
                is_even,
                || place("targets"),
                || "striped regions have one size, a multiple of the stripe".into(),
            )?;
            sum
        }
        VolumePlan::Concat {} => sum,
        VolumePlan::Mirror {} => spans().min().unwrap_or(0),
    };
    require(
        spans().all(|span| span > 0),
        || place("targets"),
        || "a member of a volume has a size".into(),
    )?;
    require(
        job.offset_bytes.saturating_add(job.span_bytes) <= whole,
        || place("span_bytes"),
        || "the region is not on the volume".into(),
    )
}

fn access(
    job: &JobPlan,
    lines: &[AccessLinePlan],
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    let shares: u64 = lines.iter().map(|line| u64::from(line.share_ppm)).sum();
    require(
        shares == WHOLE_PPM,
        || place("pattern.lines"),
        || format!("shares sum to {shares}, not to {WHOLE_PPM}"),
    )?;
    // A request of an access specification frees its slot when it is done, not after a pause.
    job.think_ps.within(0, 0, || place("think_ps"))?;
    for (number, line) in lines.iter().enumerate() {
        let at = |key: &str| place(&format!("pattern.lines[{number}].{key}"));
        share(line.read_ppm, || at("read_ppm"))?;
        share(line.random_ppm, || at("random_ppm"))?;
        span(line.delay_ps, || at("delay_ps"))?;
        line.bytes.within(1, LARGEST_REQUEST, || at("bytes"))?;
        line.reply_bytes
            .within(1, LARGEST_REQUEST, || at("reply_bytes"))?;
        let fits = job.targets.iter().all(|target| line_fits(line, target));
        require(
            fits,
            || at("align_bytes"),
            || "no aligned request fits into a region".into(),
        )?;
    }
    Ok(())
}

fn line_fits(line: &AccessLinePlan, target: &TargetPlan) -> bool {
    let reply = line.reply_bytes.map_or(0, |bytes| u64::from(bytes.get()));
    let largest = line.bytes.get().max(reply);
    let first = (target.offset_bytes).checked_next_multiple_of(line.align_bytes.get());
    let end = target.offset_bytes + target.span_bytes;
    target.span_bytes > 0 && first.is_some_and(|first| first.saturating_add(largest) <= end)
}

fn stream(
    job: &JobPlan,
    requests: &StreamPlan,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    match requests {
        StreamPlan::Uniform { .. } => Ok(()),
        StreamPlan::Walk { walkers } => {
            walkers.within(1, MOST_AT_ONCE, || place("pattern.requests.walkers"))?;
            let leaf = 8 * sanlab_host::BLOCK_BYTES;
            job.span_bytes
                .within(leaf, leaf * MOST_LEAVES, || place("span_bytes"))
        }
        StreamPlan::Runs {
            runs,
            run_bytes,
            sizes,
        } => {
            runs.within(1, MOST_AT_ONCE, || place("pattern.requests.runs"))?;
            run_bytes.within(1, job.span_bytes, || place("pattern.requests.run_bytes"))?;
            let largest = LARGEST_REQUEST.min(run_bytes - 1);
            for (number, size) in sizes.iter().enumerate() {
                size.bytes.within(1, largest, || {
                    place(&format!("pattern.requests.sizes[{number}].bytes"))
                })?;
            }
            let shares: u64 = sizes.iter().map(|size| u64::from(size.share_ppm)).sum();
            require(
                shares == WHOLE_PPM,
                || place("pattern.requests.sizes"),
                || format!("shares sum to {shares}, not to {WHOLE_PPM}"),
            )
        }
    }
}
