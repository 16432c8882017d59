//! A flash SSD: channels, dies, a write buffer, and garbage collection as a rate.
//!
//! A read takes its pages from their dies, all at once where the dies differ, and then the channels
//! one page after the other. A write is answered when it is in the buffer; its pages are programmed
//! behind it, garbage collection adds to them, and a write that finds the buffer full waits for one
//! before it to be programmed. Dies and channels serve in the order of arrival, so the end of a
//! command is known when it comes: one event for each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sanlab_kernel::{Id, IdVec, Instant, RandomStream, Rate, Span, StationTotals};

use crate::disk::ledger::Ledger;
use crate::service_time::ServiceTime;

const WHOLE_PPM: u64 = 1_000_000;

/// What a flash SSD is made of.
#[derive(Clone, Copy, Debug)]
pub struct FlashModel {
    /// Channels.
    pub channels: u32,
    /// Dies on each.
    pub dies_per_channel: u32,
    /// Bytes of a page.
    pub page: u64,
    /// Pages of a block, the unit of erasing.
    pub pages_per_block: u32,
    /// Time to read a page in its die, on average.
    pub read: Span,
    /// Standard deviation of that time for commands, as a share of it in parts per million.
    pub variation_ppm: u32,
    /// Time to program a page.
    pub program: Span,
    /// Time to erase a block.
    pub erase: Span,
    /// Rate of a channel.
    pub channel: Rate,
    /// Bytes the write buffer holds; 0 answers a write when it is programmed.
    pub buffer: u64,
    /// Controller, host interface and buffer: added to every command.
    pub latency: Span,
    /// Pages programmed for a million written; at least a million.
    pub amplification_ppm: u64,
}

/// What it has done inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlashCounters {
    /// Pages read for commands.
    pub reads: u64,
    /// Pages programmed for commands.
    pub programs: u64,
    /// Pages moved by garbage collection, each a read and a program.
    pub moves: u64,
    /// Blocks erased.
    pub erases: u64,
}

#[derive(Debug)]
enum Die {}

#[derive(Debug)]
enum Channel {}

/// A flash SSD.
#[derive(Clone, Debug)]
pub struct Flash {
    model: FlashModel,
    read: ServiceTime,
    dies: IdVec<Die, Instant>,
    channels: IdVec<Channel, Instant>,
    /// Ends of programs under way, with the bytes each frees.
    programs: BinaryHeap<Reverse<(Instant, u64)>>,
    buffered: u64,
    next_die: Id<Die>,
    /// Die of the next move or erasure: in turn, so that none gets more than its share.
    next_move: Id<Die>,
    owed_moves: u64,
    programmed: u64,
    ledger: Ledger,
    /// What it has done.
    pub counters: FlashCounters,
}

impl Flash {
    /// An SSD at rest, with a stream for the times of its reads.
    pub fn new(model: FlashModel, draws: RandomStream) -> Self {
        let dies = (model.channels * model.dies_per_channel) as usize;
        Self {
            dies: IdVec::filled(Instant::START, dies),
            channels: IdVec::filled(Instant::START, model.channels as usize),
            programs: BinaryHeap::new(),
            buffered: 0,
            next_die: Id::new(0),
            next_move: Id::new(0),
            owed_moves: 0,
            programmed: 0,
            ledger: Ledger::default(),
            counters: FlashCounters::default(),
            read: ServiceTime::varying(model.read, model.variation_ppm, draws),
            model,
        }
    }

    /// Starts a command; returns when it is done. The caller reports its end then.
    pub fn arrive(&mut self, now: Instant, address: u64, bytes: u64, is_read: bool) -> Instant {
        self.ledger.arrive(now);
        let done = if is_read {
            self.read(now, address, bytes)
        } else {
            self.write(now, bytes)
        };
        done + self.model.latency
    }

    /// A command that came then is done.
    pub fn leave(&mut self, now: Instant, came_at: Instant) {
        self.ledger.leave(now, came_at);
    }

    /// Totals up to now.
    pub fn totals(&mut self, now: Instant) -> StationTotals {
        self.ledger.totals(now)
    }

    /// Little's law; the error is what is missing.
    pub fn check(&mut self, now: Instant) -> Result<(), i128> {
        self.ledger.check(now)
    }

    /// Pages lie on the dies in turn, channels first.
    fn read(&mut self, now: Instant, address: u64, bytes: u64) -> Instant {
        let page = self.model.page;
        let end = address + bytes;
        let mut done = now;
        for number in address / page..=(end - 1) / page {
            let die = Id::from_place(usize::try_from(number % self.dies.len() as u64).unwrap_or(0));
            let part = end.min((number + 1) * page) - address.max(number * page);
            let read_at = take(&mut self.dies[die], now, self.read.draw());
            let channel = self.channel_of(die);
            let transfer = self.model.channel.time_for(part);
            done = done.max(take(&mut self.channels[channel], read_at, transfer));
            self.counters.reads += 1;
        }
        done
    }

    fn write(&mut self, now: Instant, bytes: u64) -> Instant {
        while let Some(&Reverse((at, freed))) = self.programs.peek() {
            if at > now {
                break;
            }
            self.programs.pop();
            self.buffered -= freed;
        }
        if bytes > self.model.buffer {
            return self.program(now, bytes);
        }
        let mut taken_at = now;
        while self.buffered + bytes > self.model.buffer {
            let Some(Reverse((at, freed))) = self.programs.pop() else {
                break;
            };
            self.buffered -= freed;
            taken_at = at;
        }
        self.program(taken_at, bytes);
        taken_at
    }

    /// Program pages behind one another on the dies in turn; returns when the last is done.
    fn program(&mut self, now: Instant, bytes: u64) -> Instant {
        let is_buffered = bytes <= self.model.buffer;
        let (mut left, mut done) = (bytes, now);
        while left > 0 {
            let part = left.min(self.model.page);
            left -= part;
            let die = self.next_die;
            self.next_die = self.die_behind(die);
            let channel = self.channel_of(die);
            let sent_at = take(
                &mut self.channels[channel],
                now,
                self.model.channel.time_for(part),
            );
            let at = take(&mut self.dies[die], sent_at, self.model.program);
            self.counters.programs += 1;
            self.collect();
            if is_buffered {
                self.buffered += part;
                self.programs.push(Reverse((at, part)));
            }
            done = done.max(at);
        }
        done
    }

    /// Garbage collection that a programmed page brings about.
    fn collect(&mut self) {
        self.owed_moves += self.model.amplification_ppm.saturating_sub(WHOLE_PPM);
        let mut pages = 1;
        while self.owed_moves >= WHOLE_PPM {
            self.owed_moves -= WHOLE_PPM;
            self.occupy_next(self.model.read + self.model.program);
            self.counters.moves += 1;
            pages += 1;
        }
        let per_block = u64::from(self.model.pages_per_block.max(1));
        let before = self.programmed / per_block;
        self.programmed += pages;
        for _ in before..self.programmed / per_block {
            self.occupy_next(self.model.erase);
            self.counters.erases += 1;
        }
    }

    fn occupy_next(&mut self, span: Span) {
        self.dies[self.next_move] += span;
        self.next_move = self.die_behind(self.next_move);
    }

    fn die_behind(&self, die: Id<Die>) -> Id<Die> {
        let behind = Id::new(die.number() + 1);
        if behind == self.dies.next_id() {
            Id::new(0)
        } else {
            behind
        }
    }

    fn channel_of(&self, die: Id<Die>) -> Id<Channel> {
        Id::new(die.number() % self.model.channels)
    }
}

/// The next service of a server that is free from then on.
fn take(free_at: &mut Instant, now: Instant, service: Span) -> Instant {
    *free_at = now.max(*free_at) + service;
    *free_at
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Span = Span::from_ps(1_000_000);

    fn at(since: Span) -> Instant {
        Instant::START + since
    }

    fn model() -> FlashModel {
        FlashModel {
            channels: 2,
            dies_per_channel: 2,
            page: 4096,
            pages_per_block: 100,
            read: US * 50,
            variation_ppm: 0,
            program: US * 500,
            erase: US * 3000,
            channel: Rate::from_bytes_per_s(409_600_000), // 10 us for a page
            buffer: 8192,
            latency: US * 5,
            amplification_ppm: 1_000_000,
        }
    }

    fn flash_of(model: FlashModel) -> Flash {
        Flash::new(model, RandomStream::new(1, "test"))
    }

    #[test]
    fn a_read_is_die_then_channel_and_dies_work_side_by_side() {
        let mut flash = flash_of(model());
        assert_eq!(flash.arrive(Instant::START, 0, 4096, true), at(US * 65));
        let mut flash = flash_of(model());
        // Four pages on four dies, two of them behind each other on each channel.
        assert_eq!(flash.arrive(Instant::START, 0, 4 * 4096, true), at(US * 75));
        let mut flash = flash_of(model());
        flash.arrive(Instant::START, 0, 4096, true);
        assert_eq!(
            flash.arrive(Instant::START, 4 * 4096, 4096, true),
            at(US * 115),
            "the same die"
        );
        assert_eq!(flash.counters.reads, 2);
    }

    #[test]
    fn a_write_waits_for_room_in_the_buffer() {
        let mut flash = flash_of(model());
        assert_eq!(flash.arrive(Instant::START, 0, 4096, false), at(US * 5));
        assert_eq!(flash.arrive(Instant::START, 0, 4096, false), at(US * 5));
        // The first page is programmed at 510 us.
        assert_eq!(flash.arrive(Instant::START, 0, 4096, false), at(US * 515));
        let mut through = flash_of(FlashModel {
            buffer: 0,
            ..model()
        });
        assert_eq!(through.arrive(Instant::START, 0, 4096, false), at(US * 515));
    }

    /// Sustained writes: dies share programs, moves (read and program) and erases.
    #[test]
    fn sustained_writes_go_at_the_rate_of_the_dies() {
        let model = FlashModel {
            amplification_ppm: 2_500_000,
            buffer: 1 << 20,
            ..model()
        };
        let mut flash = flash_of(model);
        let mut now = Instant::START;
        let pages = 20_000;
        for _ in 0..pages {
            let came_at = now;
            now = flash.arrive(now, 0, 4096, false);
            flash.leave(now, came_at);
        }
        let per_page = 500.0 + 1.5 * 550.0 + 2.5 * 3000.0 / 100.0;
        // What still is in the buffer has been answered and not programmed.
        let expected = per_page * f64::from(pages - 256) / 4.0;
        let got = now.as_ps() as f64 / 1e6;
        assert!(
            (got / expected - 1.0).abs() < 0.01,
            "{got} us, expected {expected}"
        );
        assert_eq!(flash.counters.moves, 30_000);
        assert_eq!(flash.check(now), Ok(()));
    }
}
