//! Tests of the controller: interface, overheads, buffer policies. Movement and wait take 5 ms here,
//! and a sector 10 us, so that every response is a sum.

use super::super::media::Data;
use super::*;

const ACCESS: Span = Span::from_ps(5_000_000_000);
const SECTOR: Span = Span::from_ps(10_000_000);

/// The drive of the other tests with a constant access time and a dedicated write segment.
fn steady() -> DriveModel {
    let mut drive = model();
    drive.mechanics.rotation = Rotation::Constant(ACCESS);
    drive.buffer.has_write_segment = true;
    drive.buffer.write_segments = 1;
    drive.buffer.read_ahead = ReadAhead::Off;
    drive.overheads.reselect = US * 30;
    drive
}

fn disk(drive: DriveModel) -> Disk {
    Disk::new(Arc::new(drive), Span::ZERO)
}

/// Responses of commands, each 50 ms after the last one ended.
fn responses(drive: DriveModel, commands: &[DiskCommand]) -> Vec<Span> {
    let (mut disk, mut now) = (disk(drive), START);
    let one = |command: &DiskCommand| {
        let (end, _) = serve(&mut disk, now, *command);
        let response = end - now;
        now = end + MS * 50;
        while disk.next_at() <= now {
            disk.step(disk.next_at());
        }
        response
    };
    commands.iter().map(one).collect()
}

#[test]
fn a_write_disconnects_once_more_behind_one_it_does_not_continue() {
    let mut drive = steady();
    drive.overheads.write_disconnect = US * 70;
    drive.overheads.extra_disconnect = Some(ExtraDisconnect {
        command: US * 100,
        disconnect: US * 50,
        between: US * 200,
        movement: US * 150,
        second_disconnect: US * 60,
        reselect: US * 40,
    });
    let found = responses(
        drive,
        &[
            write(0, 8),
            write(100, 8),
            write(108, 8),
            read(5000, 8),
            write(200, 8),
        ],
    );
    let media = ACCESS + SECTOR * 8;
    let plain = US * 200 + media + US * 30;
    assert_eq!(found[0], plain);
    assert_eq!(found[1], US * 150 + media + US * 40, "behind another write");
    assert_eq!(found[2], plain, "where the last one ended");
    assert_eq!(found[4], plain, "behind a read");
}

#[test]
fn a_write_waits_for_a_share_of_its_data() {
    let shares = [1, 9, 10, 44, 45, 200].map(ExtraDisconnect::buffered);
    assert_eq!(shares, [1, 9, 10, 10, 15, 15]);
    let drive = model();
    let media = Media {
        model: &drive,
        phase: Span::ZERO,
    };
    let write = |enough_at| {
        let data = Data {
            at: START,
            enough_at,
        };
        let mut arm = Arm::default();
        media
            .write(&mut arm, START, Span::ZERO, 300..308, data)
            .ends_at
    };
    let in_time = START + SECTOR * 308;
    assert_eq!(write(START), in_time);
    assert_eq!(write(START + SECTOR * 300), in_time);
    let late = write(START + SECTOR * 300 + Span::from_ps(1));
    assert_eq!(late, in_time + REVOLUTION);
}

/// The least seek falls away only where a write joins one whose last sector ends at that instant.
#[test]
fn the_least_seek_holds_for_sequential_writes() {
    let mut drive = steady();
    drive.overheads.least_write_seek = MS * 9;
    let found = responses(drive, &[write(0, 8), write(8, 8), read(0, 8)]);
    let response = US * 200 + MS * 9 + SECTOR * 8 + US * 30;
    assert_eq!(found[..2], [response, response]);
}

/// The status of a write follows its media access and the end of its data with the disconnection.
#[test]
fn a_write_gives_the_interface_back_behind_its_data() {
    let mut drive = steady();
    drive.overheads.write_disconnect = MS * 20;
    drive.block_transfer.write = US * 5;
    let found = responses(drive, &[write(0, 8)]);
    assert_eq!(found, [US * 200 + US * 40 + MS * 20 + US * 30]);
}

#[test]
fn a_read_waits_for_its_share_and_takes_the_interface_again() {
    let mut drive = steady();
    drive.overheads.data_preparation = US * 20;
    drive.overheads.read_completion = US * 7;
    drive.block_transfer.read = US * 5;
    drive.buffer.interface = Interface::HeldInTransfer;
    drive.buffer.read_watermark_ppm = 1_000_000;
    let command = US * 200 + ACCESS;
    let last = US * 50 + US * 40 + US * 7;
    let found = responses(drive.clone(), &[read(0, 8)]);
    assert_eq!(found, [command + SECTOR * 8 + last]);
    // Held all along: no disconnection and no share, the last block follows its sector.
    drive.buffer.interface = Interface::Held;
    let found = responses(drive.clone(), &[read(0, 8)]);
    assert_eq!(found, [command + SECTOR * 8 + US * 5 + US * 7]);
    // Given back between blocks: 50 us to take it again find five blocks more.
    drive.buffer.interface = Interface::Released;
    drive.buffer.read_watermark_ppm = 0;
    let found = responses(drive, &[read(0, 8)]);
    let first_run = SECTOR + US * 50 + US * 30;
    assert_eq!(found, [command + first_run + US * 10 + US * 7]);
}

/// The end of what a drive holds a second after a read.
fn read_on(read_ahead: ReadAhead, requested: Requested, command: DiskCommand) -> u64 {
    let mut drive = model();
    (drive.buffer.read_ahead, drive.buffer.requested) = (read_ahead, requested);
    let mut disk = disk(drive);
    let (end, _) = serve(&mut disk, START, command);
    disk.catch_up(end + MS * 1000);
    let last = disk.buffer.latest();
    disk.buffer.get(last).end
}

#[test]
fn each_read_ahead_ends_where_it_should() {
    use ReadAhead::{Cylinder, Off, Segment, Track, TwoTracks};
    let replaced = |read_ahead, command| read_on(read_ahead, Requested::Replaced, command);
    assert_eq!(replaced(Off, read(0, 8)), 8);
    assert_eq!(replaced(Track, read(0, 8)), 600);
    assert_eq!(replaced(Track, read(592, 8)), 600);
    assert_eq!(replaced(Cylinder, read(2000, 8)), 2400);
    assert_eq!(replaced(Segment, read(0, 8)), 8 + 1024);
    assert_eq!(replaced(TwoTracks, read(10, 8)), 600);
    assert_eq!(replaced(TwoTracks, read(596, 8)), 1200 + 600);
    assert_eq!(read_on(Segment, Requested::Kept, read(100, 8)), 100 + 1024);
}

#[test]
fn a_read_again_hits_unless_its_blocks_are_dropped() {
    let again = |requested| {
        let mut drive = model();
        drive.buffer.requested = requested;
        let mut disk = disk(drive);
        let (now, _) = serve(&mut disk, START, read(0, 8));
        serve(&mut disk, now, read(0, 8)).1.is_hit
    };
    assert!(again(Requested::Kept) && again(Requested::Replaced));
    assert!(!again(Requested::Dropped));
}

/// With a share to wait for, a partial hit begins no earlier than the media give that share.
#[test]
fn a_partial_hit_may_wait() {
    let partial = |waits| {
        let mut drive = steady();
        drive.buffer.partial_hits_wait = waits;
        drive.buffer.read_watermark_ppm = 1_000_000;
        drive.buffer.interface = Interface::HeldInTransfer;
        drive.block_transfer.read = MS;
        responses(drive, &[read(0, 8), read(4, 8)])[1]
    };
    // At once: the first four blocks go while the arm fetches the others.
    assert_eq!(partial(false), US * 200 + ACCESS + SECTOR + MS * 4);
    assert_eq!(
        partial(true),
        US * 200 + ACCESS + SECTOR * 4 + US * 30 + MS * 8
    );
}

#[test]
fn the_arm_may_leave_before_the_status() {
    let both = |departure| {
        let mut drive = steady();
        drive.buffer.departure = departure;
        drive.overheads.read_completion = MS;
        drive.block_transfer.read = US * 100;
        let mut disk = disk(drive);
        for block in [0, 9_000] {
            disk.submit(START, read(block, 8));
        }
        let mut last = START;
        while disk.present() > 0 {
            last = disk.next_at();
            disk.step(last);
        }
        last - START
    };
    let after = both(Departure::AfterStatus);
    assert_eq!(after - both(Departure::WithStatus), MS);
    assert!(after - both(Departure::AfterMedia) > MS + US * 700);
}

/// The overhead before anything else delays the look into the buffer too.
#[test]
fn a_request_overhead_lets_reading_ahead_go_on() {
    let hit = |request| {
        let mut drive = model();
        drive.overheads.request = request;
        drive.buffer.hits_next_block = false;
        let mut disk = disk(drive);
        let (now, _) = serve(&mut disk, START, read(0, 8));
        let (end, done) = serve(&mut disk, now, read(8, 1));
        assert_eq!(done.queue, Span::ZERO);
        (done.is_hit, end - now)
    };
    assert_eq!(hit(US * 100), (true, US * 130));
    assert!(!hit(Span::ZERO).0);
}

/// Least read-ahead comes before the next command, which then finds what it needs.
#[test]
fn the_least_read_ahead_is_finished_first() {
    let second = |least, block| {
        let mut drive = steady();
        drive.mechanics.rotation = Rotation::Exact;
        drive.buffer.read_ahead = ReadAhead::Segment;
        drive.buffer.hits_next_block = false;
        drive.buffer.least_read_ahead = least;
        let mut disk = disk(drive);
        let (now, _) = serve(&mut disk, START, read(0, 8));
        let (end, done) = serve(&mut disk, now, read(block, 8));
        (done.is_hit, end - now)
    };
    assert!(!second(0, 8).0);
    assert_eq!(second(100, 8), (true, SECTOR * 100 + US * 30));
    let (far, late) = (second(0, 9_000).1, second(100, 9_000).1);
    assert!(late >= SECTOR * 100 && late + REVOLUTION > far);
}

/// Writes that have been acknowledged reach the media before a later read.
#[test]
fn acknowledged_writes_come_first() {
    let order = |flushes_first| {
        let mut drive = steady();
        drive.buffer.write_cache = WriteCache::On;
        drive.buffer.flushes_first = flushes_first;
        let mut disk = disk(drive);
        let (now, _) = serve(&mut disk, START, write(0, 8));
        let (now, _) = serve(&mut disk, now, write(8, 8));
        let (end, _) = serve(&mut disk, now, read(9_000, 8));
        (disk.dirty_segments(), end - now > ACCESS * 2)
    };
    assert_eq!(order(true), (0, true));
    assert_eq!(order(false).0, 1);
}

/// A head that lands within a write begins there with the blocks that are in the buffer in time.
#[test]
fn a_write_begins_where_the_head_lands_with_what_is_there() {
    let mut drive = model();
    drive.buffer.writes_out_of_order = true;
    let media = Media {
        model: &drive,
        phase: SECTOR * 310,
    };
    let end = |at| {
        let data = Data {
            at,
            enough_at: START,
        };
        let mut arm = Arm::default();
        media
            .write(&mut arm, START, Span::ZERO, 300..340, data)
            .ends_at
    };
    // Blocks 310 to 339 at once, 300 to 309 when they come round.
    assert_eq!(end(START), START + REVOLUTION);
    // The data come 5 us late for block 310, and in time for 311.
    let late = START.saturating_add(US * 5);
    assert_eq!(end(late), START + REVOLUTION + SECTOR);
}
