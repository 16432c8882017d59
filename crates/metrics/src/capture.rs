//! Frames of chosen ports in a pcapng file.

mod places;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Display;
use std::io::Write;
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgWriter};
use pcap_file::{DataLink, PcapError};
use sanlab_fabric::{Fate, Fibre, Link as Cable, Probe, way_back};
use sanlab_fc::link_services::ServiceFrame;
use sanlab_fc::{Exchange, Frame, FrameKind, NPort};
use sanlab_kernel::{Id, IdVec, Instant, slot_of};
use sanlab_scsi::{Command, Device, Exchanges, LogicalUnit, encode};

pub use places::{CaptureLoops, ExchangeKey};

/// FC-2 frames with SOF and EOF, LINKTYPE_FC_2_WITH_FRAME_DELIMS.
const LINK_TYPE: u32 = 225;
const SNAP_LEN: u32 = 65_535;
/// Time stamps count nanoseconds: 10 to the power of minus this.
const TIME_RESOLUTION: u8 = 9;
/// Direction in the flags of a packet block.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;
/// Its CRC is wrong, in the same flags.
const CRC_ERROR: u32 = 1 << 24;

/// The capture could not be written.
#[derive(Debug)]
pub struct CaptureError(pub String);

/// A port to capture at: what it sends and what it receives.
#[derive(Clone, Debug)]
pub struct CapturePort {
    /// Name of the interface in the file.
    pub name: String,
    /// Where it is.
    pub place: CapturePlace,
}

/// How the frames of a port are selected.
#[derive(Clone, Copy, Debug)]
pub enum CapturePlace {
    /// At the end of a link: it sends by this fibre and receives by the other of the link.
    Link(Id<Fibre>),
    /// On a loop: frames of this N_Port and to it.
    Loop(Id<NPort>),
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Frames written; one that two of the ports saw counts twice.
    pub frames: u64,
    /// Exchanges with at least one frame written.
    pub exchanges: u64,
    /// The limit was reached: frames after the last are not there.
    pub is_cut: bool,
}

/// Writes every frame of the chosen ports, in order of time, up to a number of frames.
///
/// A frame sent has the time of its first bit, a frame received that of its last, so that the times
/// at an initiator's port are those between which an exchange waits for the SAN. A transmitter sends
/// what it has begun to send; a frame that is cut off does not come in at the other end, and one with an
/// inverted bit comes in with a wrong CRC.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    /// For each fibre of a link the interfaces that see it sent and received.
    interfaces: IdVec<Fibre, (Option<u32>, Option<u32>)>,
    /// For each N_Port its interface, if it is on a loop.
    on_loops: IdVec<NPort, Option<u32>>,
    loops: CaptureLoops,
    addresses: IdVec<NPort, u32>,
    luns: IdVec<Device, IdVec<LogicalUnit, u32>>,
    /// What frames of services say; those carry a number in this list.
    services: IdVec<ServiceFrame>,
    limit: u64,
    /// Frames of other exchanges are left out, unless there is no list.
    only: Option<Vec<ExchangeKey>>,
    /// For each fibre of a link when it carried nothing; those that are over are gone.
    outages: IdVec<Fibre, Vec<(Instant, Instant)>>,
    /// Frames seen that may not be the next in time yet.
    pending: BinaryHeap<Reverse<Pending>>,
    pushed: u64,
    /// For each record of an exchange, whether a frame of the one it holds now was seen.
    is_known: Vec<bool>,
    captured: Captured,
    failure: Option<CaptureError>,
}

/// How a port sees a frame.
struct Seen {
    at: Instant,
    interface: u32,
    flags: u32,
    comment: Option<String>,
    /// One of its bits is inverted.
    is_corrupted: bool,
}

/// A frame to be written, ordered by time and then by when it was seen.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    at: Instant,
    nth: u64,
    interface: u32,
    flags: u32,
    begins_exchange: bool,
    bytes: Vec<u8>,
    comment: Option<String>,
}

impl<W: Write> Capture<W> {
    /// A capture at these ports of a network whose links have this many fibres; numbers from there
    /// on are transmitters on loops. `addresses` are those of the N_Ports, `luns` the SCSI numbers of each array's LUNs, `limit` the most frames it writes.
    pub fn new(
        out: W,
        ports: &[CapturePort],
        fibres: usize,
        addresses: IdVec<NPort, u32>,
        luns: IdVec<Device, IdVec<LogicalUnit, u32>>,
        limit: u64,
    ) -> Result<Self, CaptureError> {
        let mut writer = PcapNgWriter::new(out).map_err(pcap_error)?;
        let mut interfaces = IdVec::filled((None, None), fibres);
        let mut on_loops = IdVec::filled(None, addresses.len());
        for (index, port) in (0u32..).zip(ports) {
            let block = InterfaceDescriptionBlock {
                linktype: DataLink::from(LINK_TYPE),
                snaplen: SNAP_LEN,
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Owned(port.name.clone())),
                    InterfaceDescriptionOption::IfTsResol(TIME_RESOLUTION),
                ],
            };
            writer
                .write_block(&Block::InterfaceDescription(block))
                .map_err(pcap_error)?;
            match port.place {
                CapturePlace::Link(tx_fibre) => {
                    interfaces[tx_fibre].0 = Some(index);
                    interfaces[way_back(tx_fibre)].1 = Some(index);
                }
                CapturePlace::Loop(n_port) => on_loops[n_port] = Some(index),
            }
        }
        Ok(Self {
            writer,
            interfaces,
            on_loops,
            loops: CaptureLoops::default(),
            addresses,
            luns,
            services: IdVec::new(),
            outages: IdVec::filled(Vec::new(), fibres),
            limit,
            only: None,
            pending: BinaryHeap::new(),
            pushed: 0,
            is_known: Vec::new(),
            captured: Captured::default(),
            failure: None,
        })
    }

    /// With frames of services, which carry a number in this list.
    #[must_use]
    pub fn with_services(mut self, services: IdVec<ServiceFrame>) -> Self {
        self.services = services;
        self
    }

    /// With loops that ports share with each other and with an `FL_Port`.
    #[must_use]
    pub fn with_loops(mut self, loops: CaptureLoops) -> Self {
        self.loops = loops;
        self
    }

    /// The interfaces that see a frame sent and received.
    fn interfaces_of(&self, fibre: Id<Fibre>, frame: &Frame) -> (Option<u32>, Option<u32>) {
        let on_loop = |n_port: Id<NPort>| self.on_loops[n_port];
        let Some(&(sender, receiver)) = self.interfaces.get(fibre) else {
            let of = fibre.place() - self.interfaces.len();
            let gate = self.loops.gate_for(of, frame.destination);
            let receiver = gate.map_or_else(
                || on_loop(frame.destination),
                |gate| self.interfaces[gate].0,
            );
            return (on_loop(frame.source), receiver);
        };
        // From an FL_Port a frame goes to its destination at once.
        if self.loops.is_gate(fibre) {
            return (sender, on_loop(frame.destination));
        }
        (sender, receiver)
    }

    /// Of these exchanges alone.
    #[must_use]
    pub fn of_exchanges(mut self, only: Option<Vec<ExchangeKey>>) -> Self {
        self.only = only;
        self
    }

    /// Whether a frame is wanted.
    fn wants<T>(&self, frame: &Frame, exchanges: &Exchanges<T>) -> bool {
        self.only.as_ref().is_none_or(|only| {
            frame.kind < FrameKind::Plain
                && only.contains(&ExchangeKey::of(
                    exchanges.exchange(frame.exchange.record()),
                ))
        })
    }

    /// With times in which links carry nothing. What then is on the fibre are primitive sequences, for
    /// which no capture has a place: the first frame after them says so in a comment.
    #[must_use]
    pub fn with_outages(mut self, links: IdVec<Cable, Vec<(Instant, Instant)>>) -> Self {
        let twice = |outages: Vec<_>| [outages.clone(), outages];
        self.outages = links.into_iter().flat_map(twice).collect();
        self
    }

    /// What happened to a link before a frame passes it, told once for each of its fibres.
    fn comment(&mut self, fibre: Id<Fibre>, sent_at: Instant) -> Option<String> {
        let outages = self.outages.get_mut(fibre)?;
        let over = outages
            .iter()
            .take_while(|outage| outage.1 <= sent_at)
            .count();
        let told: Vec<String> = outages
            .drain(..over)
            .map(|(from, until)| {
                let (from, until) = (milliseconds(from), milliseconds(until));
                format!("link down at {from} ms (NOS, OLS), up at {until} ms (LR, LRR, Idle)")
            })
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Writes pending frames; returns the counts of the capture.
    pub fn finish(mut self) -> Result<Captured, CaptureError> {
        self.flush_until(Instant::NEVER);
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.writer.get_mut().flush().map_err(error)?;
        Ok(self.captured)
    }

    /// A frame enters its first fibre: the record of its exchange may hold another one than before.
    fn on_first_hop(&mut self, frame: &Frame) {
        if frame.kind == FrameKind::Command {
            let record = slot_of(frame.exchange.record());
            if self.is_known.len() <= record {
                self.is_known.resize(record + 1, false);
            }
            self.is_known[record] = false;
        }
    }

    fn keep<T>(&mut self, seen: Seen, frame: &Frame, carried: Option<(&Exchange, &Command<T>)>) {
        let lun = carried.map_or(0, |(_, command)| {
            // A single disk has LUN 0 alone.
            let device = command.device.get();
            device.map_or(0, |device| self.luns[device][command.lun])
        });
        let addresses = encode::Addresses {
            s_id: self.addresses[frame.source],
            d_id: self.addresses[frame.destination],
            lun,
        };
        let mut bytes = Vec::with_capacity(usize::from(frame.wire_bytes));
        if frame.kind == FrameKind::Service {
            let says = &self.services[frame.exchange.service()];
            sanlab_fc::encode::service(frame, says, &mut bytes);
        } else {
            encode::frame(frame, carried, addresses, &mut bytes);
        }
        if seen.is_corrupted {
            sanlab_fc::encode::corrupt(&mut bytes);
        }
        let begins_exchange = carried.is_some()
            && !std::mem::replace(&mut self.is_known[slot_of(frame.exchange.record())], true);
        self.pushed += 1;
        self.pending.push(Reverse(Pending {
            at: seen.at,
            nth: self.pushed,
            interface: seen.interface,
            flags: seen.flags,
            begins_exchange,
            bytes,
            comment: seen.comment,
        }));
    }

    /// Nothing begins before `now` any more: write what does. Frames of a loop are seen ahead of
    /// their time, so the capture cannot tell by itself.
    pub fn flush_until(&mut self, now: Instant) {
        while let Some(Reverse(next)) = self.pending.peek()
            && next.at <= now
            && let Some(Reverse(next)) = self.pending.pop()
        {
            if self.captured.frames == self.limit {
                self.captured.is_cut = true;
            } else if self.failure.is_none() {
                self.captured.frames += 1;
                self.captured.exchanges += u64::from(next.begins_exchange);
                self.failure = self.write(next).err();
            }
        }
    }

    fn write(&mut self, frame: Pending) -> Result<(), CaptureError> {
        let comment = frame.comment.map(Cow::Owned);
        let comment = comment.map(EnhancedPacketOption::Comment);
        let options = [EnhancedPacketOption::Flags(frame.flags)];
        let block = EnhancedPacketBlock {
            interface_id: frame.interface,
            timestamp: Duration::from_nanos((frame.at.as_ps() + 500) / 1000),
            original_len: u32::try_from(frame.bytes.len()).map_err(error)?,
            data: Cow::Owned(frame.bytes),
            options: options.into_iter().chain(comment).collect(),
        };
        self.writer
            .write_block(&Block::EnhancedPacket(block))
            .map_err(pcap_error)?;
        Ok(())
    }
}

impl<W: Write, T> Probe<Exchanges<T>> for Capture<W> {
    fn frame(
        &mut self,
        fibre: Id<Fibre>,
        frame: &Frame,
        exchanges: &Exchanges<T>,
        sent_at: Instant,
        received_at: Instant,
        fate: Fate,
    ) {
        if frame.came_by.is_none() || fibre.place() >= self.interfaces.len() {
            self.on_first_hop(frame);
        }
        let (sender, receiver) = self.interfaces_of(fibre, frame);
        if (sender.is_some() || receiver.is_some()) && self.wants(frame, exchanges) {
            let carried = (frame.kind < FrameKind::Plain).then(|| {
                let id = frame.exchange.record();
                (exchanges.exchange(id), exchanges.command(id))
            });
            let comment = self.comment(fibre, sent_at);
            if let Some(interface) = sender {
                let seen = Seen {
                    at: sent_at,
                    interface,
                    flags: OUTBOUND,
                    comment: comment.clone(),
                    is_corrupted: false,
                };
                self.keep(seen, frame, carried);
            }
            if let (Some(interface), true) = (receiver, fate != Fate::CutOff) {
                let is_corrupted = fate == Fate::Corrupted;
                let seen = Seen {
                    at: received_at,
                    interface,
                    flags: INBOUND | if is_corrupted { CRC_ERROR } else { 0 },
                    comment,
                    is_corrupted,
                };
                self.keep(seen, frame, carried);
            }
        }
    }

    /// All that is asked for is written, or writing failed.
    fn is_done(&self) -> bool {
        self.captured.is_cut || self.failure.is_some()
    }
}

/// An instant for people, to the microsecond.
fn milliseconds(at: Instant) -> String {
    let micros = at.as_ps() / 1_000_000;
    format!("{}.{:03}", micros / 1000, micros % 1000)
}

fn error(failed: impl Display) -> CaptureError {
    CaptureError(failed.to_string())
}

/// What the system says, where it was the system that failed.
fn pcap_error(failed: PcapError) -> CaptureError {
    match failed {
        PcapError::IoError(reason) => error(reason),
        other => error(other),
    }
}

#[cfg(test)]
mod tests;
