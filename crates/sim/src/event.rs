//! What can happen above the network.

use sanlab_fabric::{Fibre, Link, Policy};
use sanlab_fc::{Exchange, Frame};
use sanlab_host::{Adapter, LunQueue};
use sanlab_kernel::Id;
use sanlab_storage::{Array, Controller, Disk, Group, Lun, Rebuild};

use crate::array::task::Task;
use crate::array::transfer::Transfer;
use crate::host::path::{HostDevice, Path};
use crate::host::request::OpenRequest;
use crate::host::running_job::RunningJob;
use crate::plan::{
    CreditLossPlan, DrainPlan, LoopFaultPlan, MemberOutagePlan, OutagePlan, VisibilityPlan,
};
use crate::services::state::{Dialogue, Step};

/// An entry of the agenda. It names the parts that it concerns.
///
/// It is moved at every step of the agenda's heap: 16 bytes, so what is nested here holds two ids.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A job starts.
    JobStart(Id<RunningJob>),
    /// The time of a paced request has come.
    JobDue(Id<RunningJob>),
    /// The pause after a completion is over.
    JobSlotFree(Id<RunningJob>),
    /// The pause before a burst of an access specification is over.
    JobWake(Id<RunningJob>),
    /// The wish for blocks of a write has come to who allocates them.
    AllocationAsked(Id<OpenRequest>),
    /// The host has the token of its file: the request goes on.
    TokenGranted(Id<OpenRequest>),
    /// The blocks of a write are allocated.
    Allocated(Id<OpenRequest>),
    /// The host's processor has issued a request.
    CpuSubmitted(Id<OpenRequest>),
    /// The adapter's engine has started a command.
    EngineSubmitted(Id<OpenRequest>),
    /// The near end of an accelerated link has sent the command of a write over this fibre.
    WriteSeen(Id<Exchange>, Id<Fibre>),
    /// An end of an accelerated link has all of a frame that it takes out.
    TakenOut(Id<Frame>),
    /// The last frame of an information unit has arrived.
    Arrived(Id<Frame>),
    /// The adapter's engine has finished a command.
    EngineCompleted(Id<OpenRequest>),
    /// The adapter's engine has taken in an XFER_RDY: exchange, and where its data begin.
    TransferSubmitted(Id<Exchange>, u32),
    /// An adapter raises the interrupt it has held back.
    Interrupt(Id<Adapter>),
    /// The host's processor has told the application.
    CpuCompleted(Id<OpenRequest>),
    /// A LUN that accepted nothing is tried again: adapter and LUN queue.
    RetryLun(Id<Adapter>, Id<LunQueue>),
    /// A suspended mirror goes on.
    MirrorResumes(Id<Array>, Id<Lun>),
    /// A region that a mirror lacks may be copied, as far as its rate is concerned.
    RegionDue(Id<Array>, Id<Lun>),
    /// A refused copy is sent again.
    RetryCopy(Id<Transfer>),
    /// A command has waited for the limits of its LUN and host: exchange and its number.
    LimitPassed(Id<Exchange>, u32),
    /// A controller has processed a command: exchange, controller, and how often that had failed.
    CommandProcessed(Id<Exchange>, Id<Controller>, u32),
    /// A controller has passed a command on to another: the same.
    CommandForwarded(Id<Exchange>, Id<Controller>, u32),
    /// The cache has served a task.
    CacheServed(Id<Task>),
    /// A cache may have something to destage: array and the controller it is of.
    CacheDue(Id<Array>, Id<Controller>),
    /// Something is due at a disk: array and disk.
    DiskDue(Id<Array>, Id<Disk>),
    /// A device that is not a disk has served a task.
    MediaServed(Id<Task>),
    /// Something goes wrong, or right again.
    Fault(FaultEvent),
    /// Something is due in a dialogue with the services of a fabric.
    Service(ServiceEvent),
    /// A host, or an array, comes to terms with it.
    Recovery(RecoveryEvent),
    /// Write data may not have come: exchange, its number, bytes at the last look.
    DataDue(Id<Exchange>, u32, u32),
    /// Parity of a task is computed.
    ParityDone(Id<Task>),
    /// A copy of a write may be in the partner's cache: array and the controller that copied.
    PartnerCopied(Id<Array>, Id<Controller>),
    /// The next drive of a group fails: array and group.
    DriveFails(Id<Array>, Id<Group>),
    /// A step of a rebuild may begin: array, group and rebuild.
    RebuildDue(Id<Array>, Id<Group>, Id<Rebuild>),
    /// A policy of the fabric comes into force.
    Policy(Id<Policy>),
}

/// What goes wrong, or right again. Ids are those of the plan's lists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FaultEvent {
    /// Something happens to a loop.
    Loop(Id<LoopFaultPlan>),
    /// A link goes dark: link and outage of it.
    LinkDown(Id<Link>, Id<OutagePlan>),
    /// It is lit again.
    LinkUp(Id<Link>, Id<OutagePlan>),
    /// A cable of a trunk is pulled: link and outage of a member.
    MemberDown(Id<Link>, Id<MemberOutagePlan>),
    /// Every switch computes its routes.
    Routes,
    /// Two N_Ports are kept apart, or joined.
    Visibility(Id<VisibilityPlan>),
    /// A receiver changes its pace.
    Drain(Id<DrainPlan>),
    /// Credit gets lost.
    CreditLoss(Id<CreditLossPlan>),
    /// A controller of an array fails.
    ControllerFails(Id<Array>, Id<Controller>),
    /// It works again.
    ControllerBack(Id<Array>, Id<Controller>),
    /// Its LUNs begin to go back to it.
    GiveBack(Id<Array>, Id<Controller>),
    /// LUNs of an array have gone over to another controller.
    TakenOver(Id<Array>),
    /// A transmitter that lost credit is looked after: fibre, and its frames at the last look.
    CreditLook(Id<Fibre>, u64),
}

/// Steps of a dialogue with the services of a fabric.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ServiceEvent {
    /// Its first request is sent.
    Begin(Id<Dialogue>),
    /// A request is answered.
    Answer(Id<Step>),
    /// A request may have had no answer.
    Overdue(Id<Step>),
}

/// How hosts and arrays come to terms with faults.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RecoveryEvent {
    /// Commands of an adapter may have waited as long as they may.
    CommandsDue(Id<Adapter>),
    /// An ABTS may have had no answer: exchange and its number.
    AbortDue(Id<Exchange>, u32),
    /// A copy may have had no answer.
    CopyDue(Id<Exchange>, u32),
    /// The id of an aborted exchange has rested.
    Rested(Id<Exchange>),
    /// Hosts look which of their paths are usable.
    PathsCheck,
    /// Path, and its change: a path that is lost gives its commands up.
    PathExpired(Id<Path>, u32),
    /// Logins over a path that is back are done.
    PathReady(Id<Path>),
    /// The path checker looks at a failed path.
    PathChecked(Id<Path>, u32),
    /// A device may go back to a better group of paths.
    Failback(Id<HostDevice>),
    /// Hosts learn of the states of their paths to an array.
    PathStates(Id<Array>),
    /// A job whose I/O failed at once goes on.
    JobPaused(Id<RunningJob>),
}

const _: () = assert!(size_of::<Event>() == 16);
