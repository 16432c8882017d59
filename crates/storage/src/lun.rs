//! A logical unit and what holds its blocks.

use sanlab_kernel::{Id, IdVec, Instant, Station};

use crate::controller::Controller;
use crate::disk::Disk;
use crate::flash::Flash;
use crate::mirror::Mirror;
use crate::page_cache::{Home, Store};
use crate::parts::Lun;
use crate::raid::Group;
use crate::ram::Ram;
use crate::service_time::ServiceTime;
use crate::task_set::{LunMeter, LunTotals};

/// A logical unit.
#[derive(Clone, Debug)]
pub struct LogicalUnit {
    /// SCSI logical unit number.
    pub number: u32,
    /// Capacity.
    pub bytes: u64,
    /// Commands its task set holds.
    pub queue_depth: u32,
    /// Commands in its task set.
    pub open: u32,
    /// What has been counted there.
    pub meter: LunMeter,
    /// The controller that owns it; none if all serve it.
    pub owner: Option<Id<Controller>>,
    /// The one that serves it now; none if all do.
    pub served_by: Option<Id<Controller>>,
    /// That one serves it from then on.
    pub ready_at: Instant,
    /// The controller whose cache has its data.
    pub cached_by: Id<Controller>,
    /// What holds its blocks.
    pub media: Media,
    /// Copies to another array.
    pub mirror: Option<Mirror>,
}

impl LogicalUnit {
    /// What has been counted at its task set up to now.
    pub fn totals(&self, now: Instant) -> LunTotals {
        self.meter.totals(now, self.open)
    }
}

/// What holds the blocks of a LUN.
#[derive(Clone, Debug)]
pub enum Media {
    /// A device whose service time does not depend on the address.
    Memory {
        /// Time of a request.
        service: ServiceTime,
        /// Its servers.
        station: Box<Station>,
    },
    /// RAID 0 over disks.
    Stripe(Stripe),
    /// A part of a RAID group.
    Raid {
        /// The group.
        group: Id<Group>,
        /// First byte of the group's data.
        start: u64,
    },
    /// A flash SSD.
    Flash(Box<Flash>),
    /// A RAM SSD.
    Ram(Box<Ram>),
}

/// RAID 0: stripes of `stripe_bytes` on each disk in turn.
#[derive(Clone, Debug)]
pub struct Stripe {
    /// The disks.
    pub disks: Vec<Id<Disk>>,
    /// Where the LUN begins on each.
    pub start: u64,
    /// Bytes on one disk before the next.
    pub stripe_bytes: u64,
    /// Unit in which the array addresses the disks: a piece is rounded out to whole blocks.
    pub block_bytes: u64,
}

/// The part of a request that one disk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Disk.
    pub disk: Id<Disk>,
    /// First byte on it.
    pub address: u64,
    /// Length.
    pub bytes: u64,
}

impl Media {
    /// Bytes that are best written at once; 0 where it makes no difference.
    pub fn stripe_bytes(&self, groups: &IdVec<Group>) -> u64 {
        match self {
            Self::Raid { group, .. } => groups[*group].mapping.row_bytes(),
            Self::Stripe(stripe) => stripe.stripe_bytes * stripe.disks.len() as u64,
            Self::Memory { .. } | Self::Flash(_) | Self::Ram(_) => 0,
        }
    }

    /// Where a LUN is, for destages by address.
    pub fn home(&self, lun: Id<Lun>, groups: &IdVec<Group>) -> Home {
        let (store, start, together) = match self {
            Self::Raid { group, start } => {
                let together = groups[*group].mapping.together_bytes();
                (group.number(), *start, together)
            }
            Self::Stripe(stripe) => {
                let first = stripe.disks.first().map_or(0, |disk| disk.number());
                let start = stripe.start * stripe.disks.len() as u64;
                (STRIPES + first, start, stripe.stripe_bytes)
            }
            Self::Memory { .. } | Self::Flash(_) | Self::Ram(_) => (OTHERS + lun.number(), 0, 0),
        };
        Home {
            store,
            start,
            together,
        }
    }
}

/// Numbers of what holds LUNs: groups come first, then stripes, then LUNs with a store of their own.
const STRIPES: Store = 1 << 30;
const OTHERS: Store = 1 << 31;

impl Stripe {
    /// The pieces of a request. Consecutive stripes of one disk are adjacent, so each
    /// disk has at most one piece.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a column is below the number of disks"
    )]
    pub fn pieces(&self, address: u64, bytes: u64) -> impl Iterator<Item = Piece> + '_ {
        let end = address + bytes;
        let first = address / self.stripe_bytes;
        let last = (end - 1) / self.stripe_bytes;
        let count = self.disks.len() as u64;
        (first..=last.min(first + count - 1)).map(move |stripe| {
            let column = stripe % count;
            // The last stripe of this request on the same disk.
            let final_stripe = last - (last - stripe) % count;
            let from = self.on_disk(stripe, address.max(stripe * self.stripe_bytes));
            let final_end = end.min((final_stripe + 1) * self.stripe_bytes);
            let to = self.on_disk(final_stripe, final_end - 1) + 1;
            let from = from / self.block_bytes * self.block_bytes;
            let to = to.next_multiple_of(self.block_bytes);
            Piece {
                disk: self.disks[column as usize],
                address: self.start + from,
                bytes: to - from,
            }
        })
    }

    fn on_disk(&self, stripe: u64, address: u64) -> u64 {
        stripe / self.disks.len() as u64 * self.stripe_bytes + address % self.stripe_bytes
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    #[test]
    fn pieces_cover_every_byte_once() {
        let mut draws = RandomStream::new(2, "pieces");
        for _ in 0..2000 {
            let disks = 1 + draws.below(6) as u32;
            let stripe = Stripe {
                disks: (0..disks).map(Id::new).collect(),
                start: 0,
                stripe_bytes: 64,
                block_bytes: 1,
            };
            let (address, bytes) = (draws.below(2000), 1 + draws.below(900));
            let mut seen: Vec<(Id<Disk>, u64)> = Vec::new();
            for piece in stripe.pieces(address, bytes) {
                seen.extend((piece.address..piece.address + piece.bytes).map(|b| (piece.disk, b)));
            }
            let mut expected: Vec<(Id<Disk>, u64)> = (address..address + bytes)
                .map(|byte| {
                    let row = byte / 64;
                    let column = row % u64::from(disks);
                    (
                        Id::new(column as u32),
                        row / u64::from(disks) * 64 + byte % 64,
                    )
                })
                .collect();
            seen.sort_unstable();
            expected.sort_unstable();
            assert_eq!(seen, expected);
        }
    }

    /// With blocks each disk still has one piece: the one for bytes, rounded out, within its stripes.
    #[test]
    fn pieces_are_rounded_out_to_whole_blocks() {
        let mut draws = RandomStream::new(3, "blocks");
        for _ in 0..2000 {
            let disks = 1 + draws.below(5) as u32;
            let of_bytes = Stripe {
                disks: (0..disks).map(Id::new).collect(),
                start: 1000,
                stripe_bytes: 64,
                block_bytes: 1,
            };
            let of_blocks = Stripe {
                block_bytes: 16,
                ..of_bytes.clone()
            };
            let (address, bytes) = (draws.below(2000), 1 + draws.below(900));
            let pieces = of_bytes.pieces(address, bytes);
            for (exact, whole) in pieces.zip(of_blocks.pieces(address, bytes)) {
                let (from, to) = (exact.address - 1000, exact.address - 1000 + exact.bytes);
                assert_eq!(whole.disk, exact.disk);
                assert_eq!(whole.address, 1000 + from / 16 * 16);
                assert_eq!(whole.bytes, to.div_ceil(16) * 16 - from / 16 * 16);
            }
        }
    }
}
