//! The slow reference: every credit return, end of transmission and arrival is an event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sanlab_kernel::{NEVER, Picoseconds};

/// State of the transmitters as it is now, moved by events, with nothing computed ahead.
///
/// It decides only *when* a transmitter may start; which frame goes is decided by the same code as
/// in the fast network.
pub(crate) struct Reference {
    /// When, whose, what, and the beginning of the link it belongs to.
    queue: BinaryHeap<Reverse<(Picoseconds, u32, Kind, u32)>>,
    transmitters: Vec<Transmitter>,
    events: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    CreditBack,
    Sent,
    FrameReady,
}

#[derive(Clone, Debug, Default)]
struct Transmitter {
    is_busy: bool,
    /// Credit back now, relative to what was granted: goes below zero as it is used.
    credit: i64,
    granted: i64,
    /// Frames that could be sent; of an N_Port, whether there is one.
    ready: u64,
    /// Since when it has had a frame, a free fibre and no credit.
    starved_since: Option<Picoseconds>,
    /// How often its link has begun anew.
    beginnings: u32,
}

impl Reference {
    pub(crate) fn new(fibres: usize) -> Self {
        Self {
            queue: BinaryHeap::new(),
            transmitters: vec![Transmitter::default(); fibres],
            events: 0,
        }
    }

    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    pub(crate) fn next_at(&self) -> Picoseconds {
        self.queue.peek().map_or(NEVER, |Reverse((at, ..))| *at)
    }

    pub(crate) fn grant(&mut self, fibre: u32, credit: u32) {
        self.transmitters[fibre as usize].granted = i64::from(credit);
    }

    pub(crate) fn announce(&mut self, fibre: u32, ready_at: Picoseconds) {
        self.push(ready_at, fibre, Kind::FrameReady);
    }

    pub(crate) fn give_credit(&mut self, fibre: u32, at: Picoseconds) {
        self.push(at, fibre, Kind::CreditBack);
    }

    fn push(&mut self, at: Picoseconds, fibre: u32, kind: Kind) {
        // The fibre that leads nowhere has no transmitter.
        if let Some(transmitter) = self.transmitters.get(fibre as usize) {
            let beginning = transmitter.beginnings;
            self.queue.push(Reverse((at, fibre, kind, beginning)));
        }
    }

    /// The link begins anew: what was announced to the transmitter counts no more, and all of its
    /// credit is there at this instant.
    pub(crate) fn begin_anew(&mut self, fibre: u32, back_at: Picoseconds) {
        let transmitter = &mut self.transmitters[fibre as usize];
        transmitter.beginnings += 1;
        transmitter.ready = 0;
        transmitter.starved_since = None;
        transmitter.credit = -transmitter.granted;
        for _ in 0..transmitter.granted {
            self.give_credit(fibre, back_at);
        }
    }

    /// So much credit is lost.
    pub(crate) fn lose_credit(&mut self, fibre: u32, lost: u32, now: Picoseconds) {
        let transmitter = &mut self.transmitters[fibre as usize];
        transmitter.credit -= i64::from(lost);
        transmitter.note_starving(now);
    }

    /// A transmission starts; the fibre is taken until `free_at`.
    pub(crate) fn on_start(&mut self, fibre: u32, free_at: Picoseconds) {
        let transmitter = &mut self.transmitters[fibre as usize];
        transmitter.is_busy = true;
        transmitter.credit -= 1;
        transmitter.ready = transmitter.ready.saturating_sub(1);
        transmitter.starved_since = None;
        self.push(free_at, fibre, Kind::Sent);
    }

    /// An N_Port has something to send now, or not: its frames are not made before they start.
    pub(crate) fn set_ready(&mut self, fibre: u32, at: Picoseconds, is_ready: bool) {
        let transmitter = &mut self.transmitters[fibre as usize];
        transmitter.ready = u64::from(is_ready);
        transmitter.note_starving(at);
    }

    /// How long the transmitter has waited for credit when it starts now.
    pub(crate) fn credit_wait(&self, fibre: u32, now: Picoseconds) -> Picoseconds {
        // Places on loops have no transmitter of their own here.
        let transmitter = self.transmitters.get(fibre as usize);
        transmitter
            .and_then(|it| it.starved_since)
            .map_or(0, |since| now.saturating_sub(since))
    }

    /// Handle the next event; says whose it was.
    pub(crate) fn step(&mut self) -> (Picoseconds, u32) {
        let Some(Reverse((at, fibre, kind, beginning))) = self.queue.pop() else {
            return (NEVER, 0);
        };
        self.events += 1;
        let transmitter = &mut self.transmitters[fibre as usize];
        match kind {
            Kind::CreditBack | Kind::FrameReady if beginning != transmitter.beginnings => {}
            Kind::CreditBack => transmitter.credit += 1,
            Kind::Sent => transmitter.is_busy = false,
            Kind::FrameReady => transmitter.ready += 1,
        }
        transmitter.note_starving(at);
        (at, fibre)
    }

    pub(crate) fn can_start(&self, fibre: u32) -> bool {
        let transmitter = &self.transmitters[fibre as usize];
        !transmitter.is_busy && transmitter.ready > 0 && transmitter.has_credit()
    }
}

impl Transmitter {
    fn note_starving(&mut self, now: Picoseconds) {
        let is_starved = !self.is_busy && self.ready > 0 && !self.has_credit();
        if is_starved && self.starved_since.is_none() {
            self.starved_since = Some(now);
        }
    }

    fn has_credit(&self) -> bool {
        self.granted + self.credit > 0
    }
}
