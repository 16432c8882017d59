//! What must hold at the end of every run: conservation, and Little's law.

use sanlab_fabric::{BrokenLaw, Fibre, fibres_of};
use sanlab_kernel::{Id, Instant, Station};
use sanlab_storage::{Cache, Media, PageCache};

use crate::meters::WorkloadState;
use crate::names::fibre_name;
use crate::outcome::{Check, RunError};
use crate::plan::Plan;
use crate::world::World;

/// Conservation and Little's law, on every part.
pub(crate) fn check_laws<const E: bool>(
    world: &mut World<E>,
    plan: &Plan,
    now: Instant,
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
    let mut checks = vec![
        ok("frames conserved", world.network.delivered()),
        ok("credit conserved", credit),
        ok("exchanges conserved", check_exchanges(world, plan, now)?),
        ok("stages sum to response time", world.meters.ios()),
        ok(
            "Little's law at stations",
            check_stations(world, plan, now)?,
        ),
        ok("arrays' data conserved", check_arrays(world, plan)?),
        ok(
            "Little's law for workloads",
            check_workloads(world, plan, now)?,
        ),
    ];
    if world.accelerators.are_any() {
        let count = check_acceleration(world, plan)?;
        checks.push(ok("accelerated writes conserved", count));
    }
    if !plan.phases.is_empty() {
        checks.push(ok(
            "Little's law in phases",
            world.meters.phases().checked(),
        ));
    }
    Ok(checks)
}

/// Data of writes at the far ends of links are conserved.
fn check_acceleration<const E: bool>(world: &World<E>, plan: &Plan) -> Result<u64, RunError> {
    let counters = world.accelerators.all.iter().map(|it| it.counters);
    match world.broken_accelerator() {
        None => Ok(counters.map(|it| it.writes).sum()),
        Some(link) => Err(RunError::Acceleration {
            port: fibre_name(plan, fibres_of(link)[0]),
        }),
    }
}

fn name_fault(fault: &BrokenLaw, plan: &Plan) -> RunError {
    match *fault {
        BrokenLaw::Frames {
            sent,
            delivered,
            dropped,
            on_the_way,
        } => RunError::Frames {
            sent,
            delivered,
            dropped,
            on_the_way,
        },
        BrokenLaw::Credit {
            fibre,
            granted,
            known,
            held,
        } => {
            let port = fibre_name(plan, fibre);
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
    now: Instant,
) -> Result<u64, RunError> {
    let (opened, closed) = (world.exchanges.opened, world.exchanges.closed);
    let open = world.fcp.alive() as u64;
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
    now: Instant,
) -> Result<(), RunError> {
    let name_of = |fibre: Id<Fibre>| fibre_name(plan, fibre);
    let open: u64 = world
        .meters
        .workloads()
        .iter()
        .map(WorkloadState::open)
        .sum();
    let on_the_way = world.network.on_the_way();
    let has_patience = world.network.looks_at() != Instant::NEVER && !world.network.is_quiet();
    let is_idle = world.next_at() == Instant::NEVER && !has_patience;
    if world.faults.is_armed() {
        // Work may wait indefinitely for a component that never recovers.
        return Ok(());
    }
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
    now: Instant,
) -> Result<u64, RunError> {
    let mut checked = 0;
    let mut check = |station: &mut Station, name: &dyn Fn() -> String| {
        checked += 1;
        station.check(now).map_err(|missing| RunError::Little {
            station: name(),
            missing,
        })
    };
    for (host, planned) in world.host.hosts_mut().iter_mut().zip(&plan.hosts) {
        check(&mut host.cpu, &|| format!("{} processors", planned.name))?;
    }
    for (file_system, planned) in world
        .host
        .file_systems_mut()
        .iter_mut()
        .zip(&plan.file_systems)
    {
        check(&mut file_system.server, &|| planned.name.clone())?;
    }
    let engines = plan.hosts.iter().flat_map(|host| &host.engines);
    for (engine, planned) in world.host.engines_mut().iter_mut().zip(engines) {
        check(&mut engine.station, &|| format!("{} engine", planned.name))?;
    }
    let buses = plan.hosts.iter().flat_map(|host| &host.buses);
    for (bus, planned) in world.network.buses.segments.iter_mut().zip(buses) {
        for lane in bus.lanes() {
            check(lane, &|| planned.name.clone())?;
        }
    }
    for (array, planned) in world.array.arrays_mut().iter_mut().zip(&plan.arrays) {
        for (controller, planned) in array.controllers.iter_mut().zip(&planned.controllers) {
            check(&mut controller.processors, &|| {
                format!("{} processors", planned.name)
            })?;
            check(&mut controller.forwarding, &|| {
                format!("{} forwarding", planned.name)
            })?;
        }
        check(&mut array.parity, &|| format!("{} parity", planned.name))?;
    }
    for (array, planned) in world.array.arrays_mut().iter_mut().zip(&plan.arrays) {
        for (controller, planned) in array.controllers.iter_mut().zip(&planned.controllers) {
            checked += 1;
            let partner = controller.partner.check(now);
            partner.map_err(|missing| RunError::Little {
                station: format!("{} partner", planned.name),
                missing,
            })?;
        }
        for (lun, planned) in array.luns.iter_mut().zip(&planned.luns) {
            let checked_media = match &mut lun.media {
                Media::Memory { station, .. } => station.check(now),
                Media::Flash(flash) => flash.check(now),
                Media::Ram(ram) => ram.check(now),
                Media::Stripe(_) | Media::Raid { .. } => continue,
            };
            checked += 1;
            checked_media.map_err(|missing| RunError::Little {
                station: planned.name.clone(),
                missing,
            })?;
        }
        for (disk, planned) in array.disks.iter_mut().zip(&planned.disks) {
            checked += 1;
            disk.check(now).map_err(|missing| RunError::Little {
                station: planned.name.clone(),
                missing,
            })?;
        }
    }
    Ok(checked)
}

/// Dirty data of caches are conserved, and no stripe stays locked.
fn check_arrays<const E: bool>(world: &World<E>, plan: &Plan) -> Result<u64, RunError> {
    let mut checked = 0;
    let is_idle = world.next_at() == Instant::NEVER;
    for (array, planned) in world.array.arrays().iter().zip(&plan.arrays) {
        for (controller, planned) in array.controllers.iter().zip(&planned.controllers) {
            let of_pages = controller.page_cache.as_ref().map(PageCache::check);
            let simple = controller.cache.as_ref().map(Cache::check);
            let Some(conserved) = of_pages.or(simple) else {
                continue;
            };
            checked += 1;
            conserved.map_err(|missing| RunError::Cache {
                array: planned.name.clone(),
                missing,
            })?;
        }
        for (lun, planned) in array.luns.iter().zip(&planned.luns) {
            let Some(mirror) = &lun.mirror else {
                continue;
            };
            checked += 1;
            if !mirror.is_conserved() {
                return Err(RunError::Mirror {
                    lun: planned.name.clone(),
                });
            }
        }
        for (group, planned) in array.groups.iter().zip(&planned.groups) {
            checked += 1;
            let open = group.locks.open() as u64;
            if is_idle && open > 0 {
                return Err(RunError::StripeLocks {
                    group: planned.name.clone(),
                    open,
                });
            }
        }
    }
    Ok(checked)
}

fn check_workloads<const E: bool>(
    world: &World<E>,
    plan: &Plan,
    now: Instant,
) -> Result<u64, RunError> {
    let open_for = world.open_for(now);
    for (id, workload) in world.meters.workloads().pairs() {
        let name = || plan.workloads[id.place()].name.clone();
        for (ios, &open_for) in workload.ios.iter().zip(&open_for[id]) {
            if !ios.are_conserved() {
                return Err(RunError::Ios {
                    workload: name(),
                    asked: ios.asked,
                    done: ios.done,
                    failed: ios.failed,
                    open: ios.open,
                });
            }
            ios.little(now, open_for)
                .map_err(|missing| RunError::Little {
                    station: format!("workload {}", name()),
                    missing,
                })?;
        }
    }
    Ok(world.meters.workloads().len() as u64)
}

#[cfg(test)]
mod tests {
    use sanlab_fabric::NoProbe;
    use sanlab_kernel::Span;

    use super::*;
    use crate::build::build;
    use crate::plan::{Distribution, RoutePolicy};
    use crate::support::{At, Cable, MS, NS, San, US};
    use crate::trace_table::TraceTables;

    /// A host, a switch, an array and some reads, stopped in the middle of everything; what a test
    /// breaks then must be noticed, and named.
    fn broken(break_it: impl Fn(&mut World<false>, Instant)) -> Result<(), String> {
        let mut san = San::new(10 * MS);
        let switch = san.switch(US, true, RoutePolicy::OnePath);
        let (host, array) = (
            san.host("host"),
            san.array("array", 90 * US, Distribution::Constant),
        );
        let cable = Cable::new(850_000_000, 50 * NS, 8);
        san.link(At::NPort(host), switch, cable);
        san.link(switch, At::NPort(array), cable);
        san.plan.hosts[0].cpu_submit_ps = US;
        san.job(0, 0, 65_536, 4);
        let mut world =
            build::<false>(&san.plan, &TraceTables::default()).expect("a plan that holds together");
        let mut now = Instant::START;
        let waits = |world: &World<false>| {
            let network = &world.network;
            let mut queues = network.fibres.iter().map(|fibre| &fibre.queues);
            queues.any(|queues| queues.waiting(&network.frames).next().is_some())
        };
        while now < Instant::from_ps(5 * MS) || !waits(&world) {
            now = world.next_at();
            world.step(now, &mut NoProbe);
        }
        break_it(&mut world, now);
        check_laws(&mut world, &san.plan, now)
            .map(drop)
            .map_err(|error| error.to_string())
    }

    fn complaint(break_it: impl Fn(&mut World<false>, Instant)) -> String {
        broken(break_it).expect_err("a law that does not hold")
    }

    #[test]
    fn nothing_broken_is_no_complaint() {
        assert_eq!(broken(|_, _| {}), Ok(()));
    }

    #[test]
    fn a_credit_made_from_nothing_is_noticed_at_its_port() {
        let error =
            complaint(|world, _| world.network.fibres[Id::new(3)].credit.give(Instant::START));
        assert!(
            error.contains("credit is not conserved at array"),
            "{error}"
        );
    }

    #[test]
    fn a_lost_frame_is_noticed() {
        let error = complaint(|world, _| {
            let mut world_frames = sanlab_kernel::Arena::default();
            std::mem::swap(&mut world_frames, &mut world.network.frames);
            let lost = (0..4).map(Id::new).any(|fibre| {
                let queues = &mut world.network.fibres[fibre].queues;
                let has_one = queues.waiting(&world_frames).next().is_some();
                if has_one {
                    queues.pop(Instant::NEVER, &world_frames);
                }
                has_one
            });
            assert!(lost, "a frame waits in the switch");
            std::mem::swap(&mut world_frames, &mut world.network.frames);
        });
        assert!(error.contains("frames are not conserved"), "{error}");
    }

    #[test]
    fn an_exchange_nobody_closed_is_noticed() {
        let error = complaint(|world, _| world.exchanges.opened += 1);
        assert!(error.contains("exchanges are not conserved"), "{error}");
    }

    #[test]
    fn an_io_nobody_ended_is_noticed_at_its_workload() {
        let error = complaint(|world, _| world.meters.workload(Id::new(0)).ios[1].asked += 1);
        assert!(error.contains("I/Os of work0 are not conserved"), "{error}");
    }

    #[test]
    fn a_service_nobody_took_is_noticed_at_its_station() {
        let error = complaint(|world, now| {
            let host = &mut world.host.hosts_mut()[Id::new(0)];
            host.cpu.arrive(now, Span::from_ps(MS));
            host.cpu.leave(now); // long before its service ends
        });
        assert!(
            error.contains("Little's law does not hold at host"),
            "{error}"
        );
    }

    #[test]
    fn a_response_time_told_wrong_is_noticed_at_its_workload() {
        let error =
            complaint(|world, _| world.meters.workload(Id::new(0)).ios[1].response_sum += 1);
        assert!(
            error.contains("Little's law does not hold at workload work0"),
            "{error}"
        );
    }
}
