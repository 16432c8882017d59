//! Time to move the arm.

use sanlab_kernel::{Picoseconds, share_of};

/// Seek time over a distance in cylinders.
#[derive(Clone, Debug)]
pub enum Seek {
    /// The same over any distance.
    Constant(Picoseconds),
    /// Two lines through the single-cylinder, average and full seek; the average is at a third.
    Line {
        /// Over one cylinder.
        single: Picoseconds,
        /// Over a third of the cylinders.
        average: Picoseconds,
        /// Over all cylinders.
        full: Picoseconds,
        /// Cylinders.
        cylinders: u32,
    },
    /// Lee's curve through three points.
    Curve(SeekCurve),
    /// Ruemmler and Wilkes (IEEE Computer, March 1994): a root below a distance, a line above.
    RootAndLine(RootAndLine),
    /// The first ten distances as measured, then the root and the line.
    FirstTen([Picoseconds; 10], RootAndLine),
    /// Measured times, with straight lines between them.
    Table(Vec<(u32, Picoseconds)>),
}

/// `p + q sqrt(x)` below `bound` cylinders, `r + s x` from there on.
#[derive(Clone, Copy, Debug)]
pub struct RootAndLine {
    /// First distance of the line.
    pub bound: u32,
    /// `p` and `q`, in picoseconds.
    pub root: (f64, f64),
    /// `r` and `s`, in picoseconds.
    pub line: (f64, f64),
    /// Over one cylinder, where it is off the curve.
    pub single: Option<Picoseconds>,
}

impl Seek {
    /// Time to move over this many cylinders, without settling for a write.
    pub fn time(&self, cylinders: u32) -> Picoseconds {
        if cylinders == 0 {
            return 0;
        }
        match self {
            Self::Constant(time) => *time,
            Self::Line {
                single,
                average,
                full,
                cylinders: all,
            } => on_line(cylinders, *all, [*single, *average, *full]),
            Self::Curve(curve) => curve.time(cylinders),
            Self::RootAndLine(curve) => curve.time(cylinders),
            Self::FirstTen(first, curve) => match first.get(cylinders as usize - 1) {
                Some(time) => *time,
                None => curve.time(cylinders),
            },
            Self::Table(points) => in_table(points, cylinders),
        }
    }
}

fn on_line(cylinders: u32, all: u32, [single, average, full]: [Picoseconds; 3]) -> Picoseconds {
    let (distance, all) = (u64::from(cylinders), u64::from(all.max(1)));
    if 3 * distance <= all {
        single + share_of(average - single, 3 * (distance - 1), all)
    } else {
        average + share_of(full - average, 3 * distance - all, 2 * all)
    }
}

/// Between two points, or beyond the last one, on the straight line through its neighbours.
fn in_table(points: &[(u32, Picoseconds)], cylinders: u32) -> Picoseconds {
    let above = points.partition_point(|&(distance, _)| distance < cylinders);
    if let Some(&(distance, time)) = points.get(above)
        && (distance == cylinders || above == 0)
    {
        return time;
    }
    let upper = above.min(points.len() - 1).max(1);
    let Some(&(to, end)) = points.get(upper) else {
        return points[0].1; // a single point
    };
    let (from, start) = points[upper - 1];
    let (beyond, span) = (u64::from(cylinders - from), u64::from(to - from));
    if end >= start {
        start + share_of(end - start, beyond, span)
    } else {
        start.saturating_sub(share_of(start - end, beyond, span))
    }
}

impl RootAndLine {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a seek lasts milliseconds"
    )]
    fn time(&self, cylinders: u32) -> Picoseconds {
        let distance = f64::from(cylinders);
        if let (1, Some(single)) = (cylinders, self.single) {
            return single;
        }
        let time = if cylinders < self.bound {
            self.root.0 + self.root.1 * libm::sqrt(distance)
        } else {
            self.line.0 + self.line.1 * distance
        };
        time.max(0.0) as u64
    }
}

/// Lee's three-point curve, as DiskSim has it: `t(x) = c + b (x - 1) + a sqrt(x - 1)` over `x`
/// cylinders, through the single-cylinder, the average and the full-stroke seek.
#[derive(Clone, Copy, Debug)]
pub struct SeekCurve {
    root: f64,
    linear: f64,
    single: f64,
}

impl SeekCurve {
    /// The curve through these three times over this many cylinders. The average is that of a random
    /// pair of cylinders.
    pub fn through(
        single: Picoseconds,
        average: Picoseconds,
        full: Picoseconds,
        cylinders: u32,
    ) -> Self {
        let (single, average, full) = (single as f64, average as f64, full as f64);
        let cylinders = f64::from(cylinders.max(2));
        Self {
            root: (-10.0 * single + 15.0 * average - 5.0 * full) / (3.0 * libm::sqrt(cylinders)),
            linear: (7.0 * single - 15.0 * average + 8.0 * full) / (3.0 * cylinders),
            single,
        }
    }

    /// Time to move over this many cylinders.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a seek lasts milliseconds, and is positive for a curve that rises"
    )]
    pub fn time(&self, cylinders: u32) -> Picoseconds {
        if cylinders == 0 {
            return 0;
        }
        let beyond = f64::from(cylinders - 1);
        (self.single + self.linear * beyond + self.root * libm::sqrt(beyond)).max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    #[test]
    fn lees_curve_goes_through_its_points() {
        let curve = SeekCurve::through(350_000_000, 4_700_000_000, 9_800_000_000, 50_000);
        assert_eq!(curve.time(0), 0);
        assert_eq!(curve.time(1), 350_000_000);
        assert!((curve.time(50_000) as f64 / 9.8e9 - 1.0).abs() < 0.001);
        let mut draws = RandomStream::new(1, "seek");
        let mut sum = 0;
        for _ in 0..100_000 {
            let distance = draws.below(50_000).abs_diff(draws.below(50_000));
            sum += curve.time(u32::try_from(distance).expect("below 50,000"));
        }
        assert!((sum as f64 / 1e5 / 4.7e9 - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_table_gives_its_points_and_lines_between_and_beyond() {
        let seek = Seek::Table(vec![(1, 1000), (3, 3000), (10, 2300)]);
        let times: Vec<_> = [0, 1, 2, 3, 5, 10, 20].map(|x| seek.time(x)).into();
        assert_eq!(times, [0, 1000, 2000, 3000, 2800, 2300, 1300]);
        assert_eq!(Seek::Table(vec![(1, 700)]).time(9), 700);
        assert_eq!(Seek::Table(vec![(4, 800), (8, 900)]).time(2), 800);
    }

    #[test]
    fn other_curves_meet_their_definitions() {
        let line = Seek::Line {
            single: 100,
            average: 400,
            full: 1000,
            cylinders: 3000,
        };
        assert_eq!([1, 1001, 3000].map(|x| line.time(x)), [100, 400, 1000]);
        let curve = RootAndLine {
            bound: 100,
            root: (1000.0, 100.0),
            line: (1900.0, 1.0),
            single: Some(50),
        };
        let seek = Seek::RootAndLine(curve);
        assert_eq!([1, 25, 100].map(|x| seek.time(x)), [50, 1500, 2000]);
        let seek = Seek::FirstTen([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], curve);
        assert_eq!([1, 10, 16].map(|x| seek.time(x)), [1, 10, 1400]);
        assert_eq!(Seek::Constant(7).time(1234), 7);
    }
}
