//! Readings of many parts at the end of each interval, those that changed alone.

/// What was read of each part at the end of every interval.
///
/// In a large fabric most parts do nothing in a short interval: only a reading that differs from the one before
/// is kept.
#[derive(Debug)]
pub(super) struct Readings<R> {
    /// Of every part, as read last.
    latest: Vec<R>,
    /// Readings that differ from those before, with their parts in order, interval after interval.
    changes: Vec<(u32, R)>,
    /// For each interval the end of its changes.
    ends: Vec<usize>,
}

impl<R: Copy + Default + PartialEq> Readings<R> {
    /// Of so many parts, nothing read yet.
    pub(super) fn new(parts: usize) -> Self {
        Self {
            latest: vec![R::default(); parts],
            changes: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Parts.
    pub(super) fn parts(&self) -> usize {
        self.latest.len()
    }

    /// One part more, which has done nothing.
    pub(super) fn add_part(&mut self) {
        self.latest.push(R::default());
    }

    /// What was read of each part last.
    pub(super) fn latest(&self) -> &[R] {
        &self.latest
    }

    /// Read a part. In one interval parts are read in order, each once.
    pub(super) fn read(&mut self, part: usize, reading: R) {
        if self.latest[part] != reading {
            self.latest[part] = reading;
            let part = u32::try_from(part).expect("fewer than 2^32 parts");
            self.changes.push((part, reading));
        }
    }

    /// Read all parts in order; those not read before have done nothing until now.
    pub(super) fn read_all(&mut self, of_parts: impl Iterator<Item = R>) {
        for (part, reading) in of_parts.enumerate() {
            if part == self.parts() {
                self.add_part();
            }
            self.read(part, reading);
        }
        self.end_interval();
    }

    /// All parts have been read.
    pub(super) fn end_interval(&mut self) {
        self.ends.push(self.changes.len());
    }

    /// Merge neighbouring intervals; of two changes of a part the later one counts.
    pub(super) fn halve(&mut self) {
        let mut changes = Vec::with_capacity(self.changes.len());
        let mut ends = Vec::with_capacity(self.ends.len() / 2);
        let mut first = 0;
        for pair in self.ends.chunks_exact(2) {
            let (mut earlier, later) = (
                &self.changes[first..pair[0]],
                &self.changes[pair[0]..pair[1]],
            );
            for &(part, reading) in later {
                let before = earlier.partition_point(|&(other, _)| other < part);
                changes.extend_from_slice(&earlier[..before]);
                earlier = &earlier[before..];
                if earlier.first().is_some_and(|&(other, _)| other == part) {
                    earlier = &earlier[1..];
                }
                changes.push((part, reading));
            }
            changes.extend_from_slice(earlier);
            ends.push(changes.len());
            first = pair[1];
        }
        (self.changes, self.ends) = (changes, ends);
    }

    /// Visit the readings of all parts before and after each interval, with its number.
    pub(super) fn visit(&self, mut visit: impl FnMut(usize, &[R], &[R])) {
        let mut before = vec![R::default(); self.latest.len()];
        let mut after = before.clone();
        let mut first = 0;
        for (interval, &end) in self.ends.iter().enumerate() {
            let changes = &self.changes[first..end];
            for &(part, reading) in changes {
                after[part as usize] = reading;
            }
            visit(interval, &before, &after);
            for &(part, reading) in changes {
                before[part as usize] = reading;
            }
            first = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    /// Against a table with every reading, before and after neighbours are merged.
    #[test]
    fn changes_give_back_every_reading() {
        let mut draws = RandomStream::new(4, "readings");
        let mut readings = Readings::new(20);
        let mut table = vec![vec![0u64; 20]];
        for _ in 0..64 {
            let mut row = table[table.len() - 1].clone();
            for (part, value) in row.iter_mut().enumerate() {
                *value += draws.below(4).saturating_sub(2);
                readings.read(part, *value);
            }
            readings.end_interval();
            table.push(row);
        }
        for step in [1, 2, 4] {
            let mut seen = 0;
            readings.visit(|interval, before, after| {
                assert_eq!(before, table[step * interval]);
                assert_eq!(after, table[step * (interval + 1)]);
                seen += step;
            });
            assert_eq!(seen, 64);
            assert_eq!(readings.latest(), table[64]);
            readings.halve();
        }
    }
}
