//! Locks on rows of a group, so that two writes do not mix their reads and writes of one stripe.

use std::collections::VecDeque;

use sanlab_kernel::Id;

use crate::elsewhere::Task;

/// A wish for rows.
#[derive(Clone, Copy, Debug)]
struct Lock {
    task: Id<Task>,
    first: u64,
    last: u64,
    is_shared: bool,
}

impl Lock {
    fn conflicts(&self, other: &Self) -> bool {
        let overlap = self.first <= other.last && other.first <= self.last;
        overlap && !(self.is_shared && other.is_shared)
    }
}

/// Locks of a group, granted in order: none overtakes another that waits for the same rows.
#[derive(Clone, Debug, Default)]
pub struct StripeLocks {
    held: Vec<Lock>,
    waiting: VecDeque<Lock>,
    /// Tasks that had to wait.
    pub waits: u64,
}

impl StripeLocks {
    /// A task wants these rows, the last one included. False if it must wait.
    pub fn acquire(&mut self, task: Id<Task>, rows: (u64, u64), is_shared: bool) -> bool {
        let lock = Lock {
            task,
            first: rows.0,
            last: rows.1,
            is_shared,
        };
        let others = self.held.iter().chain(&self.waiting);
        if others.into_iter().any(|other| other.conflicts(&lock)) {
            self.waiting.push_back(lock);
            self.waits += 1;
            return false;
        }
        self.held.push(lock);
        true
    }

    /// A task gives its rows back; those who have theirs now are added to `granted`, in their order.
    /// A task that holds none changes nothing.
    pub fn release(&mut self, task: Id<Task>, granted: &mut Vec<Id<Task>>) {
        let Some(place) = self.held.iter().position(|lock| lock.task == task) else {
            return;
        };
        self.held.swap_remove(place);
        let mut next = 0;
        while next < self.waiting.len() {
            let lock = self.waiting[next];
            let before = self.waiting.iter().take(next);
            if self
                .held
                .iter()
                .chain(before)
                .any(|other| other.conflicts(&lock))
            {
                next += 1;
            } else {
                self.waiting.remove(next);
                self.held.push(lock);
                granted.push(lock.task);
            }
        }
    }

    /// Locks held and waited for.
    pub fn open(&self) -> usize {
        self.held.len() + self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(number: u32) -> Id<Task> {
        Id::new(number)
    }

    #[test]
    fn those_who_wait_for_the_same_rows_keep_their_order() {
        let mut locks = StripeLocks::default();
        assert!(locks.acquire(task(1), (0, 4), false));
        assert!(!locks.acquire(task(2), (4, 9), false));
        assert!(
            !locks.acquire(task(3), (9, 9), true),
            "it would overtake the second"
        );
        assert!(locks.acquire(task(4), (10, 11), false));
        let mut granted = Vec::new();
        locks.release(task(1), &mut granted);
        assert_eq!(granted, [task(2)]);
        locks.release(task(2), &mut granted);
        assert_eq!(granted, [2, 3].map(task));
        assert!(locks.acquire(task(5), (9, 9), true), "readers share");
        assert_eq!((locks.open(), locks.waits), (3, 2));
    }
}
