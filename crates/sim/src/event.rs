//! What can happen above the network.

/// An entry of the agenda. Ids are those of the part it concerns.
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
    /// The host's processor has issued a request.
    CpuSubmitted(u32),
    /// The adapter's engine has started a command.
    EngineSubmitted(u32),
    /// The last frame of an information unit has arrived.
    Arrived(u32),
    /// The adapter's engine has finished a command.
    EngineCompleted(u32),
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
    /// Something happens to a loop.
    LoopFault(u32),
    /// A command has waited for its answer as long as it may: request and number of the command.
    CommandTimeout(u32, u32),
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
