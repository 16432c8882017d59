//! What a frame carries.

/// What a frame carries: the information category of FC-FS, which says nothing of the protocol above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum FrameKind {
    /// Unsolicited command.
    Command,
    /// Data descriptor: the responder asks for data.
    TransferReady,
    /// Data descriptor of the near end of a link that answers for the responder.
    EarlyReady,
    /// Solicited data.
    Data,
    /// Command status.
    Response,
    /// ABTS: the originator ends the exchange.
    Abort,
    /// BA_ACC: the responder agrees.
    AbortAccepted,
    /// A frame without an exchange above it.
    Plain,
    /// A request to a service of the fabric or to another port, or the answer: one frame each.
    Service,
}
