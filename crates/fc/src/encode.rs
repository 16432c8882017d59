//! Frames as bits: headers by FC-FS, payloads by FCP-4 and SBC.
//!
//! The layout is that of link type 225 (FC-2 with frame delimiters): SOF, header, payload padded to
//! words, CRC, EOF. All fields are big-endian, but for the CRC, which capture tools expect with its
//! bytes in the order of Ethernet's.

use crate::{Exchange, Frame, FrameKind};

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
const BLOCK_BYTES: u64 = 512;

/// What the bits need beyond the frame itself.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Address of the source N_Port.
    pub s_id: u32,
    /// Address of the destination N_Port.
    pub d_id: u32,
    /// SCSI logical unit number.
    pub lun: u32,
}

/// A frame as it is on the fibre, written to `out`, which is cleared first.
///
/// Data bytes are a filler: the byte at offset `n` of an exchange is `n mod 256`.
pub fn frame(frame: &Frame, exchange: Option<&Exchange>, addresses: Addresses, out: &mut Vec<u8>) {
    out.clear();
    out.extend(if frame.seq_cnt == 0 { SOF_I3 } else { SOF_N3 });
    header(
        frame,
        exchange.is_some_and(|exchange| exchange.is_read),
        addresses,
        out,
    );
    payload(frame, exchange, addresses.lun, out);
    out.resize(out.len().next_multiple_of(4), 0);
    let crc = crc32fast::hash(&out[4..]);
    out.extend(crc.to_le_bytes());
    out.extend(if frame.is_last { EOF_T } else { EOF_N });
}

fn header(frame: &Frame, is_read: bool, addresses: Addresses, out: &mut Vec<u8>) {
    let from_initiator = FIRST_SEQUENCE | END_OF_SEQUENCE | TRANSFER_INITIATIVE;
    let (r_ctl, fc_type, mut f_ctl) = match frame.kind {
        FrameKind::Command => (0x06, 0x08, from_initiator),
        FrameKind::TransferReady => (
            0x05,
            0x08,
            FROM_RESPONDER | END_OF_SEQUENCE | TRANSFER_INITIATIVE,
        ),
        FrameKind::Response => (
            0x07,
            0x08,
            FROM_RESPONDER | LAST_SEQUENCE | END_OF_SEQUENCE | TRANSFER_INITIATIVE,
        ),
        FrameKind::Data => (0x01, 0x08, data_control(frame.is_last, is_read)),
        // Uncategorised information of a vendor-specific type.
        FrameKind::Plain => (0x00, 0xe0, FIRST_SEQUENCE | LAST_SEQUENCE | END_OF_SEQUENCE),
    };
    f_ctl |= u32::from(frame.payload_bytes.next_multiple_of(4) - frame.payload_bytes);
    out.extend((u32::from(r_ctl as u8) << 24 | addresses.d_id).to_be_bytes());
    out.extend(addresses.s_id.to_be_bytes());
    out.extend((u32::from(fc_type as u8) << 24 | f_ctl).to_be_bytes());
    out.push(frame.seq_id);
    out.push(0);
    out.extend(frame.seq_cnt.to_be_bytes());
    out.extend(frame.ox_id.to_be_bytes());
    let rx_id = if frame.kind == FrameKind::Command {
        UNASSIGNED
    } else {
        frame.ox_id
    };
    out.extend(rx_id.to_be_bytes());
    let parameter = if frame.kind == FrameKind::Data {
        frame.offset
    } else {
        0
    };
    out.extend(parameter.to_be_bytes());
}

/// Read data comes from the responder, which keeps the initiative for its FCP_RSP; the last frame of
/// write data hands it over.
fn data_control(is_last: bool, is_read: bool) -> u32 {
    match (is_last, is_read) {
        (false, true) => RELATIVE_OFFSET | FROM_RESPONDER,
        (true, true) => RELATIVE_OFFSET | FROM_RESPONDER | END_OF_SEQUENCE,
        (false, false) => RELATIVE_OFFSET,
        (true, false) => RELATIVE_OFFSET | END_OF_SEQUENCE | TRANSFER_INITIATIVE,
    }
}

fn payload(frame: &Frame, exchange: Option<&Exchange>, lun: u32, out: &mut Vec<u8>) {
    match (frame.kind, exchange) {
        (FrameKind::Command, Some(exchange)) => command(exchange, lun, out),
        (FrameKind::TransferReady, Some(exchange)) => {
            out.extend(frame.offset.to_be_bytes());
            out.extend((exchange.asked_bytes - frame.offset).to_be_bytes());
            out.extend([0; 4]);
        }
        (FrameKind::Response, Some(exchange)) => {
            out.extend([0; 11]);
            out.push(exchange.status as u8);
            out.extend([0; 12]);
        }
        _ => out.extend((0..u32::from(frame.payload_bytes)).map(|n| (frame.offset + n) as u8)),
    }
}

/// FCP_CMND with READ(16) or WRITE(16) where the address needs it, else READ(10) or WRITE(10).
fn command(exchange: &Exchange, lun: u32, out: &mut Vec<u8>) {
    // Peripheral device addressing up to 255, flat space above (SAM).
    let lun = if lun < 256 {
        lun as u16
    } else {
        0x4000 | lun as u16
    };
    out.extend(lun.to_be_bytes());
    out.extend([0; 9]);
    out.push(if exchange.is_read { 0x02 } else { 0x01 });
    let block = exchange.address / BLOCK_BYTES;
    let blocks = exchange.bytes / BLOCK_BYTES as u32;
    let mut cdb = [0u8; 16];
    if let (Ok(block), Ok(blocks)) = (u32::try_from(block), u16::try_from(blocks)) {
        cdb[0] = if exchange.is_read { 0x28 } else { 0x2a };
        cdb[2..6].copy_from_slice(&block.to_be_bytes());
        cdb[7..9].copy_from_slice(&blocks.to_be_bytes());
    } else {
        cdb[0] = if exchange.is_read { 0x88 } else { 0x8a };
        cdb[2..10].copy_from_slice(&block.to_be_bytes());
        cdb[10..14].copy_from_slice(&blocks.to_be_bytes());
    }
    out.extend(cdb);
    out.extend(exchange.bytes.to_be_bytes());
}
