//! Services of the fabric: logins, name server, notices.

mod dialogues;
mod parties;
pub(crate) mod state;
