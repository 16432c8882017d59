//! Readings of all stations, in one order.

use sanlab_fabric::Network;
use sanlab_kernel::{Instant, StationTotals};
use sanlab_storage::Media;

use crate::array::state::ArraySide;
use crate::host::state::HostSide;

/// Which station of the plan it is: indices of hosts and arrays, and in these of their parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StationPlace {
    Cpu(usize),
    /// Among the engines of all hosts.
    Engine(usize),
    /// Among the buses of all hosts, and whether data go to memory.
    Bus(usize, bool),
    Controller(usize, usize),
    Forwarding(usize, usize),
    Disk(usize, usize),
    Ssd(usize, usize),
    /// The media of a LUN that has its own.
    Media(usize, usize),
    Parity(usize),
    Partner(usize, usize),
}

/// The parts of the world that have stations.
pub(crate) struct Machines<'a, const E: bool> {
    pub(crate) network: &'a mut Network<E>,
    pub(crate) host: &'a mut HostSide,
    pub(crate) array: &'a mut ArraySide,
}

impl<const E: bool> Machines<'_, E> {
    /// Visit every station with its number of servers and its totals up to now; always in the same order.
    pub(crate) fn visit(
        &mut self,
        now: Instant,
        mut visit: impl FnMut(StationPlace, usize, StationTotals),
    ) {
        for (number, host) in self.host.hosts_mut().iter_mut().enumerate() {
            let cpu = &mut host.cpu;
            visit(StationPlace::Cpu(number), cpu.servers(), cpu.totals(now));
        }
        for (number, engine) in self.host.engines_mut().iter_mut().enumerate() {
            let station = &mut engine.station;
            let place = StationPlace::Engine(number);
            visit(place, station.servers(), station.totals(now));
        }
        for (number, bus) in self.network.buses.segments.iter_mut().enumerate() {
            for (totals, to_memory) in bus.totals(now).into_iter().zip([false, true]) {
                visit(StationPlace::Bus(number, to_memory), 1, totals);
            }
        }
        self.visit_arrays(now, visit);
    }

    fn visit_arrays(
        &mut self,
        now: Instant,
        mut visit: impl FnMut(StationPlace, usize, StationTotals),
    ) {
        for (of, array) in self.array.arrays_mut().iter_mut().enumerate() {
            for (number, controller) in array.controllers.iter_mut().enumerate() {
                let processors = &mut controller.processors;
                let place = StationPlace::Controller(of, number);
                visit(place, processors.servers(), processors.totals(now));
                let forwarding = controller.forwarding.totals(now);
                visit(StationPlace::Forwarding(of, number), 1, forwarding);
            }
            for (number, disk) in array.disks.iter_mut().enumerate() {
                let (place, servers) = match disk.ssd() {
                    Some(ssd) => (StationPlace::Ssd(of, number), ssd.servers()),
                    None => (StationPlace::Disk(of, number), 1),
                };
                visit(place, servers, disk.totals(now));
            }
            for (number, lun) in array.luns.iter_mut().enumerate() {
                let (servers, totals) = match &mut lun.media {
                    Media::Memory { station, .. } => (station.servers(), station.totals(now)),
                    Media::Flash(flash) => (1, flash.totals(now)),
                    Media::Ram(ram) => (1, ram.totals(now)),
                    Media::Stripe(_) | Media::Raid { .. } => continue,
                };
                visit(StationPlace::Media(of, number), servers, totals);
            }
            visit(StationPlace::Parity(of), 1, array.parity.totals(now));
            for (number, controller) in array.controllers.iter_mut().enumerate() {
                let place = StationPlace::Partner(of, number);
                visit(place, 1, controller.partner.totals(now));
            }
        }
    }
}
