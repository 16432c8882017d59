//! Laws that hold for every fabric at any time, and the search for a circle of waits.

use sanlab_fc::FlowControl;
use sanlab_kernel::{Id, IdVec, Instant};

use super::state::Network;
use crate::fibre::Fibre;

/// A law of the fabric that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// Credit granted is not credit known plus frames that hold some.
    Credit {
        /// The fibre.
        fibre: Id<Fibre>,
        /// Granted at login.
        granted: u32,
        /// Known to be free or coming back.
        known: u32,
        /// Frames that hold a buffer at the far end.
        held: u32,
    },
    /// Frames sent are not frames delivered plus frames on their way.
    Frames {
        /// Sent by N_Ports.
        sent: u64,
        /// Delivered to N_Ports.
        delivered: u64,
        /// Lost by faults.
        dropped: u64,
        /// Still in a switch.
        on_the_way: u64,
    },
}

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// Returns the transmitter that has waited longest for credit and can never send again.
    ///
    /// A transmitter without credit, and without credit on its way, waits for frames that it sent
    /// and that are queued at other outputs. It can send again once one of these outputs can send.
    /// The transmitters that remain after removing all others wait in a circle.
    pub fn deadlocked(&self, now: Instant) -> Option<Id<Fibre>> {
        let first: IdVec<Fibre, usize> = self
            .fibres
            .iter()
            .scan(0, |next, fibre| {
                let first = *next;
                *next += fibre.credits().count();
                Some(first)
            })
            .collect();
        // A virtual channel is stuck or not by itself.
        let credits = self.fibres.iter().flat_map(Fibre::credits);
        let mut is_stuck: Vec<bool> = credits.map(|credit| credit.known() == 0).collect();
        // Whose patience ends, waits no more.
        for (id, watch) in self.watches.of.pairs() {
            if watch.patience.hold.is_some() || watch.patience.reset.is_some() {
                is_stuck[first[id]..][..self.fibres[id].credits().count()].fill(false);
            }
        }
        // What is being stored frees its buffer.
        for id in self.landing() {
            let frame = &self.frames[id];
            is_stuck[first[frame.came_by.certain().same()] + usize::from(frame.channel)] = false;
        }
        let mut waits = Vec::new();
        for (output, fibre) in self.fibres.pairs() {
            let discipline = fibre.discipline();
            for (queue, id) in fibre.queues.waiting_in(&self.frames) {
                let frame = &self.frames[id];
                let came_by = first[frame.came_by.certain().same()] + usize::from(frame.channel);
                let channel = discipline.map_or(0, |discipline| {
                    usize::from(discipline.channel_of_queue(queue))
                });
                waits.push((came_by, first[output] + channel % fibre.credits().count()));
            }
        }
        waits.dedup();
        loop {
            let freed =
                |&&(credit, output): &&(usize, usize)| is_stuck[credit] && !is_stuck[output];
            let Some(&(credit, _)) = waits.iter().find(freed) else {
                break;
            };
            is_stuck[credit] = false;
        }
        let stuck = self.fibres.ids().filter(|&fibre| {
            let from = first[fibre];
            let count = self.fibres[fibre].credits().count();
            is_stuck[from..from + count].contains(&true)
        });
        stuck.max_by_key(|&fibre| self.credit_wait(fibre, now))
    }

    /// Conservation of frames and credit, by a walk over everything that waits.
    pub fn check(&self) -> Result<u64, BrokenLaw> {
        let mut held = IdVec::filled(0u32, self.fibres.len());
        let mut on_the_way = 0;
        for fibre in &self.fibres {
            for id in fibre.queues.waiting(&self.frames) {
                held[self.frames[id].came_by.certain().same()] += 1;
                on_the_way += 1;
            }
        }
        for id in self.landing() {
            held[self.frames[id].came_by.certain().same()] += 1;
        }
        if self.sent != self.delivered + self.dropped + on_the_way {
            return Err(BrokenLaw::Frames {
                sent: self.sent,
                delivered: self.delivered,
                dropped: self.dropped,
                on_the_way,
            });
        }
        let places = self.fibres.pairs().take(self.topology.null_fibre.place());
        for (id, fibre) in places {
            let known = fibre.credits().map(FlowControl::known).sum();
            let (granted, held) = (fibre.granted(), held[id]);
            if granted != known + held + fibre.lost_credit {
                return Err(BrokenLaw::Credit {
                    fibre: id,
                    granted,
                    known,
                    held,
                });
            }
        }
        Ok(self.fibres.len() as u64)
    }
}
