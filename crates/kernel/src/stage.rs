//! Where a request's time goes.

use crate::{Instant, Span};

/// A part of the way of an I/O. Every instant between its submission and its completion belongs to
/// exactly one stage of its critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Stage {
    /// Processor of the host, waiting included, on the way out and on the way in.
    HostCpu,
    /// A file system allocates blocks, waiting and messages included.
    FileSystem,
    /// Waiting for the LUN's queue depth or the adapter's execution throttle.
    LunQueue,
    /// Engine of the adapter, waiting included.
    Hba,
    /// I/O bus of the host, waiting included, as far as nothing else was being waited for.
    Bus,
    /// In an N_Port behind frames of others.
    TxQueue,
    /// For an arbitrated loop: arbitration, opening, and the circuits of others.
    Loop,
    /// Some transmitter on the way had a frame of it to send and no BB credit.
    CreditWait,
    /// Bits on fibres: serialisation and propagation.
    Wire,
    /// In switches: forwarding latency and waiting for an output.
    Switch,
    /// After a fault: waiting for a path, a time-out, an abort or another path.
    Recovery,
    /// Refused with TASK SET FULL and waiting to be sent again.
    TaskSet,
    /// Waiting for a limit that the array sets for the LUN or the host.
    Limit,
    /// Processor of the array, waiting included.
    Controller,
    /// Cache of the array, waiting for space included.
    Cache,
    /// Waiting for a disk.
    DiskQueue,
    /// Command overhead and arm movement of a disk.
    Seek,
    /// Waiting for the sector to come round.
    Rotation,
    /// Bits to or from the platter.
    Transfer,
    /// Computing parity, and waiting for a stripe that another write has.
    Parity,
    /// A device that is not a disk, waiting included.
    Media,
    /// Copy to another array, and waiting for a free place among the outstanding copies.
    Mirror,
    /// The adapter holds its interrupt back, to raise one for several answers.
    Interrupt,
}

/// Number of stages.
pub const STAGE_COUNT: usize = 23;

impl Stage {
    /// All, in the order of the path.
    pub const ALL: [Self; STAGE_COUNT] = [
        Self::HostCpu,
        Self::FileSystem,
        Self::LunQueue,
        Self::Hba,
        Self::Bus,
        Self::TxQueue,
        Self::Loop,
        Self::CreditWait,
        Self::Wire,
        Self::Switch,
        Self::Recovery,
        Self::TaskSet,
        Self::Limit,
        Self::Controller,
        Self::Cache,
        Self::DiskQueue,
        Self::Seek,
        Self::Rotation,
        Self::Transfer,
        Self::Parity,
        Self::Media,
        Self::Mirror,
        Self::Interrupt,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        self.column().trim_end_matches("_ps")
    }

    /// The column of its time in tables.
    pub fn column(self) -> &'static str {
        match self {
            Self::HostCpu => "host_cpu_ps",
            Self::FileSystem => "file_system_ps",
            Self::LunQueue => "lun_queue_ps",
            Self::Hba => "hba_ps",
            Self::Bus => "bus_ps",
            Self::TxQueue => "tx_queue_ps",
            Self::Loop => "loop_ps",
            Self::CreditWait => "credit_wait_ps",
            Self::Wire => "wire_ps",
            Self::Switch => "switch_ps",
            Self::Recovery => "recovery_ps",
            Self::TaskSet => "task_set_ps",
            Self::Limit => "limit_ps",
            Self::Controller => "controller_ps",
            Self::Cache => "cache_ps",
            Self::DiskQueue => "disk_queue_ps",
            Self::Seek => "seek_ps",
            Self::Rotation => "rotation_ps",
            Self::Transfer => "transfer_ps",
            Self::Parity => "parity_ps",
            Self::Media => "media_ps",
            Self::Mirror => "mirror_ps",
            Self::Interrupt => "interrupt_ps",
        }
    }
}

/// The stages of one request so far, and the instant up to which they are recorded.
///
/// In this order, and aligned to cache lines: what every telling changes is in one of them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Timeline {
    told_to: Instant,
    /// A bit for each stage that may have time: of all stages a request meets a few.
    told: u32,
    /// When the request began.
    pub began_at: Instant,
    stages: [Span; STAGE_COUNT],
}

const _: () = assert!(STAGE_COUNT <= 32);

impl Timeline {
    /// A request that begins now.
    pub fn begin(now: Instant) -> Self {
        Self {
            began_at: now,
            told_to: now,
            told: 0,
            stages: [Span::ZERO; STAGE_COUNT],
        }
    }

    /// The time since the last telling belongs to this stage.
    #[inline]
    pub fn until(&mut self, now: Instant, stage: Stage) {
        self.told |= 1 << stage as u32;
        self.stages[stage as usize] += now.saturating_since(self.told_to);
        self.told_to = self.told_to.max(now);
    }

    /// A part of the time since the last telling, known to be this long, belongs to this stage;
    /// never more than there is.
    #[inline]
    pub fn for_span(&mut self, span: Span, until_at_most: Instant, stage: Stage) {
        let span = span.min(until_at_most.saturating_since(self.told_to));
        self.told |= 1 << stage as u32;
        self.stages[stage as usize] += span;
        self.told_to += span;
    }

    /// Removes the time recorded beyond `now`, for frames whose departure a fault has prevented.
    pub fn rewind(&mut self, now: Instant) {
        let mut beyond = self.told_to.saturating_since(now);
        self.told_to -= beyond;
        for stage in [
            Stage::Wire,
            Stage::Switch,
            Stage::CreditWait,
            Stage::Loop,
            Stage::TxQueue,
        ] {
            let taken = beyond.min(self.stages[stage as usize]);
            self.stages[stage as usize] -= taken;
            beyond -= taken;
        }
    }

    /// Time recorded for each stage.
    pub fn stages(&self) -> &[Span; STAGE_COUNT] {
        &self.stages
    }

    /// The stages with time, in their order, each with its number.
    #[inline]
    pub fn told(&self) -> impl Iterator<Item = (usize, Span)> + '_ {
        let mut left = self.told;
        std::iter::from_fn(move || {
            let stage = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            self.stages.get(stage).map(|&span| (stage, span))
        })
    }

    /// The instant up to which the time is recorded.
    pub fn told_to(&self) -> Instant {
        self.told_to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn stages_sum_to_the_span() {
        let mut timeline = Timeline::begin(at(100));
        timeline.until(at(150), Stage::HostCpu);
        timeline.for_span(Span::from_ps(30), at(200), Stage::Wire);
        timeline.for_span(Span::from_ps(90), at(200), Stage::Switch); // only 20 are left
        timeline.until(at(210), Stage::Hba);
        assert_eq!(timeline.stages().iter().sum::<Span>(), Span::from_ps(110));
        assert_eq!(timeline.stages()[Stage::Switch as usize], Span::from_ps(20));
        let told: Vec<_> = timeline.told().collect();
        let stages = [
            (Stage::HostCpu, 50),
            (Stage::Hba, 10),
            (Stage::Wire, 30),
            (Stage::Switch, 20),
        ];
        assert_eq!(
            told,
            stages.map(|(stage, ps)| (stage as usize, Span::from_ps(ps)))
        );
    }

    #[test]
    fn what_was_told_ahead_is_taken_back() {
        let mut timeline = Timeline::begin(at(100));
        timeline.until(at(150), Stage::Loop);
        timeline.until(at(180), Stage::Wire);
        timeline.rewind(at(140));
        assert_eq!(timeline.told_to(), at(140));
        timeline.until(at(200), Stage::Recovery);
        assert_eq!(timeline.stages().iter().sum::<Span>(), Span::from_ps(100));
    }

    #[test]
    fn names_follow_the_order_of_the_path() {
        for (index, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, index);
        }
    }
}
