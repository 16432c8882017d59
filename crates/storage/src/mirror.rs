//! Third-party copies of writes to another array.

use std::collections::VecDeque;

use sanlab_kernel::{Id, Instant};

use crate::elsewhere::{Device, Flow, Port, Task};
use crate::parts::Lun;

/// The copy engine of one LUN.
///
/// A write that finds `max_outstanding` copies on their way waits for a place. A synchronous write is
/// acknowledged when its copy is done, an asynchronous one when its copy has begun: what the other
/// side lacks is bounded by the copies on their way.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Array copied to.
    pub array: Id<Device>,
    /// Its LUN.
    pub lun: Id<Lun>,
    /// N_Port the copies leave by.
    pub source_n_port: Id<Port>,
    /// N_Port they go to.
    pub target_n_port: Id<Port>,
    /// The write waits for the copy.
    pub is_synchronous: bool,
    /// What its frames are counted under.
    pub flow: Id<Flow>,
    max_outstanding: u32,
    open: u32,
    waiting: VecDeque<Id<Task>>,
    /// Copies done.
    pub copies: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their response times, summed.
    pub response: u128,
    /// The first began.
    pub first_at: Option<Instant>,
    /// The last was done.
    pub last_at: Instant,
    /// Most on their way at once.
    pub most_open: u32,
}

impl Mirror {
    /// A copy engine from one array's LUN to another's.
    pub fn new(
        to: (Id<Device>, Id<Lun>),
        n_ports: (Id<Port>, Id<Port>),
        is_synchronous: bool,
        max_outstanding: u32,
        flow: Id<Flow>,
    ) -> Self {
        Self {
            array: to.0,
            lun: to.1,
            source_n_port: n_ports.0,
            target_n_port: n_ports.1,
            is_synchronous,
            flow,
            max_outstanding: max_outstanding.max(1),
            open: 0,
            waiting: VecDeque::new(),
            copies: 0,
            bytes: 0,
            response: 0,
            first_at: None,
            last_at: Instant::START,
            most_open: 0,
        }
    }

    /// Requests a copy of a write. True if it may begin now; else the task is notified later.
    pub fn begin(&mut self, task: Id<Task>, now: Instant) -> bool {
        if self.open >= self.max_outstanding {
            self.waiting.push_back(task);
            return false;
        }
        self.open += 1;
        self.most_open = self.most_open.max(self.open);
        self.first_at.get_or_insert(now);
        true
    }

    /// A copy is done; the task whose copy takes its place.
    pub fn end(&mut self, now: Instant, began_at: Instant, bytes: u64) -> Option<Id<Task>> {
        self.copies += 1;
        self.bytes += bytes;
        self.response += u128::from((now - began_at).as_ps());
        self.last_at = now;
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.open -= 1;
        }
        next
    }

    /// Copies on their way.
    pub fn open(&self) -> u32 {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_copy_at_a_time_and_the_others_in_order() {
        let at = Instant::from_ps;
        let to = (Id::new(0), Id::new(0));
        let n_ports = (Id::new(0), Id::new(1));
        let mut mirror = Mirror::new(to, n_ports, true, 1, Id::new(0));
        let [first, second, third] = [7, 8, 9].map(Id::new);
        assert!(mirror.begin(first, at(10)));
        assert!(!mirror.begin(second, at(11)) && !mirror.begin(third, at(12)));
        assert_eq!(mirror.end(at(20), at(10), 512), Some(second));
        assert_eq!(mirror.end(at(35), at(20), 512), Some(third));
        assert_eq!((mirror.end(at(40), at(35), 512), mirror.open()), (None, 0));
        assert_eq!(
            (mirror.copies, mirror.bytes, mirror.response),
            (3, 1536, 30)
        );
        assert_eq!(
            (mirror.first_at, mirror.last_at, mirror.most_open),
            (Some(at(10)), at(40), 1)
        );
    }
}
