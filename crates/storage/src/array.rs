//! A storage array: ports' and task sets' limits, controllers, disks, LUNs.

use sanlab_kernel::{Id, IdVec, Instant, Rate, Span, Station};

use crate::controller::{Controller, Failover};
use crate::disk::Disk;
use crate::drive::Drive;
use crate::elsewhere::{Flow, Port};
use crate::limit::Limits;
use crate::lun::LogicalUnit;
use crate::open_bursts::OpenBursts;
use crate::parts::{FrontEndPort, Lun};
use crate::raid::Group;
use crate::task_set::Answered;

/// Why a command is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The front-end port holds as many commands as it can.
    PortFull,
    /// The task set of the LUN does.
    TaskSetFull,
}

/// A way from the controllers of an array to its disks.
#[derive(Debug)]
pub enum BackEndPath {}

/// An array.
#[derive(Clone, Debug)]
pub struct Array {
    /// The first of its front-end ports.
    pub first_n_port: Id<Port>,
    /// Its front-end ports.
    pub n_ports: IdVec<FrontEndPort, Id<Port>>,
    /// Its controllers.
    pub controllers: IdVec<Controller>,
    /// How they work together.
    pub failover: Failover,
    /// The controller that has each front-end port.
    pub port_controllers: IdVec<FrontEndPort, Id<Controller>>,
    /// Processor time of a command.
    pub command: Span,
    /// Largest burst that one XFER_RDY asks for.
    pub burst_bytes: u32,
    /// Data of a write that follow its command without an XFER_RDY; 0 for none.
    pub first_burst_bytes: u32,
    /// Commands a front-end port accepts.
    pub port_queue_depth: u32,
    /// Commands open at each front-end port.
    pub port_open: IdVec<FrontEndPort, u32>,
    /// Bursts each of them waits for; `None` if it waits for any number at once.
    pub open_bursts: Option<IdVec<FrontEndPort, OpenBursts>>,
    /// Its disks and SSDs.
    pub disks: IdVec<Disk, Drive>,
    /// When each of them is due; [`sanlab_kernel::Instant::NEVER`] if it has nothing to do.
    pub disk_due: IdVec<Disk, Instant>,
    /// Operations under way at each disk, those on loops included.
    pub disk_open: IdVec<Disk, u32>,
    /// Its RAID groups.
    pub groups: IdVec<Group>,
    /// What computes parity.
    pub parity: Station,
    /// Its rate; none takes no time.
    pub parity_rate: Option<Rate>,
    /// Loops to the disks; `None` if they are reached directly.
    pub back_end: Option<BackEnd>,
    /// Limits of LUNs and hosts.
    pub limits: Limits,
    /// Its LUNs.
    pub luns: IdVec<Lun, LogicalUnit>,
}

/// Loops from the controllers to the disks.
#[derive(Clone, Debug)]
pub struct BackEnd {
    /// N_Ports of the controllers, one for each path.
    pub initiators: IdVec<BackEndPath, Id<Port>>,
    /// N_Ports of each disk, one for each path.
    pub disks: IdVec<Disk, IdVec<BackEndPath, Id<Port>>>,
    /// The next path of each disk.
    pub next_path: IdVec<Disk, Id<BackEndPath>>,
    /// What its frames are counted under.
    pub flow: Id<Flow>,
}

impl BackEnd {
    /// The path of the next operation of a disk: all in turn.
    pub fn take_path(&mut self, disk: Id<Disk>) -> Id<BackEndPath> {
        let next = &mut self.next_path[disk];
        let path = *next;
        let behind = Id::new(path.number() + 1);
        *next = if behind == self.initiators.next_id() {
            Id::new(0)
        } else {
            behind
        };
        path
    }
}

impl Array {
    /// Take a command in, if port and task set have room.
    pub fn admit(
        &mut self,
        now: Instant,
        port: Id<FrontEndPort>,
        lun: Id<Lun>,
    ) -> Result<(), Refusal> {
        let lun = &mut self.luns[lun];
        if self.port_open[port] >= self.port_queue_depth {
            lun.meter.refuse();
            return Err(Refusal::PortFull);
        }
        if lun.open >= lun.queue_depth {
            lun.meter.refuse();
            return Err(Refusal::TaskSetFull);
        }
        lun.meter.admit(now);
        lun.open += 1;
        self.port_open[port] += 1;
        Ok(())
    }

    /// When a command may pass the limits of its LUN and its host.
    #[inline]
    pub fn pass_limits(
        &mut self,
        now: Instant,
        lun: Id<Lun>,
        initiator: Id<Port>,
        bytes: u64,
    ) -> Instant {
        if self.limits.all.is_empty() {
            return now;
        }
        self.limits.pass(now, lun, initiator, bytes)
    }

    /// A command leaves: answered with status GOOD, or not.
    pub fn release(
        &mut self,
        now: Instant,
        port: Id<FrontEndPort>,
        lun: Id<Lun>,
        answered: Option<Answered>,
    ) {
        let lun = &mut self.luns[lun];
        lun.meter.release(now, answered);
        lun.open = lun.open.saturating_sub(1);
        self.port_open[port] = self.port_open[port].saturating_sub(1);
    }
}
