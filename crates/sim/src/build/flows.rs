//! Numbers under which frames are counted: workloads come first, then plain traffic, mirrors, back
//! ends and services.

use sanlab_kernel::id_of;

use crate::plan::Plan;

/// Flow, array and LUN of each mirror, in the order of arrays and LUNs.
pub(crate) fn mirror_flows(plan: &Plan) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
    let first = plan.workloads.len() + plan.traffic.len();
    let luns = plan.arrays.iter().enumerate().flat_map(|(array, of)| {
        let luns = of.luns.iter().enumerate();
        let mirrored = luns.filter(|(_, lun)| lun.mirror.is_some());
        mirrored.map(move |(lun, _)| (array, lun))
    });
    luns.enumerate()
        .map(move |(index, (array, lun))| (id_of(first + index), array, lun))
}

/// Flow and number of each array with loops to its disks.
pub(crate) fn back_end_flows(plan: &Plan) -> impl Iterator<Item = (u32, usize)> + '_ {
    let first = plan.workloads.len() + plan.traffic.len() + mirror_flows(plan).count();
    let arrays = plan.arrays.iter().enumerate();
    let on_loops = arrays.filter(|(_, of)| of.back_end.is_some());
    let numbered = on_loops.enumerate();
    numbered.map(move |(index, (array, _))| (id_of(first + index), array))
}

/// Flow of the frames of services.
pub(super) fn services_flow(plan: &Plan) -> u32 {
    let flows = plan.workloads.len() + plan.traffic.len();
    id_of(flows + mirror_flows(plan).count() + back_end_flows(plan).count())
}
