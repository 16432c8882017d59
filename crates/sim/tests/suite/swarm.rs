//! Random fabrics under random loads: what must hold for every one of them.
//!
//! A failing case prints its seed and shrinks. `PROPTEST_CASES=5000` makes it a long run.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers of a test"
)]

use crate::support::*;
use proptest::prelude::*;
use sanlab_sim::plan::{
    ArrivalsPlan, BufferPlan, CachePlan, ClassPlan, ClassesPlan, DeparturePlan, DiskModelPlan,
    DiskPlan, Distribution, DrivePlan, EndPlan, FileSystemPlan, FileSystemUsePlan, InterfacePlan,
    Interleave, JournalFullPlan, LimitPlan, LoadPlan, LoadPointPlan, MediaPlan, MirrorModePlan,
    MirrorPlan, PhasePlan, PolicyPlan, Ppm, QosPlan, ReadAheadPlan, RequestedPlan, ResumePlan,
    RoutePolicy, SchedulingPlan, SsdPlan, SubmissionPlan, VirtualChannelPlan, WriteCachePlan,
};
use std::num::{NonZeroU32, NonZeroU64};

const RATES: [u64; 5] = [
    106_250_000,
    212_500_000,
    425_000_000,
    1_700_000_000,
    6_800_000_000,
];
const POLICIES: [RoutePolicy; 5] = [
    RoutePolicy::Destination,
    RoutePolicy::OnePath,
    RoutePolicy::IngressPort,
    RoutePolicy::SourceDestination,
    RoutePolicy::Exchange,
];

const INTERLEAVES: [Interleave; 3] = [Interleave::Frame, Interleave::Sequence, Interleave::Control];

/// Numbers drawn one after the other from what proptest made, so that a case shrinks.
struct Dice<'a> {
    rolls: &'a [u32],
    next: usize,
}

impl Dice<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.next += 1;
        self.rolls[(self.next - 1) % self.rolls.len()] as usize % limit
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn cable(&mut self) -> Cable {
        Cable {
            bytes_per_s: self.pick(&RATES),
            delay: self.pick(&[0, 50 * NS, 5 * US, 300 * US]),
            credit: self.pick(&[1, 2, 3, 8, 16, 60]),
            gap: self.pick(&[0, 24]),
        }
    }
}

/// A kind of drive, small but with everything that moves.
fn drive(dice: &mut Dice<'_>) -> DrivePlan {
    DrivePlan {
        scheduling: dice.pick(&[
            SchedulingPlan::Fifo,
            SchedulingPlan::Sstf,
            SchedulingPlan::Sptf,
            SchedulingPlan::Elevator,
            SchedulingPlan::CyclicElevator,
        ]),
        position_margin_ps: dice.pick(&[0, 1_000_000_000]),
        ageing_ppm: dice.pick(&[0, 6_000, 1_000_000]),
        streaming: dice.below(3) == 0,
        buffer: BufferPlan {
            write_cache: dice.pick(&[WriteCachePlan::Off, WriteCachePlan::On]),
            read_ahead: dice.pick(&[
                ReadAheadPlan::Off,
                ReadAheadPlan::Track,
                ReadAheadPlan::Segment,
            ]),
            hits_overtake: dice.below(2) == 0,
            writes_overtake: dice.below(2) == 0,
            flushes_first: dice.below(2) == 0,
            partial_hits_wait: dice.below(2) == 0,
            interface: dice.pick(&[
                InterfacePlan::Released,
                InterfacePlan::HeldInTransfer,
                InterfacePlan::Held,
            ]),
            departure: dice.pick(&[
                DeparturePlan::AfterStatus,
                DeparturePlan::WithStatus,
                DeparturePlan::AfterMedia,
            ]),
            requested: dice.pick(&[
                RequestedPlan::Kept,
                RequestedPlan::Replaced,
                RequestedPlan::Dropped,
            ]),
            read_watermark_ppm: dice.pick(&[0, 500_000, 1_000_000]),
            keeps_passing_blocks: dice.below(2) == 0,
            ..crate::support::drive("drive", 40_000_000_000).buffer
        },
        ..crate::support::drive("drive", 40_000_000_000)
    }
}

fn disk(number: usize) -> DiskPlan {
    DiskPlan {
        name: format!("disk{number}"),
        model: DiskModelPlan::Drive { drive: 0 },
    }
}

/// When a mirrored write is acknowledged.
fn mirror_mode(dice: &mut Dice<'_>) -> MirrorModePlan {
    let journal = |bytes, when_full| MirrorModePlan::Journal {
        bytes: n64(bytes),
        when_full,
    };
    dice.pick(&[
        MirrorModePlan::Synchronous {},
        MirrorModePlan::Asynchronous {},
        journal(100_000, JournalFullPlan::Wait),
        journal(1 << 40, JournalFullPlan::Suspend),
        journal(100_000, JournalFullPlan::Suspend),
    ])
}

fn suspends(mode: MirrorModePlan) -> bool {
    let full = match mode {
        MirrorModePlan::Journal { when_full, .. } => Some(when_full),
        _ => None,
    };
    full == Some(JournalFullPlan::Suspend)
}

/// How a suspended mirror goes on, if it does.
fn resume(dice: &mut Dice<'_>) -> Option<ResumePlan> {
    let resume = ResumePlan {
        after_ps: n64(dice.pick(&[US, 3 * MS])),
        region_bytes: n64(dice.pick(&[512, 10_000, 65_536])),
        bytes_per_s: NonZeroU64::new(dice.pick(&[0, 20_000_000])),
    };
    (dice.below(2) == 0).then_some(resume)
}

/// A tree of switches, some joined by several links; hosts and arrays anywhere; finite work.
fn san(dice: &mut Dice<'_>) -> San {
    let mut san = San::new(10_000 * SECOND);
    san.plan.interval_ps = NonZeroU64::new(dice.pick(&[0, MS, 50 * MS]));
    san.plan.data_frame_bytes = dice.pick(&[512, 2048, 2112]);
    let mut switches = Vec::new();
    for number in 0..=dice.below(4) {
        let latency = dice.pick(&[0, 400 * NS, 2 * US]);
        let cut_through = dice.below(2) == 0;
        let routing = dice.pick(&POLICIES);
        switches.push(san.switch(latency, cut_through, routing));
        if number > 0 {
            let parent = switches[dice.below(number)];
            let cable = dice.cable();
            let parallel = dice.below(3);
            for _ in 0..=parallel {
                let isl = san.link(switches[number], parent, cable);
                let link = &mut san.plan.links[isl];
                link.members = n32(dice.pick(&[1, 1, 2, 4]));
                let room = dice.pick(&[0, 70_000, 1 << 30]);
                link.write_acceleration_bytes = NonZeroU64::new(room).filter(|_| parallel == 0);
            }
        }
    }
    let has_loops = dice.below(3) == 0;
    let mut on_loops = vec![Vec::new(); switches.len().min(2)];
    let arrays = 1 + dice.below(3);
    for number in 0..arrays {
        let distribution = dice.pick(&[Distribution::Constant, Distribution::Exponential]);
        let service = dice.pick(&[0, 20 * US, MS]);
        let port = san.array(&format!("array{number}"), service, distribution);
        let (place, cable) = (dice.below(switches.len()), dice.cable());
        match on_loops.get_mut(place) {
            Some(ports) if has_loops && dice.below(2) == 0 => ports.push(port),
            _ => {
                san.link(switches[place], At::NPort(port), cable);
            }
        }
        shape_array(dice, &mut san, number);
    }
    if arrays > 1 && dice.below(2) == 0 {
        let ports = (san.plan.arrays[0].n_ports[0], san.plan.arrays[1].n_ports[0]);
        let mode = mirror_mode(dice);
        san.plan.arrays[0].luns[0].mirror = Some(MirrorPlan {
            array: 1,
            lun: 0,
            source_n_port: ports.0,
            target_n_port: ports.1,
            mode,
            max_outstanding: n32(dice.pick(&[1, 4, 100])),
            one_round_trip_bytes: dice.pick(&[0, 8192, u32::MAX]),
            resume: resume(dice).filter(|_| suspends(mode)),
        });
    }
    for number in 0..=dice.below(5) {
        let port = san.host(&format!("host{number}"));
        let (place, cable) = (dice.below(switches.len()), dice.cable());
        shape_host(dice, &mut san, number);
        match on_loops.get_mut(place) {
            Some(ports) if has_loops && dice.below(2) == 0 => {
                ports.push(port);
                san.plan.hosts[number].adapters[0].bus = None;
            }
            _ => {
                san.link(switches[place], At::NPort(port), cable);
            }
        }
        add_job(dice, &mut san, number as u32, arrays);
    }
    for (ports, &switch) in on_loops.iter().zip(&switches) {
        if !ports.is_empty() {
            add_loop(dice, &mut san, ports, switch);
        }
    }
    add_phases(dice, &mut san);
    if dice.below(2) == 0 {
        let (from, to) = (
            dice.below(san.plan.n_ports.len()),
            dice.below(san.plan.n_ports.len()),
        );
        let is_on_loop = on_loops.iter().flatten().any(|&port| port as usize == from);
        if from != to && !is_on_loop {
            let (payload, interval) = (dice.pick(&[0, 100, 2112]), dice.pick(&[0, 30 * US]));
            san.traffic(from as u32, to as u32, payload, 300, interval);
        }
    }
    if dice.below(2) == 0 {
        shape_fabric(dice, &mut san);
    }
    if dice.below(3) == 0 {
        share_files(dice, &mut san);
    }
    san.plan.r_rdy_waits = dice.below(3) == 0;
    san
}

/// A loop at a switch. Its ports are fair, so that all work gets done.
fn add_loop(dice: &mut Dice<'_>, san: &mut San, ports: &[u32], switch: At) {
    let buffers = dice.pick(&[1, 2, 8]);
    for place in &mut san.public_loop(ports, switch, buffers).ports {
        place.delay_ps = n64(dice.pick(&[1, 6, 300]) * WORD_2GFC);
        place.repeat_ps = 0;
        place.is_fair = true;
        (place.uses_transfer, place.is_full_duplex) = (dice.below(2) == 0, dice.below(3) > 0);
        place.tenancy_frames = n32(dice.pick(&[1, 4, 1000]));
        if place.n_port.is_some() {
            (place.login_credit, place.buffers) = (dice.pick(&[0, 2]), n32(dice.pick(&[2, 8])));
        }
    }
}

/// Some jobs are on a file system, which writes its log by one of them.
fn share_files(dice: &mut Dice<'_>, san: &mut San) {
    san.plan.file_systems.push(FileSystemPlan {
        name: "fs".into(),
        allocation_ps: dice.pick(&[0, 200 * US]),
        message_ps: dice.pick(&[0, 300 * US]),
    });
    for job in &mut san.plan.jobs {
        job.file_system = (dice.below(2) == 0).then(|| FileSystemUsePlan::Data {
            file_system: 0,
            first_write: dice.below(2) == 0,
        });
    }
    san.journal(dice.pick(&[1, 3, 32]));
}

/// Classes, virtual channels, limits and priorities; some of them change during the run.
fn shape_fabric(dice: &mut Dice<'_>, san: &mut San) {
    let classes = 1 + dice.below(3) as u32;
    for switch in &mut san.plan.switches {
        let drawn = (0..classes).map(|_| ClassPlan {
            level: dice.below(2) as u32,
            weight: n32(dice.pick(&[1, 10, 60])),
        });
        switch.classes = Some(ClassesPlan {
            classes: drawn.collect(),
            shared: dice.below(classes as usize) as u32,
        });
    }
    for link in &mut san.plan.links {
        let is_isl = matches!(
            (link.a, link.b),
            (EndPlan::Switch { .. }, EndPlan::Switch { .. })
        );
        if is_isl && dice.below(2) == 0 {
            let drawn = (0..dice.below(4)).map(|_| VirtualChannelPlan {
                class_id: dice.below(classes as usize) as u32,
                credit_a_to_b: n32(dice.pick(&[1, 2, 8])),
                credit_b_to_a: n32(dice.pick(&[1, 2, 8])),
            });
            link.virtual_channels = drawn.collect();
        }
    }
    let ports = san.plan.n_ports.len();
    for _ in 0..dice.below(6) {
        let (source, destination) = (dice.below(ports) as u32, dice.below(ports) as u32);
        let limit = match dice.below(4) {
            0 => None,
            1 => Some(LimitPlan::Rate {
                bytes_per_s: n64(dice.pick(&[5_000_000, 100_000_000])),
                burst_bytes: dice.pick(&[0, 3000, 100_000]),
            }),
            _ => Some(LimitPlan::Wheel {
                slots: n32(1 + dice.below(7) as u32),
                of: n32(7),
            }),
        };
        let policy = match dice.below(4) {
            0 => PolicyPlan::Ingress {
                n_port: source,
                limit,
            },
            1 => PolicyPlan::Priority {
                source,
                destination,
                class_id: dice.below(classes as usize) as u32,
                switch: None,
            },
            _ => PolicyPlan::Limit {
                source,
                destination,
                limit,
            },
        };
        let at_ps = dice.pick(&[0, MS, 1_234_567_891, 20 * MS]);
        san.plan.qos.push(QosPlan { at_ps, policy });
    }
    san.plan.qos.sort_by_key(|it| it.at_ps);
}

fn shape_array(dice: &mut Dice<'_>, san: &mut San, number: usize) {
    let port = san.plan.arrays[number].n_ports[0] as usize;
    san.plan.n_ports[port].interleave = dice.pick(&INTERLEAVES);
    san.plan.n_ports[port].rx_hold_ps = dice.pick(&[0, US]);
    san.plan.n_ports[port].drain_bytes_per_s = NonZeroU64::new(dice.pick(&[0, 0, 50_000_000]));
    let disks: Vec<_> = (0..dice.below(5)).map(disk).collect();
    let array = &mut san.plan.arrays[number];
    array.command_ps = dice.pick(&[0, 15 * US]);
    array.controllers[0].processors = n32(1 + dice.below(2) as u32);
    array.burst_bytes = n32(dice.pick(&[4096, 65_536, 1 << 30]));
    array.first_burst_bytes = NonZeroU32::new(dice.pick(&[0, 0, 2048, 65_536]));
    array.open_bursts = NonZeroU32::new(dice.pick(&[0, 0, 1, 4]));
    array.port_queue_depth = n32(dice.pick(&[3, 1000]));
    array.luns[0].queue_depth = n32(dice.pick(&[2, 1000]));
    if dice.below(2) == 0 {
        array.cache = Some(CachePlan::HitRate {
            read_hit_ppm: dice.pick(&[0, 500_000, 1_000_000]),
            access_ps: dice.pick(&[0, 10 * US]),
            dirty_limit_bytes: NonZeroU64::new(dice.pick(&[0, 40_000, 1 << 30])),
        });
    }
    if !disks.is_empty() {
        array.luns[0].bytes = 1 << 34;
        array.luns[0].media = MediaPlan::Stripe {
            disks: (0..disks.len() as u32).collect(),
            start_bytes: 1 << 20,
            stripe_bytes: n64(32_768),
            block_bytes: n64(8192),
        };
        array.disks = disks;
        array.drives = vec![drive(dice)];
        if dice.below(2) == 0 {
            array.disks[0].model = DiskModelPlan::Ssd { ssd: 0 };
            array.ssds = vec![ssd(dice)];
        }
    }
}

fn ssd(dice: &mut Dice<'_>) -> SsdPlan {
    let variation = dice.pick(&[0, 180_000, 1_000_000]);
    let variation = Ppm::try_from(variation).expect("a share");
    let memory = MediaPlan::Memory {
        service_ps: dice.pick(&[0, 100 * US]),
        distribution: Distribution::Constant,
        spread: Ppm::default(),
        variation,
        servers: n32(1 + dice.below(3) as u32),
    };
    let flash = MediaPlan::Flash {
        channels: n32(2),
        dies_per_channel: n32(2),
        page_bytes: 8192,
        pages_per_block: 4,
        read_ps: 50 * US,
        variation,
        program_ps: 500 * US,
        erase_ps: 3 * MS,
        channel_bytes_per_s: n64(400_000_000),
        buffer_bytes: dice.pick(&[0, 65_536]),
        latency_ps: 5 * US,
        amplification_ppm: dice.pick(&[1_000_000, 2_300_000]),
    };
    SsdPlan {
        bytes: 40_000_000_000,
        media: if dice.below(2) == 0 { memory } else { flash },
    }
}

fn shape_host(dice: &mut Dice<'_>, san: &mut San, number: usize) {
    let host = &mut san.plan.hosts[number];
    host.cores = n32(1 + dice.below(2) as u32);
    host.cpu_submit_ps = dice.pick(&[0, 8 * US]);
    host.cpu_complete_ps = dice.pick(&[0, 8 * US]);
    host.cpu_command_ps = dice.pick(&[0, 2 * US]);
    host.cpu_interrupt_ps = dice.pick(&[0, 3 * US]);
    host.max_request_bytes = NonZeroU64::new(dice.pick(&[0, 0, 4096, 65_536]));
    host.submission = dice.pick(&[SubmissionPlan::Together, SubmissionPlan::Serial]);
    if dice.below(3) == 0 {
        host.buses = vec![crate::support::pci_x_133("bus", dice.below(2) == 0)];
        host.adapters[0].bus = Some(0);
    }
    let adapter = &mut host.adapters[0];
    adapter.transfer_ps = dice.pick(&[0, 0, 4 * US]);
    adapter.latency_ps = dice.pick(&[0, 0, 3 * US]);
    adapter.interrupt_delay_ps = NonZeroU64::new(dice.pick(&[0, 0, 100 * US]));
    adapter.submit_ps = dice.pick(&[0, 5 * US]);
    adapter.complete_ps = dice.pick(&[0, 5 * US]);
    adapter.max_commands = n32(dice.pick(&[1, 8, 1000]));
    adapter.lun_queue_depth = n32(dice.pick(&[1, 8, 1000]));
    let n_port = &mut san.plan.n_ports[adapter.n_port as usize];
    n_port.tx_buffers = dice.pick(&[1, 4]);
    n_port.class3_sequences = dice.pick(&[1, 2, 255]);
    n_port.interleave = dice.pick(&INTERLEAVES);
}

fn add_job(dice: &mut Dice<'_>, san: &mut San, host: u32, arrays: usize) {
    let array = dice.below(arrays) as u32;
    let bytes = dice.pick(&[512, 4096, 65_536, 200_704]);
    let iodepth = dice.pick(&[1, 4, 40]);
    let job = san.job(host, array, bytes, iodepth);
    job.total_bytes = Some(n64(bytes * (1 + dice.below(60) as u64)));
    job.read_ppm = dice.pick(&[0, 500_000, 1_000_000]);
    job.addresses = addresses(dice.below(2) == 0);
    job.think_ps = dice.pick(&[0, 100 * US]);
    let interval_ps = NonZeroU64::new(dice.pick(&[0, 0, 500 * US]));
    let distribution = dice.pick(&[Distribution::Constant, Distribution::Exponential]);
    job.arrivals = interval_ps.map(|interval_ps| ArrivalsPlan {
        interval_ps,
        distribution,
    });
    job.start_ps = dice.pick(&[0, MS]);
    let highest = dice.pick(&[0, 0, 400_000, 1_000_000]);
    if interval_ps.is_some() && highest > 0 {
        // The curve repeats, so that all work gets done.
        let points = [(0, highest), (MS, highest / 3), (MS, 0), (2 * MS, highest)];
        job.load = Some(LoadPlan {
            points: points
                .map(|(at_ps, share_ppm)| LoadPointPlan { at_ps, share_ppm })
                .into(),
            repeats: true,
        });
    }
}

/// None, or two phases with a pause between them.
fn add_phases(dice: &mut Dice<'_>, san: &mut San) {
    if dice.below(2) == 0 {
        return;
    }
    let first = dice.pick(&[1, 700 * US, 3 * MS]);
    let phases = [(0, NonZeroU64::new(first)), (first + 50 * US, None)];
    san.plan.phases = (0..)
        .zip(phases)
        .map(|(number, (from_ps, to_ps))| PhasePlan {
            name: format!("phase{number}"),
            from_ps,
            to_ps,
        })
        .collect();
}

/// Frames of a tenancy begin at instants that are rounded, so in a bin that is busy throughout each may overlap the
/// next by a picosecond, of 100 ns at least.
const ROUNDED: f64 = 1e-5;

/// What holds for a run that ends after a share of its time, in the middle of everything.
fn cut_short(rolls: &[u32], permille: u64) {
    let mut san = san(&mut Dice { rolls, next: 0 });
    let whole_run = san.run().summary.simulated_ps;
    san.plan.end_ps = whole_run / 1000 * permille + 1;
    let fast = san.try_run(false).expect("the laws hold");
    let slow = san.try_run(true).expect("the laws hold in the reference");
    for (fast, slow) in fast.tables.iter().zip(&slow.tables) {
        let name = &fast.name;
        assert!(fast == slow, "table {name} differs from the reference's");
    }
    for (table, column, allowed) in [
        ("ports", "tx_utilisation", 0.0),
        ("ports", "rx_utilisation", 0.0),
        ("port_series", "tx_utilisation", ROUNDED),
        ("stations", "utilisation", 0.0),
    ] {
        let shares = real(&fast, table, column);
        let most = shares.iter().copied().fold(0.0, f64::max);
        assert!(most <= 1.0 + allowed, "{most} in {column} of {table}");
    }
}

/// A case of [`swarm_of_runs_cut_short`] whose run ends between two frames of an FL_Port in one tenancy.
const BETWEEN_FRAMES_OF_A_TENANCY: [u32; 136] = [
    0,
    0,
    1_518_445_146,
    1_260_458_311,
    2_807_417_126,
    607_678_251,
    0,
    0,
    0,
    0,
    0,
    1_789_741_657,
    2_744_950_886,
    145_203_823,
    600_290_560,
    2_206_222_043,
    0,
    216_044_076,
    0,
    483_897,
    1_215_579,
    0,
    0,
    1_631_475_890,
    699_542,
    2_028_265_443,
    508_656_286,
    1_906_954_620,
    2_053_286_819,
    491_513_012,
    970_796_424,
    2_405_230_493,
    1_339_437_818,
    2_498_540_657,
    2_257_494_663,
    2_631_594_347,
    1_743_233_549,
    1_518_359_415,
    3_670_139_051,
    24_467_537,
    33_813_739,
    744_249_724,
    1_699_452_577,
    446_839_127,
    4_082_132_324,
    2_684_181_689,
    2_899_492_349,
    1_684_076_858,
    551_513_477,
    610_374_520,
    973_588_139,
    2_194_130_720,
    101_443_861,
    2_334_354_168,
    402_437_258,
    3_796_382_074,
    1_301_251_100,
    4_015_610_398,
    4_287_036_261,
    1_138_063_733,
    509_716_412,
    1_603_315_097,
    1_559_977_106,
    380_828_723,
    1_266_371_111,
    2_478_010_993,
    1_290_594_365,
    2_957_020_425,
    1_099_944_713,
    2_760_143_364,
    2_359_012_853,
    2_831_129_269,
    3_378_907_790,
    1_460_419_467,
    1_193_554_356,
    3_848_184_064,
    11_644_091,
    3_228_752_329,
    3_539_649_199,
    2_166_278_439,
    1_680_661_781,
    161_133_757,
    1_257_368_700,
    2_493_120_669,
    1_327_910_765,
    123_898_791,
    4_276_624_020,
    205_499_544,
    1_194_773_494,
    567_650_058,
    1_585_544_840,
    1_780_187_038,
    2_567_702_174,
    3_716_136_512,
    4_027_160_361,
    2_080_882_995,
    1_826_322_325,
    1_160_529_493,
    3_374_802_432,
    2_234_365_080,
    249_365_200,
    691_592_845,
    2_242_375_717,
    4_060_855_746,
    1_795_959_385,
    3_896_460_286,
    2_648_918_613,
    1_217_286_616,
    3_605_467_637,
    3_985_185_421,
    2_692_537_157,
    1_905_297_290,
    369_694_890,
    674_697_406,
    320_141_504,
    1_756_172_544,
    311_503_266,
    2_176_606_299,
    1_541_773_020,
    1_148_468_884,
    1_358_865_118,
    2_915_034_089,
    2_402_221_291,
    571_466_907,
    2_731_252_502,
    4_019_321_932,
    2_195_084_700,
    1_149_337_736,
    394_302_186,
    635_848_606,
    2_871_686_121,
    2_512_257_031,
    793_570_940,
    3_473_902_047,
    17_963_977,
    148_881_125,
];

/// Frames of a tenancy whose instants are known, but which lie behind the end, were not sent.
#[test]
fn a_run_that_ends_within_a_tenancy_counts_what_was_sent() {
    cut_short(&BETWEEN_FRAMES_OF_A_TENANCY, 51);
}

proptest! {
    #![proptest_config(cases(256))]

    /// All work gets done, every law holds (a run that breaks one fails), every byte is counted once,
    /// and the reference, in which everything is an event, gives the same tables to the last digit.
    #[test]
    fn swarm_of_random_fabrics(rolls in prop::collection::vec(any::<u32>(), 60..200)) {
        let san = san(&mut Dice { rolls: &rolls, next: 0 });
        let fast = san.try_run(false).expect("the laws hold");
        let slow = san.try_run(true).expect("the laws hold in the reference");
        prop_assert_eq!(&fast.summary.fingerprint, &slow.summary.fingerprint);
        prop_assert_eq!(fast.summary.simulated_ps, slow.summary.simulated_ps);
        for (fast, slow) in fast.tables.iter().zip(&slow.tables) {
            prop_assert!(fast == slow, "table {} differs from the reference's", fast.name);
        }
        let asked: u64 = san.plan.jobs.iter().filter_map(|job| job.total_bytes).map(NonZeroU64::get).sum();
        let done: u64 = whole(&fast, "workloads", "bytes").iter().sum();
        prop_assert_eq!(asked, done);
        let frames: u64 = san.plan.traffic.iter().filter_map(|flow| flow.frames).map(NonZeroU64::get).sum();
        let counted = whole(&fast, "frames", "frames_count");
        let kinds = text(&fast, "frames", "kind");
        let plain = counted.iter().zip(&kinds).filter(|(_, kind)| *kind == "traffic");
        prop_assert_eq!(frames, plain.map(|(count, _)| *count).sum::<u64>());
    }

    /// A run that is cut short in the middle of everything keeps every law, Little's to the picosecond,
    /// and is the same in the reference.
    #[test]
    fn swarm_of_runs_cut_short(
        rolls in prop::collection::vec(any::<u32>(), 60..200),
        permille in 1..1000u64,
    ) {
        cut_short(&rolls, permille);
    }

    /// One flow is never slower with more credit.
    #[test]
    fn swarm_of_credits(
        rate in prop::sample::select(&RATES[..]),
        delay in 0..2 * MS,
        switches in 0..3usize,
        credit in 1..40u32,
    ) {
        let time = |credit| {
            let mut san = San::new(10_000 * SECOND);
            let (a, b) = (san.n_port("a"), san.n_port("b"));
            let mut last = At::NPort(a);
            for _ in 0..switches {
                let next = san.switch(US, true, RoutePolicy::OnePath);
                san.link(last, next, Cable::new(rate, delay, credit));
                last = next;
            }
            san.link(last, At::NPort(b), Cable::new(rate, delay, credit));
            san.traffic(a, b, 2048, 200, 0);
            san.run().summary.simulated_ps
        };
        prop_assert!(time(credit + 1) <= time(credit));
    }
}
