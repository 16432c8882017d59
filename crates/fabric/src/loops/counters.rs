//! What a loop counts.

use sanlab_kernel::Span;

/// Counters of one loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounters {
    /// Circuits opened.
    pub tenancies: u64,
    /// Time from the win to the end of the circuit, summed over tenancies. On a switched loop several
    /// run at once.
    pub owned: Span,
    /// Time between two tenancies in which a port wanted the loop: arbitration.
    pub arbitrating: Span,
    /// Time of frames with their gaps, summed over both directions.
    pub sending: Span,
}

/// Counters of one string between two crossbars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StringCounters {
    /// Circuits that went by it.
    pub circuits: u64,
    /// Time its links were taken, summed over them.
    pub held: Span,
    /// Most links taken at once.
    pub most_held: u32,
}
