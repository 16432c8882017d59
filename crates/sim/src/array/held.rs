//! Commands that wait until their LUN has gone over to another controller.

use sanlab_fc::Exchange;
use sanlab_kernel::Id;

/// What a command that waits for a takeover does when it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It goes to the controller that serves its LUN then.
    Serve,
    /// All its data are here: they are stored.
    Write,
}

/// A command that waits until its LUN has gone over to another controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(super) exchange: Id<Exchange>,
    pub(super) step: Step,
}
