//! Kinds of parts that files below their models name, and their addresses.

/// A switch.
pub enum Switch {}

/// A port of a switch on a loop, among the ports of all loops.
pub enum FlPort {}

/// A port of a switch, among those of that switch.
pub enum SwitchPort {}

/// The area of an address: the port of its switch (FC-SW: domain, area, port).
pub(crate) fn area_of(address: u32) -> u32 {
    address >> 8 & 0xff
}
