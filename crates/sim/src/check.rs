//! Is this plan one that can be run?
//!
//! People get their sentences from the scenario; what is refused here is our own mistake, or a plan
//! written by hand.

use sanlab_storage::BLOCK_BYTES;

use crate::build::targets_of;
use crate::drive::drive_model;
use crate::plan::{EndPlan, FORMAT, JobPlan, MediaPlan, MediumPlan, PatternPlan, Plan, StreamPlan};
use crate::{qos, storage_check};

/// Shares of a whole sum to this.
const WHOLE_PPM: u64 = 1_000_000;
/// Largest request.
const LARGEST: u64 = 1 << 30;

/// A plan that does not hold together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct PlanError {
    /// Where in the plan, `links[3].a`.
    pub place: String,
    /// What is wrong.
    pub reason: String,
}

/// The longest simulated time, set by the 64-bit words in which alarms are kept: 2^62 picoseconds
/// divided by the number of fibres, so 3 days with eight links and half an hour with 1000.
fn horizon(plan: &Plan) -> u64 {
    let adapters = plan.hosts.iter().flat_map(|host| &host.adapters);
    let on_buses = adapters.filter(|adapter| adapter.bus.is_some()).count();
    let fibres = (2 * plan.links.len() + plan.loops.len() + on_buses)
        .max(2)
        .next_power_of_two() as u64;
    (1 << 62) / fibres
}

/// The highest data rate: at 4 TB/s a transmission word lasts one picosecond. That nothing acts on
/// anything else without delay is what the order of events relies on.
const FASTEST: u64 = 4_000_000_000_000;

/// Check every reference and every range the simulator relies on.
pub fn check(plan: &Plan) -> Result<(), PlanError> {
    let checker = Checker { plan };
    checker.ranges()?;
    checker.links()?;
    checker.loops()?;
    checker.hosts()?;
    checker.arrays()?;
    checker.owners()?;
    checker.jobs()?;
    checker.traffic()?;
    qos::check(plan)
}

struct Checker<'a> {
    plan: &'a Plan,
}

fn refuse(place: impl Into<String>, reason: impl Into<String>) -> Result<(), PlanError> {
    Err(PlanError {
        place: place.into(),
        reason: reason.into(),
    })
}

pub(crate) fn require(
    holds: bool,
    place: impl Fn() -> String,
    reason: &str,
) -> Result<(), PlanError> {
    if holds {
        Ok(())
    } else {
        refuse(place(), reason)
    }
}

impl Checker<'_> {
    fn ranges(&self) -> Result<(), PlanError> {
        let plan = self.plan;
        require(
            plan.format == FORMAT,
            || "format".into(),
            "this version reads format 1",
        )?;
        let frame = plan.data_frame_bytes;
        let is_frame = (64..=2112).contains(&frame) && frame.is_multiple_of(4);
        require(
            is_frame,
            || "data_frame_bytes".into(),
            "must be 64..2112 in whole words",
        )?;
        let end = "must be above 0 and within the horizon of the event queue";
        require(
            plan.end_ps > 0 && plan.end_ps <= horizon(plan),
            || "end_ps".into(),
            end,
        )
    }

    fn n_port(&self, id: u32, place: impl Fn() -> String) -> Result<(), PlanError> {
        require(
            (id as usize) < self.plan.n_ports.len(),
            place,
            "no such N_Port",
        )
    }

    fn links(&self) -> Result<(), PlanError> {
        let mut ends = Vec::new();
        for (index, link) in self.plan.links.iter().enumerate() {
            let place = |key: &str| format!("links[{index}].{key}");
            require(
                (1..=FASTEST).contains(&link.bytes_per_s),
                || place("bytes_per_s"),
                "must be above 0, and a word lasts a picosecond at least",
            )?;
            // A cost of 0 would make a circle as short as no way at all.
            require(
                (1..=1 << 40).contains(&link.fspf_cost),
                || place("fspf_cost"),
                "must be above 0 and at most 2^40",
            )?;
            require(
                link.credit_a_to_b > 0,
                || place("credit_a_to_b"),
                "must be above 0",
            )?;
            require(
                link.credit_b_to_a > 0,
                || place("credit_b_to_a"),
                "must be above 0",
            )?;
            for (key, end) in [("a", link.a), ("b", link.b)] {
                match end {
                    EndPlan::NPort(id) => self.n_port(id, || place(key))?,
                    EndPlan::Switch { switch, port } => {
                        let known = self.plan.switches.get(switch as usize);
                        let has_port = known.is_some_and(|switch| port < switch.ports);
                        require(has_port, || place(key), "no such switch port")?;
                    }
                }
                ends.push((end, index));
            }
        }
        ends.sort_unstable();
        if let Some(pair) = ends.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return refuse(
                format!("links[{}]", pair[1].1),
                "a second link at the same port",
            );
        }
        let linked = ends
            .iter()
            .filter(|(end, _)| matches!(end, EndPlan::NPort(_)))
            .count();
        let on_loops: usize = self.plan.loops.iter().map(|of| of.ports.len()).sum();
        let sharing = self.plan.n_ports.iter().filter_map(|port| port.shares);
        for owner in sharing.clone() {
            self.n_port(owner, || "n_ports.shares".into())?;
            require(
                self.plan.n_ports[owner as usize].shares.is_none(),
                || "n_ports.shares".into(),
                "has no link of its own",
            )?;
        }
        require(
            linked + on_loops + sharing.count() == self.plan.n_ports.len(),
            || "links".into(),
            "an N_Port has no link, or more than one",
        )?;
        let mut places: Vec<_> = self.plan.loops.iter().flat_map(|of| &of.ports).collect();
        places.sort_unstable_by_key(|port| port.n_port);
        let is_twice = places
            .windows(2)
            .any(|pair| pair[0].n_port == pair[1].n_port);
        let has_link = |n_port| ends.iter().any(|(end, _)| *end == EndPlan::NPort(n_port));
        let is_linked = places.iter().any(|port| has_link(port.n_port));
        require(
            !is_twice && !is_linked,
            || "loops".into(),
            "an N_Port has a second place",
        )
    }

    fn loops(&self) -> Result<(), PlanError> {
        for (index, of) in self.plan.loops.iter().enumerate() {
            let place = |key: &str| format!("loops[{index}].{key}");
            require(
                (1..=FASTEST).contains(&of.bytes_per_s),
                || place("bytes_per_s"),
                "must be above 0, and a word lasts a picosecond at least",
            )?;
            require(
                (2..=127).contains(&of.ports.len()),
                || place("ports"),
                "a loop has 2 to 127 ports",
            )?;
            let mut seen = [false; 256];
            for port in &of.ports {
                self.n_port(port.n_port, || place("ports"))?;
                let before = std::mem::replace(&mut seen[usize::from(port.al_pa)], true);
                require(!before, || place("ports"), "two ports with one AL_PA")?;
                require(
                    port.delay_ps > 0,
                    || place("ports"),
                    "a port delays a word, if only by a picosecond",
                )?;
            }
            if let MediumPlan::Switched { crossbars, strings } = &of.medium {
                let count = crossbars.len();
                let knows = |crossbar: u32| (crossbar as usize) < count;
                let are_known = of.ports.iter().all(|port| knows(port.crossbar))
                    && strings
                        .iter()
                        .all(|it| knows(it.a) && knows(it.b) && it.links > 0);
                require(are_known, || place("medium"), "no such crossbar")?;
            }
        }
        Ok(())
    }

    fn hosts(&self) -> Result<(), PlanError> {
        for (index, host) in self.plan.hosts.iter().enumerate() {
            for (port, adapter) in host.adapters.iter().enumerate() {
                let place = |key: &str| format!("hosts[{index}].adapters[{port}].{key}");
                self.n_port(adapter.n_port, || place("n_port"))?;
                let Some(bus) = adapter.bus else { continue };
                let is_known = (bus as usize) < host.buses.len();
                require(is_known, || place("bus"), "no such bus of this host")?;
                let mut loops = self.plan.loops.iter().flat_map(|of| &of.ports);
                let is_on_loop = loops.any(|it| it.n_port == adapter.n_port);
                let reason = "a port on a loop has no bus";
                require(!is_on_loop, || place("bus"), reason)?;
            }
            for (number, bus) in host.buses.iter().enumerate() {
                let moves = (1..=FASTEST).contains(&bus.bytes_per_s) && bus.burst_bytes > 0;
                let place = || format!("hosts[{index}].buses[{number}]");
                require(moves, place, "needs a rate and a burst")?;
            }
        }
        Ok(())
    }

    fn arrays(&self) -> Result<(), PlanError> {
        for (index, array) in self.plan.arrays.iter().enumerate() {
            let place = |key: &str| format!("arrays[{index}].{key}");
            let has_ports = !array.n_ports.is_empty();
            require(has_ports, || place("n_ports"), "an array needs a port")?;
            for &n_port in &array.n_ports {
                self.n_port(n_port, || place("n_ports"))?;
            }
            require(
                array.burst_bytes > 0,
                || place("burst_bytes"),
                "must be above 0",
            )?;
            for (number, disk) in array.disks.iter().enumerate() {
                let is_known = (disk.drive as usize) < array.drives.len();
                let at = || format!("arrays[{index}].disks[{number}]");
                require(is_known, at, "no such kind of drive")?;
            }
            let mut capacities = Vec::with_capacity(array.drives.len());
            for (number, drive) in array.drives.iter().enumerate() {
                let model = drive_model(drive, &format!("arrays[{index}].drives[{number}]"))?;
                capacities.push(model.geometry.blocks() * BLOCK_BYTES);
            }
            storage_check::check(self.plan, array, &capacities, &format!("arrays[{index}]"))?;
            for (number, lun) in array.luns.iter().enumerate() {
                self.lun(lun, array, &capacities, || {
                    format!("arrays[{index}].luns[{number}]")
                })?;
            }
        }
        Ok(())
    }

    /// An N_Port belongs to one adapter or one array; traffic may use any.
    fn owners(&self) -> Result<(), PlanError> {
        let adapters = self.plan.hosts.iter().flat_map(|host| &host.adapters);
        let of_arrays = self.plan.arrays.iter().flat_map(|array| &array.n_ports);
        let back_ends = self
            .plan
            .arrays
            .iter()
            .filter_map(|array| array.back_end.as_ref());
        let of_back_ends =
            back_ends.flat_map(|it| it.initiators.iter().chain(it.disks.iter().flatten()));
        let mut is_owned = vec![false; self.plan.n_ports.len()];
        for &n_port in adapters
            .map(|adapter| &adapter.n_port)
            .chain(of_arrays)
            .chain(of_back_ends)
        {
            let before = std::mem::replace(&mut is_owned[n_port as usize], true);
            require(
                !before,
                || format!("n_ports[{n_port}]"),
                "belongs to two adapters or arrays",
            )?;
        }
        Ok(())
    }

    fn lun(
        &self,
        lun: &crate::plan::LunPlan,
        array: &crate::plan::ArrayPlan,
        capacities: &[u64],
        place: impl Fn() -> String,
    ) -> Result<(), PlanError> {
        if let MediaPlan::Stripe {
            disks,
            stripe_bytes,
            block_bytes,
            start_bytes,
        } = &lun.media
        {
            let known = disks
                .iter()
                .all(|&disk| (disk as usize) < array.disks.len());
            require(known && !disks.is_empty(), &place, "no such disk")?;
            let is_whole = *block_bytes > 0 && stripe_bytes % block_bytes == 0 && *stripe_bytes > 0;
            require(is_whole, &place, "a stripe is a whole number of blocks")?;
            let row = stripe_bytes.saturating_mul(disks.len() as u64);
            let end = lun.bytes.div_ceil(row).saturating_mul(*stripe_bytes);
            let capacity = |disk: u32| capacities[array.disks[disk as usize].drive as usize];
            let end = end.saturating_add(*start_bytes);
            let fits = disks.iter().all(|&disk| end <= capacity(disk));
            require(fits, &place, "the LUN does not fit on its disks")?;
        }
        if let Some(mirror) = &lun.mirror {
            let to = self.plan.arrays.get(mirror.array as usize);
            let there = to.is_some_and(|to| {
                to.luns
                    .get(mirror.lun as usize)
                    .is_some_and(|copy| copy.bytes >= lun.bytes && copy.mirror.is_none())
                    && to.n_ports.contains(&mirror.target_n_port)
            });
            let here = array.n_ports.contains(&mirror.source_n_port);
            require(
                there && here,
                &place,
                "the mirror's ports, LUN or size do not match, or its LUN is mirrored itself",
            )?;
        }
        Ok(())
    }

    fn jobs(&self) -> Result<(), PlanError> {
        let plan = self.plan;
        require(
            plan.workloads
                .is_sorted_by_key(|it| it.file_system.is_some()),
            || "workloads".into(),
            "those of file systems come last",
        )?;
        for (index, job) in plan.jobs.iter().enumerate() {
            let place = |key: &str| format!("jobs[{index}].{key}");
            let has_workload = (job.workload as usize) < plan.workloads.len();
            require(has_workload, || place("workload"), "no such workload")?;
            let targets = targets_of(job);
            require(!targets.is_empty(), || place("targets"), "there are none")?;
            let host = plan.hosts.get(job.host as usize);
            for target in &targets {
                let has_adapter =
                    host.is_some_and(|host| (target.adapter as usize) < host.adapters.len());
                require(has_adapter, || place("adapter"), "no such adapter")?;
                let array = plan.arrays.get(target.array as usize);
                let lun = array.and_then(|array| array.luns.get(target.lun as usize));
                let has_port =
                    array.is_some_and(|array| array.n_ports.contains(&target.target_n_port));
                require(
                    has_port,
                    || place("target_n_port"),
                    "not a port of that array",
                )?;
                let inside = lun.is_some_and(|lun| {
                    target.offset_bytes.saturating_add(target.span_bytes) <= lun.bytes
                });
                let n_port = host.map(|host| host.adapters[target.adapter as usize].n_port);
                let is_sharing = job.initiator.is_none_or(|it| {
                    let virtual_port = plan.n_ports.get(it as usize);
                    virtual_port.is_some_and(|port| port.shares == n_port)
                });
                require(
                    is_sharing,
                    || place("initiator"),
                    "shares no link with the adapter",
                )?;
                let is_allowed = lun.is_none_or(|lun| {
                    let allowed = &lun.initiators;
                    allowed.is_empty() || n_port.is_some_and(|it| allowed.contains(&it))
                });
                require(
                    is_allowed,
                    || place("lun"),
                    "the LUN is masked from this adapter",
                )?;
                require(
                    inside,
                    || place("span_bytes"),
                    "the region is not on the LUN",
                )?;
            }
            let fits = job.block_bytes > 0
                && job.block_bytes <= job.span_bytes
                && job.block_bytes <= LARGEST;
            require(
                fits,
                || place("block_bytes"),
                "must be 1 byte to 1 GiB within the region",
            )?;
            require(
                is_pattern_sound(job),
                || place("pattern"),
                "shares, sizes or regions do not hold together",
            )?;
            let uses_file_system = job.first_write || job.journal_every > 0;
            let has_file_system = match job.file_system {
                Some(of) => (of as usize) < plan.file_systems.len(),
                None => !uses_file_system,
            };
            require(
                has_file_system,
                || place("file_system"),
                "no such file system",
            )?;
            let is_paced = job.iodepth > 0 || job.interval_ps > 0;
            require(
                is_paced,
                || place("iodepth"),
                "an open loop needs an interval",
            )?;
        }
        Ok(())
    }

    fn traffic(&self) -> Result<(), PlanError> {
        for (index, traffic) in self.plan.traffic.iter().enumerate() {
            let place = |key: &str| format!("traffic[{index}].{key}");
            self.n_port(traffic.source_n_port, || place("source_n_port"))?;
            self.n_port(traffic.target_n_port, || place("target_n_port"))?;
            let is_payload = traffic.payload_bytes <= 2112;
            require(
                is_payload,
                || place("payload_bytes"),
                "a frame holds at most 2112 bytes",
            )?;
        }
        Ok(())
    }
}

fn is_pattern_sound(job: &JobPlan) -> bool {
    match &job.pattern {
        PatternPlan::Blocks => match job.volume {
            None => job.targets.is_empty(),
            Some(volume) => {
                let spans = job.targets.iter().map(|target| target.span_bytes);
                let whole: u64 = if volume.is_mirror {
                    spans.clone().min().unwrap_or(0)
                } else {
                    spans.sum()
                };
                job.span_bytes > 0 && job.offset_bytes.saturating_add(job.span_bytes) <= whole
            }
        },
        PatternPlan::Access { lines } => {
            let shares: u64 = lines.iter().map(|line| u64::from(line.share_ppm)).sum();
            let fit = lines.iter().all(|line| {
                let largest = line.bytes.max(u64::from(line.reply_bytes));
                line.bytes > 0
                    && largest <= LARGEST
                    && line.burst > 0
                    && line.align_bytes > 0
                    && job.targets.iter().all(|target| {
                        let first = target
                            .offset_bytes
                            .checked_next_multiple_of(line.align_bytes);
                        let end = target.offset_bytes + target.span_bytes;
                        target.span_bytes > 0
                            && first.is_some_and(|first| first.saturating_add(largest) <= end)
                    })
            });
            // A request of an access specification frees its slot when it is done, not after a pause.
            shares == WHOLE_PPM && fit && job.think_ps == 0
        }
        PatternPlan::Stream {
            stripe_bytes,
            requests,
        } => {
            let bytes = |index: usize| job.targets[index].span_bytes;
            let whole = (0..job.targets.len())
                .map(bytes)
                .fold(0, u64::saturating_add);
            let is_striped = *stripe_bytes > 0;
            let are_extents = (0..job.targets.len()).all(|index| {
                let even = bytes(index) == bytes(0) && bytes(0).is_multiple_of(*stripe_bytes);
                bytes(index) > 0 && (!is_striped || even)
            });
            let inside = job.offset_bytes.saturating_add(job.span_bytes) <= whole;
            are_extents && inside && is_stream_sound(requests, job)
        }
    }
}

fn is_stream_sound(requests: &StreamPlan, job: &JobPlan) -> bool {
    match requests {
        StreamPlan::Uniform { align_bytes } => *align_bytes > 0,
        StreamPlan::Walk { walkers } => {
            let leaf = 8 * sanlab_host::BLOCK_BYTES;
            *walkers > 0 && (leaf..=leaf << 32).contains(&job.span_bytes)
        }
        StreamPlan::Runs {
            runs,
            run_bytes,
            sizes,
        } => {
            let shares: u64 = sizes.iter().map(|size| u64::from(size.share_ppm)).sum();
            let fit = |bytes: u64| bytes > 0 && bytes < *run_bytes && bytes <= LARGEST;
            *runs > 0
                && *run_bytes <= job.span_bytes
                && shares == WHOLE_PPM
                && sizes.iter().all(|size| fit(size.bytes))
        }
    }
}
