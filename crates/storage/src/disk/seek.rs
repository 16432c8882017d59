//! Time to move the arm.

use sanlab_kernel::Span;

/// Seek time over a distance in cylinders.
#[derive(Clone, Debug)]
pub enum Seek {
    /// The same over any distance.
    Constant(Span),
    /// Two lines through the single-cylinder, average and full seek; the average is at a third.
    Line {
        /// Over one cylinder.
        single: Span,
        /// Over a third of the cylinders.
        average: Span,
        /// Over all cylinders.
        full: Span,
        /// Cylinders.
        cylinders: u32,
    },
    /// Lee's curve through three points.
    Curve(SeekCurve),
    /// Ruemmler and Wilkes (IEEE Computer, March 1994): a root below a distance, a line above.
    RootAndLine(RootAndLine),
    /// The first ten distances as measured, then the root and the line.
    FirstTen([Span; 10], RootAndLine),
    /// Measured times, with straight lines between them.
    Table(Vec<(u32, Span)>),
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
    pub single: Option<Span>,
}

impl Seek {
    /// Time to move over this many cylinders, without settling for a write.
    pub fn time(&self, cylinders: u32) -> Span {
        if cylinders == 0 {
            return Span::ZERO;
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

fn on_line(cylinders: u32, all: u32, [single, average, full]: [Span; 3]) -> Span {
    let (distance, all) = (u64::from(cylinders), u64::from(all.max(1)));
    if 3 * distance <= all {
        single + (average - single).share(3 * (distance - 1), all)
    } else {
        average + (full - average).share(3 * distance - all, 2 * all)
    }
}

/// Between two points, or beyond the last one, on the straight line through its neighbours; below
/// the first one, on the line from zero.
fn in_table(points: &[(u32, Span)], cylinders: u32) -> Span {
    let above = points.partition_point(|&(distance, _)| distance < cylinders);
    if let Some(&(distance, time)) = points.get(above)
        && (distance == cylinders || above == 0)
    {
        return time.share(u64::from(cylinders), u64::from(distance));
    }
    let upper = above.min(points.len() - 1).max(1);
    let Some(&(to, end)) = points.get(upper) else {
        return points[0].1; // a single point
    };
    let (from, start) = points[upper - 1];
    let (beyond, span) = (u64::from(cylinders - from), u64::from(to - from));
    if end >= start {
        start + (end - start).share(beyond, span)
    } else {
        start.saturating_sub((start - end).share(beyond, span))
    }
}

impl RootAndLine {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a seek lasts milliseconds"
    )]
    fn time(&self, cylinders: u32) -> Span {
        let distance = f64::from(cylinders);
        if let (1, Some(single)) = (cylinders, self.single) {
            return single;
        }
        let time = if cylinders < self.bound {
            self.root.0 + self.root.1 * libm::sqrt(distance)
        } else {
            self.line.0 + self.line.1 * distance
        };
        Span::from_ps(time.max(0.0) as u64)
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
    pub fn through(single: Span, average: Span, full: Span, cylinders: u32) -> Self {
        let [single, average, full] = [single, average, full].map(|span| span.as_ps() as f64);
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
    pub fn time(&self, cylinders: u32) -> Span {
        if cylinders == 0 {
            return Span::ZERO;
        }
        let beyond = f64::from(cylinders - 1);
        let time = self.single + self.linear * beyond + self.root * libm::sqrt(beyond);
        Span::from_ps(time.max(0.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    fn ps(picoseconds: u64) -> Span {
        Span::from_ps(picoseconds)
    }

    #[test]
    fn lees_curve_goes_through_its_points() {
        let [single, average, full] = [350_000_000, 4_700_000_000, 9_800_000_000].map(ps);
        let curve = SeekCurve::through(single, average, full, 50_000);
        assert_eq!(curve.time(0), ps(0));
        assert_eq!(curve.time(1), ps(350_000_000));
        assert!((curve.time(50_000).as_ps() as f64 / 9.8e9 - 1.0).abs() < 0.001);
        let mut draws = RandomStream::new(1, "seek");
        let mut sum = 0;
        for _ in 0..100_000 {
            let distance = draws.below(50_000).abs_diff(draws.below(50_000));
            let distance = u32::try_from(distance).expect("below 50,000");
            sum += curve.time(distance).as_ps();
        }
        assert!((sum as f64 / 1e5 / 4.7e9 - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_table_gives_its_points_and_lines_between_and_beyond() {
        let seek = Seek::Table(vec![(1, ps(1000)), (3, ps(3000)), (10, ps(2300))]);
        let times: Vec<_> = [0, 1, 2, 3, 5, 10, 20].map(|x| seek.time(x)).into();
        assert_eq!(times, [0, 1000, 2000, 3000, 2800, 2300, 1300].map(ps));
        assert_eq!(Seek::Table(vec![(1, ps(700))]).time(9), ps(700));
        assert_eq!(
            Seek::Table(vec![(4, ps(800)), (8, ps(900))]).time(2),
            ps(400)
        );
    }

    #[test]
    fn other_curves_meet_their_definitions() {
        let line = Seek::Line {
            single: ps(100),
            average: ps(400),
            full: ps(1000),
            cylinders: 3000,
        };
        assert_eq!(
            [1, 1001, 3000].map(|x| line.time(x)),
            [100, 400, 1000].map(ps)
        );
        let curve = RootAndLine {
            bound: 100,
            root: (1000.0, 100.0),
            line: (1900.0, 1.0),
            single: Some(ps(50)),
        };
        let seek = Seek::RootAndLine(curve);
        assert_eq!([1, 25, 100].map(|x| seek.time(x)), [50, 1500, 2000].map(ps));
        let seek = Seek::FirstTen([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(ps), curve);
        assert_eq!([1, 10, 16].map(|x| seek.time(x)), [1, 10, 1400].map(ps));
        assert_eq!(Seek::Constant(ps(7)).time(1234), ps(7));
    }
}
