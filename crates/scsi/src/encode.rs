//! Frames of FCP as bits: headers by FC-FS, payloads by FCP-4 and SBC.

use sanlab_fc::{Exchange, Frame, FrameKind, RxIdKnown, encode};

use crate::{Command, Status};

/// Type of FCP in the header of a frame.
const FCP: u8 = 0x08;
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

/// A frame as it is on the fibre, written to `out`, which is cleared first: one of this exchange with its
/// command, or a plain one.
pub fn frame<T>(
    frame: &Frame,
    carried: Option<(&Exchange, &Command<T>)>,
    addresses: Addresses,
    out: &mut Vec<u8>,
) {
    let header = encode::Header {
        s_id: addresses.s_id,
        d_id: addresses.d_id,
        fc_type: FCP,
        is_data_from_responder: carried.is_some_and(|(_, command)| command.is_read),
        rx_id_known: carried.map_or(RxIdKnown::ToNobody, |(exchange, command)| {
            rx_id_known(exchange, command)
        }),
    };
    encode::frame(frame, header, out, |out| {
        let Some((_, command)) = carried else { return };
        match frame.kind {
            FrameKind::Command => fcp_cmnd(command, addresses.lun, out),
            FrameKind::Response => fcp_rsp(command, out),
            FrameKind::EarlyReady => fcp_xfer_rdy(frame.offset, command.bytes, out),
            _ => fcp_xfer_rdy(frame.offset, command.asked_bytes, out),
        }
    });
}

/// Which ends know the responder's id: read data tell it to the initiator as well.
fn rx_id_known<T>(exchange: &Exchange, command: &Command<T>) -> RxIdKnown {
    if command.is_read && command.arrived_bytes > 0 {
        RxIdKnown::ToBoth
    } else {
        exchange.rx_id_known
    }
}

/// FCP_XFER_RDY for the burst from this offset to this one.
fn fcp_xfer_rdy(offset: u32, end: u32, out: &mut Vec<u8>) {
    out.extend(offset.to_be_bytes());
    out.extend((end - offset).to_be_bytes());
    out.extend([0; 4]);
}

/// FCP_RSP; of a command that was refused it says that none of its data was moved.
fn fcp_rsp<T>(command: &Command<T>, out: &mut Vec<u8>) {
    const RESIDUAL_UNDER: u8 = 0x08;
    let (flags, residual) = match command.status {
        Status::Good => (0, 0),
        Status::CheckCondition => {
            let missing = command.bytes - command.arrived_bytes.min(command.bytes);
            (RESIDUAL_UNDER, missing)
        }
        Status::TaskSetFull => (RESIDUAL_UNDER, command.bytes),
    };
    out.extend([0; 10]);
    out.extend([flags, command.status as u8]);
    out.extend(residual.to_be_bytes());
    out.extend([0; 8]);
}

/// FCP_CMND with READ(16) or WRITE(16) where address or length need it, else READ(10) or WRITE(10).
fn fcp_cmnd<T>(command: &Command<T>, lun: u32, out: &mut Vec<u8>) {
    out.extend(lun_field(lun));
    out.extend([0; 3]);
    out.push(if command.is_read { 0x02 } else { 0x01 });
    let block = command.address / BLOCK_BYTES;
    let blocks = u64::from(command.bytes) / BLOCK_BYTES;
    let mut cdb = [0u8; 16];
    if let (Ok(block), Ok(blocks)) = (u32::try_from(block), u16::try_from(blocks)) {
        cdb[0] = if command.is_read { 0x28 } else { 0x2a };
        cdb[2..6].copy_from_slice(&block.to_be_bytes());
        cdb[7..9].copy_from_slice(&blocks.to_be_bytes());
    } else {
        cdb[0] = if command.is_read { 0x88 } else { 0x8a };
        cdb[2..10].copy_from_slice(&block.to_be_bytes());
        cdb[10..14].copy_from_slice(&blocks.to_be_bytes()[4..]);
    }
    out.extend(cdb);
    out.extend(command.bytes.to_be_bytes());
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
    use crate::{FirstBurst, Room};
    use sanlab_fc::{ExchangeState, wire_bytes};
    use sanlab_kernel::{Id, Instant, Span};

    const HOST: u32 = 0x01_02_00;
    const ARRAY: u32 = 0x02_03_00;

    fn exchange(rx_id_known: RxIdKnown) -> Exchange {
        Exchange {
            initiator: Id::new(0),
            target: Id::new(1),
            flow: Id::new(0),
            ox_id: 0x20,
            state: ExchangeState::Open,
            rx_id_known,
            opened_at: Instant::START,
            number: 0,
            credit_wait_before: Span::ZERO,
        }
    }

    fn command(is_read: bool, address: u64, bytes: u32) -> Command<()> {
        Command {
            tag: (),
            is_read,
            status: Status::Good,
            is_admitted: false,
            device: Id::new(0).into(),
            lun: Id::new(0),
            address,
            bytes,
            asked_bytes: 0,
            is_early: false,
            first_burst: FirstBurst::Over,
            room: Room::None,
            arrived_bytes: 0,
        }
    }

    fn one(kind: FrameKind, payload_bytes: u16, is_last: bool) -> Frame {
        Frame {
            ready_at: Instant::START,
            framed_at: Instant::START,
            sent_at: Instant::START,
            credit_wait: Span::ZERO,
            switch_wait: Span::ZERO,
            exchange: Id::<Exchange>::new(0x0903).into(),
            flow: Id::new(0),
            came_by: Id::new(0).into(),
            destination: Id::new(1),
            source: Id::new(0),
            next: Id::new(0).into(),
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

    fn bytes_of(frame: &Frame, command: &Command<()>, lun: u32) -> Vec<u8> {
        bytes_known(frame, RxIdKnown::ToBoth, command, lun)
    }

    fn bytes_known(frame: &Frame, known: RxIdKnown, command: &Command<()>, lun: u32) -> Vec<u8> {
        let from_host = match frame.kind {
            FrameKind::Command | FrameKind::Abort | FrameKind::Plain => true,
            FrameKind::Data => !command.is_read,
            _ => false,
        };
        let (s_id, d_id) = if from_host {
            (HOST, ARRAY)
        } else {
            (ARRAY, HOST)
        };
        let mut out = vec![0xff; 3];
        let exchange = exchange(known);
        let carried = (frame.kind != FrameKind::Plain).then_some((&exchange, command));
        super::frame(frame, carried, Addresses { s_id, d_id, lun }, &mut out);
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
            &command(true, 0x1234 * 512, 4096),
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

    #[test]
    fn a_large_address_needs_16_bytes() {
        let frame = one(FrameKind::Command, 32, true);
        let far = bytes_of(&frame, &command(false, (1 << 32) * 512, 4096), 300);
        assert_eq!(hex(&far[28..36]), "412c000000000000", "flat space LUN 300");
        assert_eq!(hex(&far[39..40]), "01", "WRDATA");
        assert_eq!(hex(&far[40..56]), "8a000000000100000000000000080000");
        let long = bytes_of(&frame, &command(true, 0, 65_536 * 512), 70_000);
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
            let bytes = bytes_of(&one(kind, payload, is_last), &command(is_read, 0, 4096), 0);
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
            let command = Command {
                arrived_bytes,
                ..command(true, 0, 4096)
            };
            let abts = bytes_known(&one(FrameKind::Abort, 0, true), known, &command, 0);
            assert_eq!(hex(&abts[4..5]), "81");
            assert_eq!(hex(&abts[12..16]), "00090000");
            assert_eq!(hex(&abts[20..28]), format!("0020{asks}00000000"));
            let accept = bytes_known(&one(FrameKind::AbortAccepted, 12, true), known, &command, 0);
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
        let bytes = bytes_of(&frame, &command(true, 0, 8192), 0);
        assert_eq!(hex(&bytes[..4]), "bcb53636", "SOFn3");
        assert_eq!(hex(&bytes[24..28]), "00001002");
        assert_eq!(hex(&bytes[28..32]), "02030405");
        assert_eq!(hex(&bytes[bytes.len() - 4..]), "bc95d5d5", "EOFn");
    }

    #[test]
    fn a_burst_is_asked_for() {
        let mut frame = one(FrameKind::TransferReady, 12, true);
        frame.offset = 65_536;
        let mut command = command(false, 0, 131_072);
        command.asked_bytes = 131_072;
        let bytes = bytes_of(&frame, &command, 0);
        assert_eq!(hex(&bytes[24..40]), "00000000000100000001000000000000");
    }

    #[test]
    fn a_refused_command_moved_nothing() {
        let mut command = command(true, 0, 4096);
        command.status = Status::TaskSetFull;
        let bytes = bytes_of(&one(FrameKind::Response, 24, true), &command, 0);
        assert_eq!(
            hex(&bytes[28..52]),
            "000000000000000000000828000010000000000000000000"
        );
    }
}
