//! Sequential readers, and what is read for them before they ask.

use sanlab_kernel::Id;

use super::model::PrefetchModel;
use crate::parts::Lun;

/// A reader that has gone on where it ended.
#[derive(Clone, Copy, Debug)]
struct Reader {
    lun: Id<Lun>,
    hits: u32,
    /// Read for it up to here.
    fetched: u64,
}

/// Watches the reads of an array.
#[derive(Clone, Debug)]
pub struct Prefetch {
    model: PrefetchModel,
    /// The one seen last comes last.
    readers: Vec<Reader>,
    /// Of each reader where it goes on, apart since every read searches it.
    nexts: Vec<u64>,
}

impl Prefetch {
    /// Reads ahead as the model says.
    pub fn new(model: PrefetchModel) -> Self {
        Self {
            model,
            readers: Vec::new(),
            nexts: Vec::new(),
        }
    }

    /// A read comes. Gives the bytes to be read ahead, first and end, where it is time for it: when
    /// less than half a window is left, or nothing.
    pub fn on_read(
        &mut self,
        lun: Id<Lun>,
        from: u64,
        to: u64,
        lun_bytes: u64,
    ) -> Option<(u64, u64)> {
        let model = self.model;
        let known = self.take(lun, from);
        let mut reader = known.unwrap_or(Reader {
            lun,
            hits: 0,
            fetched: 0,
        });
        reader.hits += u32::from(known.is_some());
        let (begin, is_short) = if model.on_miss {
            (reader.fetched.max(from), reader.fetched < to)
        } else {
            let begin = reader.fetched.max(to);
            (begin, begin - to < model.window.div_ceil(2))
        };
        let is_due = reader.hits >= model.after && is_short;
        let ahead_of = if model.on_miss { begin } else { to };
        let end = (ahead_of + model.window).min(lun_bytes);
        let ahead = (is_due && end > begin).then_some((begin, end));
        if let Some((_, end)) = ahead {
            reader.fetched = end;
        }
        self.put(reader, to);
        ahead
    }

    /// The reader that goes on here, the one not seen for longest of several.
    fn take(&mut self, lun: Id<Lun>, from: u64) -> Option<Reader> {
        let place = self
            .nexts
            .iter()
            .enumerate()
            .position(|(place, &next)| next == from && self.readers[place].lun == lun)?;
        self.nexts.remove(place);
        Some(self.readers.remove(place))
    }

    /// Keep a reader that goes on at `next`, in place of the one not seen for longest where there are too
    /// many.
    fn put(&mut self, reader: Reader, next: u64) {
        if self.readers.len() == self.model.readers {
            self.readers.remove(0);
            self.nexts.remove(0);
        }
        self.readers.push(reader);
        self.nexts.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LUN: Id<Lun> = Id::new(0);

    fn ahead_of(after: u32, window: u64, on_miss: bool) -> Prefetch {
        Prefetch::new(PrefetchModel {
            after,
            window,
            on_miss,
            readers: 4,
        })
    }

    /// Read ahead of each of some readers that take turns, after three rounds.
    fn ahead_of_readers(count: u64) -> usize {
        let mut prefetch = ahead_of(2, 1000, false);
        let mut reads = Vec::new();
        for round in 0..3 {
            for reader in 0..count {
                let from = reader * 10_000 + round * 20;
                reads.push(prefetch.on_read(LUN, from, from + 20, 100_000));
            }
        }
        reads.into_iter().flatten().count()
    }

    #[test]
    fn as_many_readers_as_are_followed_and_one_more() {
        assert_eq!(ahead_of_readers(4), 4);
        assert_eq!(ahead_of_readers(5), 0, "each makes room before it goes on");
    }

    #[test]
    fn ahead_after_enough_hits_and_again_at_half_a_window() {
        let mut prefetch = ahead_of(2, 100, false);
        let mut ahead: Vec<_> = Vec::new();
        for at in (0..120).step_by(20) {
            ahead.push(prefetch.on_read(LUN, at, at + 20, 1000));
        }
        let expected = [None, None, Some((60, 160)), None, None, Some((160, 220))];
        assert_eq!(ahead, expected);
        assert_eq!(
            prefetch.on_read(LUN, 500, 520, 1000),
            None,
            "another reader"
        );
    }

    #[test]
    fn on_a_miss_with_the_read_that_misses() {
        let mut prefetch = ahead_of(1, 60, true);
        let ahead: Vec<_> = (0..160)
            .step_by(20)
            .map(|at| prefetch.on_read(LUN, at, at + 20, 1000))
            .collect();
        let second = Some((20, 80));
        let expected = [
            None,
            second,
            None,
            None,
            Some((80, 140)),
            None,
            None,
            Some((140, 200)),
        ];
        assert_eq!(ahead, expected);
    }

    #[test]
    fn never_beyond_the_end_of_the_lun() {
        let mut prefetch = ahead_of(1, 100, false);
        prefetch.on_read(LUN, 0, 50, 120);
        assert_eq!(prefetch.on_read(LUN, 50, 100, 120), Some((100, 120)));
        assert_eq!(prefetch.on_read(LUN, 100, 120, 120), None);
    }
}
