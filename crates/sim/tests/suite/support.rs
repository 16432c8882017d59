//! Plans in a few words, and questions to what they gave.

#![allow(dead_code, reason = "every test file uses its own part of this")]
#![allow(clippy::cast_possible_truncation, reason = "small numbers of a test")]

use proptest::prelude::ProptestConfig;
use std::num::{NonZeroU32, NonZeroU64};

use sanlab_metrics::Column;
use sanlab_sim::plan::{
    AdapterPlan, AddressPlan, ArrayPlan, ArrivalsPlan, BufferPlan, BusPlan, ControllerPlan,
    DeparturePlan, Distribution, DrivePlan, EndPlan, EnginePlan, FORMAT, FailoverPlan, FaultsPlan,
    FileSystemUsePlan, HostPlan, InterfacePlan, Interleave, JobPlan, LinkPlan, LoopPlan,
    LoopPortPlan, LunPlan, MappingPlan, MediaPlan, MediumPlan, NPortPlan, OverheadsPlan, PathPlan,
    PatternPlan, Plan, Ppm, ReadAheadPlan, RequestedPlan, RotationPlan, RoutePolicy,
    SchedulingPlan, SeekPlan, SparingPlan, SubmissionPlan, SwitchPlan, TargetPlan, TrafficPlan,
    WorkloadPlan, WriteCachePlan, ZonePlan,
};
use sanlab_sim::{Control, Outcome, RunError, RunOptions, run};

/// Settings of a property test: `PROPTEST_CASES` cases, or the usual number where it is not set.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.map_or(usual, |cases| cases.parse().expect("a number of cases")),
        failure_persistence: None,
        // A failing case is reported within a minute, whether or not it could be made small.
        max_shrink_time: 60_000,
        ..ProptestConfig::default()
    }
}

pub const NS: u64 = 1_000;
pub const US: u64 = 1_000_000;
pub const MS: u64 = 1_000_000_000;
pub const SECOND: u64 = 1_000_000_000_000;

/// Columns in which two outcomes differ, as text; nothing if they are the same.
pub fn differences(fast: &Outcome, slow: &Outcome) -> String {
    let tables = fast.tables.iter().zip(&slow.tables);
    let columns = tables.flat_map(|(fast, slow)| {
        let pairs = fast.columns.iter().zip(&slow.columns);
        pairs
            .filter(|(fast, slow)| fast != slow)
            .map(|(fast, slow)| {
                format!(
                    "{}: {:?} is {:?} in the reference\n",
                    fast.0, fast.1, slow.1
                )
            })
    });
    columns.collect()
}

/// A transmission word at 2GFC.
pub const WORD_2GFC: u64 = 18_824;

/// Data rates of the generations up to 256GFC, in bytes per second.
pub const GENERATIONS: [(&str, u64); 9] = [
    ("1GFC", 106_250_000),
    ("2GFC", 212_500_000),
    ("4GFC", 425_000_000),
    ("8GFC", 850_000_000),
    ("16GFC", 1_700_000_000),
    ("32GFC", 3_400_000_000),
    ("64GFC", 6_800_000_000),
    ("128GFC", 13_200_000_000),
    ("256GFC", 26_400_000_000),
];

/// A number that is not 0.
#[track_caller]
pub const fn n32(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("a number above 0")
}

/// A number that is not 0.
#[track_caller]
pub const fn n64(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("a number above 0")
}

/// Arrivals at a constant interval.
pub fn constant(interval_ps: NonZeroU64) -> ArrivalsPlan {
    ArrivalsPlan {
        interval_ps,
        distribution: Distribution::Constant,
    }
}

/// Poisson arrivals with this mean interval.
pub fn poisson(interval_ps: NonZeroU64) -> ArrivalsPlan {
    ArrivalsPlan {
        interval_ps,
        distribution: Distribution::Exponential,
    }
}

/// Uniform random addresses, or adjacent blocks.
pub fn addresses(are_random: bool) -> AddressPlan {
    if are_random {
        AddressPlan::Uniform {}
    } else {
        AddressPlan::Sequential {}
    }
}

/// Why the text of a plan is refused once a value, named by its JSON pointer, is another.
#[track_caller]
pub fn refused_text(plan: &Plan, pointer: &str, value: serde_json::Value) -> String {
    let mut text = serde_json::to_value(plan).expect("a plan is plain data");
    *text.pointer_mut(pointer).expect("a value of the plan") = value;
    let error = Plan::from_json(&text.to_string()).expect_err(pointer);
    error.to_string()
}

/// Give a job whose blocks are on one LUN another region of it.
pub fn region(job: &mut JobPlan, offset_bytes: u64, span_bytes: u64) {
    (job.offset_bytes, job.span_bytes) = (offset_bytes, span_bytes);
    let target = &mut job.targets[0];
    (target.offset_bytes, target.span_bytes) = (offset_bytes, span_bytes);
}

/// A plan that grows part by part. Costs are 0 by default.
#[derive(Clone, Debug)]
pub struct San {
    pub plan: Plan,
    next_port: Vec<u32>,
}

/// A link: rate in bytes per second, propagation, credit in both directions, gap of 24 bytes.
#[derive(Clone, Copy)]
pub struct Cable {
    pub bytes_per_s: u64,
    pub delay: u64,
    pub credit: u32,
    pub gap: u32,
}

impl Cable {
    pub fn new(bytes_per_s: u64, delay: u64, credit: u32) -> Self {
        Self {
            bytes_per_s,
            delay,
            credit,
            gap: 24,
        }
    }
}

/// An end to link.
#[derive(Clone, Copy)]
pub enum At {
    NPort(u32),
    Switch(u32),
}

impl San {
    pub fn new(end: u64) -> Self {
        let plan = Plan {
            format: FORMAT,
            title: "test".into(),
            seed: 1,
            end_ps: end,
            interval_ps: None,
            data_frame_bytes: 2048,
            n_ports: vec![],
            switches: vec![],
            links: vec![],
            loops: vec![],
            loop_faults: vec![],
            faults: FaultsPlan::none(),
            hosts: vec![],
            arrays: vec![],
            workloads: vec![],
            phases: vec![],
            jobs: vec![],
            services: None,
            file_systems: Vec::new(),
            traffic: vec![],
            qos: vec![],
            r_rdy_waits: false,
        };
        Self {
            plan,
            next_port: vec![],
        }
    }

    pub fn n_port(&mut self, name: &str) -> u32 {
        let id = self.plan.n_ports.len() as u32;
        self.plan.n_ports.push(NPortPlan {
            name: name.into(),
            node: name.into(),
            fc_id: 0x01_0000 + id,
            wwpn: u64::from(id),
            tx_buffers: 1,
            class3_sequences: 255,
            interleave: Interleave::Sequence,
            rx_hold_ps: 0,
            drain_bytes_per_s: None,
            shares: None,
        });
        id
    }

    pub fn switch(&mut self, latency: u64, cut_through: bool, routing: RoutePolicy) -> At {
        let id = self.plan.switches.len() as u32;
        self.plan.switches.push(SwitchPlan {
            name: format!("sw{id}"),
            domain: id + 1,
            forwarding_ps: latency,
            cut_through,
            routing,
            ports: 0,
            classes: None,
            edge_hold_ps: None,
            core_hold_ps: None,
            no_credit_drop_ps: None,
        });
        self.next_port.push(0);
        At::Switch(id)
    }

    pub fn link(&mut self, a: At, b: At, cable: Cable) -> usize {
        let a = self.end(a);
        let b = self.end(b);
        self.plan.links.push(LinkPlan {
            a,
            b,
            speed: "test".into(),
            bytes_per_s: n64(cable.bytes_per_s),
            gap_bytes: cable.gap,
            delay_ps: cable.delay,
            credit_a_to_b: n32(cable.credit),
            credit_b_to_a: n32(cable.credit),
            fspf_cost: n64(1_062_500_000_000 / cable.bytes_per_s),
            outages: vec![],
            member_outages: vec![],
            bit_error_interval: None,
            members: n32(1),
            virtual_channels: vec![],
            write_acceleration_bytes: None,
        });
        self.plan.links.len() - 1
    }

    fn end(&mut self, at: At) -> EndPlan {
        match at {
            At::NPort(id) => EndPlan::NPort { n_port: id },
            At::Switch(switch) => {
                let port = self.next_port[switch as usize];
                self.next_port[switch as usize] += 1;
                self.plan.switches[switch as usize].ports = port + 1;
                EndPlan::Switch { switch, port }
            }
        }
    }

    /// A host with one adapter; returns its N_Port.
    pub fn host(&mut self, name: &str) -> u32 {
        let n_port = self.n_port(name);
        self.plan.hosts.push(HostPlan {
            name: name.into(),
            cores: n32(1),
            cpu_submit_ps: 0,
            cpu_complete_ps: 0,
            cpu_command_ps: 0,
            cpu_interrupt_ps: 0,
            max_request_bytes: None,
            submission: SubmissionPlan::Together,
            buses: vec![],
            engines: vec![EnginePlan::ideal(name)],
            adapters: vec![AdapterPlan::ideal(n_port)],
            multipath: None,
        });
        n_port
    }

    /// An array of one port with one LUN of memory; returns its N_Port.
    pub fn array(&mut self, name: &str, service: u64, distribution: Distribution) -> u32 {
        let n_port = self.n_port(name);
        self.plan.arrays.push(ArrayPlan {
            name: name.into(),
            n_ports: vec![n_port],
            controllers: vec![ControllerPlan {
                name: name.into(),
                n_ports: vec![n_port],
                processors: n32(1),
                outages: vec![],
            }],
            failover: FailoverPlan::none(),
            command_ps: 0,
            burst_bytes: n32(1 << 30),
            first_burst_bytes: None,
            open_bursts: None,
            port_queue_depth: n32(65_535),
            cache: None,
            drives: vec![],
            ssds: vec![],
            disks: vec![],
            groups: vec![],
            parity_bytes_per_s: None,
            back_end: None,
            limits: vec![],
            luns: vec![LunPlan {
                name: format!("{name}.lun0"),
                number: 0,
                bytes: 1 << 34,
                queue_depth: n32(65_535),
                owner: None,
                media: MediaPlan::Memory {
                    service_ps: service,
                    distribution,
                    spread: Ppm::default(),
                    variation: Ppm::default(),
                    servers: n32(1),
                },
                mirror: None,
                initiators: None,
            }],
        });
        n_port
    }

    /// A job of host `host` on the first LUN of array `array`; to be changed by the caller.
    pub fn job(&mut self, host: u32, array: u32, bytes: u64, iodepth: u32) -> &mut JobPlan {
        let number = self.plan.jobs.len();
        self.plan.workloads.push(WorkloadPlan {
            file_system: None,
            name: format!("work{number}"),
            after: vec![],
        });
        self.plan.jobs.push(JobPlan {
            name: format!("job{number}"),
            workload: number as u32,
            host,
            targets: vec![TargetPlan {
                array,
                lun: 0,
                offset_bytes: 0,
                span_bytes: 1 << 30,
                paths: vec![PathPlan {
                    adapter: 0,
                    target_n_port: self.plan.arrays[array as usize].n_ports[0],
                    group: 0,
                }],
            }],
            initiator: None,
            offset_bytes: 0,
            span_bytes: 1 << 30,
            read_ppm: 1_000_000,
            block_bytes: n64(bytes),
            addresses: AddressPlan::Uniform {},
            iodepth: NonZeroU32::new(iodepth),
            total_bytes: None,
            start_ps: 0,
            ramp_ps: 0,
            stop_ps: None,
            arrivals: None,
            load: None,
            think_ps: 0,
            pattern: PatternPlan::Blocks {},
            volume: None,
            file_system: None,
        });
        &mut self.plan.jobs[number]
    }

    /// A job like the first that writes the log of file system 0, a buffer of 32 KiB after so many
    /// allocations. No application's job may come after it.
    pub fn journal(&mut self, every: u32) -> &mut JobPlan {
        let mut journal = self.plan.jobs[0].clone();
        journal.name = "fs/log".into();
        journal.workload = self.plan.workloads.len() as u32;
        journal.block_bytes = n64(32_768);
        journal.read_ppm = 0;
        journal.total_bytes = None;
        journal.arrivals = None;
        journal.load = None;
        journal.think_ps = 0;
        journal.file_system = Some(FileSystemUsePlan::Journal {
            file_system: 0,
            every: n32(every),
        });
        self.plan.workloads.push(WorkloadPlan {
            name: "fs journal".into(),
            file_system: Some(0),
            after: vec![],
        });
        self.plan.jobs.push(journal);
        self.plan.jobs.last_mut().expect("just added")
    }

    /// Plain frames; 0 frames have no end, interval 0 saturates.
    pub fn traffic(&mut self, from: u32, to: u32, payload: u32, frames: u64, interval: u64) {
        let number = self.plan.traffic.len();
        self.plan.traffic.push(TrafficPlan {
            name: format!("flow{number}"),
            source_n_port: from,
            target_n_port: to,
            payload_bytes: payload,
            frames: NonZeroU64::new(frames),
            arrivals: NonZeroU64::new(interval).map(constant),
            load: None,
            start_ps: 0,
        });
    }

    /// A loop at 2GFC through these N_Ports, a port 6 words long; to be changed by the caller.
    pub fn arbitrated_loop(&mut self, n_ports: &[u32], medium: MediumPlan) -> &mut LoopPlan {
        let ports = (1u8..).zip(n_ports).map(|(al_pa, &n_port)| LoopPortPlan {
            n_port: Some(n_port),
            is_public: true,
            al_pa,
            delay_ps: n64(6 * WORD_2GFC),
            crossbar: 0,
            is_fair: true,
            uses_transfer: false,
            is_full_duplex: true,
            login_credit: 0,
            buffers: n32(8),
            tenancy_frames: n32(1024),
            repeat_ps: 6 * WORD_2GFC,
        });
        self.plan.loops.push(LoopPlan {
            name: format!("loop{}", self.plan.loops.len()),
            speed: "2GFC".into(),
            bytes_per_s: n64(212_500_000),
            gap_bytes: 24,
            medium,
            ports: ports.collect(),
        });
        self.plan.loops.last_mut().expect("the loop just made")
    }

    /// A shared loop like [`San::arbitrated_loop`] at an FL_Port of a switch with so many buffers, which is
    /// in its first place.
    pub fn public_loop(&mut self, n_ports: &[u32], switch: At, buffers: u32) -> &mut LoopPlan {
        self.arbitrated_loop(n_ports, MediumPlan::Shared {});
        let loop_id = self.plan.loops.len() as u32 - 1;
        let cable = Cable::new(212_500_000, 0, buffers);
        let link = self.link(switch, switch, cable);
        self.plan.links[link].a = EndPlan::Loop { loop_id };
        let of = self.plan.loops.last_mut().expect("the loop just made");
        let mut fl_port = of.ports[0].clone();
        (fl_port.n_port, fl_port.al_pa) = (None, 0);
        fl_port.buffers = n32(buffers);
        of.ports.insert(0, fl_port);
        of
    }

    pub fn run(&self) -> Outcome {
        self.try_run(false).expect("a run that keeps the laws")
    }

    pub fn try_run(&self, every_event: bool) -> Result<Outcome, RunError> {
        let options = RunOptions {
            every_event,
            ..RunOptions::default()
        };
        run(&self.plan, &options, &Control::default())
    }
}

/// PCI-X at 133 MHz: 8 bytes each clock of 7.5 ns, bursts of 512 bytes, overheads of 6 and 12 clocks.
pub fn pci_x_133(name: &str, full_duplex: bool) -> BusPlan {
    BusPlan {
        name: name.into(),
        bytes_per_s: n64(1_066_666_667),
        burst_bytes: n32(512),
        fetch_overhead_ps: 90 * NS,
        store_overhead_ps: 45 * NS,
        full_duplex,
    }
}

pub fn wire(payload: u64) -> u64 {
    payload.next_multiple_of(4) + 36
}

fn column<'a>(outcome: &'a Outcome, table: &str, name: &str) -> &'a Column {
    let table = outcome
        .tables
        .iter()
        .find(|it| it.name == table)
        .expect("a table of this name");
    table.column(name).expect("a column of this name")
}

pub fn whole(outcome: &Outcome, table: &str, name: &str) -> Vec<u64> {
    match column(outcome, table, name) {
        Column::Whole(values) => values.clone(),
        _ => panic!("{table}.{name} is not whole"),
    }
}

pub fn real(outcome: &Outcome, table: &str, name: &str) -> Vec<f64> {
    match column(outcome, table, name) {
        Column::Real(values) => values.clone(),
        _ => panic!("{table}.{name} is not real"),
    }
}

pub fn text(outcome: &Outcome, table: &str, name: &str) -> Vec<String> {
    match column(outcome, table, name) {
        Column::Text(values) => values.clone(),
        _ => panic!("{table}.{name} is not text"),
    }
}

/// Value of a column in the row of this port.
pub fn of_port(outcome: &Outcome, port: &str, name: &str) -> u64 {
    let ports = text(outcome, "ports", "port");
    let row = ports
        .iter()
        .position(|known| known == port)
        .expect("a port of this name");
    whole(outcome, "ports", name)[row]
}

#[track_caller]
pub fn assert_near(got: f64, expected: f64, tolerance: f64) {
    let error = (got / expected - 1.0).abs();
    assert!(
        error <= tolerance,
        "{got} is not within {tolerance} of {expected}"
    );
}

/// A drive of 10,000 revolutions per minute that holds at least this much: two zones, a buffer.
pub fn drive(name: &str, bytes: u64) -> DrivePlan {
    let revolution = 6 * MS;
    let cylinders =
        u32::try_from(bytes.div_ceil(512).div_ceil(4 * 500 + 4 * 700) + 1).expect("small");
    let zone = |first: u32, per_track: u32| ZonePlan {
        first_cylinder: first,
        last_cylinder: first + cylinders - 1,
        blocks_per_track: per_track,
        first_angle_ps: 0,
        track_skew_ps: MS,
        cylinder_skew_ps: 3 * MS / 2,
        empty_front_blocks: 0,
        spares: 5,
        slips: vec![77, 3001],
        defects: vec![],
    };
    DrivePlan {
        name: name.into(),
        surfaces: 4,
        revolution_ps: revolution,
        mapping: MappingPlan::SerpentineInZone,
        sparing: SparingPlan::PerZone,
        sparing_range: 1,
        zones: vec![zone(0, 700), zone(cylinders, 500)],
        seek: SeekPlan::Curve {
            single_ps: MS / 3,
            average_ps: 5 * MS,
            full_ps: 10 * MS,
        },
        head_switch_ps: MS / 3,
        write_settle_ps: 500_000_000,
        rotation: RotationPlan::Exact,
        access_ps: 0,
        overheads: OverheadsPlan {
            read_hit_ps: (30 * US, 30 * US),
            read_miss_ps: (100 * US, 100 * US),
            write_hit_ps: (30 * US, 30 * US),
            write_miss_ps: (100 * US, 100 * US),
            ..OverheadsPlan::default()
        },
        block_transfer_ps: (2 * US, 2 * US),
        buffer: BufferPlan {
            segments: 8,
            segment_blocks: 1024,
            write_segments: 4,
            has_write_segment: false,
            keeps_reads: true,
            hits_written: true,
            hits_next_block: true,
            hits_overtake: true,
            writes_overtake: true,
            partial_hits_wait: false,
            interface: InterfacePlan::Held,
            departure: DeparturePlan::AfterStatus,
            requested: RequestedPlan::Replaced,
            read_ahead: ReadAheadPlan::Segment,
            least_read_ahead: 0,
            most_read_ahead: None,
            reads_ahead_after_hit: true,
            stops_in_sector: true,
            stops_in_seek: true,
            keeps_passing_blocks: false,
            reads_out_of_order: false,
            writes_out_of_order: false,
            read_watermark_ppm: 0,
            watermark_of_segment: false,
            write_cache: WriteCachePlan::Off,
            joins_writes: true,
            flushes_first: false,
        },
        scheduling: SchedulingPlan::Fifo,
        position_margin_ps: 0,
        ageing_ppm: 0,
        queue_depth: n32(32),
        streaming: false,
    }
}
