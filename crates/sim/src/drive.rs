//! Disk drives of the plan, and the replay of a trace on one.

use std::sync::Arc;

use sanlab_kernel::{Id, Instant, Span};
use sanlab_storage::{
    BlockTransfer, BufferModel, Departure, Disk, DiskCommand, DiskTag, DriveModel, ExtraDisconnect,
    Foresight, Geometry, GeometryFault, Interface, Mapping, Mechanics, Overhead, Overheads,
    ReadAhead, Requested, RootAndLine, Rotation, Scheduling, Seek, SeekCurve, Sparing, WriteCache,
    Zone,
};

use crate::check::drives;
use crate::plan::{
    BufferPlan, DeparturePlan, DrivePlan, InterfacePlan, MappingPlan, OverheadsPlan, PlanError,
    ReadAheadPlan, RequestedPlan, RotationPlan, SchedulingPlan, SeekPlan, SparingPlan,
    WriteCachePlan, ZonePlan,
};

/// The model of a drive, checked.
pub fn drive_model(plan: &DrivePlan, place: &str) -> Result<DriveModel, PlanError> {
    let refuse = |field: &str, reason: &str| PlanError {
        place: format!("{place}{field}"),
        reason: reason.to_owned(),
    };
    drives::check(plan, |key| format!("{place}.{key}"))?;
    let of_zone = |zone: Id<Zone>| format!(".zones[{}]", zone.number());
    let zones: Vec<Zone> = plan.zones.iter().map(zone).collect();
    let sparing = sparing(plan);
    let geometry = Geometry::new(
        zones,
        plan.surfaces,
        mapping(plan.mapping),
        sparing,
        Span::from_ps(plan.revolution_ps),
    )
    .map_err(|fault| match fault {
        GeometryFault::Empty => refuse("", "a drive turns, and has surfaces and zones"),
        GeometryFault::Overlap(zone) => refuse(
            &of_zone(zone),
            "a zone begins behind the end of the one before",
        ),
        GeometryFault::NoBlocks(zone) => refuse(&of_zone(zone), "spares leave no blocks"),
        GeometryFault::Overfull(zone) => refuse(
            &of_zone(zone),
            "slips and spares need more sectors than there are",
        ),
    })?;
    let seek = seek(&plan.seek, geometry.cylinders()).ok_or_else(|| {
        refuse(
            ".seek",
            "distances rise from 1, each with a time; points rise",
        )
    })?;
    Ok(DriveModel {
        geometry,
        mechanics: Mechanics {
            seek,
            head_switch: Span::from_ps(plan.head_switch_ps),
            write_settle_ps: plan.write_settle_ps,
            rotation: match plan.rotation {
                RotationPlan::Exact => Rotation::Exact,
                RotationPlan::Average => Rotation::Average,
                RotationPlan::Constant => Rotation::Constant(Span::from_ps(plan.access_ps)),
            },
        },
        overheads: overheads(&plan.overheads),
        block_transfer: BlockTransfer {
            read: Span::from_ps(plan.block_transfer_ps.0),
            write: Span::from_ps(plan.block_transfer_ps.1),
        },
        buffer: buffer(&plan.buffer),
        scheduling: match plan.scheduling {
            SchedulingPlan::Fifo => Scheduling::Fifo,
            SchedulingPlan::Sstf => Scheduling::ShortestSeek,
            SchedulingPlan::Sptf => Scheduling::ShortestPositioning(Foresight {
                margin: Span::from_ps(plan.position_margin_ps),
                ageing_ppm: plan.ageing_ppm,
            }),
            SchedulingPlan::Elevator => Scheduling::Elevator,
            SchedulingPlan::CyclicElevator => Scheduling::CyclicElevator,
        },
        queue_depth: plan.queue_depth.get() as usize,
        streaming: plan.streaming,
    })
}

fn zone(plan: &ZonePlan) -> Zone {
    Zone {
        first_cylinder: plan.first_cylinder,
        last_cylinder: plan.last_cylinder,
        blocks_per_track: plan.blocks_per_track,
        first_angle: Span::from_ps(plan.first_angle_ps),
        track_skew: Span::from_ps(plan.track_skew_ps),
        cylinder_skew: Span::from_ps(plan.cylinder_skew_ps),
        empty_front: plan.empty_front_blocks,
        spares: plan.spares,
        slips: plan.slips.clone(),
        defects: plan.defects.clone(),
    }
}

fn mapping(plan: MappingPlan) -> Mapping {
    match plan {
        MappingPlan::Forward => Mapping::Forward,
        MappingPlan::SerpentineInZone => Mapping::SerpentineInZone,
        MappingPlan::SerpentineOnDisk => Mapping::SerpentineOnDisk,
    }
}

fn sparing(plan: &DrivePlan) -> Sparing {
    let per_cylinder = |at_front, to_end| Sparing::PerCylinder { at_front, to_end };
    match plan.sparing {
        SparingPlan::None => Sparing::None,
        SparingPlan::Tracks => Sparing::Tracks,
        SparingPlan::PerTrack => Sparing::PerTrack,
        SparingPlan::PerCylinder => per_cylinder(false, false),
        SparingPlan::PerCylinderToEnd => per_cylinder(false, true),
        SparingPlan::PerCylinderFront => per_cylinder(true, false),
        SparingPlan::PerCylinderFrontToEnd => per_cylinder(true, true),
        SparingPlan::AtEnd => Sparing::AtEnd,
        SparingPlan::PerRange => Sparing::PerRange(plan.sparing_range),
        SparingPlan::PerZone => Sparing::PerZone {
            slips_on_top: false,
        },
        SparingPlan::PerZoneAndSlips => Sparing::PerZone { slips_on_top: true },
    }
}

/// `None` if its points do not fit together.
fn seek(plan: &SeekPlan, cylinders: u32) -> Option<Seek> {
    let rises = |a: u64, b: u64, c: u64| a <= b && b <= c;
    match plan {
        SeekPlan::Constant { ps } => Some(Seek::Constant(Span::from_ps(*ps))),
        SeekPlan::Line {
            single_ps,
            average_ps,
            full_ps,
        } => rises(*single_ps, *average_ps, *full_ps).then_some(Seek::Line {
            single: Span::from_ps(*single_ps),
            average: Span::from_ps(*average_ps),
            full: Span::from_ps(*full_ps),
            cylinders,
        }),
        SeekPlan::Curve {
            single_ps,
            average_ps,
            full_ps,
        } => rises(*single_ps, *average_ps, *full_ps).then(|| {
            Seek::Curve(SeekCurve::through(
                Span::from_ps(*single_ps),
                Span::from_ps(*average_ps),
                Span::from_ps(*full_ps),
                cylinders,
            ))
        }),
        SeekPlan::RootAndLine {
            bound,
            root_ps,
            root_factor_ps,
            line_ps,
            line_factor_ps,
            single_ps,
            first_ps,
        } => {
            let curve = RootAndLine {
                bound: *bound,
                root: (*root_ps, *root_factor_ps),
                line: (*line_ps, *line_factor_ps),
                single: single_ps.map(Span::from_ps),
            };
            Some(match first_ps {
                Some(first) => Seek::FirstTen(first.map(Span::from_ps), curve),
                None => Seek::RootAndLine(curve),
            })
        }
        SeekPlan::Table { cylinders, ps } => {
            let rising = cylinders.is_sorted_by(|a, b| a < b) && cylinders.first() > Some(&0);
            let is_whole = cylinders.len() == ps.len() && rising;
            is_whole.then(|| {
                let times = ps.iter().copied().map(Span::from_ps);
                Seek::Table(cylinders.iter().copied().zip(times).collect())
            })
        }
    }
}

fn overheads(plan: &OverheadsPlan) -> Overheads {
    let pair = |(after_read, after_write)| Overhead {
        after_read: Span::from_ps(after_read),
        after_write: Span::from_ps(after_write),
    };
    Overheads {
        request: Span::from_ps(plan.request_ps),
        read_hit: pair(plan.read_hit_ps),
        read_miss: pair(plan.read_miss_ps),
        write_hit: pair(plan.write_hit_ps),
        write_miss: pair(plan.write_miss_ps),
        read_completion: Span::from_ps(plan.read_completion_ps),
        write_completion: Span::from_ps(plan.write_completion_ps),
        data_preparation: Span::from_ps(plan.data_preparation_ps),
        reselect: Span::from_ps(plan.reselect_ps),
        read_disconnect: pair(plan.read_disconnect_ps),
        write_disconnect: Span::from_ps(plan.write_disconnect_ps),
        least_write_seek: Span::from_ps(plan.least_write_seek_ps),
        extra_disconnect: plan.extra_disconnect_ps.map(|times| {
            let [
                command,
                disconnect,
                between,
                movement,
                second_disconnect,
                reselect,
            ] = times.map(Span::from_ps);
            ExtraDisconnect {
                command,
                disconnect,
                between,
                movement,
                second_disconnect,
                reselect,
            }
        }),
    }
}

fn buffer(plan: &BufferPlan) -> BufferModel {
    BufferModel {
        segments: plan.segments as usize,
        segment_blocks: plan.segment_blocks,
        write_segments: plan.write_segments as usize,
        has_write_segment: plan.has_write_segment,
        keeps_reads: plan.keeps_reads,
        hits_written: plan.hits_written,
        hits_next_block: plan.hits_next_block,
        hits_overtake: plan.hits_overtake,
        writes_overtake: plan.writes_overtake,
        partial_hits_wait: plan.partial_hits_wait,
        interface: match plan.interface {
            InterfacePlan::Released => Interface::Released,
            InterfacePlan::HeldInTransfer => Interface::HeldInTransfer,
            InterfacePlan::Held => Interface::Held,
        },
        departure: match plan.departure {
            DeparturePlan::AfterStatus => Departure::AfterStatus,
            DeparturePlan::WithStatus => Departure::WithStatus,
            DeparturePlan::AfterMedia => Departure::AfterMedia,
        },
        requested: match plan.requested {
            RequestedPlan::Kept => Requested::Kept,
            RequestedPlan::Replaced => Requested::Replaced,
            RequestedPlan::Dropped => Requested::Dropped,
        },
        read_ahead: match plan.read_ahead {
            ReadAheadPlan::Off => ReadAhead::Off,
            ReadAheadPlan::Track => ReadAhead::Track,
            ReadAheadPlan::Cylinder => ReadAhead::Cylinder,
            ReadAheadPlan::Segment => ReadAhead::Segment,
            ReadAheadPlan::TwoTracks => ReadAhead::TwoTracks,
        },
        least_read_ahead: plan.least_read_ahead,
        most_read_ahead: plan.most_read_ahead.map_or(0, u64::from),
        reads_ahead_after_hit: plan.reads_ahead_after_hit,
        stops_in_sector: plan.stops_in_sector,
        stops_in_seek: plan.stops_in_seek,
        keeps_passing_blocks: plan.keeps_passing_blocks,
        reads_out_of_order: plan.reads_out_of_order,
        writes_out_of_order: plan.writes_out_of_order,
        read_watermark_ppm: plan.read_watermark_ppm,
        watermark_of_segment: plan.watermark_of_segment,
        write_cache: match plan.write_cache {
            WriteCachePlan::Off => WriteCache::Off,
            WriteCachePlan::On => WriteCache::On,
        },
        joins_writes: plan.joins_writes,
        flushes_first: plan.flushes_first,
    }
}

/// One line of a trace: a command, and the pause before the next one.
#[derive(Clone, Copy, Debug)]
pub struct TraceLine {
    /// First block.
    pub block: u64,
    /// Blocks.
    pub blocks: u64,
    /// A read; else a write.
    pub is_read: bool,
    /// From its completion to the next command, in picoseconds.
    pub wait_ps: u64,
}

/// What a replay has found, one of each for a command, in the order of the trace; times are picoseconds.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Response times.
    pub response_ps: Vec<u64>,
    /// Behind what the drive was doing.
    pub queue_ps: Vec<u64>,
    /// Overhead and arm movement.
    pub seek_ps: Vec<u64>,
    /// Rotation.
    pub rotation_ps: Vec<u64>,
    /// Transfer.
    pub transfer_ps: Vec<u64>,
    /// Answered from the buffer.
    pub is_hit: Vec<bool>,
}

/// Replay a trace with one command outstanding. What is measured never enters.
pub fn replay(plan: &DrivePlan, lines: &[TraceLine]) -> Result<Replay, PlanError> {
    let model = drive_model(plan, "drive")?;
    let blocks = model.geometry.blocks();
    let mut disk = Disk::new(Arc::new(model), Span::ZERO);
    let mut replay = Replay::default();
    let mut now = Instant::START;
    for (index, line) in lines.iter().enumerate() {
        let is_inside = line.blocks > 0 && line.block.checked_add(line.blocks) <= Some(blocks);
        if !is_inside {
            return Err(PlanError {
                place: format!("trace[{index}]"),
                reason: format!("the drive has {blocks} blocks"),
            });
        }
        let came_at = now;
        disk.submit(
            now,
            DiskCommand {
                tag: DiskTag::Task(Id::new(0)),
                block: line.block,
                blocks: line.blocks,
                is_read: line.is_read,
            },
        );
        let completion = loop {
            now = disk.next_at();
            debug_assert!(now.is_set(), "a command is answered");
            if let Some(completion) = disk.step(now) {
                break completion;
            }
        };
        replay.response_ps.push((now - came_at).as_ps());
        replay.queue_ps.push(completion.queue.as_ps());
        replay.seek_ps.push(completion.seek.as_ps());
        replay.rotation_ps.push(completion.rotation.as_ps());
        replay.transfer_ps.push(completion.transfer.as_ps());
        replay.is_hit.push(completion.is_hit);
        let next = now + Span::from_ps(line.wait_ps);
        while disk.next_at() <= next {
            let at = disk.next_at();
            disk.step(at);
        }
        now = next;
    }
    disk.check(now).map_err(|missing| PlanError {
        place: "drive".to_owned(),
        reason: format!("Little's law does not hold; {missing} ps are missing"),
    })?;
    Ok(replay)
}
