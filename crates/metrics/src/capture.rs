//! Frames of chosen ports in a pcapng file.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;
use std::time::Duration;

use pcap_file::DataLink;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgWriter};
use sanlab_fabric::Probe;
use sanlab_fc::{Exchange, Frame, FrameKind, encode};
use sanlab_kernel::{Arena, Picoseconds};

/// FC-2 frames with SOF and EOF, LINKTYPE_FC_2_WITH_FRAME_DELIMS.
const LINK_TYPE: u32 = 225;
const SNAP_LEN: u32 = 65_535;

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

/// Writes every frame of the chosen ports, in order of time.
///
/// A frame sent has the time of its first bit, a frame received that of its last, so that the times
/// at an initiator's port are those between which an exchange waits for the SAN.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    /// For each fibre the interfaces that see it sent and received.
    interfaces: Vec<(Option<u32>, Option<u32>)>,
    addresses: Vec<u32>,
    luns: Vec<Vec<u32>>,
    /// Frames seen that may not be the next in time yet.
    pending: BinaryHeap<Reverse<Pending>>,
    count: u64,
    failure: Option<String>,
}

/// Time, running number, interface, bytes.
type Pending = (Picoseconds, u64, u32, Vec<u8>);

impl<W: Write> Capture<W> {
    /// A capture at these ports of a network with this many fibres. `addresses` are those of the
    /// N_Ports, `luns` the SCSI numbers of each array's LUNs.
    pub fn new(
        out: W,
        ports: &[CapturePort],
        fibres: usize,
        addresses: Vec<u32>,
        luns: Vec<Vec<u32>>,
    ) -> Result<Self, CaptureError> {
        let mut writer = PcapNgWriter::new(out).map_err(error)?;
        let mut interfaces = vec![(None, None); fibres];
        for (index, port) in ports.iter().enumerate() {
            let block = InterfaceDescriptionBlock {
                linktype: DataLink::from(LINK_TYPE),
                snaplen: SNAP_LEN,
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Owned(port.name.clone())),
                    InterfaceDescriptionOption::IfTsResol(9),
                ],
            };
            writer
                .write_block(&Block::InterfaceDescription(block))
                .map_err(error)?;
            interfaces[port.tx_fibre as usize].0 = Some(index as u32);
            interfaces[port.tx_fibre as usize ^ 1].1 = Some(index as u32);
        }
        Ok(Self {
            writer,
            interfaces,
            addresses,
            luns,
            pending: BinaryHeap::new(),
            count: 0,
            failure: None,
        })
    }

    /// Write what is pending; the number of frames written.
    pub fn finish(mut self) -> Result<u64, CaptureError> {
        self.flush_until(Picoseconds::MAX);
        match self.failure {
            Some(reason) => Err(CaptureError(reason)),
            None => Ok(self.count),
        }
    }

    fn keep(
        &mut self,
        at: Picoseconds,
        interface: u32,
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
        self.count += 1;
        self.pending
            .push(Reverse((at, self.count, interface, bytes)));
    }

    fn flush_until(&mut self, now: Picoseconds) {
        while self
            .pending
            .peek()
            .is_some_and(|Reverse((at, ..))| *at <= now)
        {
            if let Some(Reverse((at, _, interface, bytes))) = self.pending.pop() {
                let block = EnhancedPacketBlock {
                    interface_id: interface,
                    timestamp: Duration::from_nanos((at + 500) / 1000),
                    original_len: bytes.len() as u32,
                    data: Cow::Owned(bytes),
                    options: vec![],
                };
                if let Err(failed) = self.writer.write_block(&Block::EnhancedPacket(block)) {
                    self.failure.get_or_insert(failed.to_string());
                }
            }
        }
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
        let (sender, receiver) = self.interfaces[fibre as usize];
        if sender.is_some() || receiver.is_some() {
            let exchange = (frame.kind != FrameKind::Plain).then(|| exchanges[frame.exchange]);
            if let Some(interface) = sender {
                self.keep(sent_at, interface, frame, exchange.as_ref());
            }
            if let Some(interface) = receiver {
                self.keep(received_at, interface, frame, exchange.as_ref());
            }
        }
        self.flush_until(sent_at);
    }
}

fn error(failed: impl std::fmt::Display) -> CaptureError {
    CaptureError(failed.to_string())
}
