//! The I/O bus between a host's memory and its adapters.

use sanlab_kernel::{Instant, Rate, Service, Span, Station, StationTotals};

/// An entry of a request or response ring, which an adapter fetches for every command and stores for
/// every answer: 64 bytes of ISP2xxx (REQUEST_ENTRY_SIZE and RESPONSE_ENTRY_SIZE of Linux's qla2xxx).
pub const RING_ENTRY_BYTES: u32 = 64;

/// How a bus moves bytes.
///
/// A transfer goes in bursts. Each costs its data, at the peak rate, and an overhead: on PCI and
/// PCI-X the clocks of address and attribute phases, of turnaround and, reading memory, of the
/// completion as a transaction of its own; on PCI Express the header and framing of a packet.
#[derive(Clone, Copy, Debug)]
pub struct BusModel {
    /// Peak rate, of one direction where there are two.
    pub rate: Rate,
    /// Longest burst.
    pub burst: u32,
    /// Overhead of a burst from memory to the adapter.
    pub fetch_overhead: Span,
    /// Overhead of a burst from the adapter to memory.
    pub store_overhead: Span,
    /// Both directions at once.
    pub is_full_duplex: bool,
}

/// A segment: transfers of all adapters on it are served in the order in which they are asked for.
#[derive(Clone, Debug)]
pub struct IoBus {
    model: BusModel,
    /// From memory, and on a half-duplex bus both ways; to memory.
    lanes: [Station; 2],
    /// Bytes moved from memory, and to it.
    bytes: [u64; 2],
}

impl IoBus {
    /// An idle segment.
    pub fn new(model: BusModel) -> Self {
        Self {
            model,
            lanes: [Station::settling(1), Station::settling(1)],
            bytes: [0; 2],
        }
    }

    /// So many bytes from memory to an adapter, asked for now: when are they there?
    pub fn fetch(&mut self, now: Instant, bytes: u32) -> Instant {
        self.bytes[0] += u64::from(bytes);
        let service = self.time(bytes, self.model.fetch_overhead);
        self.serve(0, now, service).ends_at
    }

    /// So many bytes from an adapter to memory, asked for now: when are they there?
    pub fn store(&mut self, now: Instant, bytes: u32) -> Instant {
        self.bytes[1] += u64::from(bytes);
        let service = self.time(bytes, self.model.store_overhead);
        let lane = usize::from(self.model.is_full_duplex);
        self.serve(lane, now, service).ends_at
    }

    fn serve(&mut self, lane: usize, now: Instant, service: Span) -> Service {
        self.lanes[lane].arrive(now, service)
    }

    fn time(&self, bytes: u32, overhead: Span) -> Span {
        let bursts = u64::from(bytes.div_ceil(self.model.burst));
        self.model.rate.time_for(u64::from(bytes)) + overhead * bursts
    }

    /// Bytes moved from memory, and to it.
    pub fn bytes(&self) -> [u64; 2] {
        self.bytes
    }

    /// Directions that are served apart from each other.
    pub fn lanes(&mut self) -> &mut [Station] {
        let count = 1 + usize::from(self.model.is_full_duplex);
        &mut self.lanes[..count]
    }

    /// What its lanes have seen up to now, and how many they are.
    pub fn totals(&mut self, now: Instant) -> Vec<StationTotals> {
        let lanes = self.lanes().iter_mut();
        lanes.map(|lane| lane.totals(now)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ps(picoseconds: u64) -> Span {
        Span::from_ps(picoseconds)
    }

    /// PCI-X at 133 MHz: 8 bytes each clock of 7500 ps, bursts of 512 bytes, 6 and 12 clocks beside.
    fn pci_x(is_full_duplex: bool) -> IoBus {
        IoBus::new(BusModel {
            rate: Rate::from_bytes_per_s(1_066_666_667),
            burst: 512,
            fetch_overhead: ps(12 * 7_500),
            store_overhead: ps(6 * 7_500),
            is_full_duplex,
        })
    }

    #[test]
    fn a_transfer_is_its_data_and_an_overhead_for_each_burst() {
        let mut bus = pci_x(false);
        let stored = bus.store(Instant::START, 2048);
        assert_eq!(stored, Instant::START + ps(4 * 6 * 7_500 + 1_920_000));
        assert_eq!(bus.fetch(stored, 64), stored + ps(12 * 7_500 + 60_000));
        assert_eq!(bus.bytes(), [64, 2048]);
    }

    #[test]
    fn directions_share_one_server_or_have_one_each() {
        let (mut half, mut full) = (pci_x(false), pci_x(true));
        let alone = half.fetch(Instant::START, 2048);
        assert_eq!(full.fetch(Instant::START, 2048), alone);
        assert!(half.store(Instant::START, 2048) > alone);
        assert!(full.store(Instant::START, 2048) < alone);
        let later = Instant::from_ps(1 << 40);
        for bus in [&mut half, &mut full] {
            let lanes = bus.lanes().len();
            assert_eq!(bus.totals(later).len(), lanes);
            assert!(bus.lanes().iter_mut().all(|lane| lane.check(later).is_ok()));
        }
    }
}
