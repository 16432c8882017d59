//! Whole runs of plans: one binary for all of these tests, so that it is linked once.

mod acceleration;
mod arrays;
mod cache_room;
mod controllers;
mod corners;
mod cost;
mod determinism;
mod far_faults;
mod faults;
mod file_systems;
mod fl_ports;
mod hosts;
mod laws;
mod limits;
mod loads;
mod loops;
mod mirrors;
mod order;
mod patience;
mod patterns;
mod pools;
mod qos;
mod support;
mod swarm;
mod throughput;
mod watching;
