//! Tests of copies to another array: lag, journal, suspension and resynchronisation.

use super::*;
use sanlab_kernel::Span;

fn at(ps: u64) -> Instant {
    Instant::from_ps(ps)
}

fn mirror(mode: MirrorMode, max_outstanding: u32) -> Mirror {
    let route = MirrorRoute {
        array: Id::new(0),
        lun: Id::new(0),
        source_n_port: Id::new(0),
        target_n_port: Id::new(1),
        flow: Id::new(0),
        one_round_trip_bytes: 0,
    };
    Mirror::new(route, mode, max_outstanding)
}

#[test]
fn one_copy_at_a_time_and_the_others_in_order() {
    let mut mirror = mirror(MirrorMode::Synchronous, 1);
    let writes = [7, 8, 9].map(|task| mirror.write(at(10), Id::new(task), 0, 512));
    assert_eq!(mirror.begin(at(10)), Some(writes[0]));
    assert_eq!(
        (mirror.begin(at(11)), mirror.accept_waiting()),
        (None, None)
    );
    for (nth, done_at) in [20, 35, 40].into_iter().enumerate() {
        assert!(!mirror.lets_acknowledge(writes[nth]));
        mirror.end(at(done_at), at(done_at - 10), writes[nth]);
        assert!(mirror.lets_acknowledge(writes[nth]));
        assert_eq!(mirror.task_of(writes[nth]), Id::new(7 + nth as u32));
        mirror.acknowledge(at(done_at), writes[nth]);
        assert_eq!(mirror.accept_waiting(), writes.get(nth + 1).copied());
        assert_eq!(mirror.begin(at(done_at)), writes.get(nth + 1).copied());
        assert!(mirror.is_conserved());
    }
    let counters = mirror.counters();
    assert_eq!(
        (counters.copies, counters.bytes, counters.response),
        (3, 1536, 30)
    );
    assert_eq!(
        (counters.first_at, counters.last_at, counters.most_open),
        (Some(at(10)), at(40), 1)
    );
    assert_eq!((counters.waits, mirror.lag().worst()), (2, Span::ZERO));
}

#[test]
fn a_full_journal_lets_writes_wait() {
    let journal = MirrorMode::Journal {
        bytes: 1024,
        suspends: false,
    };
    let mut mirror = mirror(journal, 1);
    let writes = [7, 8, 9].map(|task| mirror.write(at(0), Id::new(task), 0, 512));
    assert_eq!(
        writes.map(|id| mirror.lets_acknowledge(id)),
        [true, true, false]
    );
    mirror.acknowledge(at(1), writes[0]);
    assert_eq!(mirror.begin(at(1)), Some(writes[0]));
    mirror.end(at(9), at(1), writes[0]);
    assert_eq!(mirror.accept_waiting(), Some(writes[2]));
    assert!(mirror.lets_acknowledge(writes[2]) && mirror.is_conserved());
    assert_eq!(mirror.lag().worst(), Span::from_ps(8));
}

#[test]
fn a_full_journal_suspends_the_mirror() {
    let journal = MirrorMode::Journal {
        bytes: 1024,
        suspends: true,
    };
    let mut mirror = mirror(journal, 1);
    let writes = [7, 8].map(|task| mirror.write(at(0), Id::new(task), 0, 512));
    assert_eq!(mirror.begin(at(0)), Some(writes[0]));
    mirror.acknowledge(at(1), writes[0]);
    mirror.acknowledge(at(2), writes[1]);
    let late = mirror.write(at(5), Id::new(9), 0, 512);
    assert!(mirror.lets_acknowledge(late));
    mirror.end(at(6), at(0), writes[0]);
    mirror.acknowledge(at(7), late);
    assert_eq!(mirror.begin(at(7)), None);
    assert_eq!(mirror.suspended_at(), Some(at(5)));
    assert_eq!(
        (mirror.lag().bytes(), mirror.lag().age(at(10))),
        (1024, Span::from_ps(8))
    );
    assert_eq!((mirror.counters().lost, mirror.is_conserved()), (2, true));
}
