//! Links whose ends accelerate writes.

use crate::plan::{EndPlan, LinkPlan, Plan, PlanError};

use super::bounds::{Within, require};

/// Room at the far end of a link.
const MOST_ROOM: u64 = 1 << 40;

/// Such a link joins two switches that nothing else joins: what a command and its data go by, the answer
/// goes by as well.
pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    for (index, link) in plan.links.iter().enumerate() {
        let Some(room) = link.write_acceleration_bytes else {
            continue;
        };
        let place = || format!("links[{index}].write_acceleration_bytes");
        room.within(1, MOST_ROOM, place)?;
        let ends = switches_of(link);
        require(ends.is_some(), place, || {
            "only a link between switches accelerates writes".into()
        })?;
        let has_other_way = ends.is_some_and(|[a, b]| are_joined(plan, index, a, b));
        require(!has_other_way, place, || {
            "its ends are joined by other links as well".into()
        })?;
    }
    Ok(())
}

fn switches_of(link: &LinkPlan) -> Option<[usize; 2]> {
    match (link.a, link.b) {
        (EndPlan::Switch { switch: a, .. }, EndPlan::Switch { switch: b, .. }) => {
            Some([a as usize, b as usize])
        }
        _ => None,
    }
}

/// Whether links without this one lead from one switch to another.
fn are_joined(plan: &Plan, without: usize, from: usize, to: usize) -> bool {
    let mut is_reached = vec![false; plan.switches.len()];
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        if std::mem::replace(&mut is_reached[at], true) {
            continue;
        }
        let links = plan.links.iter().enumerate();
        let others = links.filter(|&(index, _)| index != without);
        for [a, b] in others.filter_map(|(_, link)| switches_of(link)) {
            if a == at {
                waiting.push(b);
            } else if b == at {
                waiting.push(a);
            }
        }
    }
    is_reached[to]
}
