//! Places in a circle, some of them marked: which is the next marked one?

/// Bits of a word.
const WIDTH: usize = 64;

/// Marks over places in a circle.
///
/// A bit for each place, above them a bit for each word that has any, and so on up to a single word: a mark
/// and a search look at two words of each level at most, so that many places cost hardly more than few.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circle {
    levels: Vec<Vec<u64>>,
}

impl Circle {
    /// It has so many places, those there were before among them; none of the new ones is marked.
    pub(crate) fn grow(&mut self, places: usize) {
        let mut words = places.div_ceil(WIDTH).max(1);
        for level in 0.. {
            if let Some(known) = self.levels.get_mut(level) {
                known.resize(words, 0);
            } else {
                let below = self.levels.last().map_or(&[][..], Vec::as_slice);
                let mut bits = vec![0; words];
                for (place, _) in below.iter().enumerate().filter(|&(_, &word)| word != 0) {
                    bits[place / WIDTH] |= 1 << (place % WIDTH);
                }
                self.levels.push(bits);
            }
            if words == 1 {
                return;
            }
            words = words.div_ceil(WIDTH);
        }
    }

    /// Mark a place, or take its mark away.
    #[inline]
    pub(crate) fn mark(&mut self, mut place: usize, is_marked: bool) {
        for level in &mut self.levels {
            let word = &mut level[place / WIDTH];
            let (before, bit) = (*word, 1 << (place % WIDTH));
            *word = if is_marked {
                before | bit
            } else {
                before & !bit
            };
            if (before == 0) == (*word == 0) {
                return;
            }
            place /= WIDTH;
        }
    }

    /// The first marked place behind this one, the place itself last of all.
    #[inline]
    pub(crate) fn next_behind(&self, place: usize) -> Option<usize> {
        self.first_from(place + 1).or_else(|| self.first_from(0))
    }

    /// The first marked place from this one to the last.
    fn first_from(&self, mut place: usize) -> Option<usize> {
        for (number, level) in self.levels.iter().enumerate() {
            let (word, bit) = (place / WIDTH, place % WIDTH);
            let rest = level.get(word)? & u64::MAX << bit;
            if rest != 0 {
                let below = self.levels[..number].iter().rev();
                let found = word * WIDTH + rest.trailing_zeros() as usize;
                return Some(below.fold(found, |place, level| {
                    place * WIDTH + level[place].trailing_zeros() as usize
                }));
            }
            place = word + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a list of all places says.
    fn by_list(marks: &[bool], behind: usize) -> Option<usize> {
        let all = (1..=marks.len()).map(|step| (behind + step) % marks.len());
        all.into_iter().find(|&place| marks[place])
    }

    #[test]
    fn the_next_mark_is_that_of_a_list_in_every_circle() {
        let mut random = 1_u64;
        for places in [1, 2, 63, 64, 65, 200, 4096, 4097, 10_000] {
            let mut circle = Circle::default();
            let mut marks = vec![false; places];
            circle.grow(places.div_ceil(3));
            for step in 0..1500 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let here = usize::try_from(random >> 33).expect("31 bits") % places;
                let place = if step < 200 {
                    here % places.div_ceil(3)
                } else {
                    here
                };
                if step == 200 {
                    circle.grow(places);
                }
                // First few marks, then many, then none.
                marks[place] = step % 7 == 0 || (500..1000).contains(&step);
                circle.mark(place, marks[place]);
                assert_eq!(circle.next_behind(here), by_list(&marks, here));
            }
            for place in 0..places {
                circle.mark(place, false);
            }
            assert_eq!(circle.next_behind(0), None);
        }
    }

    /// Sixty-four times as many places are one word more.
    #[test]
    fn levels_grow_with_the_logarithm_of_the_places() {
        for (places, levels) in [(1, 1), (64, 1), (65, 2), (4096, 2), (4097, 3), (262_144, 3)] {
            let mut circle = Circle::default();
            circle.grow(places);
            assert_eq!(circle.levels.len(), levels);
        }
    }
}
