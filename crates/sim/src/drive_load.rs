//! Random reads on one drive, a fixed number of them outstanding.

use std::sync::Arc;

use sanlab_kernel::{Id, Instant, RandomStream, Span};
use sanlab_storage::{Disk, DiskCommand, DiskTag};

use crate::drive::drive_model;
use crate::plan::{DrivePlan, PlanError};

/// A load of reads at random blocks of the whole drive.
#[derive(Clone, Copy, Debug)]
pub struct RandomReads {
    /// Blocks of each.
    pub blocks: u64,
    /// Outstanding at any time.
    pub depth: u32,
    /// Reads until the end.
    pub count: u64,
    /// Seed of the draws.
    pub seed: u64,
}

/// What a load has found, one of each for a read, in the order of completion; times are picoseconds.
#[derive(Clone, Debug, Default)]
pub struct DriveLoad {
    /// Completion.
    pub ended_ps: Vec<u64>,
    /// Behind other reads.
    pub queue_ps: Vec<u64>,
    /// What is left of the overhead, and arm movement.
    pub seek_ps: Vec<u64>,
    /// Rotation.
    pub rotation_ps: Vec<u64>,
    /// Transfer.
    pub transfer_ps: Vec<u64>,
}

/// Serve a load: each completion brings the next read.
pub fn serve(plan: &DrivePlan, load: RandomReads) -> Result<DriveLoad, PlanError> {
    let refuse = |place: &str, reason: String| PlanError {
        place: place.to_owned(),
        reason,
    };
    let model = drive_model(plan, "drive")?;
    let blocks = model.geometry.blocks();
    let starts = blocks
        .checked_sub(load.blocks)
        .filter(|_| load.blocks > 0)
        .ok_or_else(|| refuse("blocks", format!("the drive has {blocks} blocks")))?;
    let mut disk = Disk::new(Arc::new(model), Span::ZERO);
    let mut draws = RandomStream::new(load.seed, "drive load");
    let mut next = || DiskCommand {
        tag: DiskTag::Task(Id::new(0)),
        block: draws.below(starts + 1),
        blocks: load.blocks,
        is_read: true,
    };
    let mut found = DriveLoad::default();
    let mut now = Instant::START;
    for _ in 0..load.depth {
        disk.submit(now, next());
    }
    while disk.present() > 0 && (found.ended_ps.len() as u64) < load.count {
        now = disk.next_at();
        if let Some(done) = disk.step(now) {
            found.ended_ps.push((now - Instant::START).as_ps());
            found.queue_ps.push(done.queue.as_ps());
            found.seek_ps.push(done.seek.as_ps());
            found.rotation_ps.push(done.rotation.as_ps());
            found.transfer_ps.push(done.transfer.as_ps());
            disk.submit(now, next());
        }
    }
    disk.check(now).map_err(|missing| {
        let reason = format!("Little's law does not hold; {missing} ps are missing");
        refuse("drive", reason)
    })?;
    Ok(found)
}
