//! Limits of commands and data, as token buckets.

use sanlab_kernel::{Id, IdVec, Instant, MaybeId, Rate, Span};

use crate::elsewhere::Port;
use crate::parts::Lun;

/// A token bucket, described by the time at which it would be full if nothing more came. A command may pass
/// once that time is within the burst, and moves it on by its tokens. Commands pass in the order of arrival.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    rate: Rate,
    full_at: Instant,
}

impl Bucket {
    fn new(rate: Rate) -> Self {
        Self {
            rate,
            full_at: Instant::START,
        }
    }

    fn take(&mut self, at: Instant, tokens: u64) {
        self.full_at = self.full_at.max(at) + self.rate.time_for(tokens);
    }
}

/// A limit of a LUN or of a host.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    commands: Option<Bucket>,
    bytes: Option<Bucket>,
    burst: Span,
    /// What it has done.
    pub counters: LimitCounters,
}

/// What a limit has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitCounters {
    /// Commands it counted.
    pub commands: u64,
    /// Their data.
    pub bytes: u64,
    /// Commands that waited for it.
    pub delayed: u64,
    /// Time they wait, in picoseconds, counted when they come.
    pub waits: u128,
}

/// The limits of an array.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// All of them.
    pub all: IdVec<Limit>,
    /// That of each LUN.
    pub of_luns: IdVec<Lun, MaybeId<Limit>>,
    /// That of the host of each N_Port.
    pub of_ports: IdVec<Port, MaybeId<Limit>>,
}

impl Limit {
    /// A limit of commands and bytes per second. An unused one keeps the tokens of the burst.
    pub fn new(commands: Option<Rate>, bytes: Option<Rate>, burst: Span) -> Self {
        Self {
            commands: commands.map(Bucket::new),
            bytes: bytes.map(Bucket::new),
            burst,
            counters: LimitCounters::default(),
        }
    }

    /// When a command may pass that comes now.
    fn passes_at(&self, now: Instant) -> Instant {
        let buckets = self.commands.iter().chain(&self.bytes);
        let full_at = buckets.map(|bucket| bucket.full_at).max();
        full_at.map_or(now, |at| at.saturating_sub(self.burst).max(now))
    }

    fn take(&mut self, at: Instant, bytes: u64) {
        if let Some(bucket) = &mut self.commands {
            bucket.take(at, 1);
        }
        if let Some(bucket) = &mut self.bytes {
            bucket.take(at, bytes);
        }
        self.counters.commands += 1;
        self.counters.bytes += bytes;
    }
}

impl Limits {
    /// When a command may pass the limits of its LUN and its host.
    pub(crate) fn pass(
        &mut self,
        now: Instant,
        lun: Id<Lun>,
        initiator: Id<Port>,
        bytes: u64,
    ) -> Instant {
        let both = [self.of_luns[lun].get(), self.of_ports[initiator].get()];
        let passes_at = |id: Option<Id<Limit>>| id.map_or(now, |id| self.all[id].passes_at(now));
        let [of_lun, of_host] = both.map(passes_at);
        let at = of_lun.max(of_host);
        // The later one holds it up; the LUN's where both do.
        let holding = if of_lun < of_host { both[1] } else { both[0] };
        if let Some(id) = holding.filter(|_| at > now) {
            let counters = &mut self.all[id].counters;
            counters.delayed += 1;
            counters.waits += u128::from((at - now).as_ps());
        }
        for id in both.into_iter().flatten() {
            self.all[id].take(at, bytes);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_us(time: u64) -> Instant {
        Instant::from_ps(time * 1_000_000)
    }

    fn limits(of: [Limit; 2]) -> Limits {
        Limits {
            all: of.into_iter().collect(),
            of_luns: [MaybeId::from(Id::new(0)), MaybeId::NONE]
                .into_iter()
                .collect(),
            of_ports: [MaybeId::NONE, MaybeId::from(Id::new(1))]
                .into_iter()
                .collect(),
        }
    }

    /// A thousand commands per second: after a burst of five and one, each millisecond one.
    #[test]
    fn commands_pass_at_the_rate_after_the_burst() {
        let rate = Some(Rate::from_bytes_per_s(1000));
        let limit = Limit::new(rate, None, Span::from_ps(5_000_000_000));
        let mut limits = limits([limit, limit]);
        let mut pass = |now| limits.pass(now, Id::new(0), Id::new(0), 4096);
        let passed: Vec<_> = (0..8).map(|_| pass(at_us(0))).collect();
        let expected = [0, 0, 0, 0, 0, 0, 1000, 2000].map(at_us);
        assert_eq!(passed, expected);
        assert_eq!(pass(at_us(2500)), at_us(3000));
        assert_eq!(limits.all[Id::new(0)].counters.delayed, 3);
        assert_eq!(limits.all[Id::new(1)].counters, LimitCounters::default());
    }

    /// Below both limits nothing waits; above one, that one is named.
    #[test]
    fn the_later_of_two_limits_holds_a_command_up() {
        let of_lun = Limit::new(Some(Rate::from_bytes_per_s(1000)), None, Span::ZERO);
        let of_host = Limit::new(None, Some(Rate::from_bytes_per_s(1_000_000)), Span::ZERO);
        let mut limits = limits([of_lun, of_host]);
        let mut pass = |lun, now| limits.pass(now, Id::new(lun), Id::new(1), 4000);
        assert_eq!(pass(0, at_us(0)), at_us(0));
        assert_eq!(pass(1, at_us(5000)), at_us(5000));
        assert_eq!(pass(0, at_us(6000)), at_us(9000));
        let delayed = limits.all.iter().map(|limit| limit.counters.delayed);
        assert_eq!(delayed.collect::<Vec<_>>(), [0, 1]);
    }
}
