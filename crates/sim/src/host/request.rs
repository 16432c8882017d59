//! A request of a host while it is open.

use sanlab_host::{Adapter, DevicePath, LunQueue, Role, Target};
use sanlab_kernel::{Id, Instant, MaybeId, Span, Stage, Timeline};

use super::path::HostDevice;
use super::running_job::RunningJob;

/// A request of a host that is open, or a piece of one.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts that do not exclude each other"
)]
pub(crate) struct OpenRequest {
    pub(crate) job: Id<RunningJob>,
    /// LUN queue at the adapter.
    pub(crate) queue: Id<LunQueue>,
    /// Which of its job's LUNs.
    pub(crate) target: Id<Target>,
    /// The LUN as its host sees it, and the path that it takes.
    pub(crate) device: Id<HostDevice>,
    pub(crate) path: Id<DevicePath>,
    /// The adapter of that path.
    pub(crate) adapter: Id<Adapter>,
    /// Whether it is a command of its own, several, or one of several.
    pub(crate) role: Role,
    /// Of a piece: the request it is a part of.
    pub(crate) parent: MaybeId<Self>,
    /// Of a request in pieces: those under way.
    pub(crate) pieces: u32,
    /// Commands it has taken.
    pub(crate) commands: u32,
    /// Of a request in pieces: those that failed; with any it fails itself.
    pub(crate) failed_pieces: u32,
    /// Size of the transfer that follows in the opposite direction; 0 makes none.
    pub(crate) reply_bytes: u32,
    /// When it was due by its trace, until its first command is issued; [`Instant::NEVER`] without one.
    pub(crate) due_at: Instant,
    /// Which request of its job it is, or is a piece of: the first is 0.
    pub(crate) number: u64,
    pub(crate) is_read: bool,
    /// How often a command of it got no answer, or no good one.
    pub(crate) failures: u32,
    /// It was sent again after a fault.
    pub(crate) is_retried: bool,
    /// It waits for a fault to pass.
    pub(crate) is_recovering: bool,
    /// When it has failed: how long the application waits before it asks again.
    pub(crate) pause: Span,
    /// It was refused with TASK SET FULL and has not been sent again.
    pub(crate) is_refused: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Bytes moved by commands that are done: all of a command's, and those of a request's pieces.
    pub(crate) arrived: u64,
    /// Of a request in pieces: bytes of those issued, and how many may be as of now.
    pub(crate) issued: u64,
    pub(crate) may_be_issued: u64,
    pub(crate) timeline: Timeline,
}

impl OpenRequest {
    /// A request that begins now and is one command, its contents not filled in yet.
    pub(crate) fn begin(job: Id<RunningJob>, device: Id<HostDevice>, now: Instant) -> Self {
        Self {
            job,
            queue: Id::new(0),
            target: Id::new(0),
            device,
            path: Id::new(0),
            adapter: Id::new(0),
            role: Role::Whole,
            parent: MaybeId::NONE,
            pieces: 0,
            commands: 1,
            failed_pieces: 0,
            reply_bytes: 0,
            due_at: Instant::NEVER,
            number: 0,
            is_read: false,
            failures: 0,
            is_retried: false,
            is_recovering: false,
            pause: Span::ZERO,
            is_refused: false,
            address: 0,
            bytes: 0,
            arrived: 0,
            issued: 0,
            may_be_issued: 0,
            timeline: Timeline::begin(now),
        }
    }

    /// Reads what its completion needs, so that it is in the caches by then.
    #[inline]
    pub(super) fn read_ahead(&self) -> u64 {
        let stages = self.timeline.stages();
        self.address
            ^ self.pause.as_ps()
            ^ self.timeline.told_to().as_ps()
            ^ [Stage::TxQueue, Stage::Controller, Stage::Media]
                .map(|stage| stages[stage as usize].as_ps())
                .into_iter()
                .fold(0, |read, span| read ^ span)
    }

    /// What the job asked for.
    pub(crate) fn asked(&self) -> sanlab_host::Request {
        sanlab_host::Request {
            is_read: self.is_read,
            target: self.target,
            address: self.address,
            bytes: self.bytes,
            reply_bytes: self.reply_bytes,
        }
    }
}
