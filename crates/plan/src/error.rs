//! What is wrong with a plan.

/// A plan that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct PlanError {
    /// Field of the plan, `links[3].a`.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}

impl PlanError {
    /// An error at a field.
    pub fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            reason: reason.into(),
        }
    }
}
