//! A run as other threads see it: how far it is, where it waits, what was counted so far, and its end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sanlab_kernel::Instant;

/// [`Control::hold_at_ps`] of a run that does not wait.
pub const NO_HOLD: u64 = u64::MAX;

/// Longest time a run that waits sleeps before it looks again, unless it is woken.
const NAP: Duration = Duration::from_millis(10);

/// How a run goes, to look at, to hold and to stop from another thread. No result depends on it, except that
/// a run that is stopped ends there.
#[derive(Debug)]
pub struct Control {
    /// Simulated time reached.
    pub now_ps: AtomicU64,
    /// Events handled.
    pub events: AtomicU64,
    /// Set to stop the run; the results so far become its outcome, marked incomplete.
    pub stop: AtomicBool,
    /// Nothing that is due later is done until this is raised; [`NO_HOLD`] for none. Lowered during a run it
    /// takes effect at the next look.
    pub hold_at_ps: AtomicU64,
    /// Snapshots asked for so far.
    asked: AtomicU64,
    answers: Mutex<Answers>,
    /// Something changed for those who wait: a hold, an answer, the end.
    changed: Condvar,
}

/// What the run said to those who asked.
#[derive(Debug, Default)]
struct Answers {
    /// Requests answered so far.
    answered: u64,
    latest: Option<Arc<Snapshot>>,
    /// The run is over: no request is answered any more.
    is_over: bool,
}

/// What was counted from the start of a run up to an instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Simulated time.
    pub at_ps: u64,
    /// Events handled.
    pub events: u64,
    /// Names of what was counted: the same for every snapshot of a run.
    pub names: Arc<SnapshotNames>,
    /// Bytes sent by each transmitter.
    pub tx_bytes: Vec<u64>,
    /// Payload among them.
    pub tx_payload_bytes: Vec<u64>,
    /// Time of each transmitter with a frame to send and no BB credit.
    pub tx_credit_wait_ps: Vec<u64>,
    /// I/Os of each workload that are done, warm-up included.
    pub ios: Vec<u64>,
    /// Their bytes.
    pub bytes: Vec<u64>,
}

/// Names of the rows of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotNames {
    /// Of transmitters: the ends `a` and `b` of each link, then the places of each loop. An `FL_Port` has its
    /// name at its link, and none at its loop.
    pub ports: Vec<String>,
    /// Of the workloads of applications.
    pub workloads: Vec<String>,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            now_ps: AtomicU64::new(0),
            events: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            hold_at_ps: AtomicU64::new(NO_HOLD),
            asked: AtomicU64::new(0),
            answers: Mutex::default(),
            changed: Condvar::new(),
        }
    }
}

impl Control {
    /// Wait at this simulated time, or no longer with [`NO_HOLD`]; a run that waits goes on at once.
    pub fn hold(&self, at_ps: u64) {
        self.hold_at_ps.store(at_ps, Ordering::Relaxed);
        self.wake();
    }

    /// Stop the run; one that waits stops at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// What the run has counted up to its next look. `None` if it is over, or has not answered in time.
    pub fn snapshot(&self, patience: Duration) -> Option<Arc<Snapshot>> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.wake();
        let is_open = |answers: &mut Answers| answers.answered < number && !answers.is_over;
        let waited = self
            .changed
            .wait_timeout_while(self.answers(), patience, is_open);
        let (answers, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (answers.answered >= number)
            .then(|| answers.latest.clone())
            .flatten()
    }

    /// Snapshots asked for so far.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Where the run is to wait.
    pub(crate) fn hold_at(&self) -> Instant {
        Instant::from_ps(self.hold_at_ps.load(Ordering::Relaxed))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The run is there, after so many events.
    pub(crate) fn tell(&self, now: Instant, events: u64) {
        self.now_ps.store(now.as_ps(), Ordering::Relaxed);
        self.events.store(events, Ordering::Relaxed);
    }

    /// All requests up to this number get this answer.
    pub(crate) fn answer(&self, asked: u64, snapshot: Snapshot) {
        let mut answers = self.answers();
        answers.answered = asked;
        answers.latest = Some(Arc::new(snapshot));
        self.changed.notify_all();
    }

    /// Sleep until something may have changed.
    pub(crate) fn nap(&self) {
        let slept = self.changed.wait_timeout(self.answers(), NAP);
        drop(slept.unwrap_or_else(PoisonError::into_inner));
    }

    /// A run begins, and it is over when the guard goes, whatever became of it.
    pub(crate) fn begin(&self) -> Running<'_> {
        self.answers().is_over = false;
        Running(self)
    }

    fn wake(&self) {
        // Taken once, so that no thread falls asleep between its look and this.
        drop(self.answers());
        self.changed.notify_all();
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that goes.
pub(crate) struct Running<'a>(&'a Control);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.answers().is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_answer_before_the_run_or_after_it() {
        let control = Control::default();
        assert_eq!(control.snapshot(Duration::from_millis(1)), None);
        drop(control.begin());
        assert_eq!(control.snapshot(Duration::from_secs(3600)), None);
    }

    #[test]
    fn one_answer_is_for_all_who_asked_before_it() {
        let control = Control::default();
        let running = control.begin();
        std::thread::scope(|scope| {
            let ask = || control.snapshot(Duration::from_secs(60));
            let askers = [scope.spawn(ask), scope.spawn(ask)];
            while control.asked() < 2 {
                control.nap();
            }
            let snapshot = Snapshot {
                at_ps: 7,
                ..Snapshot::default()
            };
            control.answer(control.asked(), snapshot);
            for asker in askers {
                let answer = asker.join().expect("an asker ends").expect("an answer");
                assert_eq!(answer.at_ps, 7);
            }
        });
        drop(running);
    }
}
