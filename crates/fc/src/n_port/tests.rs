//! Tests of the N_Port.

use super::*;
use crate::AnyExchange;

fn at(ps: u64) -> Instant {
    Instant::from_ps(ps)
}

const HERE: Id<NPort> = Id::new(0);

fn exchange(number: u32) -> AnyExchange {
    Id::new(number).into()
}

fn port(limit: u32, interleave: Interleave, sizes: &[u32]) -> Fc2 {
    let mut port = Fc2::new(1000, 1, limit, interleave);
    for (number, &left_bytes) in (0..).zip(sizes) {
        port.queue(Sequence {
            kind: FrameKind::Data,
            exchange: exchange(number),
            flow: Id::new(0),
            source: HERE,
            destination: HERE,
            ox_id: 0,
            seq_id: 0,
            queued_at: at(5),
            offset: 0,
            left_bytes,
            seq_cnt: 0,
        });
    }
    port
}

/// Exchange, number in the sequence, payload, whether it is the last.
fn frames(port: &mut Fc2) -> Vec<(u32, u16, u16, bool)> {
    let mut all = Vec::new();
    while port.unsent() > 0 {
        let next = port.next_frame(at(10), HERE);
        assert_eq!(next.ends_sequence, next.frame.is_last);
        let frame = next.frame;
        all.push((
            frame.exchange.record().number(),
            frame.seq_cnt,
            frame.payload_bytes,
            frame.is_last,
        ));
    }
    assert_eq!(port.ready_at(), Instant::NEVER);
    all
}

#[test]
fn sequences_go_one_after_the_other_or_frame_by_frame() {
    let sizes = [2500, 1000, 1500];
    let large = [(0, 0, 1000, false), (0, 1, 1000, false), (0, 2, 500, true)];
    let small = [(1, 0, 1000, true)];
    let middle = [(2, 0, 1000, false), (2, 1, 500, true)];
    let in_order = frames(&mut port(255, Interleave::Sequence, &sizes));
    assert_eq!(in_order, [&large[..], &small, &middle].concat());
    let in_turn = frames(&mut port(255, Interleave::Frame, &sizes));
    let (first, second) = ([large[0], small[0], middle[0]], [large[1], middle[1]]);
    assert_eq!(in_turn, [&first[..], &second, &large[2..]].concat());
}

/// A command that comes while data are being sent goes before their next frame; the next command
/// after that one, and data wait for the data before them.
#[test]
fn commands_go_between_frames_of_data() {
    let mut port = port(255, Interleave::Control, &[2000, 1000]);
    let first = port.next_frame(at(10), HERE).frame;
    for number in [7, 8] {
        port.queue(Sequence {
            kind: FrameKind::Command,
            exchange: exchange(number),
            left_bytes: 32,
            queued_at: at(20),
            ..port.open[0]
        });
    }
    let order: Vec<_> = frames(&mut port).iter().map(|frame| frame.0).collect();
    assert_eq!((first.exchange, order), (exchange(0), vec![7, 0, 8, 1]));
}

/// However many commands come, data go on, and however long the data, commands do.
#[test]
fn commands_and_data_take_turns() {
    let mut port = port(255, Interleave::Control, &[50_000]);
    let command = Sequence {
        kind: FrameKind::Command,
        left_bytes: 32,
        ..port.open[0]
    };
    let mut data = 0;
    for _ in 0..60 {
        port.queue(command);
        data += u32::from(port.next_frame(at(10), HERE).frame.kind == FrameKind::Data);
    }
    assert_eq!((data, port.unsent()), (30, 31));
}

/// A command doesn't wait for the place of data it may overtake.
#[test]
fn the_limit_holds_no_command_back() {
    let mut port = port(1, Interleave::Control, &[3000, 1000]);
    let first = port.next_frame(at(10), HERE).frame;
    port.queue(Sequence {
        kind: FrameKind::Command,
        exchange: exchange(7),
        left_bytes: 32,
        queued_at: at(20),
        ..port.open[0]
    });
    let order: Vec<_> = frames(&mut port).iter().map(|frame| frame.0).collect();
    assert_eq!((first.exchange, order), (exchange(0), vec![7, 0, 0, 1]));
}

/// Two may be open: the third opens when one of them ends.
#[test]
fn sequences_beyond_the_limit_wait() {
    let mut port = port(2, Interleave::Frame, &[2000, 1000, 1000]);
    assert_eq!((port.most_open(), port.unsent()), (2, 3));
    let order: Vec<_> = frames(&mut port).iter().map(|frame| frame.0).collect();
    assert_eq!(order, [0, 1, 0, 2]);
}

/// With more buffers FC-2 frames ahead: a frame is begun when the one so many before it has left.
#[test]
fn transmit_buffers_move_the_framing_and_nothing_else() {
    for (buffers, framed_at) in [(1, [5, 100, 200, 300]), (3, [5, 5, 5, 100])] {
        let mut port = port(255, Interleave::Sequence, &[4000]);
        port.tx_buffers = VecDeque::from(vec![Instant::START; buffers]);
        for (number, expected) in (0u64..).zip(framed_at) {
            let frame = port.next_frame(at(100 * number + 10), HERE).frame;
            assert_eq!(
                frame.framed_at,
                at(expected),
                "{buffers} buffers, frame {number}"
            );
            port.on_sent(at(100 * (number + 1)));
        }
    }
}

#[test]
fn buffers_are_held_and_drained_one_after_the_other() {
    let rate = sanlab_kernel::Rate::from_bytes_per_s(1_000_000_000); // 1000 ps a byte
    let port = || Fc2::new(1000, 1, 1, Interleave::Sequence);
    assert_eq!(port().on_received(at(70), 10), at(70));
    let mut slow = port().receiving(Span::from_ps(30), Some(rate));
    assert_eq!(slow.on_received(at(70), 10), at(70 + 30 + 10_000));
    assert_eq!(slow.on_received(at(80), 10), at(70 + 30 + 20_000));
    assert_eq!(slow.on_received(at(90_000), 10), at(90_000 + 30 + 10_000));
}
