//! Drives a world to its end and checks what must hold there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use sanlab_fabric::{FabricFault, NoProbe, Probe};
use sanlab_kernel::{Picoseconds, Station, id_of};
use sanlab_metrics::{Capture, CapturePort};
use sanlab_storage::Media;

use crate::build::build;
use crate::check::check;
use crate::outcome::{Check, Outcome, RunError, Summary};
use crate::plan::Plan;
use crate::series::Series;
use crate::tables;
use crate::world::World;

/// How a run goes, to look at and to stop from another thread.
#[derive(Debug, Default)]
pub struct Control {
    /// Simulated time reached.
    pub now_ps: AtomicU64,
    /// Events handled.
    pub events: AtomicU64,
    /// Set to stop the run; what there is becomes its outcome, marked incomplete.
    pub stop: AtomicBool,
}

/// Frames to capture.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// Ends of links: link and end, 0 for `a`, 1 for `b`.
    pub ends: Vec<(u32, u32)>,
    /// File to write.
    pub path: PathBuf,
    /// Most frames to write; the run ends soon after.
    pub limit: u64,
}

/// What a run does besides.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Make every credit return, end of transmission and arrival an event: slow, same result.
    pub every_event: bool,
    /// Capture frames.
    pub capture: Option<CaptureRequest>,
}

/// Events between two looks at [`Control`].
const LOOK_EVERY: u64 = 1 << 14;

/// Simulate a plan.
pub fn run(plan: &Plan, options: &RunOptions, control: &Control) -> Result<Outcome, RunError> {
    check(plan)?;
    if options.every_event {
        run_as::<true>(plan, options, control)
    } else {
        run_as::<false>(plan, options, control)
    }
}

fn run_as<const E: bool>(
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
) -> Result<Outcome, RunError> {
    let world = build::<E>(plan)?;
    let Some(request) = &options.capture else {
        return drive(world, plan, control, &mut NoProbe);
    };
    let failed = |error: &dyn std::fmt::Display| RunError::Capture(error.to_string());
    let file = std::fs::File::create(&request.path).map_err(|error| failed(&error))?;
    let mut capture = Capture::new(
        std::io::BufWriter::new(file),
        &capture_ports(plan, &request.ends),
        2 * plan.links.len(),
        plan.n_ports.iter().map(|port| port.fc_id).collect(),
        plan.arrays
            .iter()
            .map(|it| it.luns.iter().map(|lun| lun.number).collect())
            .collect(),
        request.limit,
    )
    .map_err(|error| failed(&error.0))?;
    let mut outcome = drive(world, plan, control, &mut capture)?;
    outcome.captured = Some(capture.finish().map_err(|error| failed(&error.0))?);
    Ok(outcome)
}

fn capture_ports(plan: &Plan, ends: &[(u32, u32)]) -> Vec<CapturePort> {
    ends.iter()
        .map(|&(link, end)| CapturePort {
            name: tables::port_name(plan, link as usize, end == 1),
            tx_fibre: 2 * link + end,
        })
        .collect()
}

fn drive<const E: bool>(
    mut world: World<E>,
    plan: &Plan,
    control: &Control,
    probe: &mut impl Probe,
) -> Result<Outcome, RunError> {
    #[allow(
        clippy::disallowed_methods,
        reason = "wall time is reported, never simulated with"
    )]
    let started = Instant::now();
    let (now, is_complete) = loop_until_end(&mut world, plan.end_ps, control, probe);
    let wall_s = started.elapsed().as_secs_f64();
    Series::close_until(&mut world, now, true);
    let checks = check_laws(&mut world, plan, now)?;
    let frame_hops = world.network.frame_hops();
    let events = world.network.events() + world.events;
    let summary = Summary {
        fingerprint: format!("{:016x}", world.network.fingerprint.value()),
        simulated_ps: now,
        wall_s,
        events,
        frames: world.network.delivered(),
        frame_hops,
        frame_hops_per_s: frame_hops as f64 / wall_s.max(1e-9),
        events_per_frame_hop: events as f64 / frame_hops.max(1) as f64,
        ios: world.ios(),
        peak_rss_bytes: peak_rss_bytes(),
        is_complete,
        checks,
    };
    Ok(Outcome {
        tables: tables::all(&mut world, plan, now),
        summary,
        captured: None,
    })
}

/// Returns the time of the end, and whether the run got there.
fn loop_until_end<const E: bool>(
    world: &mut World<E>,
    end_at: Picoseconds,
    control: &Control,
    probe: &mut impl Probe,
) -> (Picoseconds, bool) {
    let mut now = 0;
    let mut steps = 0u64;
    loop {
        let next_at = world.next_at();
        if next_at > end_at {
            // Nothing is left to do, or nothing before the end.
            let is_idle = next_at == sanlab_kernel::NEVER;
            let ended = if is_idle {
                now.max(world.last_arrival_at)
            } else {
                end_at
            };
            return (ended.min(end_at), true);
        }
        if world.series.next_at <= next_at && !world.next_is_internal() {
            Series::close_until(world, next_at, false);
        }
        if world.step(next_at, probe) {
            now = next_at;
        }
        steps += 1;
        if steps.is_multiple_of(LOOK_EVERY) {
            control.now_ps.store(now, Ordering::Relaxed);
            control.events.store(steps, Ordering::Relaxed);
            let is_stopped = control.stop.load(Ordering::Relaxed);
            if is_stopped || world.failure.is_some() || probe.is_done() {
                return (now, false);
            }
        }
    }
}

/// Conservation and Little's law, on every part.
fn check_laws<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Result<Vec<Check>, RunError> {
    if let Some(failure) = world.failure.take() {
        return Err(failure.named(plan));
    }
    let credit = world
        .network
        .check()
        .map_err(|fault| name_fault(&fault, plan))?;
    let ok = |name, checked_count| Check {
        name,
        checked_count,
        is_ok: true,
    };
    Ok(vec![
        ok("frames conserved", world.network.delivered()),
        ok("credit conserved", credit),
        ok("exchanges conserved", check_exchanges(world, plan, now)?),
        ok("stages sum to response time", world.ios()),
        ok(
            "Little's law at stations",
            check_stations(world, plan, now)?,
        ),
        ok(
            "Little's law for workloads",
            check_workloads(world, plan, now)?,
        ),
    ])
}

fn name_fault(fault: &FabricFault, plan: &Plan) -> RunError {
    match *fault {
        FabricFault::Frames {
            sent,
            delivered,
            on_the_way,
        } => RunError::Frames {
            sent,
            delivered,
            on_the_way,
        },
        FabricFault::Credit {
            fibre,
            granted,
            known,
            held,
        } => {
            let port = tables::port_name(plan, fibre as usize / 2, fibre % 2 == 1);
            RunError::Credit {
                port,
                granted,
                known,
                held,
            }
        }
    }
}

fn check_exchanges<const E: bool>(
    world: &World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Result<u64, RunError> {
    let (opened, closed) = (world.exchanges_opened, world.exchanges_closed);
    let open = world.network.exchanges.alive() as u64;
    if opened != closed + open {
        return Err(RunError::Exchanges {
            opened,
            closed,
            open,
        });
    }
    check_deadlock(world, plan, now)?;
    Ok(opened)
}

/// Nothing is left that could happen while work is open, or a part of the fabric blocks itself.
fn check_deadlock<const E: bool>(
    world: &World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Result<(), RunError> {
    let name_of = |fibre: u32| tables::port_name(plan, fibre as usize / 2, fibre % 2 == 1);
    let open: u64 = world.workloads.iter().map(|workload| workload.open).sum();
    let on_the_way = world.network.on_the_way();
    let is_idle = world.next_at() == sanlab_kernel::NEVER;
    if is_idle && (open > 0 || on_the_way > 0) {
        let port = name_of(world.network.most_starved(now));
        return Err(RunError::Deadlock {
            open,
            on_the_way,
            port,
        });
    }
    match world.network.deadlocked(now) {
        Some(fibre) => Err(RunError::Circle {
            port: name_of(fibre),
        }),
        None => Ok(()),
    }
}

fn check_stations<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Result<u64, RunError> {
    let mut checked = 0;
    let mut check = |station: &mut Station, name: &dyn Fn() -> String| {
        checked += 1;
        station.check(now).map_err(|missing| RunError::Little {
            station: name(),
            missing,
        })
    };
    for (host, of) in world.hosts.iter_mut().zip(&plan.hosts) {
        check(&mut host.cpu, &|| format!("{} processors", of.name))?;
    }
    for adapter in &mut world.adapters {
        let n_port = adapter.n_port as usize;
        check(&mut adapter.engine, &|| {
            format!("{} engine", plan.n_ports[n_port].name)
        })?;
    }
    for (array, of) in world.arrays.iter_mut().zip(&plan.arrays) {
        check(&mut array.controllers, &|| {
            format!("{} controllers", of.name)
        })?;
        for (disk, of) in array.disks.iter_mut().zip(&of.disks) {
            check(disk.station(), &|| of.name.clone())?;
        }
        for (lun, of) in array.luns.iter_mut().zip(&of.luns) {
            if let Media::Memory { station, .. } = &mut lun.media {
                check(station, &|| of.name.clone())?;
            }
        }
    }
    Ok(checked)
}

fn check_workloads<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Picoseconds,
) -> Result<u64, RunError> {
    let mut open_for = BTreeMap::<u32, u128>::new();
    for (workload, span) in world.open_requests(now) {
        *open_for.entry(workload).or_default() += u128::from(span);
    }
    for (id, workload) in world.workloads.iter_mut().enumerate() {
        let open_for = open_for.get(&(id_of(id))).copied().unwrap_or(0);
        workload
            .little(now, open_for)
            .map_err(|missing| RunError::Little {
                station: format!("workload {}", plan.workloads[id].name),
                missing,
            })?;
    }
    Ok(world.workloads.len() as u64)
}

/// Peak resident memory, from the kernel's account of this process.
fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
