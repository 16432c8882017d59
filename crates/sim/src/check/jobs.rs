//! Workloads and jobs.

use crate::plan::{
    AddressPlan, ArrayPlan, HostPlan, JobPlan, PatternPlan, Plan, PlanError, ReplayPlan, TargetPlan,
};

use super::bounds::{
    LARGEST_LUN, LARGEST_REQUEST, Within, fields, instant, known, require, share, span,
};
use super::fabric::n_port;
use super::loads::check_load;
use super::patterns;

/// I/Os that may be open at once, of all jobs together; each takes about 400 bytes. A run fails at
/// this number.
const MOST_OPEN: u64 = 10_000_000;
/// Highest exponent of Zipf's law, in thousandths.
const STEEPEST_ZIPF: u64 = 100_000;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    workloads(plan)?;
    phases(plan)?;
    for (index, of) in plan.file_systems.iter().enumerate() {
        let place = |key: &str| format!("file_systems[{index}].{key}");
        fields!(span, of, place; allocation_ps, message_ps);
    }
    let mut open = 0;
    for (index, job) in plan.jobs.iter().enumerate() {
        let place = |key: &str| format!("jobs[{index}].{key}");
        check_job(plan, job, place)?;
        open += patterns::open_ios(job);
        require(
            open <= MOST_OPEN,
            || place("iodepth"),
            || format!("more than {MOST_OPEN} I/Os may be open at once"),
        )?;
    }
    Ok(())
}

fn workloads(plan: &Plan) -> Result<(), PlanError> {
    for (index, workload) in plan.workloads.iter().enumerate() {
        for &before in &workload.after {
            known(before, plan.workloads.len(), "workload", || {
                format!("workloads[{index}].after")
            })?;
            require(
                plan.jobs.iter().any(|job| job.workload == before),
                || format!("workloads[{index}].after"),
                || format!("workload {before} has no job that could end"),
            )?;
        }
    }
    in_some_order(plan)?;
    for (index, workload) in plan.workloads.iter().enumerate() {
        let Some(file_system) = workload.file_system else {
            continue;
        };
        known(file_system, plan.file_systems.len(), "file system", || {
            format!("workloads[{index}].file_system")
        })?;
    }
    require(
        plan.workloads
            .is_sorted_by_key(|workload| workload.file_system.is_some()),
        || "workloads".into(),
        || "workloads of file systems come after those of applications".into(),
    )
}

/// No workload waits for itself, through others.
fn in_some_order(plan: &Plan) -> Result<(), PlanError> {
    let mut may_start = vec![false; plan.workloads.len()];
    let mut grows = true;
    while grows {
        grows = false;
        for (index, workload) in plan.workloads.iter().enumerate() {
            let is_next = !may_start[index]
                && workload
                    .after
                    .iter()
                    .all(|&before| may_start[before as usize]);
            may_start[index] |= is_next;
            grows |= is_next;
        }
    }
    let stuck = may_start.iter().position(|&it| !it);
    require(
        stuck.is_none(),
        || format!("workloads[{}].after", stuck.unwrap_or(0)),
        || "it waits for itself, through others".into(),
    )
}

/// Phases are in the order of time and do not overlap.
fn phases(plan: &Plan) -> Result<(), PlanError> {
    let mut ended_at = 0;
    for (index, phase) in plan.phases.iter().enumerate() {
        let place = |key: &str| format!("phases[{index}].{key}");
        fields!(instant, phase, place; from_ps, to_ps);
        let to = phase.to_ps.map_or(u64::MAX, u64::from);
        require(
            phase.from_ps >= ended_at && phase.from_ps < to,
            || place("from_ps"),
            || "a phase begins after the previous one has ended, and before its own end".into(),
        )?;
        ended_at = to;
    }
    Ok(())
}

fn check_job(plan: &Plan, job: &JobPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    known(job.workload, plan.workloads.len(), "workload", || {
        place("workload")
    })?;
    known(job.host, plan.hosts.len(), "host", || place("host"))?;
    require(
        !job.targets.is_empty(),
        || place("targets"),
        || "a job needs a LUN".into(),
    )?;
    let host = &plan.hosts[job.host as usize];
    for (number, target) in job.targets.iter().enumerate() {
        let at = |key: &str| place(&format!("targets[{number}].{key}"));
        check_target(plan, host, job, target, at)?;
    }
    job.block_bytes
        .within(1, LARGEST_REQUEST, || place("block_bytes"))?;
    job.span_bytes
        .within(job.block_bytes.get(), LARGEST_LUN, || place("span_bytes"))?;
    job.offset_bytes
        .within(0, LARGEST_LUN, || place("offset_bytes"))?;
    share(job.read_ppm, || place("read_ppm"))?;
    fields!(instant, job, place; start_ps, stop_ps);
    fields!(span, job, place; ramp_ps, think_ps);
    span(job.arrivals.map(|it| it.interval_ps), || {
        place("arrivals.interval_ps")
    })?;
    if let Some(load) = &job.load {
        check_load(load, job.arrivals.is_some(), &place)?;
    }
    if let AddressPlan::Zipf { theta_milli } = job.addresses {
        theta_milli.within(0, STEEPEST_ZIPF, || place("addresses.theta_milli"))?;
    }
    if let Some(file) = job.file_system {
        known(
            file.file_system(),
            plan.file_systems.len(),
            "file system",
            || place("file_system"),
        )?;
    }
    let has_times = matches!(
        job.pattern,
        PatternPlan::Trace {
            replay: ReplayPlan::Timed { .. },
            ..
        }
    );
    let is_bounded =
        job.iodepth.is_some() || job.arrivals.is_some() || job.is_journal() || has_times;
    require(
        is_bounded,
        || place("iodepth"),
        || "a job without arrivals needs an iodepth".into(),
    )?;
    patterns::check(job, place)
}

fn check_target(
    plan: &Plan,
    host: &HostPlan,
    job: &JobPlan,
    target: &TargetPlan,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    known(target.array, plan.arrays.len(), "array", || place("array"))?;
    let array = &plan.arrays[target.array as usize];
    known(target.lun, array.luns.len(), "LUN of that array", || {
        place("lun")
    })?;
    let lun = &array.luns[target.lun as usize];
    let end = target.offset_bytes.saturating_add(target.span_bytes);
    require(
        end <= lun.bytes,
        || place("span_bytes"),
        || "the region is not on the LUN".into(),
    )?;
    let first = target.paths.first();
    require(
        first.is_some_and(|path| path.group == 0),
        || place("paths"),
        || "the first path to a LUN is of group 0".into(),
    )?;
    for (number, path) in target.paths.iter().enumerate() {
        let at = |key: &str| place(&format!("paths[{number}].{key}"));
        known(
            path.adapter,
            host.adapters.len(),
            "adapter of that host",
            || at("adapter"),
        )?;
        let adapter = host.adapters[path.adapter as usize].n_port;
        check_ports(
            plan,
            array,
            (adapter, path.target_n_port),
            job.initiator,
            at,
        )?;
        require(
            lun.initiators
                .as_ref()
                .is_none_or(|allowed| allowed.contains(&adapter)),
            || at("adapter"),
            || "the LUN is masked from this adapter".into(),
        )?;
    }
    Ok(())
}

fn check_ports(
    plan: &Plan,
    array: &ArrayPlan,
    (adapter, target): (u32, u32),
    initiator: Option<u32>,
    place: impl Fn(&str) -> String,
) -> Result<(), PlanError> {
    require(
        array.n_ports.contains(&target),
        || place("target_n_port"),
        || "it is not a port of that array".into(),
    )?;
    let Some(initiator) = initiator else {
        return Ok(());
    };
    n_port(plan, initiator, || place("adapter"))?;
    require(
        plan.n_ports[initiator as usize].shares == Some(adapter),
        || place("adapter"),
        || format!("the job's N_Port {initiator} shares no link with the adapter"),
    )
}
