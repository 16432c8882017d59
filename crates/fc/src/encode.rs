//! Frames as bits, by FC-FS.
//!
//! The layout is that of link type 225 (FC-2 with frame delimiters): SOF, header, payload padded to
//! words, CRC, EOF. All fields are big-endian, but for the CRC, which capture tools expect with its
//! bytes in the order of Ethernet's.

use sanlab_kernel::slot_of;

use crate::link_services::ServiceFrame;
use crate::{Frame, FrameKind, RxIdKnown};

const SOF_I3: [u8; 4] = [0xbc, 0xb5, 0x56, 0x56];
const SOF_N3: [u8; 4] = [0xbc, 0xb5, 0x36, 0x36];
const EOF_N: [u8; 4] = [0xbc, 0x95, 0xd5, 0xd5];
const EOF_T: [u8; 4] = [0xbc, 0x95, 0x75, 0x75];

const FROM_RESPONDER: u32 = 0x80_0000;
const FIRST_SEQUENCE: u32 = 0x20_0000;
const LAST_SEQUENCE: u32 = 0x10_0000;
const END_OF_SEQUENCE: u32 = 0x08_0000;
const TRANSFER_INITIATIVE: u32 = 0x01_0000;
const RELATIVE_OFFSET: u32 = 0x00_0008;
const UNASSIGNED: u16 = 0xffff;

/// What the bits need beyond the frame itself.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Address of the source N_Port.
    pub s_id: u32,
    /// Address of the destination N_Port.
    pub d_id: u32,
    /// Type of the protocol above (FC-4).
    pub fc_type: u8,
    /// The responder sends the data of the exchange.
    pub is_data_from_responder: bool,
    /// Which ends know the responder's id.
    pub rx_id_known: RxIdKnown,
}

/// A frame as it is on the fibre, written to `out`, which is cleared first. `unit` writes the payload of
/// commands, data descriptors and status, which only the protocol above knows.
///
/// Data bytes are a filler: the byte at offset `n` of an exchange's data, or of a plain frame's
/// payload, is `n mod 256`.
pub fn frame(frame: &Frame, header: Header, out: &mut Vec<u8>, unit: impl FnOnce(&mut Vec<u8>)) {
    out.clear();
    out.extend(if frame.seq_cnt == 0 { SOF_I3 } else { SOF_N3 });
    write_header(frame, header, out);
    match frame.kind {
        FrameKind::Command
        | FrameKind::TransferReady
        | FrameKind::EarlyReady
        | FrameKind::Response => unit(out),
        FrameKind::AbortAccepted => abort_accepted(frame, header.rx_id_known, out),
        _ => {
            let start = frame.offset.to_be_bytes()[3];
            out.extend((0..frame.payload_bytes).map(|n| start.wrapping_add(n.to_be_bytes()[1])));
        }
    }
    out.resize(out.len().next_multiple_of(4), 0);
    let crc = crc32fast::hash(&out[4..]);
    out.extend(crc.to_le_bytes());
    out.extend(if frame.is_last { EOF_T } else { EOF_N });
}

/// A frame of a service as it is on the fibre, written to `out`, which is cleared first.
pub fn service(frame: &Frame, says: &ServiceFrame, out: &mut Vec<u8>) {
    out.clear();
    out.extend(SOF_I3);
    word(says.r_ctl, says.d_id, out);
    word(0, says.s_id, out);
    word(says.fc_type, says.f_ctl, out);
    out.extend([frame.seq_id, 0, 0, 0]);
    out.extend(frame.ox_id.to_be_bytes());
    let [_, _, high, low] = frame.exchange.service().number().to_be_bytes();
    let is_answer = says.f_ctl & FROM_RESPONDER != 0;
    out.extend(if is_answer { [high, low] } else { [0xff; 2] });
    out.extend([0; 4]);
    out.extend(&says.payload);
    let crc = crc32fast::hash(&out[4..]);
    out.extend(crc.to_le_bytes());
    out.extend(EOF_T);
}

/// One bit of a frame as [`frame`] or [`service`] writes it comes in inverted: the last of its CRC, so
/// that the original can still be read; the simulation does not know which bit was hit.
pub fn corrupt(bytes: &mut [u8]) {
    let last_of_crc = bytes.len() - EOF_N.len() - 1;
    bytes[last_of_crc] ^= 1;
}

/// R_CTL, TYPE and F_CTL without the fill bytes.
fn control(frame: &Frame, header: Header) -> (u8, u8, u32) {
    const VENDOR: u8 = 0xe0;
    let fc_type = header.fc_type;
    let hands_over = END_OF_SEQUENCE | TRANSFER_INITIATIVE;
    match frame.kind {
        FrameKind::Command => (0x06, fc_type, FIRST_SEQUENCE | hands_over),
        FrameKind::TransferReady | FrameKind::EarlyReady => {
            (0x05, fc_type, FROM_RESPONDER | hands_over)
        }
        FrameKind::Response => (0x07, fc_type, FROM_RESPONDER | LAST_SEQUENCE | hands_over),
        FrameKind::Data => (
            0x01,
            fc_type,
            data_control(frame.is_last, header.is_data_from_responder),
        ),
        // Basic link services have no type.
        FrameKind::Abort => (0x81, 0x00, END_OF_SEQUENCE | TRANSFER_INITIATIVE),
        FrameKind::AbortAccepted => (0x84, 0x00, FROM_RESPONDER | LAST_SEQUENCE | END_OF_SEQUENCE),
        // Device data without category, of a type that vendors may use: no analyser takes it for a known protocol.
        FrameKind::Plain | FrameKind::Service => (
            0x00,
            VENDOR,
            FIRST_SEQUENCE | LAST_SEQUENCE | END_OF_SEQUENCE,
        ),
    }
}

/// The responder keeps the initiative after its data, for its status; the last frame of the originator's
/// data hands it over.
fn data_control(is_last: bool, is_from_responder: bool) -> u32 {
    match (is_last, is_from_responder) {
        (false, true) => RELATIVE_OFFSET | FROM_RESPONDER,
        (true, true) => RELATIVE_OFFSET | FROM_RESPONDER | END_OF_SEQUENCE,
        (false, false) => RELATIVE_OFFSET,
        (true, false) => RELATIVE_OFFSET | END_OF_SEQUENCE | TRANSFER_INITIATIVE,
    }
}

fn write_header(frame: &Frame, header: Header, out: &mut Vec<u8>) {
    let (r_ctl, fc_type, f_ctl) = control(frame, header);
    let fill_bytes = frame.payload_bytes.next_multiple_of(4) - frame.payload_bytes;
    let is_data = frame.kind == FrameKind::Data;
    word(r_ctl, header.d_id, out);
    word(0, header.s_id, out);
    word(fc_type, f_ctl | u32::from(fill_bytes), out);
    out.extend([frame.seq_id, 0]);
    out.extend(frame.seq_cnt.to_be_bytes());
    out.extend(frame.ox_id.to_be_bytes());
    out.extend(rx_id(frame, header.rx_id_known).to_be_bytes());
    out.extend(if is_data { frame.offset } else { 0 }.to_be_bytes());
}

/// A byte and a number of three bytes, an address or F_CTL.
fn word(first: u8, rest: u32, out: &mut Vec<u8>) {
    out.extend((u32::from(first) << 24 | rest & 0xff_ffff).to_be_bytes());
}

/// The responder's id of the exchange: where its record is, which no other open exchange has. A
/// responder need not give one, and does not where the number is too large; the first sequence cannot
/// carry one, nor an ABTS whose sender has had no frame with it, nor the answer to it if the command
/// never arrived.
fn rx_id(frame: &Frame, known: RxIdKnown) -> u16 {
    let is_known = match frame.kind {
        FrameKind::Command | FrameKind::Plain | FrameKind::Service => false,
        FrameKind::Abort => known == RxIdKnown::ToBoth,
        FrameKind::AbortAccepted => known != RxIdKnown::ToNobody,
        _ => true,
    };
    if !is_known {
        return UNASSIGNED;
    }
    u16::try_from(slot_of(frame.exchange.record())).unwrap_or(UNASSIGNED)
}

/// BA_ACC: no sequence can be recovered; the whole exchange is aborted.
fn abort_accepted(frame: &Frame, known: RxIdKnown, out: &mut Vec<u8>) {
    out.extend([0; 4]);
    out.extend(frame.ox_id.to_be_bytes());
    out.extend(rx_id(frame, known).to_be_bytes());
    out.extend([0, 0, 0xff, 0xff]);
}

#[cfg(test)]
mod tests {
    /// The check value of CRC-32 for the digits 1 to 9.
    #[test]
    fn the_crc_is_that_of_ethernet() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
    }
}
