//! A storage array: ports' and task sets' limits, controllers, cache, disks, LUNs.

use sanlab_kernel::{Picoseconds, Station};

use crate::cache::Cache;
use crate::disk::Disk;
use crate::lun::Lun;

/// Why a command is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The front-end port holds as many commands as it can.
    PortFull,
    /// The task set of the LUN does.
    TaskSetFull,
}

/// An array.
#[derive(Clone, Debug)]
pub struct Array {
    /// The first of its front-end ports.
    pub first_n_port: u32,
    /// Its processors.
    pub controllers: Station,
    /// Processor time of a command.
    pub command: Picoseconds,
    /// Largest burst that one XFER_RDY asks for.
    pub burst_bytes: u32,
    /// Commands a front-end port accepts.
    pub port_queue_depth: u32,
    /// Commands open at each front-end port, in the order of the ports.
    pub port_open: Vec<u32>,
    /// Its cache; none when it is off.
    pub cache: Option<Cache>,
    /// Its disks.
    pub disks: Vec<Disk>,
    /// When somebody will look at each of them; [`sanlab_kernel::NEVER`] where nobody will.
    pub disk_due: Vec<Picoseconds>,
    /// Its LUNs.
    pub luns: Vec<Lun>,
}

impl Array {
    /// Take a command in, if port and task set have room.
    pub fn admit(&mut self, port: usize, lun: u32) -> Result<(), Refusal> {
        if self.port_open[port] >= self.port_queue_depth {
            return Err(Refusal::PortFull);
        }
        let lun = &mut self.luns[lun as usize];
        if lun.open >= lun.queue_depth {
            return Err(Refusal::TaskSetFull);
        }
        lun.open += 1;
        self.port_open[port] += 1;
        Ok(())
    }

    /// A command is answered.
    pub fn release(&mut self, port: usize, lun: u32) {
        self.luns[lun as usize].open -= 1;
        self.port_open[port] -= 1;
    }
}
