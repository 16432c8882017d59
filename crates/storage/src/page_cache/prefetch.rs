//! Sequential readers, and what is read for them before they ask.

use sanlab_kernel::Id;

use crate::parts::Lun;

/// Readers that are watched at once; the one not seen for longest makes room.
const READERS: usize = 32;

/// A reader that has gone on where it ended.
#[derive(Clone, Copy, Debug)]
struct Reader {
    lun: Id<Lun>,
    next: u64,
    hits: u32,
    /// Read for it up to here.
    fetched: u64,
}

/// Watches the reads of an array.
#[derive(Clone, Debug)]
pub struct Prefetch {
    after: u32,
    window: u64,
    /// A window is read when nothing of it is there, with the read that misses it.
    on_miss: bool,
    /// The one seen last comes last.
    readers: Vec<Reader>,
}

impl Prefetch {
    /// Reads ahead by `window` bytes when a reader has gone on `after` times; a window of 0 never does.
    /// With `on_miss` not before it comes to the end of what was read ahead.
    pub fn new(after: u32, window: u64, on_miss: bool) -> Self {
        Self {
            after,
            window,
            on_miss,
            readers: Vec::new(),
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
        if self.window == 0 {
            return None;
        }
        let known = self
            .readers
            .iter()
            .position(|reader| reader.lun == lun && reader.next == from);
        let mut reader = match known {
            Some(place) => self.readers.remove(place),
            None => Reader {
                lun,
                next: from,
                hits: 0,
                fetched: 0,
            },
        };
        reader.hits += u32::from(known.is_some());
        reader.next = to;
        let (begin, is_short) = if self.on_miss {
            (reader.fetched.max(from), reader.fetched < to)
        } else {
            let begin = reader.fetched.max(to);
            (begin, begin - to < self.window.div_ceil(2))
        };
        let is_due = reader.hits >= self.after && is_short;
        let ahead_of = if self.on_miss { begin } else { to };
        let end = (ahead_of + self.window).min(lun_bytes);
        let ahead = (is_due && end > begin).then_some((begin, end));
        if let Some((_, end)) = ahead {
            reader.fetched = end;
        }
        if self.readers.len() == READERS {
            self.readers.remove(0);
        }
        self.readers.push(reader);
        ahead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LUN: Id<Lun> = Id::new(0);

    #[test]
    fn ahead_after_enough_hits_and_again_at_half_a_window() {
        let mut prefetch = Prefetch::new(2, 100, false);
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
        assert_eq!(Prefetch::new(1, 0, false).on_read(LUN, 0, 1, 10), None);
    }

    #[test]
    fn on_a_miss_with_the_read_that_misses() {
        let mut prefetch = Prefetch::new(1, 60, true);
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
        let mut prefetch = Prefetch::new(1, 100, false);
        prefetch.on_read(LUN, 0, 50, 120);
        assert_eq!(prefetch.on_read(LUN, 50, 100, 120), Some((100, 120)));
        assert_eq!(prefetch.on_read(LUN, 100, 120, 120), None);
    }
}
