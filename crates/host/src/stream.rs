//! Streams of a storage benchmark over a volume of many LUNs: uniform, walking over a hot region, or
//! in sequential runs. Their figures are the plan's; SPC-1 is made of eight of them.
//!
//! The hierarchical reuse random walk follows the second form ("v2") of the open implementation of
//! SPC-1 by NetApp (spc1.c in github.com/lpabon/spc1, 2009), which does not claim to conform strictly.

use sanlab_kernel::RandomStream;

use crate::request::Request;
use crate::volume::Volume;

/// Smallest unit of a walk.
pub const BLOCK_BYTES: u64 = 4096;
/// Blocks in a leaf of the tree a walk goes over.
const LEAF_BLOCKS: u64 = 8;
/// Levels that a step always goes up: it stays among 2^6 leaves.
const LEAST_LEVELS: u32 = 6;
/// Chance to go up one more level, and again.
const UP_PPM: u32 = 440_000;
/// A write goes to any block of its leaf, or else to the last one read there.
const ANY_BLOCK_PPM: u32 = 500_000;
/// Writes that are issued twice.
const TWICE_PPM: u32 = 150_000;
/// Steps tried from outside the region before any leaf is taken.
const MOST_STEPS: u32 = 100;

/// Which requests a stream makes.
#[derive(Clone, Debug)]
pub enum StreamKind {
    /// Any place of the region at a multiple of this, each alike.
    Uniform {
        /// Alignment of addresses.
        align: u64,
    },
    /// A hierarchical reuse random walk over the region.
    Walk(Walk),
    /// Adjacent blocks, in runs that begin anywhere.
    Runs(Runs),
}

/// A stream of requests to a volume.
#[derive(Clone, Debug)]
pub struct Stream {
    kind: StreamKind,
    read_ppm: u32,
    /// Size of a request, where the kind has none of its own.
    bytes: u64,
    /// Region of the volume.
    offset: u64,
    span: u64,
    volume: Volume,
    /// What a request that reaches over the end of a LUN or stripe still has to ask for.
    rest: Option<(bool, u64, u64)>,
}

impl Stream {
    /// A stream over the region `(first byte, size)` of a volume.
    pub fn new(
        kind: StreamKind,
        read_ppm: u32,
        bytes: u64,
        region: (u64, u64),
        volume: Volume,
    ) -> Self {
        Self {
            kind,
            read_ppm,
            bytes,
            offset: region.0,
            span: region.1,
            volume,
            rest: None,
        }
    }

    /// Whether the next request is the rest of one that was cut.
    pub fn has_rest(&self) -> bool {
        self.rest.is_some()
    }

    /// The next request. One that reaches over the end of a LUN or stripe comes in pieces.
    pub fn next(&mut self, draws: &mut RandomStream) -> Request {
        let (is_read, place, bytes) = match self.rest.take() {
            Some(rest) => rest,
            None => self.draw(draws),
        };
        let piece = self.volume.place(place, bytes);
        if piece.bytes < bytes {
            self.rest = Some((is_read, place + piece.bytes, bytes - piece.bytes));
        }
        Request {
            is_read,
            target: piece.target,
            address: piece.address,
            bytes: piece.bytes,
            reply_bytes: 0,
        }
    }

    fn draw(&mut self, draws: &mut RandomStream) -> (bool, u64, u64) {
        let is_read = draws.chance_ppm(self.read_ppm);
        let (offset, bytes) = match &mut self.kind {
            StreamKind::Uniform { align } => {
                let places = ((self.span - self.bytes) / *align) + 1;
                (draws.below(places) * *align, self.bytes)
            }
            StreamKind::Walk(walk) => (walk.next(is_read, draws) * BLOCK_BYTES, BLOCK_BYTES),
            StreamKind::Runs(runs) => runs.next(self.span, draws),
        };
        (is_read, self.offset + offset, bytes)
    }
}

/// Where one walker is.
#[derive(Clone, Copy, Debug, Default)]
struct Walker {
    /// Last block, within the region.
    block: u64,
    /// The last write is to be issued once more.
    twice: bool,
    rewrite: u64,
}

/// Hierarchical reuse random walks over one region; the walkers share what was read last.
#[derive(Clone, Debug)]
pub struct Walk {
    leaves: u64,
    levels: u32,
    /// Next block to read in each leaf.
    next_block: Vec<u8>,
    walkers: Vec<Walker>,
    is_placed: bool,
}

impl Walk {
    /// So many walkers over a region of this size, at least one leaf of 32 KiB.
    pub fn new(span: u64, walkers: u32) -> Self {
        let leaves = span / (LEAF_BLOCKS * BLOCK_BYTES);
        Self {
            leaves,
            levels: leaves.next_power_of_two().trailing_zeros(),
            next_block: vec![0; usize::try_from(leaves).expect("a region that fits memory")],
            walkers: vec![Walker::default(); walkers as usize],
            is_placed: false,
        }
    }

    fn next(&mut self, is_read: bool, draws: &mut RandomStream) -> u64 {
        if !self.is_placed {
            self.is_placed = true;
            for walker in &mut self.walkers {
                walker.block = draws.below(self.leaves * LEAF_BLOCKS);
            }
        }
        // Poisson streams of one rate, put together: each next event is of any of them alike.
        let chosen = draws.below(self.walkers.len() as u64);
        let chosen = usize::try_from(chosen).expect("an index");
        let mut walker = self.walkers[chosen];
        if !is_read && walker.twice {
            walker.twice = false;
            walker.block = walker.rewrite;
        } else {
            let leaf = self.step(walker.block / LEAF_BLOCKS, is_read, draws);
            let within = self.block_of(leaf, is_read, draws);
            walker.block = leaf * LEAF_BLOCKS + within;
            if !is_read {
                walker.twice = draws.chance_ppm(TWICE_PPM);
                walker.rewrite = walker.block;
            }
        }
        self.walkers[chosen] = walker;
        walker.block
    }

    /// Up from the old leaf some levels of the tree, and down to any leaf below.
    fn step(&self, old: u64, is_read: bool, draws: &mut RandomStream) -> u64 {
        let mut from = old;
        for _ in 0..=MOST_STEPS {
            let mut up = LEAST_LEVELS;
            while up < self.levels && draws.chance_ppm(UP_PPM) {
                up += 1;
            }
            let mut leaf = (from >> up << up) + draws.below(1 << up);
            if !is_read {
                leaf -= leaf % 8;
            }
            if leaf < self.leaves {
                return leaf;
            }
            from = leaf;
        }
        draws.below(self.leaves)
    }

    fn block_of(&mut self, leaf: u64, is_read: bool, draws: &mut RandomStream) -> u64 {
        let next = &mut self.next_block[usize::try_from(leaf).expect("an index")];
        let block = u64::from(*next);
        if is_read {
            *next = (*next + 1) % 8;
            block
        } else if draws.chance_ppm(ANY_BLOCK_PPM) {
            draws.below(LEAF_BLOCKS)
        } else {
            (block + LEAF_BLOCKS - 1) % LEAF_BLOCKS
        }
    }
}

/// Sequential runs, each of one reader or writer among several.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Sizes of requests with their shares in parts per million, which sum to a million.
    sizes: Vec<(u64, u32)>,
    run_bytes: u64,
    /// Next byte of each run, and where it ends; equal before the first.
    under_way: Vec<(u64, u64)>,
}

impl Runs {
    /// So many runs at a time, each of this length.
    pub fn new(sizes: Vec<(u64, u32)>, run_bytes: u64, runs: u32) -> Self {
        Self {
            sizes,
            run_bytes,
            under_way: vec![(0, 0); runs as usize],
        }
    }

    /// Offset and size. A run begins anywhere it ends within the span.
    fn next(&mut self, span: u64, draws: &mut RandomStream) -> (u64, u64) {
        let chosen = draws.below(self.under_way.len() as u64);
        let run = &mut self.under_way[usize::try_from(chosen).expect("an index")];
        let drawn = u32::try_from(draws.below(1_000_000)).expect("below a million");
        let mut below = 0;
        let drawn_size = self.sizes.iter().find(|(_, share)| {
            below += share;
            drawn < below
        });
        let bytes = drawn_size.expect("the shares sum to a million").0;
        if run.0 + bytes >= run.1 {
            let places = (span - self.run_bytes) / BLOCK_BYTES;
            let begin = draws.below(places.max(1)) * BLOCK_BYTES;
            *run = (begin, begin + self.run_bytes);
        }
        let offset = run.0;
        run.0 += bytes;
        (offset, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Extent;

    const SPAN: u64 = 100 << 20;

    fn volume(count: u64, stripe: u64) -> Volume {
        let extent = |number| Extent {
            offset: number << 30,
            bytes: SPAN,
        };
        Volume::new((0..count).map(extent).collect(), stripe)
    }

    fn walk(walkers: u32) -> Stream {
        let kind = StreamKind::Walk(Walk::new(SPAN, walkers));
        Stream::new(kind, 500_000, BLOCK_BYTES, (0, SPAN), volume(1, 0))
    }

    fn requests(stream: &mut Stream, seed: u64, count: usize) -> Vec<Request> {
        let mut draws = RandomStream::new(seed, "stream");
        (0..count).map(|_| stream.next(&mut draws)).collect()
    }

    /// Regions of no power of two, also ones smaller than the 64 leaves of a step.
    #[test]
    fn a_walk_stays_in_its_region() {
        for leaves in [1, 3, 63, 64, 65, 100, 1000, 3001] {
            let span = leaves * 32_768;
            let kind = StreamKind::Walk(Walk::new(span, 3));
            let region = (1 << 20, span);
            let mut stream = Stream::new(kind, 400_000, BLOCK_BYTES, region, volume(1, 0));
            for request in requests(&mut stream, leaves, 20_000) {
                assert!(request.address >= 1 << 20);
                assert!(request.address + request.bytes <= (1 << 20) + span);
                assert_eq!(request.address % BLOCK_BYTES, 0);
            }
        }
    }

    /// Blocks are used again sooner than uniform addresses would be.
    #[test]
    fn a_walk_returns_to_where_it_was() {
        let near_share = |requests_made: &[Request]| {
            let near = |pair: &[Request]| pair[0].address.abs_diff(pair[1].address) < 64 * 32_768;
            requests_made.windows(2).filter(|pair| near(pair)).count() as f64
                / requests_made.len() as f64
        };
        let walked = near_share(&requests(&mut walk(1), 1, 50_000));
        let align = BLOCK_BYTES;
        let kind = StreamKind::Uniform { align };
        let mut uniform = Stream::new(kind, 500_000, BLOCK_BYTES, (0, SPAN), volume(1, 0));
        let anywhere = near_share(&requests(&mut uniform, 1, 50_000));
        // A step stays among its 64 leaves in 56 % of cases, and comes back to them in others.
        assert!(walked > 0.56 && anywhere < 0.05, "{walked} {anywhere}");
    }

    /// 15 % of the writes that are drawn are issued twice: 0.15 of 1.15 writes are the same again.
    #[test]
    fn a_part_of_the_writes_comes_twice() {
        let kind = StreamKind::Walk(Walk::new(SPAN, 1));
        let mut stream = Stream::new(kind, 0, BLOCK_BYTES, (0, SPAN), volume(1, 0));
        let requests_made = requests(&mut stream, 1, 100_000);
        let same = requests_made
            .windows(2)
            .filter(|pair| pair[0].address == pair[1].address)
            .count();
        let share = same as f64 / 1e5;
        // Equal draws add some: one of 8 leaves and, at 50 % and less, the same block of it.
        assert!(
            (0.15 / 1.15..0.15 / 1.15 + 0.06).contains(&share),
            "{share}"
        );
    }

    /// Reads of one leaf use its blocks in turn, for all readers together.
    #[test]
    fn reads_of_a_leaf_take_its_blocks_in_turn() {
        let kind = StreamKind::Walk(Walk::new(32_768, 4));
        let mut stream = Stream::new(kind, 1_000_000, BLOCK_BYTES, (0, 32_768), volume(1, 0));
        let blocks: Vec<_> = requests(&mut stream, 1, 16)
            .iter()
            .map(|request| request.address / BLOCK_BYTES)
            .collect();
        assert!(blocks.iter().copied().eq((0..16).map(|block| block % 8)));
    }

    #[test]
    fn sizes_of_runs_have_their_shares() {
        let sizes = [
            (4096, 400_000),
            (8192, 240_000),
            (16_384, 200_000),
            (32_768, 80_000),
            (65_536, 80_000),
        ];
        let kind = StreamKind::Runs(Runs::new(sizes.to_vec(), SPAN / 10, 2));
        let mut stream = Stream::new(kind, 1_000_000, 4096, (0, SPAN / 2), volume(1, 0));
        let requests_made = requests(&mut stream, 1, 200_000);
        for (bytes, share) in sizes {
            let count = requests_made
                .iter()
                .filter(|request| request.bytes == bytes)
                .count();
            assert!((count as f64 / 2e5 - f64::from(share) / 1e6).abs() < 0.004);
        }
        let mean = requests_made
            .iter()
            .map(|request| request.bytes)
            .sum::<u64>() as f64
            / 2e5;
        assert!((mean / (3.6 * 4096.0) - 1.0).abs() < 0.01, "{mean}");
        assert!(
            requests_made
                .iter()
                .all(|request| request.address + request.bytes <= SPAN / 2)
        );
    }

    /// Over several LUNs a request is cut where one ends, and nothing of it is lost.
    #[test]
    fn a_cut_request_is_asked_for_in_pieces() {
        let kind = StreamKind::Runs(Runs::new(vec![(65_536, 1_000_000)], SPAN, 1));
        let mut stream = Stream::new(kind, 0, 4096, (0, 3 * SPAN), volume(3, 98_304));
        let mut draws = RandomStream::new(1, "stream");
        let (mut bytes, mut pieces) = (0, 0);
        for _ in 0..1000 {
            loop {
                let piece = stream.next(&mut draws);
                (bytes, pieces) = (bytes + piece.bytes, pieces + 1);
                if !stream.has_rest() {
                    break;
                }
            }
        }
        assert_eq!(bytes, 1000 * 65_536);
        assert!(pieces > 1300 && pieces < 1700, "{pieces}");
    }

    #[test]
    fn the_same_seed_walks_the_same_way() {
        let (mut one, mut two) = (walk(5), walk(5));
        assert_eq!(requests(&mut one, 7, 1000), requests(&mut two, 7, 1000));
        assert_ne!(
            requests(&mut walk(5), 8, 1000),
            requests(&mut walk(5), 7, 1000)
        );
    }
}
