//! What ends of links that accelerate writes hold.

use sanlab_fabric::{Fibre, Link, fibres_of};
use sanlab_fc::{Exchange, Frame};
use sanlab_kernel::{Id, IdVec, MaybeId, slot_of};

use crate::plan::LinkPlan;

/// One direction of an accelerated link: the way of the data of writes.
pub(crate) struct Accelerator {
    /// The link.
    pub(crate) link: Id<Link>,
    /// From the near end to the far end.
    pub(crate) fibre: Id<Fibre>,
    room_bytes: u64,
    /// Data of the writes that it has answered and that are not over.
    pub(crate) used_bytes: u64,
    pub(crate) counters: AcceleratorCounters,
}

impl Accelerator {
    /// Take room for the data of a write; false if there is not so much.
    pub(super) fn take_room(&mut self, bytes: u64) -> bool {
        if self.used_bytes + bytes > self.room_bytes {
            self.counters.refused += 1;
            return false;
        }
        self.used_bytes += bytes;
        let counters = &mut self.counters;
        counters.writes += 1;
        counters.bytes += bytes;
        counters.most_used_bytes = counters.most_used_bytes.max(self.used_bytes);
        true
    }
}

/// What one direction of an accelerated link has done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AcceleratorCounters {
    /// Writes whose near end answered.
    pub(crate) writes: u64,
    /// Their data.
    pub(crate) bytes: u64,
    /// Writes that found no room and were left to their target.
    pub(crate) refused: u64,
    /// Most data answered for at once.
    pub(crate) most_used_bytes: u64,
    /// Data that came to the far end.
    pub(crate) came_bytes: u64,
    /// Data that it passed on.
    pub(crate) passed_bytes: u64,
    /// Data of writes that were given up or refused, thrown away there.
    pub(crate) dropped_bytes: u64,
}

/// An accelerated write at the far end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) by: Id<Accelerator>,
    pub(super) bytes: u32,
    /// End of what the target has asked for, as known here.
    pub(super) asked_bytes: u32,
    pub(super) came_bytes: u32,
    pub(super) passed_bytes: u32,
    /// Frames that it did not ask for yet, in order.
    pub(super) first: MaybeId<Frame>,
    pub(super) last: MaybeId<Frame>,
    /// The answer of a target that refused the write before all data were here.
    pub(super) refusal: MaybeId<Frame>,
}

/// All links whose ends accelerate writes.
pub(crate) struct Accelerators {
    pub(crate) all: IdVec<Accelerator>,
    /// For each fibre of a link whether writes over it are accelerated.
    of: Vec<MaybeId<Accelerator>>,
    /// For the slot of each exchange its write, while it is accelerated.
    kept: Vec<Option<Kept>>,
}

impl Accelerators {
    pub(crate) fn new(links: &[LinkPlan]) -> Self {
        let mut all = IdVec::default();
        let mut of = vec![MaybeId::NONE; 2 * links.len()];
        for (link, plan) in (0..).map(Id::new).zip(links) {
            let Some(room) = plan.write_acceleration_bytes else {
                continue;
            };
            for fibre in fibres_of(link) {
                of[fibre.place()] = all
                    .push(Accelerator {
                        link,
                        fibre,
                        room_bytes: room.get(),
                        used_bytes: 0,
                        counters: AcceleratorCounters::default(),
                    })
                    .into();
            }
        }
        Self {
            all,
            of,
            kept: Vec::new(),
        }
    }

    #[inline(always)]
    pub(crate) fn are_any(&self) -> bool {
        !self.all.as_slice().is_empty()
    }

    /// The accelerator of writes over this fibre.
    pub(super) fn of(&self, fibre: Id<Fibre>) -> Option<Id<Accelerator>> {
        self.of.get(fibre.place())?.get()
    }

    /// A write begins that this accelerator answers for.
    pub(super) fn keep(&mut self, id: Id<Exchange>, by: Id<Accelerator>, bytes: u32) {
        let slot = slot_of(id);
        if self.kept.len() <= slot {
            self.kept.resize(slot + 1, None);
        }
        self.kept[slot] = Some(Kept {
            by,
            bytes,
            asked_bytes: 0,
            came_bytes: 0,
            passed_bytes: 0,
            first: MaybeId::NONE,
            last: MaybeId::NONE,
            refusal: MaybeId::NONE,
        });
    }

    pub(super) fn kept_mut(&mut self, id: Id<Exchange>) -> &mut Kept {
        let kept = self.kept[slot_of(id)].as_mut();
        kept.expect("an accelerated write has its record until it is over")
    }

    /// A write is over: others may have its room.
    pub(super) fn free(&mut self, id: Id<Exchange>) {
        if let Some(write) = self.kept[slot_of(id)].take() {
            self.all[write.by].used_bytes -= u64::from(write.bytes);
        }
    }

    /// All data that came to a far end were passed on or thrown away, or are kept there; what writes have
    /// taken of the room is what they are long.
    pub(crate) fn broken<'a>(
        &self,
        open: impl Iterator<Item = (Id<Exchange>, u32)> + 'a,
        kept: impl Fn(Id<Frame>) -> u64,
    ) -> Option<Id<Link>> {
        let mut used: IdVec<Accelerator, u64> = self.all.iter().map(|_| 0).collect();
        let mut keeps: IdVec<Accelerator, u64> = used.clone();
        for (id, bytes) in open {
            let Some(Some(write)) = self.kept.get(slot_of(id)) else {
                continue;
            };
            used[write.by] += u64::from(bytes);
            if let Some(first) = write.first.get() {
                keeps[write.by] += kept(first);
            }
        }
        let mut all = self.all.pairs();
        all.find(|&(id, it)| {
            let AcceleratorCounters {
                came_bytes,
                passed_bytes,
                dropped_bytes,
                ..
            } = it.counters;
            used[id] != it.used_bytes || came_bytes != passed_bytes + dropped_bytes + keeps[id]
        })
        .map(|(_, it)| it.link)
    }
}
