//! Frames between fibres and the I/O buses of hosts.

use sanlab_fc::{BusPlace, Frame, FrameKind, NPort, NextFrame};
use sanlab_kernel::{Id, Instant};

use super::state::Network;
use crate::fibre::{Fibre, Sink, Source};
use crate::transmission::Transmission;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// Whether an N_Port, or the one whose link it shares, is behind a bus.
    #[inline]
    pub fn is_on_bus(&self, n_port: Id<NPort>) -> bool {
        !self.buses.ports.is_empty()
            && matches!(self.uplink(n_port).source, Source::NPort(owner)
                if self.n_ports[owner].bus_port().is_some())
    }

    /// Fetch what the port has room for.
    #[cold]
    #[inline(never)]
    pub(crate) fn fetch(&mut self, n_port: Id<NPort>, port: Id<BusPlace>, now: Instant) {
        let source = &mut self.n_ports[n_port];
        let segment = self.buses.ports[port].segment;
        while let Some(mut next) = source.next_to_fetch(now, n_port) {
            next.frame.framed_at = now;
            let bytes = next.frame.bytes_on_bus();
            let ready_at = match bytes {
                0 => now,
                _ => self.buses.segments[segment].fetch(now, bytes),
            };
            source.on_fetched(next, ready_at);
        }
    }

    /// The next frame of a port behind a bus, sent now; the time for which the fibre was free and
    /// the frame not there is noted at its exchange.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_fetched(
        &mut self,
        now: Instant,
        id: Id<Fibre>,
        n_port: Id<NPort>,
        port: Id<BusPlace>,
    ) -> NextFrame {
        let source = &mut self.n_ports[n_port];
        let Some((mut next, ready_at)) = source.take_fetched(now) else {
            // A plain frame is made by the port itself.
            return source.generate(now, n_port);
        };
        let frame = &mut next.frame;
        (frame.ready_at, frame.sent_at) = (now, now);
        let since = self.fibres[id].free_at.max(frame.framed_at);
        let waited = ready_at.saturating_since(since);
        if frame.kind < FrameKind::Plain {
            self.buses.add_wait(frame.exchange.record(), waited);
        }
        self.fetch(n_port, port, now);
        next
    }

    /// Fibres to and from ports behind a bus need care.
    pub(crate) fn mark_buses(&mut self, fibres: usize) {
        for fibre in self.fibres.iter_mut().take(fibres) {
            let ends = [
                matches!(fibre.source, Source::NPort(id) if self.n_ports[id].bus_port().is_some()),
                matches!(fibre.sink, Sink::NPort(id) if self.n_ports[id].bus_port().is_some()),
            ];
            fibre.on_slow_path |= ends.contains(&true);
        }
    }

    /// A frame will be in at its destination, a port behind a bus, at this instant.
    #[cold]
    #[inline(never)]
    pub(crate) fn land(&mut self, port: Id<BusPlace>, frame: Id<Frame>, in_at: Instant) {
        self.frames[frame].ready_at = in_at;
        let landing = &mut self.buses.ports[port].landing;
        landing.push_back(frame);
        if landing.len() == 1 {
            self.alarms.set(self.first_bus_alarm + port.number(), in_at);
        }
    }

    /// A frame is in: it is stored, then its buffer is free.
    pub(crate) fn store(&mut self, now: Instant, place: Id<BusPlace>) -> Option<Transmission> {
        let port = &mut self.buses.ports[place];
        let (n_port, segment) = (port.n_port, port.segment);
        let id = port.landing.pop_front()?;
        let alarm = self.first_bus_alarm + place.number();
        match port.landing.front() {
            Some(&next) => self.alarms.set(alarm, self.frames[next].ready_at),
            None => self.alarms.clear(alarm),
        }
        self.buses.stored += 1;
        let frame = &self.frames[id];
        let (came_by, channel) = (frame.came_by.certain().same(), frame.channel);
        let stored_at = match frame.bytes_on_bus() {
            0 => now,
            bytes => self.buses.segments[segment].store(now, bytes),
        };
        let payload = frame.payload_bytes;
        let freed_at = self.n_ports[n_port].on_received(stored_at, payload);
        let back_at = freed_at + self.fibres[came_by].credit_return;
        self.give_credit(came_by, channel, back_at);
        Some(Transmission {
            frame: id,
            arrives_at: stored_at,
            landed_at: now,
            fibre: came_by,
            ends_sequence: false,
        })
    }

    /// Frames in the buffers of ports behind buses.
    pub(crate) fn landing(&self) -> impl Iterator<Item = Id<Frame>> + '_ {
        self.buses
            .ports
            .iter()
            .flat_map(|port| port.landing.iter().copied())
    }
}
