//! What a job asks for next.

use sanlab_kernel::Id;

/// A LUN of a job, among its own.
#[derive(Debug)]
pub enum Target {}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Read or write.
    pub is_read: bool,
    /// Which of the job's LUNs.
    pub target: Id<Target>,
    /// First byte on the LUN.
    pub address: u64,
    /// Length.
    pub bytes: u64,
    /// A transfer of this size in the opposite direction follows it; 0 makes none.
    pub reply_bytes: u32,
}
