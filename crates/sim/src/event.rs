//! What can happen above the network.

/// An entry of the agenda. Ids are those of the part it concerns.
///
/// It is moved at every step of the agenda's heap: 16 bytes, so what is nested here holds two ids.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A job starts.
    JobStart(u32),
    /// The time of a paced request has come.
    JobDue(u32),
    /// The pause after a completion is over.
    JobSlotFree(u32),
    /// The pause before a burst of an access specification is over.
    JobWake(u32),
    /// The wish for blocks of a write has come to who allocates them.
    AllocationAsked(u32),
    /// The host has the token of its file: the request goes on.
    TokenGranted(u32),
    /// The blocks of a write are allocated.
    Allocated(u32),
    /// The host's processor has issued a request.
    CpuSubmitted(u32),
    /// The adapter's engine has started a command.
    EngineSubmitted(u32),
    /// The last frame of an information unit has arrived.
    Arrived(u32),
    /// The adapter's engine has finished a command.
    EngineCompleted(u32),
    /// The adapter's engine has taken in an XFER_RDY: exchange, and where its data begin.
    TransferSubmitted(u32, u32),
    /// An adapter raises the interrupt it has held back.
    Interrupt(u32),
    /// The host's processor has told the application.
    CpuCompleted(u32),
    /// A LUN that accepted nothing is tried again: adapter and LUN queue.
    RetryLun(u32, u32),
    /// A refused copy is sent again.
    RetryCopy(u32),
    /// The array's controller has processed a command: exchange.
    CommandProcessed(u32),
    /// The cache has served a task.
    CacheServed(u32),
    /// Something is due at a disk: array and disk.
    DiskDue(u32, u32),
    /// A device that is not a disk has served a task.
    MediaServed(u32),
    /// Something goes wrong, or right again.
    Fault(FaultEvent),
    /// Something is due in a dialogue with the services of a fabric.
    Service(ServiceEvent),
    /// A host, or an array, comes to terms with it.
    Recovery(RecoveryEvent),
    /// Write data may not have come: exchange, its number, bytes at the last look.
    DataDue(u32, u32, u32),
    /// Parity of a task is computed.
    ParityDone(u32),
    /// A write of a task is in the partner's cache too.
    PartnerCopied(u32),
    /// The next drive of a group fails: array and group.
    DriveFails(u32, u32),
    /// A step of a rebuild may begin: array, group and rebuild.
    RebuildDue(u32, u32, u32),
    /// A policy of the fabric comes into force.
    Policy(u32),
}

/// What goes wrong, or right again. Numbers are those of the plan's lists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FaultEvent {
    /// Something happens to a loop.
    Loop(u32),
    /// A link goes dark: link and outage of it.
    LinkDown(u32, u32),
    /// It is lit again.
    LinkUp(u32, u32),
    /// A cable of a trunk is pulled: link and outage of a member.
    MemberDown(u32, u32),
    /// Every switch computes its routes.
    Routes,
    /// Two N_Ports are kept apart, or joined.
    Visibility(u32),
    /// A receiver changes its pace.
    Drain(u32),
    /// Credit gets lost.
    CreditLoss(u32),
    /// A transmitter that lost credit is looked after: fibre, and its frames at the last look.
    CreditLook(u32, u64),
}

/// Steps of a dialogue with the services of a fabric, by the number of the dialogue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ServiceEvent {
    /// Its first request is sent.
    Begin(u32),
    /// A request is answered: dialogue and step.
    Answer(u32, u32),
    /// A request may have had no answer: dialogue and step.
    Overdue(u32, u32),
}

/// How hosts and arrays come to terms with faults.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RecoveryEvent {
    /// Commands of an adapter may have waited as long as they may.
    CommandsDue(u32),
    /// An ABTS may have had no answer: exchange and its number.
    AbortDue(u32, u32),
    /// A copy may have had no answer.
    CopyDue(u32, u32),
    /// The id of an aborted exchange has rested.
    Rested(u32),
    /// Hosts look which of their paths are usable.
    PathsCheck,
    /// Path, and its change: a path that is lost gives its commands up.
    PathExpired(u32, u32),
    /// Logins over a path that is back are done.
    PathReady(u32),
    /// The path checker looks at a failed path.
    PathChecked(u32, u32),
    /// A device may go back to a better group of paths.
    Failback(u32),
    /// The array has handed a LUN over.
    DeviceReady(u32),
    /// A job whose I/O failed at once goes on.
    JobPaused(u32),
}

const _: () = assert!(size_of::<Event>() == 16);
