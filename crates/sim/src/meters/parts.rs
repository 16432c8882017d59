//! Readings of LUNs, loops, strings, limits, pairs and file systems at the end of each interval.

use sanlab_fabric::{Discipline, Fibre, LoopCounters, Medium, Network, Pair, PairCounters};
use sanlab_fabric::{Loop, StringCounters};
use sanlab_kernel::{Id, Instant, Span};
use sanlab_storage::{Array, Limit, LimitCounters, LunTotals};

use super::readings::Readings;
use super::stations::Machines;

/// What the server of a file system has done since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FileSystemReading {
    pub(crate) allocations: u64,
    pub(crate) busy: u128,
}

/// Parts that have counters of their own. In every interval they come in the same order; those that a
/// fault adds come last.
#[derive(Debug)]
pub(crate) struct PartSeries {
    pub(super) luns: Readings<LunTotals>,
    pub(super) loops: Readings<LoopCounters>,
    pub(super) strings: Readings<StringCounters>,
    pub(super) limits: Readings<LimitCounters>,
    pub(super) pairs: Readings<PairCounters>,
    pub(super) file_systems: Readings<FileSystemReading>,
}

/// A part in one interval: its counters before and after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRow<R> {
    /// Its place among the parts of its kind.
    pub(crate) part: usize,
    pub(crate) ends_at: Instant,
    pub(crate) span: Span,
    pub(crate) before: R,
    pub(crate) after: R,
}

impl PartSeries {
    pub(super) fn new() -> Self {
        Self {
            luns: Readings::new(0),
            loops: Readings::new(0),
            strings: Readings::new(0),
            limits: Readings::new(0),
            pairs: Readings::new(0),
            file_systems: Readings::new(0),
        }
    }

    /// An interval ends now.
    pub(super) fn close<const E: bool>(&mut self, now: Instant, machines: &mut Machines<'_, E>) {
        let network = &*machines.network;
        let loops = network.loops.loops.iter();
        self.loops.read_all(loops.map(|of| of.counters(now)));
        self.strings.read_all(strings_of(network));
        let luns = machines
            .array
            .arrays()
            .iter()
            .flat_map(|array| array.luns.iter());
        self.luns.read_all(luns.map(|lun| lun.totals(now)));
        let arrays = machines.array.arrays().iter();
        let limits = arrays.flat_map(limits_of).map(|limit| limit.counters);
        self.limits.read_all(limits);
        self.pairs
            .read_all(pairs_of(network).map(|(_, _, counters)| *counters));
        let file_systems = machines.host.file_systems_mut().iter_mut();
        self.file_systems
            .read_all(file_systems.map(|of| FileSystemReading {
                allocations: of.allocations,
                busy: of.server.totals(now).busy,
            }));
    }

    /// Merge neighbours.
    pub(super) fn halve(&mut self) {
        self.luns.halve();
        self.loops.halve();
        self.strings.halve();
        self.limits.halve();
        self.pairs.halve();
        self.file_systems.halve();
    }
}

/// Pairs of N_Ports that policies name, at each output that knows them.
pub(crate) fn pairs_of<const E: bool>(
    network: &Network<E>,
) -> impl Iterator<Item = (Id<Fibre>, Pair, &PairCounters)> {
    network.fibres.pairs().flat_map(|(id, fibre)| {
        let pairs = fibre.discipline().into_iter().flat_map(Discipline::pairs);
        pairs.map(move |(pair, counters)| (id, pair, counters))
    })
}

fn strings_of<const E: bool>(network: &Network<E>) -> impl Iterator<Item = StringCounters> {
    let counted = |of: &'_ Loop| match &of.medium {
        Medium::Switched(switched) => switched.strings_counted.iter().copied().collect(),
        Medium::Shared(_) => Vec::new(),
    };
    network.loops.loops.iter().flat_map(counted)
}

fn limits_of(array: &Array) -> impl Iterator<Item = &Limit> {
    array.limits.all.iter()
}
