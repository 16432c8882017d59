//! Which of the commands that wait is next.

use std::collections::VecDeque;

use sanlab_kernel::Instant;

use super::media::{Arm, Media};
use super::model::{DriveModel, Scheduling};
use super::{DiskCommand, Waiting};

/// Index of the next command. The elevator keeps its direction in `is_rising`.
pub fn next(
    media: &Media<'_>,
    waiting: &VecDeque<Waiting>,
    arm: Arm,
    now: Instant,
    is_rising: &mut bool,
) -> usize {
    let model: &DriveModel = media.model;
    let candidates = || waiting.iter().take(model.queue_depth.max(1)).enumerate();
    let cylinder = |one: &Waiting| model.geometry.locate(one.command.block).cylinder;
    let least = |cost: &dyn Fn(&Waiting) -> Option<u64>| {
        candidates()
            .filter_map(|(index, one)| Some((cost(one)?, index)))
            .min()
            .map(|(_, index)| index)
    };
    let next = match model.scheduling {
        Scheduling::Fifo => None,
        Scheduling::ShortestSeek => {
            least(&|one| Some(u64::from(cylinder(one).abs_diff(arm.cylinder))))
        }
        Scheduling::ShortestPositioning => {
            let time =
                |command: DiskCommand| media.positioning(arm, now, command.block, command.is_read);
            least(&|one| Some(time(one.command).as_ps()))
        }
        Scheduling::Elevator => {
            let ahead = |is_rising: bool| {
                least(&|one| {
                    let (to, from) = (cylinder(one), arm.cylinder);
                    let distance = if is_rising {
                        to.checked_sub(from)
                    } else {
                        from.checked_sub(to)
                    };
                    distance.map(u64::from)
                })
            };
            ahead(*is_rising).or_else(|| {
                *is_rising = !*is_rising;
                ahead(*is_rising)
            })
        }
        Scheduling::CyclicElevator => least(&|one| {
            let to = cylinder(one);
            let behind = if to < arm.cylinder { 1 << 32 } else { 0 };
            Some(behind + u64::from(to))
        }),
    };
    next.unwrap_or(0)
}
