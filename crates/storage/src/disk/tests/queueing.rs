//! Tests of the order of waiting commands, and of the time that it and the load give a service.

use super::*;

/// The drive of the other tests with the margin and the ageing of the catalog.
fn aged() -> DriveModel {
    let mut drive = model();
    drive.scheduling = Scheduling::ShortestPositioning(Foresight {
        margin: MS * 2,
        ageing_ppm: 6_000,
    });
    drive
}

/// Keep what a list begins with outstanding, and the rest in order: when each ended.
fn in_order_of_end(
    drive: DriveModel,
    depth: usize,
    commands: &[DiskCommand],
) -> Vec<(usize, Instant)> {
    let mut disk = Disk::new(Arc::new(drive), Span::ZERO);
    let tagged = |index: usize| DiskCommand {
        tag: DiskTag::Task(Id::new(u32::try_from(index).expect("few commands"))),
        ..commands[index]
    };
    let mut next = depth.min(commands.len());
    for index in 0..next {
        disk.submit(START, tagged(index));
    }
    let mut ends = Vec::new();
    while ends.len() < commands.len() {
        let now = disk.next_at();
        let Some(done) = disk.step(now) else { continue };
        let DiskTag::Task(id) = done.tag else {
            continue;
        };
        ends.push((id.number() as usize, now));
        if next < commands.len() {
            disk.submit(now, tagged(next));
            next += 1;
        }
    }
    ends
}

/// The gain of a queue of 32 lies where measurements of drives lie, and that of exact knowledge above.
#[test]
fn a_drive_that_may_miss_gains_what_drives_gain() {
    let gain = |drive: &DriveModel| {
        let took = |depth| float(closed_loop(drive.clone(), depth, 4000, 100).0);
        took(1) / took(32)
    };
    let mut exact = aged();
    exact.scheduling = Scheduling::ShortestPositioning(Foresight::default());
    let (aged, exact) = (gain(&aged()), gain(&exact));
    assert!((1.6..2.2).contains(&aged), "{aged}");
    assert!(exact > aged * 1.2, "{exact} {aged}");
}

/// Of two sectors on another cylinder, exact knowledge takes the first that comes round behind the
/// movement; a drive that would miss it half of the time takes the next one, if that costs less.
#[test]
fn a_sector_that_may_be_missed_comes_later() {
    let order = |margin: Span| {
        let mut drive = model();
        drive.scheduling = Scheduling::ShortestPositioning(Foresight {
            margin,
            ageing_ppm: 0,
        });
        drive.buffer.read_ahead = ReadAhead::Off;
        let mut disk = Disk::new(Arc::new(drive.clone()), Span::ZERO);
        let (media, far) = (disk.media(), 2400 * 9_000);
        // The first command holds the arm; the two others are judged when it ends.
        let first = read(0, 1);
        let mut alone = Disk::new(Arc::new(drive.clone()), Span::ZERO);
        let (ends, _) = serve(&mut alone, START, first);
        let wait = |block: u64| {
            media
                .positioning(Arm::default(), ends, media.model.geometry.spot(block), true)
                .1
        };
        let near = (far..far + 600).min_by_key(|&block| wait(block).as_ps().abs_diff(MS.as_ps()));
        let later =
            (far..far + 600).min_by_key(|&block| wait(block).as_ps().abs_diff(3 * MS.as_ps()));
        let (near, later) = (near.expect("a block"), later.expect("a block"));
        for (tag, command) in (0..).zip([first, read(near, 1), read(later, 1)]) {
            let tag = DiskTag::Task(Id::new(tag));
            disk.submit(START, DiskCommand { tag, ..command });
        }
        let mut order = Vec::new();
        while disk.present() > 0 {
            let now = disk.next_at();
            order.extend(disk.step(now).map(|done| done.tag));
        }
        order
            .iter()
            .map(|tag| *tag == DiskTag::Task(Id::new(1)))
            .collect::<Vec<_>>()
    };
    assert_eq!(order(Span::ZERO), [false, true, false]);
    // Half of a turn of 6 ms is more than the 2 ms between the two sectors.
    assert_eq!(order(MS * 2), [false, false, true]);
}

/// A command far away is served in time while others keep coming that are near the arm.
#[test]
fn ageing_ends_the_wait_of_a_distant_command() {
    let far = 2400 * 19_000;
    let served_at = |ageing_ppm: u64| {
        let mut drive = model();
        drive.buffer.read_ahead = ReadAhead::Off;
        drive.scheduling = Scheduling::ShortestPositioning(Foresight {
            margin: Span::ZERO,
            ageing_ppm,
        });
        let mut draws = RandomStream::new(11, "near");
        let mut commands = vec![read(0, 8), read(far, 8)];
        commands.extend((0..3000).map(|_| read(draws.below(2400 * 4), 8)));
        let ends = in_order_of_end(drive, 16, &commands);
        let place = ends.iter().position(|&(index, _)| index == 1);
        ends[place.expect("it is served")].1 - START
    };
    // Positioning is 16 ms at most: after 16 ms / 10 % nothing that has just come is before it, and
    // fewer than 16 that have waited as long are.
    assert!(served_at(100_000) < MS * (160 + 16 * 16));
    assert!(served_at(0) > MS * 1000);
}

/// Sequential reads of a queue keep the rate of the media: the margin does not hold for blocks that
/// are being read ahead, nor for the one behind the last.
#[test]
fn a_stream_does_not_fear_to_miss() {
    let took = |drive: &DriveModel, size: u64| {
        let commands: Vec<_> = (0..400).map(|index| read(index * size, size)).collect();
        let ends = in_order_of_end(drive.clone(), 4, &commands);
        float(ends.last().expect("the last").1 - START)
    };
    for size in [8, 32, 128] {
        for read_ahead in [ReadAhead::Segment, ReadAhead::Off] {
            let (mut drive, mut fifo) = (aged(), model());
            (drive.buffer.read_ahead, fifo.buffer.read_ahead) = (read_ahead, read_ahead);
            let ratio = took(&drive, size) / took(&fifo, size);
            assert!(ratio < 1.01, "{size} {read_ahead:?} {ratio}");
        }
    }
}

/// What waits at 80 % load is what Pollaczek and Khinchine say of the loaded service, from which the
/// overhead is gone because it runs while others are served; a little more, since a read that finds the
/// drive idle has its overhead, which Welch's formula for an exceptional first service adds. The
/// service of a read alone says far too much.
#[test]
fn the_wait_is_that_of_the_loaded_service() {
    let mut drive = model();
    drive.buffer.read_ahead = ReadAhead::Off;
    let overhead = US * 400;
    drive.overheads.read_miss = Overhead {
        after_read: overhead,
        after_write: overhead,
    };
    let moments = |times: &[Span]| {
        let power = |power| {
            times
                .iter()
                .map(|&time| float(time).powi(power))
                .sum::<f64>()
        };
        (power(1) / times.len() as f64, power(2) / times.len() as f64)
    };
    let service = |done: &DiskCompletion| done.seek + done.rotation + done.transfer;
    let services = |gap| -> Vec<Span> {
        let done = open_loop(drive.clone(), gap, 40_000);
        done[100..].iter().map(service).collect()
    };
    // Always behind others, and always alone.
    let (loaded, unloaded) = (services(US * 100), services(MS * 1000));
    let mean = loaded.iter().map(|time| time.as_ps()).sum::<u64>() / loaded.len() as u64;
    let between = Span::from_ps(mean * 5 / 4);
    let (loaded, unloaded) = (moments(&loaded), moments(&unloaded));
    assert!((unloaded.0 - loaded.0 - float(overhead)).abs() < 0.01 * loaded.0);
    let gap = float(between);
    let wait = |(mean, square): (f64, f64)| square / gap / (2.0 * (1.0 - mean / gap));
    let first = (unloaded.1 - loaded.1) / gap / (2.0 * (1.0 + (unloaded.0 - loaded.0) / gap));
    let done = open_loop(drive.clone(), between, 800_000);
    let waits: Vec<Span> = done[1000..].iter().map(|done| done.queue).collect();
    let waited = moments(&waits).0;
    let ratio = |expected: f64| waited / expected - 1.0;
    let found = [wait(loaded), wait(loaded) + first, wait(unloaded)].map(ratio);
    assert!(found[0].abs() < 0.05 && found[1].abs() < 0.03, "{found:?}");
    assert!(found[2] < -0.15, "{found:?}");
}

/// What the buffer is to write takes its turn among the commands by position: with a write cache a drive
/// serves more of a random mix than without one, since it chooses among more, and all of it comes to the
/// media.
#[test]
fn cached_writes_take_their_turn_by_position() {
    for (margin, least) in [(Span::ZERO, 1.1), (MS * 2, 1.0)] {
        let took = |write_cache: WriteCache| {
            let mut drive = aged();
            drive.scheduling = Scheduling::ShortestPositioning(Foresight {
                margin,
                ageing_ppm: 6_000,
            });
            drive.buffer.write_cache = write_cache;
            drive.buffer.segments = 32;
            drive.buffer.write_segments = 16;
            float(closed_loop(drive, 16, 4000, 40).0)
        };
        let gain = took(WriteCache::Off) / took(WriteCache::On);
        assert!(gain > least, "{margin:?} {gain}");
    }
}

/// Of two writes in the buffer, the one that the head reaches first goes to the media first; in order of
/// arrival, the older one.
#[test]
fn the_buffer_writes_what_is_near_first() {
    let (here, far) = (2400 * 10_000, 2400 * 19_000);
    let first_written = |scheduling: Scheduling| {
        let mut drive = aged();
        drive.scheduling = scheduling;
        drive.buffer.write_cache = WriteCache::On;
        drive.buffer.read_ahead = ReadAhead::Off;
        let mut disk = Disk::new(Arc::new(drive), Span::ZERO);
        for command in [read(here, 8), write(far, 8), write(here + 2400, 8)] {
            disk.submit(START, command);
        }
        while !matches!(disk.work, Work::Destage { .. }) {
            let now = disk.next_at();
            disk.step(now);
        }
        let Work::Destage { segment, .. } = disk.work else {
            unreachable!("it has just begun");
        };
        let first = disk.buffer.get(segment).start;
        while disk.dirty_segments() > 0 || disk.present() > 0 {
            let now = disk.next_at();
            disk.step(now);
        }
        first
    };
    assert_eq!(first_written(aged().scheduling), here + 2400);
    assert_eq!(first_written(Scheduling::Fifo), far);
}

/// Reads at random blocks and times, `gap` apart on average: the completions.
fn open_loop(model: DriveModel, gap: Span, count: usize) -> Vec<DiskCompletion> {
    let blocks = model.geometry.blocks();
    let mut disk = Disk::new(Arc::new(model), Span::ZERO);
    let mut draws = RandomStream::new(5, "open loop");
    let (mut done, mut sent) = (Vec::with_capacity(count), 0);
    let mut next = START;
    while done.len() < count {
        if sent < count && next <= disk.next_at() {
            disk.submit(next, read(draws.below(blocks - 8), 8));
            next += draws.exponential_span(gap);
            sent += 1;
            continue;
        }
        let now = disk.next_at();
        done.extend(disk.step(now));
    }
    assert_eq!(disk.present(), 0);
    done
}
