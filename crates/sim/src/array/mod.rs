//! The array's side of a command: controller, cache, RAID groups, drives.

mod back_end;
mod pages;
mod raid;
mod target;
