//! Hits by recency, destages by stripe, and no sector lost.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use sanlab_kernel::{Id, Instant, RandomStream, Span};

use super::*;
use crate::cache::CacheWrite;

const START: Instant = Instant::START;

fn model() -> PageCacheModel {
    PageCacheModel {
        page: 4096,
        pages: 16,
        access: Span::ZERO,
        prefetch: None,
        destage: 0,
        write_back: true,
        dirty_limit: 8,
        low_watermark: 2,
        high_watermark: 5,
        destages: 2,
        by_address: false,
        age: None,
        rest: None,
        partner: None,
    }
}

fn task(number: u32) -> Id<Task> {
    Id::new(number)
}

/// A write whose data come at once.
fn write(cache: &mut PageCache, number: u32, extent: Extent) -> CacheWrite {
    let asked = cache.reserve(Id::new(number), extent);
    match asked {
        CacheWrite::Taken => assert!(cache.store(START, extent)),
        CacheWrite::Through => cache.write_through(extent),
        CacheWrite::Waits => {}
    }
    asked
}

fn pages(first: u64, count: u64) -> Extent {
    Extent {
        lun: Id::new(0),
        address: first * 4096,
        bytes: count * 4096,
    }
}

#[test]
fn the_page_not_used_for_longest_makes_room() {
    let mut cache = PageCache::new(model());
    cache.filled(pages(0, 16));
    assert_eq!(cache.read(task(0), pages(0, 1)), Lookup::Hit);
    cache.filled(pages(16, 1));
    assert_eq!(cache.read(task(0), pages(0, 1)), Lookup::Hit);
    assert_eq!(cache.read(task(0), pages(1, 1)), Lookup::Miss);
    assert_eq!(cache.read(task(0), pages(2, 15)), Lookup::Hit);
}

/// A loop over one page more than there are never hits; over as many it always does.
#[test]
fn a_loop_that_does_not_fit_never_hits() {
    for (count, hits) in [(16, 3 * 16), (17, 0)] {
        let mut cache = PageCache::new(model());
        for number in (0..4).flat_map(|_| 0..count) {
            if cache.read(task(0), pages(number, 1)) == Lookup::Miss {
                cache.filled(pages(number, 1));
            }
        }
        assert_eq!(cache.counters.hits, hits);
    }
}

#[test]
fn sectors_of_a_page_are_known_one_by_one() {
    let mut cache = PageCache::new(model());
    let sector = |number: u64| Extent {
        lun: Id::new(0),
        address: number * 512,
        bytes: 512,
    };
    assert_eq!(write(&mut cache, 1, sector(3)), CacheWrite::Taken);
    assert_eq!(cache.read(task(0), sector(3)), Lookup::Hit);
    assert_eq!(cache.read(task(0), sector(4)), Lookup::Miss);
    let other = Extent {
        lun: Id::new(1),
        ..sector(3)
    };
    assert_eq!(cache.read(task(0), other), Lookup::Miss);
}

#[test]
fn destaging_keeps_to_the_watermarks_and_takes_the_stripe() {
    let mut cache = PageCache::new(model());
    for number in [7, 0, 2, 1, 3] {
        write(&mut cache, 1, pages(number, 1));
    }
    assert_eq!(
        cache.next_destage(START, |_| 4 * 4096),
        None,
        "not above the high watermark"
    );
    write(&mut cache, 1, pages(9, 1));
    let first = cache.next_destage(START, |_| 4 * 4096).expect("above it");
    let second = cache.next_destage(START, |_| 4 * 4096).expect("above it");
    assert_eq!((first, second), (pages(7, 1), pages(0, 4)));
    assert_eq!(
        cache.next_destage(START, |_| 4 * 4096),
        None,
        "two are under way"
    );
    assert_eq!(cache.counters.full_destages, 1);
    cache.destaged(second);
    assert_eq!(cache.dirty_pages(), 2);
    assert_eq!(
        cache.next_destage(START, |_| 4 * 4096),
        None,
        "at the low watermark"
    );
    cache.destaged(first);
    assert_eq!(
        cache.read(task(0), pages(0, 4)),
        Lookup::Hit,
        "what is destaged stays"
    );
    assert_eq!(cache.check(), Ok(()));
}

#[test]
fn writes_wait_for_room_in_order_and_large_ones_go_through() {
    let mut cache = PageCache::new(model());
    assert_eq!(write(&mut cache, 1, pages(0, 8)), CacheWrite::Taken);
    assert_eq!(write(&mut cache, 2, pages(20, 2)), CacheWrite::Waits);
    assert_eq!(
        write(&mut cache, 3, pages(0, 1)),
        CacheWrite::Waits,
        "no write overtakes"
    );
    assert_eq!(write(&mut cache, 4, pages(40, 9)), CacheWrite::Through);
    let extent = cache
        .next_destage(START, |_| 8 * 4096)
        .expect("a write waits");
    assert_eq!(cache.admit_waiting(), None);
    cache.destaged(extent);
    for (number, extent) in [(2, pages(20, 2)), (3, pages(0, 1))] {
        assert_eq!(cache.admit_waiting(), Some(Id::new(number)));
        assert!(cache.store(START, extent));
    }
    assert_eq!(cache.check(), Ok(()));
}

#[test]
fn a_read_waits_for_what_is_read_ahead() {
    let mut cache = PageCache::new(PageCacheModel {
        prefetch: Some(PrefetchModel {
            after: 2,
            window: 4 * 4096,
            on_miss: false,
            readers: 8,
        }),
        ..model()
    });
    let mut ahead = None;
    for number in 0..3 {
        assert_eq!(cache.read(task(9), pages(number, 1)), Lookup::Miss);
        ahead = ahead.or(cache.read_ahead(pages(number, 1), 1 << 20));
    }
    let ahead = ahead.expect("it has gone on twice");
    assert_eq!(ahead, pages(3, 4));
    assert_eq!(cache.read(task(5), pages(3, 1)), Lookup::Waits);
    assert_eq!(
        cache.read(task(6), pages(6, 2)),
        Lookup::Miss,
        "a part of it does not come"
    );
    let mut told = Vec::new();
    cache.fetched(ahead, &mut told);
    assert_eq!(
        (told, cache.read(task(5), pages(3, 4))),
        (vec![task(5)], Lookup::Hit)
    );
}

/// Random reads and writes against a list of sectors: each dirty sector goes to disk once.
#[test]
fn every_dirty_sector_is_destaged_once() {
    let mut draws = RandomStream::new(11, "page cache");
    for round in 0..80 {
        let mut cache = PageCache::new(PageCacheModel {
            page: 2048,
            by_address: round % 2 == 1,
            ..model()
        });
        let mut disk = vec![0u32; 400];
        let mut newest = vec![0u32; 400];
        let mut flights: Vec<(Extent, Vec<u32>)> = Vec::new();
        let mut held_back: std::collections::BTreeMap<u32, (Extent, u32)> =
            std::collections::BTreeMap::new();
        for task in 1..600u32 {
            let bytes = 512 * (1 + draws.below(20));
            let address = 512 * draws.below(400 - bytes / 512 + 1);
            let extent = Extent {
                lun: Id::new(0),
                address,
                bytes,
            };
            let span = (address / 512) as usize..((address + bytes) / 512) as usize;
            match write(&mut cache, task, extent) {
                CacheWrite::Taken => newest[span].fill(task),
                CacheWrite::Waits => drop(held_back.insert(task, (extent, task))),
                CacheWrite::Through => unreachable!("none is so large"),
            }
            while let Some(out) = cache.next_destage(START, |_| 8192) {
                let span = (out.address / 512) as usize..((out.address + out.bytes) / 512) as usize;
                flights.push((out, newest[span].to_vec()));
            }
            if draws.below(2) == 0 && !flights.is_empty() {
                let place = draws.below(flights.len() as u64) as usize;
                let (out, content) = flights.remove(place);
                let first = (out.address / 512) as usize;
                disk[first..first + content.len()].copy_from_slice(&content);
                cache.destaged(out);
                while let Some(task) = cache.admit_waiting() {
                    let (extent, value) = held_back[&task.number()];
                    assert!(cache.store(START, extent));
                    let span = (extent.address / 512) as usize
                        ..((extent.address + extent.bytes) / 512) as usize;
                    newest[span].fill(value);
                }
            }
            assert_eq!(cache.check(), Ok(()));
            assert!(cache.dirty_pages() <= 8);
        }
        // What is clean in the cache is on disk.
        for (key, &slot) in &cache.index {
            let page = cache.pages[slot];
            for sector in 0..4 {
                let place = (key.1 * 4 + sector) as usize;
                if (page.dirty | page.flying) >> sector & 1 == 0 && place < 400 {
                    assert_eq!(disk[place], newest[place]);
                }
            }
        }
    }
}

/// Pages stay from the admission of a write to the arrival of its data; one that is given up leaves them.
#[test]
fn pages_of_an_admitted_write_stay() {
    let mut cache = PageCache::new(model());
    assert_eq!(cache.reserve(Id::new(1), pages(0, 6)), CacheWrite::Taken);
    assert_eq!(cache.reserve(Id::new(2), pages(4, 4)), CacheWrite::Taken);
    assert_eq!(cache.reserve(Id::new(3), pages(8, 1)), CacheWrite::Waits);
    cache.filled(pages(100, 16));
    assert_eq!((cache.dirty_pages(), cache.reserved), (0, 8));
    cache.unreserve(pages(4, 4));
    assert_eq!(cache.reserved, 6);
    assert_eq!(cache.admit_waiting(), Some(Id::new(3)));
    assert!(cache.store(START, pages(0, 6)));
    assert!(cache.store(START, pages(8, 1)));
    assert_eq!((cache.dirty_pages(), cache.reserved), (7, 0));
    assert_eq!(cache.check(), Ok(()));
}

/// By address, the sweep continues at its hand; what was written again is passed over once.
#[test]
fn destages_follow_addresses() {
    let mut cache = PageCache::new(PageCacheModel {
        by_address: true,
        ..model()
    });
    for number in [9, 3, 30, 7, 5, 21, 3] {
        assert_eq!(write(&mut cache, 1, pages(number, 1)), CacheWrite::Taken);
    }
    let mut order = Vec::new();
    while let Some(out) = cache.next_destage(START, |_| 4096) {
        order.push(out.address / 4096);
        cache.destaged(out);
    }
    assert_eq!(order, [5, 7, 9, 21], "down to the low watermark");
    for number in [1, 4, 6, 8] {
        assert_eq!(write(&mut cache, 1, pages(number, 1)), CacheWrite::Taken);
    }
    while let Some(out) = cache.next_destage(START, |_| 4096) {
        order.push(out.address / 4096);
        cache.destaged(out);
    }
    assert_eq!(order[4..], [30, 1, 3, 4]);
    assert_eq!(cache.check(), Ok(()));
}

/// A sweep takes one extent of a row with parity, and goes on behind it.
#[test]
fn a_sweep_does_not_stay_behind_a_sequential_writer() {
    let mut cache = PageCache::new(PageCacheModel {
        by_address: true,
        high_watermark: 0,
        low_watermark: 0,
        ..model()
    });
    let home = Home {
        store: 0,
        start: 0,
        together: 4 * 4096,
    };
    cache.set_homes([home].into_iter().collect());
    for number in [0, 2, 9] {
        assert_eq!(write(&mut cache, 1, pages(number, 1)), CacheWrite::Taken);
    }
    assert_eq!(cache.next_destage(START, |_| 16_384), Some(pages(0, 1)));
    assert_eq!(write(&mut cache, 1, pages(1, 1)), CacheWrite::Taken);
    cache.destaged(pages(0, 1));
    assert_eq!(cache.next_destage(START, |_| 16_384), Some(pages(9, 1)));
    assert_eq!(cache.next_destage(START, |_| 16_384), Some(pages(1, 2)));
}

/// Data of their age go by address too, however old the cache's other data are.
#[test]
fn data_of_their_age_go_by_address() {
    let at = Instant::from_ps;
    let mut cache = PageCache::new(PageCacheModel {
        by_address: true,
        age: Some(Span::from_ps(100)),
        ..model()
    });
    for (now, number) in [(10, 7), (20, 2), (60, 4)] {
        cache.reserve(Id::new(1), pages(number, 1));
        assert!(cache.store(at(now), pages(number, 1)));
    }
    assert_eq!(cache.next_destage(at(109), |_| 4096), None);
    assert_eq!(cache.next_look(at(109)), Some(at(110)));
    assert_eq!(cache.next_destage(at(120), |_| 4096), Some(pages(2, 1)));
    assert_eq!(cache.next_destage(at(120), |_| 4096), Some(pages(7, 1)));
    cache.destaged(pages(2, 1));
    assert_eq!(
        cache.next_destage(at(120), |_| 4096),
        None,
        "the third is younger"
    );
    cache.look_at = Instant::NEVER;
    assert_eq!(cache.next_look(at(120)), Some(at(160)));
    assert_eq!(cache.next_destage(at(160), |_| 4096), Some(pages(4, 1)));
    assert_eq!(cache.next_look(at(160)), None);
}

/// Two RAID groups take turns, so that the disks of neither rest.
#[test]
fn groups_of_disks_take_turns() {
    let mut cache = PageCache::new(PageCacheModel {
        by_address: true,
        high_watermark: 0,
        low_watermark: 0,
        destages: 8,
        ..model()
    });
    let homes = [(0, 0), (1, 0), (0, 1 << 20)].map(|(store, start)| Home {
        store,
        start,
        together: 4096,
    });
    cache.set_homes(homes.into_iter().collect());
    for lun in [2, 0, 1] {
        for number in 0..2 {
            let extent = Extent {
                lun: Id::new(lun),
                ..pages(2 * number, 1)
            };
            assert_eq!(write(&mut cache, 1, extent), CacheWrite::Taken);
        }
    }
    let order: Vec<_> = std::iter::from_fn(|| cache.next_destage(START, |_| 4096))
        .map(|out| (out.lun.number(), out.address / 4096))
        .collect();
    assert_eq!(order, [(1, 0), (0, 0), (1, 2), (0, 2), (2, 0), (2, 2)]);
}

/// Data go to disk at their age, and all of them once no command has come for the time of rest.
#[test]
fn data_are_destaged_by_age_and_at_rest() {
    let at = Instant::from_ps;
    let stripe = |_| 4096;
    let mut cache = PageCache::new(PageCacheModel {
        age: Some(Span::from_ps(100)),
        rest: Some(Span::from_ps(70)),
        ..model()
    });
    for (now, number) in [(10, 0), (50, 4)] {
        cache.used_at = at(now);
        cache.reserve(Id::new(1), pages(number, 1));
        assert!(cache.store(at(now), pages(number, 1)));
    }
    assert_eq!(cache.next_look(at(50)), Some(at(110)));
    assert_eq!(cache.next_look(at(50)), None, "it is known");
    assert_eq!(cache.next_destage(at(109), stripe), None);
    assert_eq!(cache.next_destage(at(110), stripe), Some(pages(0, 1)));
    assert_eq!(
        cache.next_destage(at(110), stripe),
        None,
        "the other is younger"
    );
    cache.look_at = Instant::NEVER;
    assert_eq!(cache.next_look(at(110)), Some(at(120)));
    assert_eq!(cache.next_destage(at(120), stripe), Some(pages(4, 1)));
    assert_eq!(cache.next_look(at(120)), None);
}
