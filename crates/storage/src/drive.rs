//! What is in a slot of an array: a disk or an SSD.

use sanlab_kernel::{Instant, StationTotals};

use crate::disk::{Disk, DiskCommand, DiskCompletion};
use crate::ssd::Ssd;

/// A disk or an SSD.
#[derive(Clone, Debug)]
pub enum Drive {
    /// A disk.
    Disk(Box<Disk>),
    /// An SSD.
    Ssd(Box<Ssd>),
}

impl Drive {
    /// The SSD, if it is one.
    #[inline]
    pub fn ssd(&self) -> Option<&Ssd> {
        match self {
            Self::Disk(_) => None,
            Self::Ssd(ssd) => Some(ssd),
        }
    }

    /// A command comes.
    pub fn submit(&mut self, now: Instant, command: DiskCommand) {
        match self {
            Self::Disk(disk) => disk.submit(now, command),
            Self::Ssd(ssd) => ssd.submit(now, command),
        }
    }

    /// When it must be looked at again; [`Instant::NEVER`] if it has nothing to do.
    #[inline]
    pub fn next_at(&self) -> Instant {
        match self {
            Self::Disk(disk) => disk.next_at(),
            Self::Ssd(ssd) => ssd.next_at(),
        }
    }

    /// What is done now, if anything is.
    pub fn step(&mut self, now: Instant) -> Option<DiskCompletion> {
        match self {
            Self::Disk(disk) => disk.step(now),
            Self::Ssd(ssd) => ssd.step(now),
        }
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        match self {
            Self::Disk(disk) => disk.totals(now),
            Self::Ssd(ssd) => ssd.totals(now),
        }
    }

    /// Little's law; the error is what is missing.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        match self {
            Self::Disk(disk) => disk.check(now),
            Self::Ssd(ssd) => ssd.check(now),
        }
    }
}
