//! The array's side of a command.
//!
//! State lies below: [`state`] with [`task`] and `transfer`. Handlers act on it in the order of a
//! command's way: `target` with `controllers`; `cache` or `pages`, and `mirror`; `media` and `groups`; `disks`, with
//! `transfers` where disks are on loops; `answer`. `rebuild` and `recovery` act when something fails.

mod answer;
mod cache;
mod controllers;
mod disks;
mod groups;
mod held;
mod media;
mod mirror;
mod pages;
mod rebuild;
mod recovery;
mod room;
pub(crate) mod state;
mod target;
pub(crate) mod task;
pub(crate) mod transfer;
mod transfers;
