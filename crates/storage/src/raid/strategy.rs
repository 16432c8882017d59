//! How a write brings parity up to date.

/// How parity is brought up to date where a row is not written whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteStrategy {
    /// Whichever of the two takes fewer reads; reconstruct-write where they are alike.
    #[default]
    FewerOperations,
    /// Read old data and old parity; where a lost disk forbids it, the other.
    ReadModifyWrite,
    /// Read the data that stay; where a lost disk forbids it, the other.
    ReconstructWrite,
}
