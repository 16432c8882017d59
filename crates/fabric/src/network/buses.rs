//! Frames between fibres and the I/O buses of hosts.

use sanlab_fc::{FrameKind, NextFrame};
use sanlab_kernel::Picoseconds;

use super::state::Network;
use crate::fibre::{Sink, Source};
use crate::transmission::Transmission;

impl<const EVERY_EVENT: bool> Network<EVERY_EVENT> {
    /// Whether an N_Port, or the one whose link it shares, is behind a bus.
    #[inline]
    pub fn is_on_bus(&self, n_port: u32) -> bool {
        !self.buses.ports.is_empty()
            && matches!(self.uplink(n_port).source, Source::NPort(owner)
                if self.n_ports[owner as usize].bus_port().is_some())
    }

    /// Fetch what the port has room for.
    #[cold]
    #[inline(never)]
    pub(crate) fn fetch(&mut self, n_port: u32, port: u32, now: Picoseconds) {
        let source = &mut self.n_ports[n_port as usize];
        let segment = self.buses.ports[port as usize].segment;
        while let Some(mut next) = source.next_to_fetch(now, n_port) {
            next.frame.framed_at = now;
            let bytes = next.frame.bytes_on_bus();
            let ready_at = match bytes {
                0 => now,
                _ => self.buses.segments[segment as usize].fetch(now, bytes),
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
        now: Picoseconds,
        id: u32,
        n_port: u32,
        port: u32,
    ) -> NextFrame {
        let source = &mut self.n_ports[n_port as usize];
        let Some((mut next, ready_at)) = source.take_fetched(now) else {
            // A plain frame is made by the port itself.
            return source.generate(now, n_port);
        };
        let frame = &mut next.frame;
        (frame.ready_at, frame.sent_at) = (now, now);
        let since = self.fibres[id as usize].free_at.max(frame.framed_at);
        let waited = ready_at.saturating_sub(since);
        if frame.kind < FrameKind::Plain {
            self.buses.add_wait(frame.exchange, waited);
        }
        self.fetch(n_port, port, now);
        next
    }

    /// Fibres to and from ports behind a bus need care.
    pub(crate) fn mark_buses(&mut self, fibres: usize) {
        for fibre in &mut self.fibres[..fibres] {
            let ends = [
                matches!(fibre.source, Source::NPort(id) if self.n_ports[id as usize].bus_port().is_some()),
                matches!(fibre.sink, Sink::NPort(id) if self.n_ports[id as usize].bus_port().is_some()),
            ];
            fibre.on_slow_path |= ends.contains(&true);
        }
    }

    /// A frame will be in at its destination, a port behind a bus, at this instant.
    #[cold]
    #[inline(never)]
    pub(crate) fn land(&mut self, port: u32, frame: u32, in_at: Picoseconds) {
        self.frames[frame].ready_at = in_at;
        let landing = &mut self.buses.ports[port as usize].landing;
        landing.push_back(frame);
        if landing.len() == 1 {
            self.alarms.set(self.first_bus_alarm + port, in_at);
        }
    }

    /// A frame is in: it is stored, then its buffer is free.
    pub(crate) fn store(&mut self, now: Picoseconds, number: u32) -> Option<Transmission> {
        let port = &mut self.buses.ports[number as usize];
        let (n_port, segment) = (port.n_port, port.segment);
        let id = port.landing.pop_front()?;
        let alarm = self.first_bus_alarm + number;
        match port.landing.front() {
            Some(&next) => self.alarms.set(alarm, self.frames[next].ready_at),
            None => self.alarms.clear(alarm),
        }
        self.buses.stored += 1;
        let frame = &self.frames[id];
        let (came_by, channel) = (frame.came_by, frame.channel);
        let stored_at = match frame.bytes_on_bus() {
            0 => now,
            bytes => self.buses.segments[segment as usize].store(now, bytes),
        };
        let payload = frame.payload_bytes;
        let freed_at = self.n_ports[n_port as usize].on_received(stored_at, payload);
        let back_at = freed_at + self.fibres[came_by as usize].credit_return;
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
    pub(crate) fn landing(&self) -> impl Iterator<Item = u32> + '_ {
        self.buses
            .ports
            .iter()
            .flat_map(|port| port.landing.iter().copied())
    }
}
