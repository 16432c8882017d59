//! What holds the blocks of LUNs.

use sanlab_storage::SECTOR_BYTES;

use crate::build::level_of;
use crate::plan::{ArrayPlan, LunPlan, MediaPlan, PlanError, SsdPlan};

use super::bounds::{LARGEST_LUN, MOST_SLOTS, Within, known, rate, require, span};

/// Dies of a flash SSD.
const MOST_DIES: u64 = 1 << 16;

/// Check the media of a LUN of an array whose disks have these capacities in bytes.
pub(super) fn check(
    array: &ArrayPlan,
    lun: &LunPlan,
    capacities: &[u64],
    place: impl Fn() -> String,
) -> Result<(), PlanError> {
    match &lun.media {
        MediaPlan::Memory { .. } => memory(&lun.media, place),
        MediaPlan::Stripe {
            disks,
            stripe_bytes,
            block_bytes,
            start_bytes,
        } => {
            for &disk in disks {
                known(disk, array.disks.len(), "disk of that array", &place)?;
            }
            require(!disks.is_empty(), &place, || "a stripe needs disks".into())?;
            require(
                stripe_bytes.get().is_multiple_of(block_bytes.get()),
                &place,
                || "a stripe is a whole number of blocks".into(),
            )?;
            let row = stripe_bytes.get().saturating_mul(disks.len() as u64);
            let rows = lun.bytes.div_ceil(row);
            let end = rows
                .saturating_mul(stripe_bytes.get())
                .saturating_add(*start_bytes);
            let fits = disks.iter().all(|&disk| end <= capacities[disk as usize]);
            require(fits, place, || "the LUN does not fit on its disks".into())
        }
        MediaPlan::Raid { group, start_bytes } => {
            known(*group, array.groups.len(), "group of that array", &place)?;
            let group = &array.groups[*group as usize];
            let disks = u32::try_from(group.disks.len()).unwrap_or(u32::MAX);
            let units = u64::from(level_of(group.level).data_units(disks));
            let row = group.unit_bytes.get().saturating_mul(units);
            let end = start_bytes.saturating_add(lun.bytes);
            let fits = end <= row.saturating_mul(group.rows.get());
            require(fits, place, || "the LUN is larger than its group".into())
        }
        MediaPlan::Flash { .. } => flash(&lun.media, place),
        MediaPlan::Ram {
            ports,
            command_ps,
            latency_ps,
            bytes_per_s,
            distribution: _,
        } => {
            ports.within(1, MOST_SLOTS, &place)?;
            span(*command_ps, &place)?;
            span(*latency_ps, &place)?;
            rate(*bytes_per_s, place)
        }
    }
}

/// Check a kind of SSD.
pub(super) fn check_ssd(ssd: &SsdPlan, place: impl Fn() -> String) -> Result<(), PlanError> {
    ssd.bytes.within(1, LARGEST_LUN, &place)?;
    let is_solid = matches!(
        ssd.media,
        MediaPlan::Memory { .. } | MediaPlan::Flash { .. }
    );
    require(is_solid, &place, || {
        "an SSD is made of memory or flash".into()
    })?;
    memory(&ssd.media, &place)?;
    flash(&ssd.media, place)
}

fn memory(media: &MediaPlan, place: impl Fn() -> String) -> Result<(), PlanError> {
    let MediaPlan::Memory {
        service_ps,
        servers,
        ..
    } = media
    else {
        return Ok(());
    };
    span(*service_ps, &place)?;
    servers.within(1, MOST_SLOTS, place)
}

fn flash(media: &MediaPlan, place: impl Fn() -> String) -> Result<(), PlanError> {
    let MediaPlan::Flash {
        channels,
        dies_per_channel,
        page_bytes,
        pages_per_block: _,
        read_ps,
        variation: _,
        program_ps,
        erase_ps,
        channel_bytes_per_s,
        buffer_bytes,
        latency_ps,
        amplification_ppm,
    } = media
    else {
        return Ok(());
    };
    let dies = u64::from(channels.get()) * u64::from(dies_per_channel.get());
    require(dies <= MOST_DIES, &place, || {
        format!("a flash SSD has at most {MOST_DIES} dies")
    })?;
    page_bytes.within(SECTOR_BYTES, 1 << 30, &place)?;
    for time in [read_ps, program_ps, erase_ps, latency_ps] {
        span(*time, &place)?;
    }
    rate(*channel_bytes_per_s, &place)?;
    buffer_bytes.within(0, LARGEST_LUN, &place)?;
    amplification_ppm.within(1_000_000, 1_000_000_000, place)
}
