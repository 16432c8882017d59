//! Several LUNs as one range of addresses, concatenated or striped.

use sanlab_kernel::{Id, IdVec};

use crate::request::Target;

/// The part of a LUN that belongs to a volume.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// First byte on the LUN.
    pub offset: u64,
    /// Size.
    pub bytes: u64,
}

/// Where the addresses of a volume are.
#[derive(Clone, Debug)]
pub struct Volume {
    extents: IdVec<Target, Extent>,
    /// Where each extent begins in a volume without stripes.
    begins: IdVec<Target, u64>,
    /// Bytes on one LUN before the next; 0 puts one LUN behind the other.
    stripe_bytes: u64,
}

/// Where a piece of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which LUN of the volume.
    pub target: Id<Target>,
    /// First byte on it.
    pub address: u64,
    /// Bytes that lie on it in one go, at most those asked for.
    pub bytes: u64,
}

impl Volume {
    /// A volume over these extents; those of one with stripes are of one size.
    pub fn new(extents: IdVec<Target, Extent>, stripe_bytes: u64) -> Self {
        let begins = extents
            .iter()
            .scan(0, |end, extent| {
                let begin = *end;
                *end += extent.bytes;
                Some(begin)
            })
            .collect();
        Self {
            extents,
            begins,
            stripe_bytes,
        }
    }

    /// The LUN of this address, and how far it goes on there.
    pub fn place(&self, address: u64, bytes: u64) -> Piece {
        let (target, within, left) = if let Some(stripe) = address.checked_div(self.stripe_bytes) {
            let count = self.extents.len() as u64;
            let inside = address % self.stripe_bytes;
            let within = stripe / count * self.stripe_bytes + inside;
            let target = Id::from_place(usize::try_from(stripe % count).expect("an index"));
            (target, within, self.stripe_bytes - inside)
        } else {
            let begins = self.begins.as_slice();
            let behind = begins.partition_point(|&begin| begin <= address);
            let target = Id::from_place(behind - 1);
            let within = address - self.begins[target];
            (target, within, self.extents[target].bytes - within)
        };
        Piece {
            target,
            address: self.extents[target].offset + within,
            bytes: bytes.min(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(count: u64) -> IdVec<Target, Extent> {
        (0..count)
            .map(|number| Extent {
                offset: 1000 * number,
                bytes: 400,
            })
            .collect()
    }

    #[test]
    fn every_byte_is_somewhere_once() {
        for stripe_bytes in [0, 40, 100] {
            let volume = Volume::new(extents(3), stripe_bytes);
            let mut seen: Vec<_> = (0..1200)
                .map(|address| volume.place(address, 1))
                .map(|piece| (piece.target.number(), piece.address))
                .collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 1200);
            let inside = |&(target, address): &(u32, u64)| {
                let first = 1000 * u64::from(target);
                (first..first + 400).contains(&address)
            };
            assert!(seen.iter().all(inside));
        }
    }

    #[test]
    fn a_request_ends_where_its_lun_or_stripe_does() {
        let concatenated = Volume::new(extents(2), 0);
        let piece = |target, address, bytes| Piece {
            target: Id::new(target),
            address,
            bytes,
        };
        assert_eq!(concatenated.place(390, 30), piece(0, 390, 10));
        assert_eq!(concatenated.place(400, 20), piece(1, 1000, 20));
        let striped = Volume::new(extents(2), 100);
        assert_eq!(striped.place(190, 30), piece(1, 1090, 10));
        assert_eq!(striped.place(200, 20), piece(0, 100, 20));
    }
}
