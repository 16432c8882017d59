//! Tests of the capture.

use super::*;
use sanlab_fc::AnyExchange;
use sanlab_kernel::{MaybeId, Span};

fn at(ps: u64) -> Instant {
    Instant::from_ps(ps)
}

fn addresses(of: &[u32]) -> IdVec<NPort, u32> {
    of.to_vec().into()
}

/// A disk with room for this many bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or_else(|| std::io::Error::other("the disk is full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn ports() -> Vec<CapturePort> {
    ["host1.hba0.p0", "sw1.f0"]
        .into_iter()
        .zip(0..)
        .map(|(name, tx_fibre)| CapturePort {
            name: name.into(),
            place: CapturePlace::Link(Id::new(tx_fibre)),
        })
        .collect()
}

fn plain(n: u64) -> Frame {
    Frame {
        ready_at: Instant::START,
        framed_at: Instant::START,
        sent_at: Instant::START,
        credit_wait: Span::ZERO,
        switch_wait: Span::ZERO,
        exchange: AnyExchange::NONE,
        flow: Id::new(0),
        came_by: MaybeId::NONE,
        destination: Id::new(1),
        source: Id::new(0),
        next: MaybeId::NONE,
        offset: 0,
        wire_bytes: 100,
        payload_bytes: 64,
        seq_cnt: 0,
        ox_id: u16::try_from(n).unwrap(),
        seq_id: 0,
        channel: 0,
        kind: FrameKind::Plain,
        is_last: true,
    }
}

/// Frames over both fibres of one link, each seen at both of its ends.
fn capture<W: Write>(out: W, limit: u64) -> Result<Captured, CaptureError> {
    let addresses = addresses(&[0x01_00_00, 0x01_01_00]);
    let mut capture = Capture::new(out, &ports(), 2, addresses, IdVec::new(), limit)?;
    let exchanges = Exchanges::<()>::default();
    for n in 0..10u64 {
        let fibre = Id::new(u32::from(n % 2 == 1));
        let (sent_at, fate) = (at(n * 1000), Fate::Whole);
        let received_at = sent_at + Span::from_ps(5500);
        capture.frame(fibre, &plain(n), &exchanges, sent_at, received_at, fate);
        capture.flush_until(sent_at);
    }
    capture.finish()
}

/// Interface, nanoseconds and OX_ID of each packet block.
fn packets(file: &[u8]) -> Vec<(u32, u64, u16)> {
    let mut reader = pcap_file::pcapng::PcapNgReader::new(file).unwrap();
    let mut packets_read = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.unwrap() {
            let ox_id = u16::from_be_bytes([packet.data[20], packet.data[21]]);
            let at = u64::try_from(packet.timestamp.as_nanos()).unwrap();
            packets_read.push((packet.interface_id, at, ox_id));
        }
    }
    packets_read
}

fn packet_bytes(file: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = pcap_file::pcapng::PcapNgReader::new(file).unwrap();
    let mut packets_read = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.unwrap() {
            packets_read.push(packet.data.to_vec());
        }
    }
    packets_read
}

#[test]
fn frames_come_in_order_of_time_at_both_ends() {
    let mut file = Vec::new();
    let captured = capture(&mut file, u64::MAX).unwrap();
    let packets_read = packets(&file);
    assert_eq!((captured.frames, captured.is_cut), (20, false));
    assert_eq!(captured.exchanges, 0, "plain frames have none");
    assert!(packets_read.is_sorted_by_key(|&(_, at, _)| at));
    assert_eq!(packets_read[..3], [(0, 0, 0), (1, 1, 1), (0, 2, 2)]);
    // 5.5 ns are 6: rounded, not cut.
    assert!(packets_read.contains(&(1, 6, 0)));
}

/// Both ends see a whole frame; only its sender one that is cut off; one with an inverted bit is
/// another at its receiver, in one bit.
#[test]
fn what_becomes_of_a_frame_is_seen_at_its_receiver() {
    let mut file = Vec::new();
    let mut capture = Capture::new(
        &mut file,
        &ports(),
        2,
        addresses(&[1, 2]),
        IdVec::new(),
        u64::MAX,
    )
    .unwrap();
    let exchanges = Exchanges::<()>::default();
    for (n, fate) in [(0, Fate::Whole), (1, Fate::CutOff), (2, Fate::Corrupted)] {
        let (sent_at, received_at) = (at(n * 1000), at(n * 1000 + 500));
        capture.frame(
            Id::new(0),
            &plain(n),
            &exchanges,
            sent_at,
            received_at,
            fate,
        );
    }
    capture.finish().unwrap();
    let interfaces: Vec<_> = packets(&file)
        .into_iter()
        .map(|packet| (packet.0, packet.2))
        .collect();
    assert_eq!(interfaces, [(0, 0), (1, 0), (0, 1), (0, 2), (1, 2)]);
    let bytes = packet_bytes(&file);
    let inverted = |a: &[u8], b: &[u8]| -> u32 {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    };
    assert_eq!(inverted(&bytes[0], &bytes[1]), 0);
    assert_eq!(inverted(&bytes[3], &bytes[4]), 1);
}

#[test]
fn a_port_on_a_loop_sees_its_own_frames_and_those_to_it() {
    let mut file = Vec::new();
    let port = CapturePort {
        name: "host1.hba0.p0".into(),
        place: CapturePlace::Loop(Id::new(0)),
    };
    let mut capture = Capture::new(
        &mut file,
        &[port],
        2,
        addresses(&[1, 0xEF, 0xE8]),
        IdVec::new(),
        10,
    )
    .unwrap();
    let exchanges = Exchanges::<()>::default();
    // From it, to it, and between two others; seen ahead of time and out of order.
    for (n, source, destination) in [(2, 1, 0), (0, 0, 1), (1, 1, 2)] {
        let frame = Frame {
            source: Id::new(source),
            destination: Id::new(destination),
            came_by: Id::new(0).into(),
            ..plain(n)
        };
        let (fibre, fate) = (Id::new(2 + source), Fate::Whole);
        let (sent_at, received_at) = (at(n * 1000), at(n * 1000 + 500));
        capture.frame(fibre, &frame, &exchanges, sent_at, received_at, fate);
    }
    assert_eq!(capture.finish().unwrap().frames, 2);
    assert_eq!(packets(&file), [(0, 0, 0), (0, 3, 2)]);
}

#[test]
fn a_limit_keeps_the_first() {
    let (mut whole, mut cut) = (Vec::new(), Vec::new());
    capture(&mut whole, 20).unwrap();
    let captured = capture(&mut cut, 7).unwrap();
    assert_eq!((captured.frames, captured.is_cut), (7, true));
    assert_eq!(packets(&cut), packets(&whole)[..7]);
}

#[test]
fn a_full_disk_is_a_failure() {
    for room in [0, 100, 1000] {
        let failure = capture(Disk(room), u64::MAX).unwrap_err();
        assert_eq!(failure.0, "the disk is full");
    }
    // What waits in a buffer until the end must not be lost in silence.
    let buffered = std::io::BufWriter::with_capacity(1 << 20, Disk(1000));
    assert!(capture(buffered, u64::MAX).is_err());
}
