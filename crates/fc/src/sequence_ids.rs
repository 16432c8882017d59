//! Sequence ids of one N_Port.

/// Sequence ids of one N_Port: each open at most once, handed out in turn.
///
/// A port with more than 256 open sequences has no unused id left; further sequences share an id
/// and are distinguished by their exchange, which never has two open sequences from one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct SequenceIds {
    open: [u64; 4],
    next: u8,
}

impl SequenceIds {
    /// The next id that is not open.
    #[inline]
    pub(crate) fn take(&mut self) -> u8 {
        let id = self.next_free().unwrap_or(self.next);
        self.open[usize::from(id / 64)] |= 1 << (id % 64);
        self.next = id.wrapping_add(1);
        id
    }

    /// Reads its words, so that they are in the caches by the next id.
    #[inline]
    pub(crate) fn read_ahead(&self) -> u64 {
        self.open[0] ^ self.open[3]
    }

    /// The sequence of this id is over.
    #[inline]
    pub(crate) fn give_back(&mut self, id: u8) {
        self.open[usize::from(id / 64)] &= !(1 << (id % 64));
    }

    #[inline]
    fn next_free(&self) -> Option<u8> {
        let first = self.next / 64;
        let below = (1u64 << (self.next % 64)) - 1;
        // The word of `next` comes first without the ids below it, and again last with them.
        (0..5u8).find_map(|step| {
            let word = (first + step) % 4;
            let skipped = if step == 0 { below } else { 0 };
            let free = !(self.open[usize::from(word)] | skipped);
            let bit = u8::try_from(free.trailing_zeros()).expect("at most 64");
            (bit < 64).then(|| word * 64 + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_round() {
        let mut ids = SequenceIds::default();
        for turn in 0..600u32 {
            let id = ids.take();
            assert_eq!(u32::from(id), turn % 256);
            ids.give_back(id);
        }
    }

    #[test]
    fn an_open_id_is_passed_over() {
        let mut ids = SequenceIds::default();
        let long = [ids.take(), ids.take(), ids.take()];
        for _ in 0..1000 {
            let id = ids.take();
            assert!(!long.contains(&id), "{id} is open");
            ids.give_back(id);
        }
    }

    #[test]
    fn each_of_256_is_handed_out_once() {
        let mut ids = SequenceIds {
            next: 200,
            ..SequenceIds::default()
        };
        let mut seen: Vec<u8> = (0..256).map(|_| ids.take()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..=255).collect::<Vec<u8>>());
        ids.take();
        ids.give_back(77);
        assert_eq!(ids.take(), 77);
    }
}
