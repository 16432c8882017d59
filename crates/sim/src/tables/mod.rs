//! What was counted, as tables.

mod acceleration;
mod faults;
mod frames;
mod hosts;
mod loops;
mod luns;
mod mirrors;
mod numbers;
mod pairs;
mod ports;
mod replays;
mod slowest;
mod stations;
mod storage;
mod workloads;

use sanlab_kernel::Instant;
use sanlab_metrics::Table;

use crate::plan::Plan;
use crate::world::World;

/// All tables of a run that ended now.
pub(crate) fn tables<const E: bool>(world: &mut World<E>, plan: &Plan, now: Instant) -> Vec<Table> {
    let mut tables = vec![
        ports::ports(world, plan, now),
        ports::port_series(world, plan),
        workloads::workloads(world, plan, now),
        workloads::workload_series(world, plan),
        workloads::response_histogram(world, plan),
        workloads::stages(world, plan),
        workloads::stage_series(world, plan),
        slowest::slowest(world, plan),
        workloads::phases(world, plan),
        workloads::jobs(world, plan),
        replays::replays(world, plan),
        frames::frames(world, plan),
        frames::frame_histogram(world),
        stations::stations(world, plan, now),
        stations::station_series(world, plan),
        luns::luns(world, plan, now),
        luns::lun_series(world, plan),
        acceleration::accelerators(world, plan),
        mirrors::mirrors(world, plan, now),
        mirrors::mirror_series(world, plan),
        hosts::adapters(world, plan, now),
        hosts::buses(world, plan, now),
        hosts::file_systems(world, plan, now),
        hosts::file_system_series(world, plan),
        pairs::pairs(world, plan),
        pairs::pair_series(world, plan),
        loops::loops(world, plan, now),
        loops::loop_series(world, plan),
        loops::strings(world, plan, now),
        loops::string_series(world, plan),
        faults::paths(world, plan, now),
        faults::happenings(world, plan),
    ];
    tables.extend(storage::tables(world, plan, now));
    tables
}
