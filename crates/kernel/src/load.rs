//! A rate over time, as shares of the highest rate.

use crate::Span;

/// Parts per million of a whole.
const WHOLE_PPM: u64 = 1_000_000;

/// Shares of a rate over time: straight lines between points, with steps where two points have one
/// time.
///
/// Work is the integral of the share over time, in parts per million times picoseconds. A source makes
/// its requests when the work has grown by as much as the time between two at the full rate. All of
/// it is exact integer arithmetic.
#[derive(Clone, Debug)]
pub struct Load {
    pieces: Vec<Piece>,
    /// Share after the last piece, unless the pieces repeat.
    last_ppm: u64,
    repeats: bool,
    /// Length of all pieces.
    length: u64,
    /// Work of all pieces.
    work: u128,
}

/// A straight line of the curve.
#[derive(Clone, Copy, Debug)]
struct Piece {
    begins: u64,
    length: u64,
    from_ppm: u64,
    to_ppm: u64,
    /// Work of the pieces before it.
    work_before: u128,
}

impl Load {
    /// The curve through these points of time and share, in the order of time, the first at 0. After
    /// the last point its share holds, or the curve repeats. A curve that repeats has work to do.
    pub fn new(points: &[(Span, u32)], repeats: bool) -> Self {
        let mut pieces: Vec<Piece> = Vec::with_capacity(points.len());
        let mut work = 0;
        for pair in points.windows(2) {
            let [(begins, from_ppm), (ends, to_ppm)] = [pair[0], pair[1]];
            if begins == ends {
                continue;
            }
            let piece = Piece {
                begins: begins.as_ps(),
                length: ends.as_ps() - begins.as_ps(),
                from_ppm: u64::from(from_ppm),
                to_ppm: u64::from(to_ppm),
                work_before: work,
            };
            work += piece.work_until(piece.length);
            pieces.push(piece);
        }
        let last = points.last();
        Self {
            length: last.map_or(0, |(at, _)| at.as_ps()),
            last_ppm: last.map_or(WHOLE_PPM, |&(_, share_ppm)| u64::from(share_ppm)),
            repeats: repeats && work > 0,
            pieces,
            work,
        }
    }

    /// Work of a span at the full rate.
    pub fn full(span: Span) -> u128 {
        u128::from(span.as_ps()) * u128::from(WHOLE_PPM)
    }

    /// Work that is done within this time from the start.
    pub fn until(&self, since: Span) -> u128 {
        let since = since.as_ps();
        let (rounds, rest) = if self.repeats {
            (since / self.length, since % self.length)
        } else {
            (0, since)
        };
        let within = if rest < self.length {
            let after = self.pieces.partition_point(|it| it.begins <= rest);
            let piece = self.pieces[after - 1];
            piece.work_before + piece.work_until(rest - piece.begins)
        } else {
            self.work + u128::from(rest - self.length) * u128::from(self.last_ppm)
        };
        u128::from(rounds) * self.work + within
    }

    /// The last moment, from the start, at which no more than this work is done: there is work at that
    /// moment. None if there is never more.
    pub fn reaches(&self, work: u128) -> Option<Span> {
        let (rounds, rest) = if self.repeats {
            (work / self.work, work % self.work)
        } else {
            (0, work)
        };
        let within = if rest < self.work {
            let after = self.pieces.partition_point(|it| it.work_before <= rest);
            let piece = self.pieces[after - 1];
            u128::from(piece.begins + piece.reaches(rest - piece.work_before))
        } else if self.last_ppm > 0 {
            u128::from(self.length) + (rest - self.work) / u128::from(self.last_ppm)
        } else {
            return None;
        };
        let at = rounds.checked_mul(u128::from(self.length))? + within;
        u64::try_from(at).ok().map(Span::from_ps)
    }
}

impl Piece {
    /// Whole units of work from the beginning of the piece to `x`.
    fn work_until(&self, x: u64) -> u128 {
        let base = u128::from(self.from_ppm) * u128::from(x);
        // The rest is |slope| * x^2 / (2 * length), without a product of more than 128 bits.
        let twice = 2 * u128::from(self.length);
        let grown = u128::from(self.from_ppm.abs_diff(self.to_ppm)) * u128::from(x);
        let (whole, part) = (grown / twice, grown % twice * u128::from(x));
        if self.to_ppm >= self.from_ppm {
            base + whole * u128::from(x) + part / twice
        } else {
            base - whole * u128::from(x) - part.div_ceil(twice)
        }
    }

    /// The last `x` with no more than this work until then.
    fn reaches(&self, work: u128) -> u64 {
        let fits = |x: u64| self.work_until(x) <= work;
        let guess = self.guess(work).min(self.length);
        // A guess in floating point is a few picoseconds off: widen until the answer is enclosed.
        let (mut low, mut high) = (guess, guess);
        let mut step = 1;
        while !fits(low) {
            (high, low) = (low, low.saturating_sub(step));
            step *= 2;
        }
        while high < self.length && fits(high) {
            (low, high) = (high, high.saturating_add(step).min(self.length));
            step *= 2;
        }
        if fits(high) {
            return high;
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The root of the parabola, nearly.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a start for the search, which is exact"
    )]
    fn guess(&self, work: u128) -> u64 {
        let from = self.from_ppm as f64;
        let slope = (self.to_ppm as f64 - from) / self.length as f64;
        let root = (from * from + 2.0 * slope * work as f64).max(0.0).sqrt();
        (2.0 * work as f64 / (from + root).max(f64::MIN_POSITIVE)) as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::RandomStream;

    use super::*;

    fn load(points: &[(u64, u32)], repeats: bool) -> Load {
        let points: Vec<_> = points
            .iter()
            .map(|&(at, share)| (Span::from_ps(at), share))
            .collect();
        Load::new(&points, repeats)
    }

    fn at(load: &Load, work: u128) -> Option<u64> {
        load.reaches(work).map(Span::as_ps)
    }

    #[test]
    fn the_whole_rate_is_time_itself() {
        let load = load(&[(0, 1_000_000), (700, 1_000_000)], false);
        for ps in [0, 1, 699, 700, 701, 12_345] {
            assert_eq!(at(&load, Load::full(Span::from_ps(ps))), Some(ps));
        }
    }

    #[test]
    fn no_moment_is_in_a_pause() {
        // Half the rate for 100 ps, a pause, the whole rate for 50 ps, a pause that stays.
        let points = [
            (0, 500_000),
            (100, 500_000),
            (100, 0),
            (300, 0),
            (300, 1_000_000),
            (350, 1_000_000),
            (350, 0),
        ];
        let once = load(&points, false);
        let work = |full_ps: u64| Load::full(Span::from_ps(full_ps));
        assert_eq!(at(&once, work(49)), Some(98));
        assert_eq!(at(&once, work(50)), Some(300));
        assert_eq!(at(&once, work(99)), Some(349));
        assert_eq!(at(&once, work(100)), None);
        let again = load(&points, true);
        assert_eq!(at(&again, work(100)), Some(350));
        assert_eq!(at(&again, work(149)), Some(448));
        assert_eq!(at(&again, work(150)), Some(650));
        assert_eq!(at(&again, work(100_000_000_050)), Some(350_000_000_300));
    }

    /// A ramp from nothing: the work is a parabola, so moments are square roots.
    #[test]
    fn a_ramp_is_a_square_root() {
        let ramp = load(&[(0, 0), (1_000_000_000_000, 1_000_000)], false);
        let half = Load::full(Span::from_ps(1_000_000_000_000)) / 2;
        for share in 1..100u32 {
            let got = at(&ramp, half * u128::from(share) / 100).expect("within the ramp");
            let root = (f64::from(share) / 100.0).sqrt() * 1e12;
            assert!((got as f64 - root).abs() < 2.0, "{share}: {got}");
        }
    }

    /// The search gives what counting up gives, for ramps up and down.
    #[test]
    fn the_search_is_exact() {
        let mut draws = RandomStream::new(5, "ramps");
        for _ in 0..300 {
            let mut share = || u32::try_from(draws.below(1_000_001)).expect("a share");
            let (from, to) = (share(), share());
            let length = 1 + draws.below(300);
            let ramp = load(&[(0, from), (length, to)], false);
            let piece = ramp.pieces[0];
            let work = u128::from(draws.next_u64()) % (ramp.work + 1);
            let counted = (0..=length).rfind(|&x| {
                // f(x) <= work, both sides times 2 * length.
                let twice = 2 * i128::from(length);
                let x = i128::from(x);
                let slope = i128::from(to) - i128::from(from);
                let work = i128::try_from(work).expect("small");
                twice * i128::from(from) * x + slope * x * x <= twice * work
            });
            assert_eq!(Some(piece.reaches(work)), counted);
        }
    }

    /// Work until a moment and the moment of that work are inverse to each other, also in pauses and
    /// later rounds.
    #[test]
    fn work_until_a_moment_leads_back_to_it() {
        let points = [
            (0, 500_000),
            (100, 500_000),
            (100, 0),
            (300, 0),
            (300, 200_000),
            (350, 1_000_000),
        ];
        for repeats in [false, true] {
            let load = load(&points, repeats);
            for ps in 0..1_500 {
                let work = load.until(Span::from_ps(ps));
                let reached = at(&load, work).expect("its share is above 0 in the end");
                let is_pause = (100..300).contains(&(ps % if repeats { 350 } else { u64::MAX }));
                assert!(reached == ps || is_pause && reached > ps, "{ps}: {reached}");
                assert!(load.until(Span::from_ps(reached)) == work);
            }
        }
    }

    #[test]
    fn the_longest_pieces_do_not_overflow() {
        let day = 1 << 60;
        for (from, to) in [(0, 1_000_000), (1_000_000, 0), (999_999, 1_000_000)] {
            let long = load(&[(0, from), (day, to)], false);
            let piece = long.pieces[0];
            for part in 1..=16 {
                let work = long.work * part / 16;
                let x = piece.reaches(work);
                assert!(piece.work_until(x) <= work);
                assert!(x == day || piece.work_until(x + 1) > work);
            }
        }
    }
}
