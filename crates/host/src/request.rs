//! What a job asks for next.

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Read or write.
    pub is_read: bool,
    /// Which of the job's LUNs.
    pub target: u32,
    /// First byte on the LUN.
    pub address: u64,
    /// Length.
    pub bytes: u64,
    /// A transfer of this size in the opposite direction follows it; 0 makes none.
    pub reply_bytes: u32,
}
