//! An SSD in the place of a disk: it takes the operations of RAID groups and stripes.
//!
//! The LUNs of a group share its SSDs, so they share what garbage collection leaves of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sanlab_kernel::{Instant, Span, Station, StationTotals};

use crate::disk::{BLOCK_BYTES, DiskCommand, DiskCompletion, DiskTag};
use crate::flash::{Flash, FlashCounters};
use crate::service_time::ServiceTime;

/// What an SSD is made of.
#[derive(Clone, Debug)]
pub enum SsdMedia {
    /// Servers whose time does not depend on the address.
    Memory {
        /// Time of a request.
        service: ServiceTime,
        /// The servers.
        station: Box<Station>,
    },
    /// Channels and dies.
    Flash(Box<Flash>),
}

/// A command whose end is known; the first to end comes first, at equal times the first that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Served {
    ends_at: Instant,
    number: u64,
    tag: DiskTag,
    came_at: Instant,
}

/// An SSD.
#[derive(Clone, Debug)]
pub struct Ssd {
    media: SsdMedia,
    served: BinaryHeap<Reverse<Served>>,
    commands: u64,
}

impl Ssd {
    /// An SSD at rest.
    pub fn new(media: SsdMedia) -> Self {
        Self {
            media,
            served: BinaryHeap::new(),
            commands: 0,
        }
    }

    /// A command comes.
    pub fn submit(&mut self, now: Instant, command: DiskCommand) {
        let ends_at = match &mut self.media {
            SsdMedia::Memory { service, station } => station.arrive(now, service.draw()).ends_at,
            SsdMedia::Flash(flash) => {
                let (address, bytes) = (command.block * BLOCK_BYTES, command.blocks * BLOCK_BYTES);
                flash.arrive(now, address, bytes, command.is_read)
            }
        };
        self.served.push(Reverse(Served {
            ends_at,
            number: self.commands,
            tag: command.tag,
            came_at: now,
        }));
        self.commands += 1;
    }

    /// When the next command is done; [`Instant::NEVER`] without commands.
    pub fn next_at(&self) -> Instant {
        let first = self.served.peek();
        first.map_or(Instant::NEVER, |Reverse(first)| first.ends_at)
    }

    /// The command that is done now.
    pub fn step(&mut self, now: Instant) -> Option<DiskCompletion> {
        let Reverse(done) = self.served.pop()?;
        match &mut self.media {
            SsdMedia::Memory { station, .. } => station.leave(now),
            SsdMedia::Flash(flash) => flash.leave(now, done.came_at),
        }
        Some(DiskCompletion {
            tag: done.tag,
            came_at: done.came_at,
            queue: Span::ZERO,
            seek: Span::ZERO,
            rotation: Span::ZERO,
            transfer: now - done.came_at,
            is_hit: false,
        })
    }

    /// What its flash has done inside.
    pub fn flash_counters(&self) -> Option<FlashCounters> {
        match &self.media {
            SsdMedia::Memory { .. } => None,
            SsdMedia::Flash(flash) => Some(flash.counters),
        }
    }

    /// Requests it serves at once.
    pub fn servers(&self) -> usize {
        match &self.media {
            SsdMedia::Memory { station, .. } => station.servers(),
            SsdMedia::Flash(_) => 1,
        }
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        match &mut self.media {
            SsdMedia::Memory { station, .. } => station.totals(now),
            SsdMedia::Flash(flash) => flash.totals(now),
        }
    }

    /// Little's law; the error is what is missing.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        match &mut self.media {
            SsdMedia::Memory { station, .. } => station.check(now),
            SsdMedia::Flash(flash) => flash.check(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::Id;

    /// Two servers of 100 ps: of three commands that come together the third is done at 200 ps.
    #[test]
    fn commands_are_done_in_the_order_of_their_ends() {
        let at = Instant::from_ps;
        let mut ssd = Ssd::new(SsdMedia::Memory {
            service: ServiceTime::constant(Span::from_ps(100)),
            station: Box::new(Station::new(2)),
        });
        assert_eq!(ssd.next_at(), Instant::NEVER);
        for number in 0..3 {
            ssd.submit(
                at(0),
                DiskCommand {
                    tag: DiskTag::Task(Id::new(number)),
                    block: 0,
                    blocks: 8,
                    is_read: true,
                },
            );
        }
        for (number, end) in [(0, 100), (1, 100), (2, 200)] {
            assert_eq!(ssd.next_at(), at(end));
            let done = ssd.step(at(end)).expect("a command");
            assert_eq!(done.tag, DiskTag::Task(Id::new(number)));
            assert_eq!(done.transfer, Span::from_ps(end));
        }
        assert_eq!(ssd.check(at(300)), Ok(()));
    }
}
