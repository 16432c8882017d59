//! Frames of chosen ports in a pcapng file.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;
use std::time::Duration;

use pcap_file::DataLink;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgWriter};
use sanlab_fabric::Probe;
use sanlab_fc::{Exchange, Frame, FrameKind, encode};
use sanlab_kernel::{Arena, NONE, Picoseconds};

/// FC-2 frames with SOF and EOF, LINKTYPE_FC_2_WITH_FRAME_DELIMS.
const LINK_TYPE: u32 = 225;
const SNAP_LEN: u32 = 65_535;
/// Time stamps count nanoseconds: 10 to the power of minus this.
const TIME_RESOLUTION: u8 = 9;
/// Direction in the flags of a packet block.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// The capture could not be written.
#[derive(Debug)]
pub struct CaptureError(pub String);

/// One end of a link to capture at: what it sends and what it receives.
#[derive(Clone, Debug)]
pub struct CapturePort {
    /// Name of the interface in the file.
    pub name: String,
    /// The fibre it sends by; it receives by the other of the link.
    pub tx_fibre: u32,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Frames written; one that two of the ports saw counts twice.
    pub frames: u64,
    /// Exchanges of which at least one frame was written.
    pub exchanges: u64,
    /// The limit was reached: frames after the last are not there.
    pub is_cut: bool,
}

/// Writes every frame of the chosen ports, in order of time, up to a number of frames.
///
/// A frame sent has the time of its first bit, a frame received that of its last, so that the times
/// at an initiator's port are those between which an exchange waits for the SAN.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    /// For each fibre the interfaces that see it sent and received.
    interfaces: Vec<(Option<u32>, Option<u32>)>,
    addresses: Vec<u32>,
    luns: Vec<Vec<u32>>,
    limit: u64,
    /// Frames seen that may not be the next in time yet.
    pending: BinaryHeap<Reverse<Pending>>,
    pushed: u64,
    /// For each record of an exchange, whether a frame of the one it holds now was seen.
    is_known: Vec<bool>,
    captured: Captured,
    failure: Option<CaptureError>,
}

/// A frame to be written, ordered by time and then by when it was seen.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    at: Picoseconds,
    nth: u64,
    interface: u32,
    direction: u32,
    begins_exchange: bool,
    bytes: Vec<u8>,
}

impl<W: Write> Capture<W> {
    /// A capture at these ports of a network with this many fibres. `addresses` are those of the
    /// N_Ports, `luns` the SCSI numbers of each array's LUNs, `limit` the most frames it writes.
    pub fn new(
        out: W,
        ports: &[CapturePort],
        fibres: usize,
        addresses: Vec<u32>,
        luns: Vec<Vec<u32>>,
        limit: u64,
    ) -> Result<Self, CaptureError> {
        let mut writer = PcapNgWriter::new(out).map_err(error)?;
        let mut interfaces = vec![(None, None); fibres];
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
                .map_err(error)?;
            interfaces[port.tx_fibre as usize].0 = Some(index);
            interfaces[port.tx_fibre as usize ^ 1].1 = Some(index);
        }
        Ok(Self {
            writer,
            interfaces,
            addresses,
            luns,
            limit,
            pending: BinaryHeap::new(),
            pushed: 0,
            is_known: Vec::new(),
            captured: Captured::default(),
            failure: None,
        })
    }

    /// Write what is pending; says what there is.
    pub fn finish(mut self) -> Result<Captured, CaptureError> {
        self.flush_until(Picoseconds::MAX);
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.writer.get_mut().flush().map_err(error)?;
        Ok(self.captured)
    }

    /// A frame enters its first fibre: the record of its exchange may hold another one than before.
    fn on_first_hop(&mut self, frame: &Frame) {
        let record = frame.exchange as usize;
        if frame.kind == FrameKind::Command {
            if self.is_known.len() <= record {
                self.is_known.resize(record + 1, false);
            }
            self.is_known[record] = false;
        }
    }

    fn keep(
        &mut self,
        at: Picoseconds,
        interface: u32,
        direction: u32,
        frame: &Frame,
        exchange: Option<&Exchange>,
    ) {
        let lun = exchange.map_or(0, |exchange| {
            self.luns[exchange.array as usize][exchange.lun as usize]
        });
        let addresses = encode::Addresses {
            s_id: self.addresses[frame.source as usize],
            d_id: self.addresses[frame.destination as usize],
            lun,
        };
        let mut bytes = Vec::with_capacity(usize::from(frame.wire_bytes));
        encode::frame(frame, exchange, addresses, &mut bytes);
        let begins_exchange = exchange.is_some()
            && !std::mem::replace(&mut self.is_known[frame.exchange as usize], true);
        self.pushed += 1;
        self.pending.push(Reverse(Pending {
            at,
            nth: self.pushed,
            interface,
            direction,
            begins_exchange,
            bytes,
        }));
    }

    fn flush_until(&mut self, now: Picoseconds) {
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
        let block = EnhancedPacketBlock {
            interface_id: frame.interface,
            timestamp: Duration::from_nanos((frame.at + 500) / 1000),
            original_len: u32::try_from(frame.bytes.len()).map_err(error)?,
            data: Cow::Owned(frame.bytes),
            options: vec![EnhancedPacketOption::Flags(frame.direction)],
        };
        self.writer
            .write_block(&Block::EnhancedPacket(block))
            .map_err(error)?;
        Ok(())
    }
}

impl<W: Write> Probe for Capture<W> {
    fn frame(
        &mut self,
        fibre: u32,
        frame: &Frame,
        exchanges: &Arena<Exchange>,
        sent_at: Picoseconds,
        received_at: Picoseconds,
    ) {
        if frame.came_by == NONE {
            self.on_first_hop(frame);
        }
        let (sender, receiver) = self.interfaces[fibre as usize];
        if sender.is_some() || receiver.is_some() {
            let exchange = (frame.kind != FrameKind::Plain).then(|| exchanges[frame.exchange]);
            if let Some(interface) = sender {
                self.keep(sent_at, interface, OUTBOUND, frame, exchange.as_ref());
            }
            if let Some(interface) = receiver {
                self.keep(received_at, interface, INBOUND, frame, exchange.as_ref());
            }
        }
        self.flush_until(sent_at);
    }

    /// All that is asked for is written, or writing failed.
    fn is_done(&self) -> bool {
        self.captured.is_cut || self.failure.is_some()
    }
}

fn error(failed: impl std::fmt::Display) -> CaptureError {
    CaptureError(failed.to_string())
}
