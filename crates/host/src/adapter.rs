//! One port of a host bus adapter: its costs and the limits on commands.

use std::collections::{BTreeMap, VecDeque};

use sanlab_kernel::{Id, IdVec, Span};

use crate::circle::Circle;
use crate::elsewhere::{Array, Lun, Port};
use crate::engine::Engine;
use crate::request::Request;

/// An adapter port.
///
/// A command needs a place under the port's execution throttle and one under the queue depth of its
/// LUN; it waits in the LUN's queue until it has both. LUNs that wait take turns.
///
/// In this order, and aligned to cache lines: what every command needs is in the first two.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Adapter {
    /// Its N_Port.
    pub n_port: Id<Port>,
    /// Its engine, shared with the other ports of the card where they have one together.
    pub engine: Id<Engine>,
    max_commands: u32,
    lun_queue_depth: u32,
    open: u32,
    served_last: Id<LunQueue>,
    waiting: usize,
    luns: IdVec<LunQueue>,
    /// Commands begun.
    pub commands: u64,
    /// Interrupts raised.
    pub interrupts: u64,
    /// Engine time to start a command.
    pub submit: Span,
    /// Engine time to finish a command.
    pub complete: Span,
    /// From the engine's end with something to its effect outside: time on the card in which the engine
    /// does other things.
    pub latency: Span,
    /// Engine time to take in an XFER_RDY and begin with its data.
    pub transfer: Span,
    /// From a response to the interrupt that reports it and all responses since; none raises one
    /// for each.
    pub interrupt_delay: Span,
    /// Answers that wait for that interrupt.
    pub posted: Vec<Id<Request>>,
    /// Time after which a command without a response has failed; none means no limit.
    pub command_timeout: Span,
    /// From the loss of a path to the failure of its commands.
    pub path_timeout: Span,
    /// How often a command is sent again before it fails.
    pub retries: u32,
    /// Whether time-outs of commands are watched.
    pub is_watched: bool,
    index: BTreeMap<LunKey, Id<LunQueue>>,
    /// Queues with a command that may go as far as the LUN is concerned.
    ready: Circle,
    /// Commands refused with TASK SET FULL.
    pub queue_full: u64,
}

/// What has a queue of its own: host port, array port, array and LUN.
type LunKey = (Id<Port>, Id<Port>, Id<Array>, Id<Lun>);

/// The queue of a LUN, in a cache line of its own.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct LunQueue {
    open: u32,
    depth: u32,
    /// Completions since the depth was last changed.
    completions: u32,
    /// Its path is lost: commands wait.
    is_blocked: bool,
    /// It is marked as ready among the queues of its adapter.
    is_marked: bool,
    waiting: VecDeque<Id<Request>>,
    /// Commands at the head of the queue that were refused, in the order they were first sent.
    refused: usize,
}

impl LunQueue {
    /// Its next command may go as far as the LUN is concerned.
    fn is_ready(&self) -> bool {
        self.has_room() && !self.waiting.is_empty()
    }

    /// A command may go as far as the LUN is concerned.
    fn has_room(&self) -> bool {
        self.open < self.depth && !self.is_blocked
    }
}

impl Adapter {
    /// A port with these costs and limits.
    pub fn new(
        (n_port, engine): (Id<Port>, Id<Engine>),
        (submit, complete): (Span, Span),
        max_commands: u32,
        lun_queue_depth: u32,
    ) -> Self {
        Self {
            n_port,
            engine,
            submit,
            complete,
            transfer: Span::ZERO,
            latency: Span::ZERO,
            interrupt_delay: Span::ZERO,
            posted: Vec::new(),
            interrupts: 0,
            commands: 0,
            command_timeout: Span::ZERO,
            path_timeout: Span::ZERO,
            retries: 0,
            is_watched: false,
            max_commands: max_commands.max(1),
            lun_queue_depth: lun_queue_depth.max(1),
            open: 0,
            waiting: 0,
            luns: IdVec::new(),
            index: BTreeMap::new(),
            ready: Circle::default(),
            served_last: Id::new(0),
            queue_full: 0,
        }
    }

    /// The queue of a LUN that an initiator, the port itself or a virtual one, sees behind a port of an
    /// array; jobs look it up once.
    pub fn lun_queue(
        &mut self,
        (initiator, target): (Id<Port>, Id<Port>),
        array: Id<Array>,
        lun: Id<Lun>,
    ) -> Id<LunQueue> {
        let next = self.luns.next_id();
        let queue = *self
            .index
            .entry((initiator, target, array, lun))
            .or_insert(next);
        if queue == next {
            let depth = self.lun_queue_depth;
            self.luns.push(LunQueue {
                open: 0,
                depth,
                completions: 0,
                waiting: VecDeque::new(),
                refused: 0,
                is_blocked: false,
                is_marked: false,
            });
            self.ready.grow(self.luns.len());
        }
        queue
    }

    /// A request that would be the only one to wait goes to the engine at once, if it may. False if it must
    /// join its queue.
    #[inline]
    pub fn pass(&mut self, queue: Id<LunQueue>) -> bool {
        let lun = &mut self.luns[queue];
        let passes = self.waiting == 0 && self.open < self.max_commands && lun.has_room();
        if passes {
            lun.open += 1;
            self.open += 1;
            self.served_last = queue;
        }
        passes
    }

    /// A request joins the queue of its LUN.
    pub fn enqueue(&mut self, queue: Id<LunQueue>, request: Id<Request>) {
        self.luns[queue].waiting.push_back(request);
        self.waiting += 1;
        self.settle(queue);
    }

    /// Something of a queue has changed: its next command may go now, or no longer.
    #[inline]
    fn settle(&mut self, queue: Id<LunQueue>) {
        let lun = &mut self.luns[queue];
        let is_ready = lun.is_ready();
        if is_ready != lun.is_marked {
            lun.is_marked = is_ready;
            self.ready.mark(queue.place(), is_ready);
        }
    }

    /// The next request that may go to the engine, LUNs in turn.
    pub fn next_command(&mut self) -> Option<Id<Request>> {
        if self.waiting == 0 || self.open >= self.max_commands {
            return None;
        }
        let queue = Id::from_place(self.ready.next_behind(self.served_last.place())?);
        let lun = &mut self.luns[queue];
        let request = lun.waiting.pop_front()?;
        lun.open += 1;
        lun.refused = lun.refused.saturating_sub(1);
        self.open += 1;
        self.waiting -= 1;
        self.served_last = queue;
        self.settle(queue);
        Some(request)
    }

    /// A command is over: its places are free. After as many good completions in a row as the queue
    /// is deep, a depth that TASK SET FULL had lowered rises by one.
    pub fn on_complete(&mut self, queue: Id<LunQueue>) {
        self.open -= 1;
        let lun = &mut self.luns[queue];
        lun.open -= 1;
        lun.completions += 1;
        if lun.depth < self.lun_queue_depth && lun.completions >= lun.depth {
            lun.depth += 1;
            lun.completions = 0;
        }
        self.settle(queue);
    }

    /// A command came back with TASK SET FULL: it goes to the head of its queue, and the depth to
    /// what the target did accept. True if that is nothing: no completion will send it again, so the
    /// caller tries again later with [`Adapter::on_retry`].
    pub fn on_task_set_full(&mut self, queue: Id<LunQueue>, request: Id<Request>) -> bool {
        self.queue_full += 1;
        self.open -= 1;
        self.waiting += 1;
        let lun = &mut self.luns[queue];
        lun.open -= 1;
        lun.depth = lun.open;
        lun.completions = 0;
        lun.waiting.insert(lun.refused, request);
        lun.refused += 1;
        let is_nothing_taken = lun.open == 0;
        self.settle(queue);
        is_nothing_taken
    }

    /// A command that was on its way is taken back to the head of its queue.
    pub fn take_back(&mut self, queue: Id<LunQueue>, request: Id<Request>) {
        self.give_up(queue);
        self.waiting += 1;
        let lun = &mut self.luns[queue];
        lun.waiting.insert(lun.refused, request);
        lun.refused += 1;
        self.settle(queue);
    }

    /// A command that was on its way is given up: its places are free.
    pub fn give_up(&mut self, queue: Id<LunQueue>) {
        self.open -= 1;
        self.luns[queue].open -= 1;
        self.settle(queue);
    }

    /// The path of a queue is lost, or back.
    pub fn block(&mut self, queue: Id<LunQueue>, is_blocked: bool) {
        let lun = &mut self.luns[queue];
        lun.is_blocked = is_blocked;
        // Nothing that comes back would wake a queue whose target took nothing.
        lun.depth = lun.depth.max(1);
        self.settle(queue);
    }

    /// All that wait in a queue, in their order.
    pub fn take_waiting(&mut self, queue: Id<LunQueue>) -> Vec<Id<Request>> {
        let lun = &mut self.luns[queue];
        lun.refused = 0;
        self.waiting -= lun.waiting.len();
        let waiting = lun.waiting.drain(..).collect();
        self.settle(queue);
        waiting
    }

    /// Commands of a queue, open and waiting.
    pub fn load(&self, queue: Id<LunQueue>) -> usize {
        let lun = &self.luns[queue];
        lun.open as usize + lun.waiting.len()
    }

    /// A LUN that accepted nothing is tried again, with one command.
    pub fn on_retry(&mut self, queue: Id<LunQueue>) {
        let lun = &mut self.luns[queue];
        lun.depth = lun.depth.max(1);
        self.settle(queue);
    }

    /// Reads what the next command of a queue needs, so that it is in the caches by then.
    #[inline]
    pub fn read_ahead(&self, queue: Id<LunQueue>) -> u64 {
        let lun = self.luns.get(queue).map_or(0, |lun| lun.open);
        u64::from(self.open ^ lun) ^ self.complete.as_ps()
    }

    /// Commands open.
    pub fn open(&self) -> u32 {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(number: u32) -> Id<LunQueue> {
        Id::new(number)
    }

    fn adapter(max_commands: u32, depth: u32, queues: u32) -> Adapter {
        let port = Id::new(0);
        let mut adapter = Adapter::new(
            (port, Id::new(0)),
            (Span::ZERO, Span::ZERO),
            max_commands,
            depth,
        );
        for lun in (0..queues).map(Id::new) {
            for _ in 0..2 {
                let queue = adapter.lun_queue((port, Id::new(7)), Id::new(5), lun);
                assert_eq!(queue, lun.same());
            }
        }
        adapter
    }

    fn sent(adapter: &mut Adapter) -> Vec<u32> {
        let sent = std::iter::from_fn(|| adapter.next_command());
        sent.map(Id::number).collect()
    }

    #[test]
    fn luns_take_turns_under_throttle_and_depth() {
        let mut adapter = adapter(5, 2, 3);
        for request in 0..4 {
            adapter.enqueue(queue(0), Id::new(request));
            adapter.enqueue(queue(2), Id::new(20 + request));
        }
        adapter.enqueue(queue(1), Id::new(10));
        assert_eq!(sent(&mut adapter), [10, 20, 0, 21, 1]); // 5 under the throttle, 2 for each LUN
        adapter.on_complete(queue(1));
        assert_eq!(sent(&mut adapter), []); // LUN 1 has nothing, the others are as deep as they may be
        adapter.on_complete(queue(0));
        assert_eq!(sent(&mut adapter), [2]);
        assert_eq!(adapter.open(), 4);
    }

    /// A request passes exactly where one that joined its queue would be the next to go.
    #[test]
    fn a_request_that_passes_leaves_what_one_that_waits_leaves() {
        let mut random = 1_u64;
        let (mut passing, mut waiting) = (adapter(5, 2, 4), adapter(5, 2, 4));
        let mut open = Vec::new();
        for request in 0..2000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let lun = queue(u32::try_from(random >> 62).expect("two bits"));
            if (random >> 40).is_multiple_of(2) {
                if let Some(of) = open.pop() {
                    passing.on_complete(of);
                    waiting.on_complete(of);
                }
            } else if open.len() < 8 {
                let id = Id::new(4 * request + lun.number());
                waiting.enqueue(lun, id);
                if passing.pass(lun) {
                    assert_eq!(waiting.next_command(), Some(id));
                    open.push(lun);
                } else {
                    passing.enqueue(lun, id);
                }
            }
            let went = sent(&mut passing);
            assert_eq!(went, sent(&mut waiting));
            open.extend(went.iter().map(|id| queue(id % 4)));
        }
    }

    #[test]
    fn a_refused_command_goes_first_and_the_depth_follows_the_target() {
        let mut adapter = adapter(100, 8, 1);
        for request in 0..6 {
            adapter.enqueue(queue(0), Id::new(request));
        }
        assert_eq!(sent(&mut adapter).len(), 6);
        assert!(
            !adapter.on_task_set_full(queue(0), Id::new(4))
                && !adapter.on_task_set_full(queue(0), Id::new(5))
        );
        adapter.enqueue(queue(0), Id::new(6));
        assert_eq!(sent(&mut adapter), []); // four are open, and four is what the target takes
        adapter.on_complete(queue(0));
        assert_eq!(sent(&mut adapter), [4]);
        (0..3).for_each(|_| adapter.on_complete(queue(0))); // the fourth: the depth rises to five
        assert_eq!(sent(&mut adapter), [5, 6]);
    }

    #[test]
    fn a_lun_that_takes_nothing_is_tried_again_with_one() {
        let mut adapter = adapter(100, 8, 1);
        adapter.enqueue(queue(0), Id::new(0));
        adapter.enqueue(queue(0), Id::new(1));
        assert_eq!(sent(&mut adapter).len(), 2);
        assert!(!adapter.on_task_set_full(queue(0), Id::new(0)));
        assert!(adapter.on_task_set_full(queue(0), Id::new(1)));
        assert_eq!(sent(&mut adapter), []);
        adapter.on_retry(queue(0));
        assert_eq!(sent(&mut adapter), [0]);
    }
}
