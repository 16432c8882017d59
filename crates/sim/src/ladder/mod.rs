//! One I/O step by step: its frames at every transmitter, and where its time went, in order.
//!
//! A run is repeated for it. The probe keeps each frame until its step is over; then the world says whose
//! exchange it is of.

mod tables;
mod way;

use sanlab_fabric::{Fate, Fibre, Probe};
use sanlab_fc::{Exchange, Frame, FrameKind, NPort};
use sanlab_kernel::{Id, Instant, Span};
use sanlab_metrics::ExchangeKey;
use sanlab_scsi::Exchanges;

use self::way::Way;
use crate::array::transfer::TransferPurpose;
use crate::host::path::Route;
use crate::host::request::OpenRequest;
use crate::issuer::Tag;
use crate::one_io::IoName;
use crate::world::World;

/// A request of the I/O: all of it, or a piece.
struct Climbed {
    id: Id<OpenRequest>,
    /// As it was seen last, with the path it took.
    request: OpenRequest,
    route: Route,
    way: Way,
    has_ended: bool,
    is_good: bool,
}

impl Climbed {
    fn follow(&mut self, request: &OpenRequest, route: Route) {
        (self.request, self.route) = (*request, route);
        self.way.follow(&request.timeline);
    }

    fn is_whole(&self) -> bool {
        self.request.parent.get().is_none()
    }
}

/// An exchange of the I/O.
struct Opened {
    id: Id<Exchange>,
    key: ExchangeKey,
    target: Id<NPort>,
    kind: &'static str,
    /// The request it is for.
    request: usize,
}

/// A frame that starts at a transmitter.
struct Hop {
    exchange: usize,
    fibre: Id<Fibre>,
    frame: Frame,
    sent_at: Instant,
    tail_at: Instant,
    arrived_at: Instant,
    credit_wait: Span,
    queue_wait: Span,
    back_at: Instant,
    fate: Fate,
}

/// A frame of this step, and the exchange it is of.
struct Seen {
    fibre: Id<Fibre>,
    frame: Frame,
    key: ExchangeKey,
    target: Id<NPort>,
    tag: Tag,
    sent_at: Instant,
    arrived_at: Instant,
    credit_wait: Span,
    came_by_back_at: Instant,
    back_at: Instant,
    fate: Fate,
}

/// Records one I/O.
pub(crate) struct Climber {
    wanted: IoName,
    seen: Vec<Seen>,
    requests: Vec<Climbed>,
    exchanges: Vec<Opened>,
    hops: Vec<Hop>,
    is_over: bool,
}

impl Climber {
    pub(crate) fn new(wanted: IoName) -> Self {
        Self {
            wanted,
            seen: Vec::new(),
            requests: Vec::new(),
            exchanges: Vec::new(),
            hops: Vec::new(),
            is_over: false,
        }
    }

    /// A step of the world is over: keep what belongs to the I/O.
    pub(crate) fn climb<const E: bool>(&mut self, world: &mut World<E>, now: Instant) {
        let ended = world.ladder.as_mut();
        let ended = ended.map_or_else(Vec::new, |one| std::mem::take(&mut one.ended));
        for (id, request, is_good) in ended {
            let place = self.request(world, id, &request);
            let climbed = &mut self.requests[place];
            climbed.follow(&request, world.host.route_of(&request));
            (climbed.has_ended, climbed.is_good) = (true, is_good);
        }
        let wanted = self.wanted;
        for climbed in self.requests.iter_mut().filter(|it| !it.has_ended) {
            let request = world.host.requests.latest(climbed.id);
            if wanted.is_of(request) {
                climbed.follow(request, world.host.route_of(request));
            }
        }
        for seen in std::mem::take(&mut self.seen) {
            if let Some(exchange) = self.exchange_of(world, &seen) {
                self.keep(world, exchange, &seen);
            }
        }
        let has_ended = self.requests.iter().any(|it| it.is_whole() && it.has_ended);
        // Frames on their way have been seen at their last transmitter by then, and copies are over.
        self.is_over = has_ended
            && self.hops.iter().all(|hop| hop.arrived_at <= now)
            && !world.fcp.live().any(|id| {
                let key = ExchangeKey::of(world.fcp.exchange(id));
                self.exchanges.iter().any(|opened| opened.key == key)
            });
    }

    /// The place of a request, known or new.
    fn request<const E: bool>(
        &mut self,
        world: &World<E>,
        id: Id<OpenRequest>,
        request: &OpenRequest,
    ) -> usize {
        let known = self.requests.iter().position(|it| it.id == id);
        known.unwrap_or_else(|| {
            // A piece continues the way of its request, and a request that of its last piece.
            let ways = self.requests.iter().map(|it| &it.way);
            let before = ways.filter(|way| way.leads_to(&request.timeline));
            let longest = before.max_by_key(|way| way.length()).cloned();
            let way = longest.unwrap_or_else(|| Way::begin(&request.timeline));
            self.requests.push(Climbed {
                id,
                request: *request,
                route: world.host.route_of(request),
                way,
                has_ended: false,
                is_good: false,
            });
            self.requests.len() - 1
        })
    }

    /// The exchange of a frame, if it is one of the I/O.
    fn exchange_of<const E: bool>(&mut self, world: &World<E>, seen: &Seen) -> Option<usize> {
        let known = self
            .exchanges
            .iter()
            .position(|opened| opened.key == seen.key);
        if known.is_some() {
            return known;
        }
        let (kind, request) = match seen.tag {
            Tag::Host(id) => {
                let request = *world.host.requests.latest(id);
                if !self.wanted.is_of(&request) {
                    return None;
                }
                let place = self.request(world, id, &request);
                let climbed = &mut self.requests[place];
                if !climbed.has_ended {
                    climbed.follow(&request, world.host.route_of(&request));
                }
                ("host", place)
            }
            Tag::Mirror(id) | Tag::BackEnd(id) => {
                let transfer = world.array.transfers.latest(id);
                let (kind, task) = match transfer.purpose {
                    TransferPurpose::Disk { task, .. } => ("back_end", task),
                    TransferPurpose::Copy { lun, write } => {
                        let mirror = world.array.arrays()[transfer.array].luns[lun]
                            .mirror
                            .as_ref();
                        let mirror = mirror.filter(|mirror| mirror.is_synchronous())?;
                        ("mirror", mirror.task_of(write).same())
                    }
                };
                let front = world.array.tasks.latest(task).exchange.get()?;
                let opened = self.exchanges.iter().find(|opened| opened.id == front)?;
                (kind, opened.request)
            }
        };
        self.exchanges.push(Opened {
            id: seen.frame.exchange.record(),
            key: seen.key,
            target: seen.target,
            kind,
            request,
        });
        Some(self.exchanges.len() - 1)
    }

    fn keep<const E: bool>(&mut self, world: &World<E>, exchange: usize, seen: &Seen) {
        let frame = seen.frame;
        let came_by = frame.came_by.get().map(Id::same);
        if let Some(came_by) = came_by {
            let is_same = |hop: &&mut Hop| {
                let before = (hop.exchange, hop.fibre, hop.frame.kind, hop.frame.source);
                before == (exchange, came_by, frame.kind, frame.source)
                    && (hop.frame.seq_id, hop.frame.seq_cnt) == (frame.seq_id, frame.seq_cnt)
            };
            if let Some(hop) = self.hops.iter_mut().rev().find(is_same) {
                hop.back_at = seen.came_by_back_at;
            }
        }
        let since = if came_by.is_none() {
            frame.framed_at
        } else {
            frame.ready_at
        };
        let waited = seen.sent_at.saturating_since(since);
        let credit_wait = seen.credit_wait.min(waited);
        let sending = world.network.fibres[seen.fibre]
            .rate()
            .time_for(u64::from(frame.wire_bytes));
        self.hops.push(Hop {
            exchange,
            fibre: seen.fibre,
            frame,
            sent_at: seen.sent_at,
            tail_at: seen.sent_at + sending,
            arrived_at: seen.arrived_at,
            credit_wait,
            queue_wait: waited - credit_wait,
            back_at: seen.back_at,
            fate: seen.fate,
        });
    }
}

impl Probe<Exchanges<Tag>> for Climber {
    fn frame(
        &mut self,
        fibre: Id<Fibre>,
        frame: &Frame,
        exchanges: &Exchanges<Tag>,
        sent_at: Instant,
        received_at: Instant,
        fate: Fate,
    ) {
        if frame.kind >= FrameKind::Plain {
            return;
        }
        let id = frame.exchange.record();
        let exchange = exchanges.exchange(id);
        self.seen.push(Seen {
            fibre,
            frame: *frame,
            key: ExchangeKey::of(exchange),
            target: exchange.target,
            tag: exchanges.command(id).tag,
            sent_at,
            arrived_at: received_at,
            credit_wait: Span::ZERO,
            came_by_back_at: Instant::NEVER,
            back_at: Instant::NEVER,
            fate,
        });
    }

    fn credit(&mut self, waited: Span, came_by_back_at: Instant, back_at: Instant) {
        if let Some(seen) = self.seen.last_mut() {
            (seen.credit_wait, seen.came_by_back_at, seen.back_at) =
                (waited, came_by_back_at, back_at);
        }
    }

    fn is_done(&self) -> bool {
        self.is_over
    }
}
