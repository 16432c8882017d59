//! Ranges that the engine's arithmetic and memory allow, and the words of a refusal.

use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroU64};

use crate::plan::{Plan, PlanError};

/// Latest instant: no run can last longer with any number of fibres (see [`horizon`]).
const LATEST_PS: u64 = 1 << 61;
/// Longest span. The sum of an instant and several spans stays below 2^64.
const LONGEST_PS: u64 = 1 << 60;
/// Highest data rate. At 4 TB/s a transmission word lasts one picosecond, and the order of events
/// relies on every influence having a delay.
pub(super) const FASTEST: u64 = 4_000_000_000_000;
/// Lowest data rate. At less, the time of the frames that wait for a port could exceed the clock.
pub(super) const SLOWEST: u64 = 1_000;
/// Most bins of a time series.
pub(super) const MOST_BINS: u64 = 10_000_000;
/// Most servers of a station, entries of a queue or slots of a part; each takes memory from the start.
pub(super) const MOST_SLOTS: u64 = 1 << 20;
/// Largest request or burst.
pub(super) const LARGEST_REQUEST: u64 = 1 << 30;
/// Largest LUN or region. The sum of several addresses stays below 2^64.
pub(super) const LARGEST_LUN: u64 = 1 << 60;
/// Parts per million of a whole.
pub(super) const WHOLE_PPM: u64 = 1_000_000;

/// The longest simulated time: alarms share a 64-bit word with the number of their fibre, so it is
/// 2^62 picoseconds divided by the number of fibres (3 days with eight links, half an hour with 1000).
pub(super) fn horizon(plan: &Plan) -> u64 {
    let adapters = plan.hosts.iter().flat_map(|host| &host.adapters);
    let on_buses = adapters.filter(|adapter| adapter.bus.is_some()).count();
    let fibres = (2 * plan.links.len() + plan.loops.len() + on_buses)
        .max(2)
        .next_power_of_two() as u64;
    (1 << 62) / fibres
}

/// Refuse the plan unless a condition holds.
pub(super) fn require(
    holds: bool,
    place: impl FnOnce() -> String,
    reason: impl FnOnce() -> String,
) -> Result<(), PlanError> {
    if holds {
        Ok(())
    } else {
        Err(PlanError::new(place(), reason()))
    }
}

/// Refuse an id that names nothing.
pub(super) fn known(
    id: u32,
    count: usize,
    what: &str,
    place: impl FnOnce() -> String,
) -> Result<(), PlanError> {
    require((id as usize) < count, place, || {
        format!("there is no {what} {id}")
    })
}

/// A number with a range, or a choice of one: `None` is always in range.
pub(super) trait Within {
    /// Refuse a number outside `least..=most`.
    fn within(self, least: u64, most: u64, place: impl FnOnce() -> String)
    -> Result<(), PlanError>;
}

impl Within for Option<u64> {
    fn within(
        self,
        least: u64,
        most: u64,
        place: impl FnOnce() -> String,
    ) -> Result<(), PlanError> {
        let Some(value) = self else { return Ok(()) };
        require((least..=most).contains(&value), place, || {
            out_of_range(value, least, most)
        })
    }
}

fn out_of_range(value: impl Display, least: u64, most: u64) -> String {
    format!("{value} is not in the range {least} to {most}")
}

macro_rules! within {
    ($($type:ty => $as_option:expr),+ $(,)?) => {$(
        impl Within for $type {
            fn within(
                self,
                least: u64,
                most: u64,
                place: impl FnOnce() -> String,
            ) -> Result<(), PlanError> {
                let as_option: fn($type) -> Option<u64> = $as_option;
                as_option(self).within(least, most, place)
            }
        }
    )+};
}
within! {
    u64 => Some,
    u32 => |value| Some(u64::from(value)),
    NonZeroU64 => |value| Some(value.get()),
    NonZeroU32 => |value| Some(u64::from(value.get())),
    Option<NonZeroU64> => |value| value.map(NonZeroU64::get),
    Option<NonZeroU32> => |value| value.map(|value| u64::from(value.get())),
}

/// Refuse an instant the clock cannot reach.
pub(super) fn instant(value: impl Within, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    value.within(0, LATEST_PS, place)
}

/// Refuse a span the clock cannot add.
pub(super) fn span(value: impl Within, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    value.within(0, LONGEST_PS, place)
}

/// Refuse a data rate outside the engine's range.
pub(super) fn rate(value: impl Within, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    value.within(SLOWEST, FASTEST, place)
}

/// Refuse a share above the whole.
pub(super) fn share(value: impl Within, place: impl FnOnce() -> String) -> Result<(), PlanError> {
    value.within(0, WHOLE_PPM, place)
}

/// Check several fields of one part with one check: `fields!(span, part, place; a_ps, b_ps)`.
macro_rules! fields {
    ($check:path, $part:expr, $place:expr; $($field:ident),+ $(,)?) => {{
        $($check($part.$field, || ($place)(stringify!($field)))?;)+
    }};
}
pub(super) use fields;
