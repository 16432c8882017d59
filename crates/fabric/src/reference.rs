//! The slow reference: every credit return, end of transmission and arrival is an event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sanlab_kernel::{Id, IdVec, Instant, Span};

use crate::fibre::{Fibre, way_back};

/// When something happens, whose it is, what it is, and the beginning of the link it belongs to.
type Announced = (Instant, Id<Fibre>, Kind, u32);

/// State of the transmitters as it is now, moved by events, with nothing computed ahead.
///
/// It decides only *when* a transmitter may start; which frame goes is decided by the same code as
/// in the fast network.
pub(crate) struct Reference {
    queue: BinaryHeap<Reverse<Announced>>,
    transmitters: IdVec<Fibre, Transmitter>,
    events: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// On this virtual channel.
    CreditBack(u8),
    /// The same without an R_RDY.
    CreditRestored(u8),
    /// A buffer is free, and an R_RDY is to be sent on this channel.
    BufferFree(u8),
    Sent,
    FrameReady,
    /// A limit lets the next frame pass.
    GateOpen,
    /// The cable of a trunk's member is back.
    MemberBack,
}

#[derive(Clone, Debug, Default)]
struct Transmitter {
    /// Ends of frames that were cut short: nothing ends then.
    cut_short: Vec<Instant>,
    /// Frames that are being sent, one at most but on a trunk.
    sending: u64,
    /// Links it stands for.
    members: u64,
    /// Its output tells frames apart: which of them can start is asked of its queues.
    is_disciplined: bool,
    /// One of its ready frames has credit.
    has_startable: bool,
    /// Credit of virtual channels, as `granted` and `credit` are of the whole.
    channels: Vec<i64>,
    /// What was granted on each.
    granted_on: Vec<i64>,
    /// Credit back now, relative to what was granted: goes below zero as it is used.
    credit: i64,
    granted: i64,
    /// So many R_RDYs get lost, those that come next.
    to_lose: u32,
    /// Frames that could be sent; of an N_Port, whether there is one.
    ready: u64,
    /// Frames that become ready now and are discarded at once.
    discarded: u64,
    /// Since when it has had a frame, a free fibre and no credit.
    starved_since: Option<Instant>,
    /// An R_RDY for it waits for the frame that is sent the other way, and then takes so long.
    r_rdy_takes: Option<Span>,
    /// The last bit of its last frame leaves then.
    tail_at: Instant,
    /// How often its link has begun anew.
    beginnings: u32,
    /// How often its credit has, with the link or without.
    renewals: u32,
}

impl Reference {
    pub(crate) fn new(fibres: usize) -> Self {
        Self {
            queue: BinaryHeap::new(),
            transmitters: IdVec::filled(Transmitter::default(), fibres),
            events: 0,
        }
    }

    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    pub(crate) fn next_at(&self) -> Instant {
        self.queue
            .peek()
            .map_or(Instant::NEVER, |Reverse((at, ..))| *at)
    }

    pub(crate) fn grant(&mut self, id: Id<Fibre>, fibre: &Fibre) {
        let transmitter = &mut self.transmitters[id];
        transmitter.granted = i64::from(fibre.credit.granted());
        transmitter.members = fibre.members();
        transmitter.r_rdy_takes = fibre.r_rdy_waits.then_some(fibre.credit_return);
        transmitter.is_disciplined = fibre.discipline().is_some();
        let granted = fibre.credits().map(|credit| i64::from(credit.granted()));
        transmitter.channels = granted.collect();
        transmitter.granted_on = transmitter.channels.clone();
    }

    pub(crate) fn announce(&mut self, fibre: Id<Fibre>, ready_at: Instant) {
        self.push(ready_at, fibre, Kind::FrameReady);
    }

    pub(crate) fn give_credit(&mut self, fibre: Id<Fibre>, channel: u8, at: Instant) {
        let takes = self.transmitters.get(fibre);
        match takes.and_then(|transmitter| transmitter.r_rdy_takes) {
            Some(takes) => self.push(at - takes, fibre, Kind::BufferFree(channel)),
            None => self.push(at, fibre, Kind::CreditBack(channel)),
        }
    }

    /// A credit is back now, without an R_RDY.
    pub(crate) fn restore_credit(&mut self, fibre: Id<Fibre>, channel: u8, now: Instant) {
        self.push(now, fibre, Kind::CreditRestored(channel));
    }

    /// A frame's last bit leaves then: R_RDYs that go the same way wait for it.
    pub(crate) fn send_until(&mut self, fibre: Id<Fibre>, tail_at: Instant) {
        self.transmitters[fibre].tail_at = tail_at;
    }

    fn push(&mut self, at: Instant, fibre: Id<Fibre>, kind: Kind) {
        // The null fibre has no transmitter.
        if let Some(transmitter) = self.transmitters.get(fibre) {
            let beginning = match kind {
                Kind::CreditBack(_) | Kind::CreditRestored(_) | Kind::BufferFree(_) => {
                    transmitter.renewals
                }
                _ => transmitter.beginnings,
            };
            self.queue.push(Reverse((at, fibre, kind, beginning)));
        }
    }

    /// The link begins anew: what was announced to the transmitter counts no more, and all of its
    /// credit is there at this instant.
    pub(crate) fn begin_anew(&mut self, fibre: Id<Fibre>, back_at: Instant) {
        let transmitter = &mut self.transmitters[fibre];
        transmitter.beginnings += 1;
        (transmitter.ready, transmitter.discarded) = (0, 0);
        self.renew_credit(fibre, back_at);
    }

    /// LR is on its way: the fibre is taken, and all of its credit there, at this instant.
    pub(crate) fn reset_link(&mut self, fibre: Id<Fibre>, now: Instant, back_at: Instant) {
        self.renew_credit(fibre, back_at);
        if back_at > now {
            let members = self.transmitters[fibre].members;
            self.transmitters[fibre].sending += members;
            for _ in 0..members {
                self.push(back_at, fibre, Kind::Sent);
            }
        }
    }

    /// Frames that were ready are not to be sent any more, nor so many that become ready just now.
    pub(crate) fn discard(&mut self, fibre: Id<Fibre>, frames: u64, now_ready: u64) {
        self.transmitters[fibre].ready -= frames;
        self.transmitters[fibre].discarded += now_ready;
    }

    fn renew_credit(&mut self, fibre: Id<Fibre>, back_at: Instant) {
        let transmitter = &mut self.transmitters[fibre];
        transmitter.renewals += 1;
        transmitter.starved_since = None;
        transmitter.to_lose = 0;
        transmitter.credit = -transmitter.granted;
        transmitter.channels.fill(0);
        for (channel, granted) in (0..).zip(transmitter.granted_on.clone()) {
            for _ in 0..granted {
                self.push(back_at, fibre, Kind::CreditBack(channel));
            }
        }
    }

    /// A trunk has a member less until an instant; the frame it was sending ends now.
    pub(crate) fn lose_member(
        &mut self,
        fibre: Id<Fibre>,
        sending_until: Option<Instant>,
        until: Instant,
    ) {
        let transmitter = &mut self.transmitters[fibre];
        transmitter.members -= 1;
        if let Some(ends_at) = sending_until {
            transmitter.sending -= 1;
            transmitter.cut_short.push(ends_at);
        }
        if until != Instant::NEVER {
            self.push(until, fibre, Kind::MemberBack);
        }
    }

    /// So much credit is lost: what is back now, and then the R_RDYs that come next.
    pub(crate) fn lose_credit(&mut self, fibre: Id<Fibre>, lost: u32, now: Instant) {
        let transmitter = &mut self.transmitters[fibre];
        for _ in 0..lost {
            if transmitter.channels[0] > 0 {
                transmitter.credit -= 1;
                transmitter.channels[0] -= 1;
            } else {
                transmitter.to_lose += 1;
            }
        }
        transmitter.note_starving(now);
    }

    /// A limit lets the next frame of this transmitter pass at this instant, if that is to come.
    pub(crate) fn open_gate(&mut self, fibre: Id<Fibre>, now: Instant, at: Instant) {
        if at != Instant::NEVER && at > now {
            self.push(at, fibre, Kind::GateOpen);
        }
    }

    /// A transmission starts; the fibre, of a trunk one member, is taken until `free_at`.
    pub(crate) fn on_start(&mut self, fibre: Id<Fibre>, channel: u8, free_at: Instant) {
        let transmitter = &mut self.transmitters[fibre];
        transmitter.sending += 1;
        transmitter.credit -= 1;
        transmitter.channels[usize::from(channel)] -= 1;
        transmitter.ready = transmitter.ready.saturating_sub(1);
        transmitter.starved_since = None;
        self.push(free_at, fibre, Kind::Sent);
    }

    /// An N_Port has something to send now, or not: its frames are not made before they start.
    pub(crate) fn set_ready(&mut self, fibre: Id<Fibre>, at: Instant, is_ready: bool) {
        let transmitter = &mut self.transmitters[fibre];
        transmitter.ready = u64::from(is_ready);
        transmitter.note_starving(at);
    }

    /// Whether a virtual channel has credit.
    pub(crate) fn has_credit_on(&self, fibre: Id<Fibre>, channel: u8) -> bool {
        let channels = &self.transmitters[fibre].channels;
        // Without channels all lanes share the one credit.
        channels[usize::from(channel) % channels.len()] > 0
    }

    /// An output that tells frames apart has ready frames now or not, and among them one with credit.
    pub(crate) fn set_startable(&mut self, fibre: Id<Fibre>, now: Instant, is_ready: (bool, bool)) {
        let transmitter = &mut self.transmitters[fibre];
        transmitter.ready = u64::from(is_ready.0);
        transmitter.has_startable = is_ready.1;
        transmitter.note_starving(now);
    }

    /// No transmitter has a frame that is ready, or will be.
    pub(crate) fn is_quiet(&self) -> bool {
        let is_to_come = |entry: &Reverse<Announced>| {
            let Reverse((_, fibre, kind, beginning)) = *entry;
            kind == Kind::FrameReady && beginning == self.transmitters[fibre].beginnings
        };
        let mut waiting = self.transmitters.iter();
        waiting.all(|waiting| waiting.ready == 0) && !self.queue.iter().any(is_to_come)
    }

    /// What a transmitter has waited for is counted, and it begins anew.
    pub(crate) fn forget_starving(&mut self, fibre: Id<Fibre>) {
        self.transmitters[fibre].starved_since = None;
    }

    /// Starts a wait for credit on a free member of a trunk if the trunk has no credit left.
    pub(crate) fn after_start(&mut self, fibre: Id<Fibre>, now: Instant) {
        self.transmitters[fibre].note_starving(now);
    }

    /// How long the transmitter has waited for credit when it starts now.
    pub(crate) fn credit_wait(&self, fibre: Id<Fibre>, now: Instant) -> Span {
        // Places on loops have no transmitter of their own here.
        let transmitter = self.transmitters.get(fibre);
        transmitter
            .and_then(|waiting| waiting.starved_since)
            .map_or(Span::ZERO, |since| now.saturating_since(since))
    }

    /// Handle the next event; says whose it was.
    pub(crate) fn step(&mut self) -> Option<(Instant, Id<Fibre>)> {
        let Reverse((at, fibre, kind, beginning)) = self.queue.pop()?;
        self.events += 1;
        let transmitter = &mut self.transmitters[fibre];
        match kind {
            Kind::CreditBack(_) | Kind::CreditRestored(_) | Kind::BufferFree(_)
                if beginning != transmitter.renewals => {}
            Kind::BufferFree(channel) => {
                let takes = transmitter.r_rdy_takes.unwrap_or(Span::ZERO);
                let tail_at = self.transmitters[way_back(fibre)].tail_at;
                self.push(at.max(tail_at) + takes, fibre, Kind::CreditBack(channel));
                return Some((at, fibre));
            }
            Kind::FrameReady if beginning != transmitter.beginnings => {}
            Kind::CreditBack(0) if transmitter.to_lose > 0 => transmitter.to_lose -= 1,
            Kind::CreditBack(channel) | Kind::CreditRestored(channel) => {
                transmitter.credit += 1;
                transmitter.channels[usize::from(channel)] += 1;
            }
            Kind::Sent => transmitter.end_sending(at),
            Kind::MemberBack => transmitter.members += 1,
            Kind::FrameReady if transmitter.discarded > 0 => transmitter.discarded -= 1,
            Kind::FrameReady => transmitter.ready += 1,
            Kind::GateOpen => {}
        }
        if !transmitter.is_disciplined {
            transmitter.note_starving(at);
        }
        Some((at, fibre))
    }

    pub(crate) fn can_start(&self, fibre: Id<Fibre>) -> bool {
        let transmitter = &self.transmitters[fibre];
        !transmitter.is_busy() && transmitter.ready > 0 && transmitter.has_credit()
    }
}

impl Transmitter {
    fn end_sending(&mut self, at: Instant) {
        match self.cut_short.iter().position(|&end| end == at) {
            Some(place) => drop(self.cut_short.swap_remove(place)),
            None => self.sending -= 1,
        }
    }

    fn note_starving(&mut self, now: Instant) {
        let is_starved = !self.is_busy() && self.ready > 0 && !self.has_credit();
        if is_starved && self.starved_since.is_none() {
            self.starved_since = Some(now);
        }
    }

    fn is_busy(&self) -> bool {
        self.sending >= self.members
    }

    fn has_credit(&self) -> bool {
        if self.is_disciplined {
            return self.has_startable;
        }
        self.granted + self.credit > 0
    }
}
