//! Drives a world to its end.

use std::path::PathBuf;

use sanlab_fabric::{Fibre, NoProbe, Probe, fibres_of};
use sanlab_kernel::{Id, Instant};
use sanlab_metrics::{Capture, CaptureLoops, CapturePlace, CapturePort, ExchangeKey};
use sanlab_scsi::Exchanges;

use crate::build::build;
use crate::check::check;
use crate::control::Control;
use crate::issuer::Tag;
use crate::ladder::Climber;
use crate::laws::check_laws;
use crate::names::{fibre_name, port_on_loop};
use crate::one_io::{IoName, OneIo};
use crate::outcome::{Outcome, RunError, Summary};
use crate::plan::{EndPlan, LinkPlan, Plan};
use crate::tables::tables;
use crate::trace_table::TraceTables;
use crate::watch::Watched;
use crate::world::World;

/// Frames to capture.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// Ends of links: link and end, 0 for `a`, 1 for `b`. Ports on loops count on behind the links, two
    /// for each number, in the order of the loops.
    pub ends: Vec<(u32, u32)>,
    /// File to write.
    pub path: PathBuf,
    /// Most frames to write; the run ends soon after.
    pub limit: u64,
    /// Frames of these exchanges alone; all where there is no list.
    pub only: Option<Vec<ExchangeKey>>,
}

/// What a run does besides.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Make every credit return, end of transmission and arrival an event: slow, same result.
    pub every_event: bool,
    /// Capture frames.
    pub capture: Option<CaptureRequest>,
    /// Record every step of one I/O; the run ends soon after it.
    pub ladder: Option<IoName>,
    /// Folder of the tables of traces that jobs replay.
    pub traces: Option<PathBuf>,
}

/// An instant of the world outside.
type WallClock = std::time::Instant;

/// Events between two looks at [`Control`].
const LOOK_EVERY: u64 = 1 << 12;

/// Simulate a plan.
pub fn run(plan: &Plan, options: &RunOptions, control: &Control) -> Result<Outcome, RunError> {
    run_since(wall_clock(), plan, options, control)
}

/// Simulate a plan from JSON text; reading it counts as set-up.
pub fn run_json(text: &str, options: &RunOptions, control: &Control) -> Result<Outcome, RunError> {
    let started = wall_clock();
    run_since(started, &Plan::from_json(text)?, options, control)
}

fn run_since(
    started: WallClock,
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
) -> Result<Outcome, RunError> {
    let _running = control.begin();
    check(plan)?;
    if options.every_event {
        run_as::<true>(started, plan, options, control)
    } else {
        run_as::<false>(started, plan, options, control)
    }
}

fn run_as<const E: bool>(
    started: WallClock,
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
) -> Result<Outcome, RunError> {
    let traces = TraceTables::open(plan, options.traces.as_deref())?;
    let mut world = build::<E>(plan, &traces)?;
    if let Some(of) = options.ladder {
        world.ladder = Some(Box::new(OneIo::new(of)));
        let mut climber = Climber::new(of);
        let mut outcome = drive(started, world, plan, control, &mut climber)?;
        outcome.ladder = climber.tables(plan);
        return Ok(outcome);
    }
    let Some(request) = &options.capture else {
        return drive(started, world, plan, control, &mut NoProbe);
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
            .map(|array| array.luns.iter().map(|lun| lun.number).collect())
            .collect(),
        request.limit,
    )
    .map_err(|error| failed(&error.0))?
    .with_loops(capture_loops(plan))
    .of_exchanges(request.only.clone())
    .with_services(world.services.frames().clone())
    .with_outages(plan.links.iter().map(outages_of).collect());
    let mut outcome = drive(started, world, plan, control, &mut capture)?;
    outcome.captured = Some(capture.finish().map_err(|error| failed(&error.0))?);
    Ok(outcome)
}

fn outages_of(link: &LinkPlan) -> Vec<(Instant, Instant)> {
    link.outages
        .iter()
        .map(|outage| {
            [outage.from_ps, outage.end_ps()]
                .map(Instant::from_ps)
                .into()
        })
        .collect()
}

fn capture_ports(plan: &Plan, ends: &[(u32, u32)]) -> Vec<CapturePort> {
    ends.iter()
        .map(|&(link, end)| {
            let fibre = Id::new(2 * link + end);
            CapturePort {
                name: fibre_name(plan, fibre),
                place: capture_place(plan, fibre),
            }
        })
        .collect()
}

/// Which ports share a loop, and by which fibre its `FL_Port` sends.
fn capture_loops(plan: &Plan) -> CaptureLoops {
    let mut loops = CaptureLoops::of_n_ports(plan.n_ports.len());
    for (number, ring) in (0u32..).zip(&plan.loops) {
        let is_ring = |end| matches!(end, EndPlan::Loop { loop_id } if loop_id == number);
        let gate = plan.links.iter().enumerate().find_map(|(link, plan)| {
            let [a, b] = fibres_of(Id::from_place(link));
            match (is_ring(plan.a), is_ring(plan.b)) {
                (true, _) => Some(b),
                (_, true) => Some(a),
                _ => None,
            }
        });
        let ports = ring.ports.iter().map(|port| port.n_port.map(Id::new));
        loops.add(gate, ports);
    }
    loops
}

fn capture_place(plan: &Plan, fibre: Id<Fibre>) -> CapturePlace {
    let n_port = port_on_loop(plan, fibre).and_then(|port| port.n_port);
    n_port.map_or(CapturePlace::Link(fibre), |n_port| {
        CapturePlace::Loop(Id::new(n_port))
    })
}

/// A probe that receives the progress of the simulation.
trait Watch: Probe<Exchanges<Tag>> {
    /// Nothing begins before `now` any more.
    #[inline(always)]
    fn reached(&mut self, _now: Instant) {}

    /// A step has been done.
    #[inline(always)]
    fn stepped<const E: bool>(&mut self, _world: &mut World<E>, _now: Instant) {}
}

impl Watch for NoProbe {}

impl Watch for Climber {
    fn stepped<const E: bool>(&mut self, world: &mut World<E>, now: Instant) {
        self.climb(world, now);
    }
}

impl<W: std::io::Write> Watch for Capture<W> {
    fn reached(&mut self, now: Instant) {
        self.flush_until(now);
    }
}

fn drive<const E: bool>(
    started: WallClock,
    mut world: World<E>,
    plan: &Plan,
    control: &Control,
    probe: &mut impl Watch,
) -> Result<Outcome, RunError> {
    let first_event = wall_clock();
    let mut watched = Watched::new(plan, control);
    let (now, is_complete) = loop_until_end(
        &mut world,
        Instant::from_ps(plan.end_ps),
        &mut watched,
        probe,
    );
    let wall_s = first_event.elapsed().as_secs_f64();
    world.read_meters(now, true);
    let checks = check_laws(&mut world, plan, now)?;
    let frame_hops = world.network.frame_hops();
    let events = world.network.events() + world.events;
    let summary = Summary {
        fingerprint: format!("{:016x}", world.network.fingerprint.value()),
        simulated_ps: now.as_ps(),
        setup_s: (first_event - started).as_secs_f64(),
        wall_s,
        events,
        frames: world.network.delivered(),
        frame_hops,
        frame_hops_per_s: frame_hops as f64 / wall_s.max(1e-9),
        events_per_frame_hop: events as f64 / frame_hops.max(1) as f64,
        ios: world.meters.ios(),
        peak_rss_bytes: peak_rss_bytes(),
        is_complete,
        checks,
    };
    Ok(Outcome {
        tables: tables(&mut world, plan, now),
        summary,
        ladder: Vec::new(),
        captured: None,
    })
}

/// Returns the time of the end, and whether the run got there.
fn loop_until_end<const E: bool>(
    world: &mut World<E>,
    end_at: Instant,
    watched: &mut Watched<'_>,
    probe: &mut impl Watch,
) -> (Instant, bool) {
    let mut now = Instant::START;
    let mut steps = 0u64;
    world.renew_attention();
    // Events up to here need no further thought.
    let mut horizon = end_at.min(watched.hold_at());
    loop {
        let next_at = world.next_at();
        if next_at > horizon || world.attention_at <= next_at {
            horizon = end_at.min(watched.hold_at());
            match before_step(world, (now, steps), end_at, watched) {
                Before::Step => {}
                Before::Again(at) => {
                    now = at;
                    continue;
                }
                Before::End(ended) => return ended,
            }
        }
        probe.reached(next_at);
        if world.step(next_at, probe) {
            now = next_at;
        }
        probe.stepped(world, next_at);
        steps += 1;
        if steps.is_multiple_of(LOOK_EVERY) {
            let is_stopped = watched.look(world, now, steps);
            if is_stopped || world.failure.is_some() || probe.is_done() {
                return (now, false);
            }
            horizon = end_at.min(watched.hold_at());
        }
    }
}

/// What comes before the next event.
enum Before {
    Step,
    /// Something happened at that instant, and the next event may be another.
    Again(Instant),
    /// The end of the run, and whether it is the one that was planned.
    End((Instant, bool)),
}

/// The next event is later than the hold or the end, or something is due besides events.
#[cold]
fn before_step<const E: bool>(
    world: &mut World<E>,
    (now, steps): (Instant, u64),
    end_at: Instant,
    watched: &mut Watched<'_>,
) -> Before {
    let next_at = world.next_at();
    let due_at = next_at.min(end_at);
    if due_at > watched.hold_at() && world.has_something_ahead() {
        return if watched.wait(world, now, steps, due_at) {
            Before::End((now, false))
        } else {
            Before::Again(now)
        };
    }
    if world.attention_at <= due_at {
        if let Some(ends_at) = world.attend(next_at, end_at) {
            return Before::Again(ends_at);
        }
        world.renew_attention();
    }
    if next_at <= end_at {
        return Before::Step;
    }
    // Nothing is left to do, or nothing before the end.
    let ended = if world.has_ended() {
        now.max(world.last_arrival_at)
    } else {
        end_at
    };
    Before::End((ended.min(end_at), true))
}

#[allow(
    clippy::disallowed_methods,
    reason = "wall time is reported, never simulated with"
)]
fn wall_clock() -> WallClock {
    WallClock::now()
}

/// Peak resident memory, from the kernel's account of this process.
fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
