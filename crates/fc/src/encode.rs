//! Frames as bits: headers by FC-FS, payloads by FCP-4 and SBC.
//!
//! The layout is that of link type 225 (FC-2 with frame delimiters): SOF, header, payload padded to
//! words, CRC, EOF. All fields are big-endian, but for the CRC, which capture tools expect with its
//! bytes in the order of Ethernet's.

use crate::link_services::ServiceFrame;
use crate::{Exchange, Frame, FrameKind, RxIdKnown, ScsiStatus};

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
/// Logical blocks are of this size.
const BLOCK_BYTES: u64 = 512;

/// What the bits need beyond the frame itself.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Address of the source N_Port.
    pub s_id: u32,
    /// Address of the destination N_Port.
    pub d_id: u32,
    /// SCSI logical unit number, below 2^24.
    pub lun: u32,
}

/// A frame as it is on the fibre, written to `out`, which is cleared first.
///
/// Data bytes are a filler: the byte at offset `n` of an exchange's data, or of a plain frame's
/// payload, is `n mod 256`.
pub fn frame(frame: &Frame, exchange: Option<&Exchange>, addresses: Addresses, out: &mut Vec<u8>) {
    out.clear();
    out.extend(if frame.seq_cnt == 0 { SOF_I3 } else { SOF_N3 });
    header(frame, exchange, addresses, out);
    payload(frame, exchange, addresses.lun, out);
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
    let [_, _, high, low] = frame.exchange.to_be_bytes();
    let is_answer = says.f_ctl & FROM_RESPONDER != 0;
    out.extend(if is_answer { [high, low] } else { [0xff; 2] });
    out.extend([0; 4]);
    out.extend(&says.payload);
    let crc = crc32fast::hash(&out[4..]);
    out.extend(crc.to_le_bytes());
    out.extend(EOF_T);
}

/// One bit of a frame as [`frame`] or [`service`] writes it comes in inverted: the last of its CRC, so
/// that what it was can still be read. Which bit it is no simulation says.
pub fn corrupt(bytes: &mut [u8]) {
    let last_of_crc = bytes.len() - EOF_N.len() - 1;
    bytes[last_of_crc] ^= 1;
}

/// R_CTL, TYPE and F_CTL without the fill bytes.
fn control(frame: &Frame, is_read: bool) -> (u8, u8, u32) {
    const FCP: u8 = 0x08;
    const VENDOR: u8 = 0xe0;
    let hands_over = END_OF_SEQUENCE | TRANSFER_INITIATIVE;
    match frame.kind {
        FrameKind::Command => (0x06, FCP, FIRST_SEQUENCE | hands_over),
        FrameKind::TransferReady => (0x05, FCP, FROM_RESPONDER | hands_over),
        FrameKind::Response => (0x07, FCP, FROM_RESPONDER | LAST_SEQUENCE | hands_over),
        FrameKind::Data => (0x01, FCP, data_control(frame.is_last, is_read)),
        // Basic link services have no type.
        FrameKind::Abort => (0x81, 0x00, END_OF_SEQUENCE | TRANSFER_INITIATIVE),
        FrameKind::AbortAccepted => (0x84, 0x00, FROM_RESPONDER | LAST_SEQUENCE | END_OF_SEQUENCE),
        // Device data without category, of a type that vendors may use: nobody takes it for SCSI.
        FrameKind::Plain | FrameKind::Service => (
            0x00,
            VENDOR,
            FIRST_SEQUENCE | LAST_SEQUENCE | END_OF_SEQUENCE,
        ),
    }
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

fn header(frame: &Frame, exchange: Option<&Exchange>, addresses: Addresses, out: &mut Vec<u8>) {
    let is_read = exchange.is_some_and(|exchange| exchange.is_read);
    let (r_ctl, fc_type, f_ctl) = control(frame, is_read);
    let fill_bytes = frame.payload_bytes.next_multiple_of(4) - frame.payload_bytes;
    let is_data = frame.kind == FrameKind::Data;
    word(r_ctl, addresses.d_id, out);
    word(0, addresses.s_id, out);
    word(fc_type, f_ctl | u32::from(fill_bytes), out);
    out.extend([frame.seq_id, 0]);
    out.extend(frame.seq_cnt.to_be_bytes());
    out.extend(frame.ox_id.to_be_bytes());
    out.extend(rx_id(frame, exchange).to_be_bytes());
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
fn rx_id(frame: &Frame, exchange: Option<&Exchange>) -> u16 {
    let is_known = match frame.kind {
        FrameKind::Command | FrameKind::Plain | FrameKind::Service => false,
        FrameKind::Abort => exchange.is_some_and(Exchange::initiator_knows),
        FrameKind::AbortAccepted => {
            exchange.is_some_and(|it| it.rx_id_known != RxIdKnown::ToNobody)
        }
        _ => true,
    };
    let id = u16::try_from(frame.exchange).ok().filter(|_| is_known);
    id.unwrap_or(UNASSIGNED)
}

fn payload(frame: &Frame, exchange: Option<&Exchange>, lun: u32, out: &mut Vec<u8>) {
    match (frame.kind, exchange) {
        (FrameKind::Command, Some(exchange)) => command(exchange, lun, out),
        (FrameKind::TransferReady, Some(exchange)) => {
            out.extend(frame.offset.to_be_bytes());
            out.extend((exchange.asked_bytes - frame.offset).to_be_bytes());
            out.extend([0; 4]);
        }
        (FrameKind::Response, Some(exchange)) => response(exchange, out),
        (FrameKind::AbortAccepted, _) => abort_accepted(frame, exchange, out),
        _ => {
            let start = frame.offset.to_be_bytes()[3];
            out.extend((0..frame.payload_bytes).map(|n| start.wrapping_add(n.to_be_bytes()[1])));
        }
    }
}

/// BA_ACC: no sequence can be recovered; the whole exchange is aborted.
fn abort_accepted(frame: &Frame, exchange: Option<&Exchange>, out: &mut Vec<u8>) {
    out.extend([0; 4]);
    out.extend(frame.ox_id.to_be_bytes());
    out.extend(rx_id(frame, exchange).to_be_bytes());
    out.extend([0, 0, 0xff, 0xff]);
}

/// FCP_RSP; of a command that was refused it says that none of its data was moved.
fn response(exchange: &Exchange, out: &mut Vec<u8>) {
    const RESIDUAL_UNDER: u8 = 0x08;
    let (flags, residual) = match exchange.status {
        ScsiStatus::Good => (0, 0),
        ScsiStatus::CheckCondition => {
            let missing = exchange.bytes - exchange.arrived_bytes.min(exchange.bytes);
            (RESIDUAL_UNDER, missing)
        }
        ScsiStatus::TaskSetFull => (RESIDUAL_UNDER, exchange.bytes),
    };
    out.extend([0; 10]);
    out.extend([flags, exchange.status as u8]);
    out.extend(residual.to_be_bytes());
    out.extend([0; 8]);
}

/// FCP_CMND with READ(16) or WRITE(16) where address or length need it, else READ(10) or WRITE(10).
fn command(exchange: &Exchange, lun: u32, out: &mut Vec<u8>) {
    out.extend(lun_field(lun));
    out.extend([0; 3]);
    out.push(if exchange.is_read { 0x02 } else { 0x01 });
    let block = exchange.address / BLOCK_BYTES;
    let blocks = u64::from(exchange.bytes) / BLOCK_BYTES;
    let mut cdb = [0u8; 16];
    if let (Ok(block), Ok(blocks)) = (u32::try_from(block), u16::try_from(blocks)) {
        cdb[0] = if exchange.is_read { 0x28 } else { 0x2a };
        cdb[2..6].copy_from_slice(&block.to_be_bytes());
        cdb[7..9].copy_from_slice(&blocks.to_be_bytes());
    } else {
        cdb[0] = if exchange.is_read { 0x88 } else { 0x8a };
        cdb[2..10].copy_from_slice(&block.to_be_bytes());
        cdb[10..14].copy_from_slice(&blocks.to_be_bytes()[4..]);
    }
    out.extend(cdb);
    out.extend(exchange.bytes.to_be_bytes());
}

/// Peripheral device addressing up to 255, flat space up to 16383, extended flat space above (SAM).
fn lun_field(lun: u32) -> [u8; 8] {
    let [_, high, middle, low] = lun.to_be_bytes();
    match lun {
        0..=0xff => [0, low, 0, 0, 0, 0, 0, 0],
        0x100..=0x3fff => [0x40 | middle, low, 0, 0, 0, 0, 0, 0],
        _ => [0xd2, high, middle, low, 0, 0, 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Owner, wire_bytes};

    const HOST: u32 = 0x01_02_00;
    const ARRAY: u32 = 0x02_03_00;

    fn exchange(is_read: bool, address: u64, bytes: u32) -> Exchange {
        Exchange {
            owner: Owner::Host,
            request: 0,
            initiator: 0,
            target: 1,
            flow: 0,
            ox_id: 0x20,
            is_read,
            status: ScsiStatus::Good,
            phase: crate::Phase::Open,
            rx_id_known: RxIdKnown::ToBoth,
            is_admitted: false,
            opened_at: 0,
            number: 0,
            array: 0,
            lun: 0,
            address,
            bytes,
            asked_bytes: 0,
            arrived_bytes: 0,
            credit_wait_before: 0,
            bus_wait: 0,
        }
    }

    fn one(kind: FrameKind, payload_bytes: u16, is_last: bool) -> Frame {
        Frame {
            ready_at: 0,
            framed_at: 0,
            sent_at: 0,
            credit_wait: 0,
            switch_wait: 0,
            exchange: 0x0903,
            flow: 0,
            came_by: 0,
            destination: 1,
            source: 0,
            next: 0,
            offset: 0,
            wire_bytes: u16::try_from(wire_bytes(u32::from(payload_bytes))).unwrap(),
            payload_bytes,
            seq_cnt: 0,
            ox_id: 0x20,
            seq_id: 7,
            channel: 0,
            kind,
            is_last,
        }
    }

    fn bytes_of(frame: &Frame, exchange: &Exchange, lun: u32) -> Vec<u8> {
        let from_host = match frame.kind {
            FrameKind::Command | FrameKind::Abort | FrameKind::Plain => true,
            FrameKind::Data => !exchange.is_read,
            _ => false,
        };
        let (s_id, d_id) = if from_host {
            (HOST, ARRAY)
        } else {
            (ARRAY, HOST)
        };
        let mut out = vec![0xff; 3];
        let exchange = (frame.kind != FrameKind::Plain).then_some(exchange);
        super::frame(frame, exchange, Addresses { s_id, d_id, lun }, &mut out);
        assert_eq!(out.len(), usize::from(frame.wire_bytes));
        out
    }

    fn hex(bytes: &[u8]) -> String {
        use std::fmt::Write;
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    }

    /// READ(10) of 8 blocks at 0x1234 from LUN 1, byte for byte as tshark decodes it, with the CRC-32
    /// that zlib computes of the header and the payload.
    #[test]
    fn a_read_command() {
        let bytes = bytes_of(
            &one(FrameKind::Command, 32, true),
            &exchange(true, 0x1234 * 512, 4096),
            1,
        );
        let expected = [
            "bcb55656", // SOFi3
            "06020300",
            "00010200",
            "08290000", // FC-2 header
            "07000000",
            "0020ffff",
            "00000000",
            "0001000000000000",
            "00000002", // LUN, RDDATA
            "28000000123400000800000000000000",
            "00001000", // CDB, FCP_DL
            "ef3de09e", // CRC
            "bc957575", // EOFt
        ];
        assert_eq!(hex(&bytes), expected.concat());
    }

    /// The check value of CRC-32 for the digits 1 to 9.
    #[test]
    fn the_crc_is_that_of_ethernet() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_large_address_needs_16_bytes() {
        let frame = one(FrameKind::Command, 32, true);
        let far = bytes_of(&frame, &exchange(false, (1 << 32) * 512, 4096), 300);
        assert_eq!(hex(&far[28..36]), "412c000000000000", "flat space LUN 300");
        assert_eq!(hex(&far[39..40]), "01", "WRDATA");
        assert_eq!(hex(&far[40..56]), "8a000000000100000000000000080000");
        let long = bytes_of(&frame, &exchange(true, 0, 65_536 * 512), 70_000);
        assert_eq!(
            hex(&long[28..36]),
            "d201117000000000",
            "extended flat space LUN 70000"
        );
        assert_eq!(hex(&long[40..56]), "88000000000000000000000100000000");
        assert_eq!(hex(&long[56..60]), "02000000");
    }

    /// F_CTL, RX_ID and parameter of each kind of frame, as libfc sends them.
    #[test]
    fn control_words() {
        let cases = [
            (
                FrameKind::TransferReady,
                12,
                true,
                false,
                "05",
                "08890000",
                "00200903",
            ),
            (
                FrameKind::Response,
                24,
                true,
                true,
                "07",
                "08990000",
                "00200903",
            ),
            (
                FrameKind::Data,
                2048,
                false,
                true,
                "01",
                "08800008",
                "00200903",
            ),
            (
                FrameKind::Data,
                2048,
                true,
                true,
                "01",
                "08880008",
                "00200903",
            ),
            (
                FrameKind::Data,
                2048,
                false,
                false,
                "01",
                "08000008",
                "00200903",
            ),
            (
                FrameKind::Data,
                2048,
                true,
                false,
                "01",
                "08090008",
                "00200903",
            ),
            (
                FrameKind::Plain,
                33,
                true,
                false,
                "00",
                "e0380003",
                "0020ffff",
            ),
        ];
        for (kind, payload, is_last, is_read, r_ctl, control, ids) in cases {
            let bytes = bytes_of(&one(kind, payload, is_last), &exchange(is_read, 0, 4096), 0);
            assert_eq!(hex(&bytes[4..5]), r_ctl, "{kind:?}");
            assert_eq!(hex(&bytes[12..16]), control, "{kind:?} {is_last} {is_read}");
            assert_eq!(hex(&bytes[20..24]), ids, "{kind:?}");
        }
    }

    /// RX_ID of ABTS and BA_ACC, and BA_ACC's payload, by who knows the exchange (FCP-4, "Initiator
    /// FCP_Port invocation of recovery abort"; FC-FS, "BA_ACC").
    #[test]
    fn an_abort_names_what_its_sender_knows() {
        let cases = [
            (RxIdKnown::ToNobody, 0, "ffff", "ffff"),
            (RxIdKnown::ToTarget, 0, "ffff", "0903"),
            (RxIdKnown::ToTarget, 2048, "0903", "0903"),
            (RxIdKnown::ToBoth, 0, "0903", "0903"),
        ];
        for (known, arrived_bytes, asks, agrees) in cases {
            let exchange = Exchange {
                rx_id_known: known,
                arrived_bytes,
                ..exchange(true, 0, 4096)
            };
            let abts = bytes_of(&one(FrameKind::Abort, 0, true), &exchange, 0);
            assert_eq!(hex(&abts[4..5]), "81");
            assert_eq!(hex(&abts[12..16]), "00090000");
            assert_eq!(hex(&abts[20..28]), format!("0020{asks}00000000"));
            let accept = bytes_of(&one(FrameKind::AbortAccepted, 12, true), &exchange, 0);
            assert_eq!(hex(&accept[4..5]), "84");
            assert_eq!(hex(&accept[12..16]), "00980000");
            assert_eq!(hex(&accept[20..24]), format!("0020{agrees}"));
            assert_eq!(
                hex(&accept[28..40]),
                format!("000000000020{agrees}0000ffff")
            );
        }
    }

    #[test]
    fn data_carries_its_relative_offset() {
        let mut frame = one(FrameKind::Data, 512, false);
        (frame.offset, frame.seq_cnt) = (4096 + 2, 2);
        let bytes = bytes_of(&frame, &exchange(true, 0, 8192), 0);
        assert_eq!(hex(&bytes[..4]), "bcb53636", "SOFn3");
        assert_eq!(hex(&bytes[24..28]), "00001002");
        assert_eq!(hex(&bytes[28..32]), "02030405");
        assert_eq!(hex(&bytes[bytes.len() - 4..]), "bc95d5d5", "EOFn");
    }

    #[test]
    fn a_burst_is_asked_for() {
        let mut frame = one(FrameKind::TransferReady, 12, true);
        frame.offset = 65_536;
        let mut exchange = exchange(false, 0, 131_072);
        exchange.asked_bytes = 131_072;
        let bytes = bytes_of(&frame, &exchange, 0);
        assert_eq!(hex(&bytes[24..40]), "00000000000100000001000000000000");
    }

    #[test]
    fn a_refused_command_moved_nothing() {
        let mut exchange = exchange(true, 0, 4096);
        exchange.status = ScsiStatus::TaskSetFull;
        let bytes = bytes_of(&one(FrameKind::Response, 24, true), &exchange, 0);
        assert_eq!(
            hex(&bytes[28..52]),
            "000000000000000000000828000010000000000000000000"
        );
    }
}
