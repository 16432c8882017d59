//! One direction of a link, with the transmitter at its start.

use sanlab_fc::{BbCredit, HEADER_IN_BYTES, PRIMITIVE_BYTES};
use sanlab_kernel::{NEVER, Picoseconds, Rate};

use crate::counters::FibreCounters;
use crate::health::BitErrors;
use crate::voq::Queues;

/// Who transmits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A port of a host or an array.
    NPort(u32),
    /// A port of a switch.
    Switch,
}

/// Who receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// A port of a host or an array.
    NPort(u32),
    /// A port of a switch.
    Switch {
        /// Which switch.
        switch: u32,
        /// Which of its ports.
        port: u32,
    },
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Fibre {
    /// Who transmits.
    pub source: Source,
    /// Who receives.
    pub sink: Sink,
    /// When the next frame may begin, as far as the fibre is concerned.
    pub free_at: Picoseconds,
    /// When a frame could have begun but for credit; [`NEVER`] while none waits.
    pub could_start_at: Picoseconds,
    /// Credit for the receiver.
    pub credit: BbCredit,
    /// Frames of a switch that wait for this output.
    pub queues: Queues,
    /// What has been counted.
    pub counters: FibreCounters,
    /// A frame whose last bit comes in later than this may be lost; [`NEVER`] where nothing goes wrong.
    pub trouble_at: Picoseconds,
    /// When it goes dark, or did: until it is lit again, it carries nothing.
    pub dark_from: Picoseconds,
    /// Credit that nobody will give back: of frames that were cut off, or lost by a fault of its own.
    pub lost_credit: u32,
    /// Bits that arrive inverted.
    pub errors: Option<Box<BitErrors>>,
    /// Propagation.
    pub delay: Picoseconds,
    /// Propagation and one word: from a buffer's release at the far end to the credit here.
    pub credit_return: Picoseconds,
    /// From the first bit sent to the header received.
    pub header: Picoseconds,
    rate: Rate,
    gap_bytes: u64,
    /// Times of the two sizes sent last: frames of one size come in rows, between them a response.
    cached: [Times; 2],
}

/// What a frame of one size takes.
#[derive(Clone, Copy, Debug)]
struct Times {
    wire_bytes: u16,
    /// First to last bit.
    sending: Picoseconds,
    /// First bit to that of the next frame at the earliest.
    slot: Picoseconds,
}

impl Fibre {
    /// A fibre of this rate and length; `gap_bytes` of fill words follow each frame.
    pub fn new(
        source: Source,
        sink: Sink,
        rate: Rate,
        gap_bytes: u32,
        delay: Picoseconds,
        credit: u32,
    ) -> Self {
        Self {
            source,
            sink,
            free_at: 0,
            could_start_at: NEVER,
            credit: BbCredit::new(credit),
            queues: Queues::default(),
            counters: FibreCounters::default(),
            trouble_at: NEVER,
            dark_from: NEVER,
            lost_credit: 0,
            errors: None,
            delay,
            credit_return: delay + rate.time_for(PRIMITIVE_BYTES),
            header: delay + rate.time_for(HEADER_IN_BYTES),
            rate,
            gap_bytes: u64::from(gap_bytes),
            cached: [Times {
                wire_bytes: 0,
                sending: 0,
                slot: rate.time_for(u64::from(gap_bytes)),
            }; 2],
        }
    }

    /// Time of this many bytes with the gap after them.
    pub fn slot(&self, wire_bytes: u32) -> Picoseconds {
        self.rate.time_for(u64::from(wire_bytes) + self.gap_bytes)
    }

    /// Whether it carries nothing now.
    #[inline(always)]
    pub fn is_dark(&self, now: Picoseconds) -> bool {
        now >= self.dark_from
    }

    /// Its rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Time from the first to the last bit of a frame, and to the first bit of the next at the
    /// earliest.
    #[inline]
    pub fn times(&mut self, wire_bytes: u16) -> (Picoseconds, Picoseconds) {
        if self.cached[0].wire_bytes != wire_bytes {
            self.recall(wire_bytes);
        }
        (self.cached[0].sending, self.cached[0].slot)
    }

    fn recall(&mut self, wire_bytes: u16) {
        self.cached.swap(0, 1);
        if self.cached[0].wire_bytes != wire_bytes {
            self.cached[0] = Times {
                wire_bytes,
                sending: self.rate.time_for(u64::from(wire_bytes)),
                slot: self.slot(u32::from(wire_bytes)),
            };
        }
    }
}
