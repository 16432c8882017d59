//! Flows, which frames are counted under: workloads come first, then traffic, mirrors, back ends, services.

use sanlab_fc::Flow;
use sanlab_kernel::Id;

use crate::plan::Plan;

/// Flow of each mirror, in the order of arrays and LUNs.
pub(crate) fn mirror_flows(plan: &Plan) -> impl Iterator<Item = (Id<Flow>, usize, usize)> + '_ {
    let first = plan.workloads.len() + plan.traffic.len();
    let luns = plan.arrays.iter().enumerate().flat_map(|(array, plan)| {
        let mirrored = plan
            .luns
            .iter()
            .enumerate()
            .filter(|(_, lun)| lun.mirror.is_some());
        mirrored.map(move |(lun, _)| (array, lun))
    });
    luns.enumerate()
        .map(move |(index, (array, lun))| (Id::from_place(first + index), array, lun))
}

/// Flow of each array with loops to its disks.
pub(crate) fn back_end_flows(plan: &Plan) -> impl Iterator<Item = (Id<Flow>, usize)> + '_ {
    let first = plan.workloads.len() + plan.traffic.len() + mirror_flows(plan).count();
    let arrays = plan.arrays.iter().enumerate();
    let on_loops = arrays.filter(|(_, array)| array.back_end.is_some());
    let numbered = on_loops.enumerate();
    numbered.map(move |(index, (array, _))| (Id::from_place(first + index), array))
}

/// Flow that frames of services are counted under; the last one.
pub(crate) fn services_flow(plan: &Plan) -> Id<Flow> {
    let flows = plan.workloads.len() + plan.traffic.len();
    Id::from_place(flows + mirror_flows(plan).count() + back_end_flows(plan).count())
}

/// Whether frames of services are sent.
pub(crate) fn has_dialogues(plan: &Plan) -> bool {
    plan.services
        .as_ref()
        .is_some_and(|services| !services.dialogues.is_empty())
}

/// Flows of a plan.
pub(crate) fn flows(plan: &Plan) -> usize {
    services_flow(plan).place() + usize::from(has_dialogues(plan))
}
