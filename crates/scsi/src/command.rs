//! A SCSI command and its status.

use sanlab_kernel::{Id, MaybeId};

/// A SCSI target device.
pub enum Device {}

/// A logical unit among those of its device.
pub enum LogicalUnit {}

/// SCSI status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The command succeeded.
    Good = 0x00,
    /// The command failed, for a reason in the sense data: some of its data did not arrive.
    CheckCondition = 0x02,
    /// The task set, or the port in front of it, holds as many commands as it can.
    TaskSetFull = 0x28,
}

/// Where the first burst of a write is, which follows FCP_CMND without an FCP_XFER_RDY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstBurst {
    /// The write has none, or it has been taken in.
    Over,
    /// Sent with the command, and neither has been taken in.
    Sent,
    /// The target has taken in the command and waits for the data.
    Awaited,
    /// The data came before the target had taken in the command.
    Early,
}

/// Room for the data of a write at its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It has none: it has not asked, needs none, or has filled it.
    None,
    /// It waits for room.
    Awaited,
    /// Room is set aside.
    Held,
}

/// A SCSI read or write of a logical unit.
///
/// A read is FCP_CMND, FCP_DATA, FCP_RSP. A write is FCP_CMND, then per burst FCP_XFER_RDY and FCP_DATA,
/// then FCP_RSP (FCP-4, "Device Data Operations"). Where both ports have agreed on a first burst, that much
/// data follow FCP_CMND at once.
#[derive(Clone, Copy, Debug)]
pub struct Command<T> {
    /// Name of the command at its initiator, opaque here.
    pub tag: T,
    /// True for READ, false for WRITE.
    pub is_read: bool,
    /// Status that FCP_RSP carries.
    pub status: Status,
    /// It holds a place in the task set of its logical unit.
    pub is_admitted: bool,
    /// SCSI target device; none for a single disk, which has LUN 0 alone.
    pub device: MaybeId<Device>,
    /// Logical unit, as index into those of the device.
    pub lun: Id<LogicalUnit>,
    /// First byte on the logical unit.
    pub address: u64,
    /// Length of the data.
    pub bytes: u32,
    /// Data asked for so far: the first burst and the bytes named in FCP_XFER_RDYs.
    pub asked_bytes: u32,
    /// The near end of a link has asked for all data of the write before the target could.
    pub is_early: bool,
    /// Its first burst.
    pub first_burst: FirstBurst,
    /// Room for its data.
    pub room: Room,
    /// Data that has arrived.
    pub arrived_bytes: u32,
}

impl<T> Command<T> {
    /// Data that the initiator has been asked for so far.
    pub fn wanted_bytes(&self) -> u32 {
        if self.is_early {
            self.bytes
        } else {
            self.asked_bytes
        }
    }

    /// Data of a burst that was asked for are missing.
    pub fn misses_data(&self) -> bool {
        !self.is_read && (self.arrived_bytes < self.asked_bytes || self.status != Status::Good)
    }

    /// The response reports an error, or comes without all data.
    pub fn is_spoilt(&self) -> bool {
        match self.status {
            Status::Good => self.arrived_bytes != self.bytes,
            Status::CheckCondition => true,
            Status::TaskSetFull => false,
        }
    }
}
