//! Frames that a port behind an I/O bus holds, or is fetching from memory, ahead of its fibre.

use std::collections::VecDeque;

use sanlab_kernel::{Id, Instant};

use crate::{BusPlace, Frame, FrameKind, NextFrame, RING_ENTRY_BYTES};

/// What a port has fetched and not yet begun to send, in order.
#[derive(Clone, Debug)]
pub(crate) struct Prefetch {
    /// Its place among the ports behind buses.
    pub(crate) port: Id<BusPlace>,
    /// Frames it may hold.
    pub(crate) depth: usize,
    fetched: VecDeque<Fetched>,
}

/// A frame, and when it is there.
#[derive(Clone, Copy, Debug)]
struct Fetched {
    next: NextFrame,
    ready_at: Instant,
}

impl Prefetch {
    pub(crate) fn new(port: Id<BusPlace>, depth: usize) -> Self {
        Self {
            port,
            depth,
            fetched: VecDeque::with_capacity(depth),
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.fetched.len() < self.depth
    }

    /// A frame will be there at this instant, or once those before it are.
    pub(crate) fn push(&mut self, next: NextFrame, ready_at: Instant) {
        let before = self
            .fetched
            .back()
            .map_or(Instant::START, |last| last.ready_at);
        let ready_at = ready_at.max(before);
        self.fetched.push_back(Fetched { next, ready_at });
    }

    pub(crate) fn ready_at(&self) -> Instant {
        self.fetched
            .front()
            .map_or(Instant::NEVER, |first| first.ready_at)
    }

    /// The first frame, if it is there by now, and since when.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<(NextFrame, Instant)> {
        let is_there = self.ready_at() <= now;
        let first = is_there.then(|| self.fetched.pop_front()).flatten()?;
        Some((first.next, first.ready_at))
    }

    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.fetched.iter().map(|fetched| &fetched.next.frame)
    }

    pub(crate) fn clear(&mut self) {
        self.fetched.clear();
    }
}

impl Frame {
    /// Bytes that cross the bus of a host for it: those of its data, or an entry of a ring. What an
    /// adapter makes and takes itself, like XFER_RDY, does not cross.
    pub fn bytes_on_bus(&self) -> u32 {
        match self.kind {
            FrameKind::Data => u32::from(self.payload_bytes),
            FrameKind::Command | FrameKind::Response => RING_ENTRY_BYTES,
            _ => 0,
        }
    }
}
