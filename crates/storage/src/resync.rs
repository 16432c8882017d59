//! Regions of a LUN that its suspended copy lacks, and how they are copied afterwards.

use std::collections::BTreeMap;

use sanlab_kernel::{Instant, Rate, Span};

/// How a suspended mirror goes on.
#[derive(Clone, Copy, Debug)]
pub struct Resume {
    /// From the suspension to the resumption.
    pub after: Span,
    /// Size of a region: what one mark stands for.
    pub region_bytes: u64,
    /// Highest rate at which regions are copied.
    pub rate: Option<Rate>,
    /// Length of the LUN.
    pub lun_bytes: u64,
}

/// Marked regions of a mirror that resumes.
#[derive(Clone, Debug)]
pub(crate) struct Resync {
    resume: Resume,
    /// Regions to copy, each with the bytes of acknowledged writes there that the copy lacks.
    marks: BTreeMap<u64, u64>,
    /// When the next region may be copied.
    next_at: Instant,
    /// Its owner wakes it then.
    is_woken: bool,
    /// The suspension whose end its owner knows.
    known: Option<Instant>,
    /// Regions being copied.
    pub(crate) open: u32,
}

/// A region that is to be copied now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Bytes of acknowledged writes there that the copy lacks.
    pub(crate) lacking: u64,
}

impl Resync {
    pub(crate) fn new(resume: Resume) -> Self {
        Self {
            resume,
            marks: BTreeMap::new(),
            next_at: Instant::START,
            is_woken: false,
            known: None,
            open: 0,
        }
    }

    /// Mark the regions of a write that was not copied.
    pub(crate) fn mark(&mut self, address: u64, bytes: u64) {
        let size = self.resume.region_bytes;
        let end = address + bytes;
        for region in address / size..end.div_ceil(size) {
            let from = address.max(region * size);
            let until = end.min((region + 1) * size);
            *self.marks.entry(region).or_default() += until - from;
        }
    }

    /// Whether a write touches a region that is still to be copied.
    pub(crate) fn touches(&self, address: u64, bytes: u64) -> bool {
        let size = self.resume.region_bytes;
        let regions = address / size..(address + bytes).div_ceil(size);
        self.marks.range(regions).next().is_some()
    }

    /// All regions are copied.
    pub(crate) fn is_done(&self) -> bool {
        self.marks.is_empty() && self.open == 0
    }

    /// The first region, if it may be copied now.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Region> {
        if now < self.next_at {
            return None;
        }
        let (region, lacking) = self.marks.pop_first()?;
        let Resume {
            region_bytes,
            rate,
            lun_bytes,
            ..
        } = self.resume;
        let address = region * region_bytes;
        let bytes = region_bytes.min(lun_bytes - address);
        self.next_at = now + rate.map_or(Span::ZERO, |rate| rate.time_for(bytes));
        self.open += 1;
        Some(Region {
            address,
            bytes,
            lacking,
        })
    }

    /// When to look again for a region that waits for its rate; once for each wait.
    pub(crate) fn wake_at(&mut self, now: Instant) -> Option<Instant> {
        let waits = !self.marks.is_empty() && self.next_at > now;
        (waits && !std::mem::replace(&mut self.is_woken, waits)).then_some(self.next_at)
    }

    /// The time to look again has come.
    pub(crate) fn wake(&mut self) {
        self.is_woken = false;
    }

    /// When a suspension ends; once for each.
    pub(crate) fn resumes_at(&mut self, suspended_at: Instant) -> Option<Instant> {
        let before = self.known.replace(suspended_at);
        (before != Some(suspended_at)).then_some(suspended_at + self.resume.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_follow_at_the_rate() {
        let mut resync = Resync::new(Resume {
            after: Span::ZERO,
            region_bytes: 100,
            rate: Some(Rate::from_bytes_per_s(1_000_000_000_000)),
            lun_bytes: 350,
        });
        resync.mark(90, 30);
        resync.mark(300, 50);
        resync.mark(310, 10);
        assert!(resync.touches(0, 1) && resync.touches(50, 300) && !resync.touches(200, 100));
        let at = Instant::from_ps;
        let region = |address, bytes, lacking| {
            Some(Region {
                address,
                bytes,
                lacking,
            })
        };
        assert_eq!(resync.take(at(0)), region(0, 100, 10));
        assert_eq!(resync.take(at(99)), None);
        assert_eq!(resync.wake_at(at(99)), Some(at(100)));
        assert_eq!(resync.wake_at(at(99)), None);
        assert_eq!(resync.take(at(100)), region(100, 100, 20));
        assert_eq!(resync.take(at(250)), region(300, 50, 60));
        assert!(!resync.is_done());
    }
}
