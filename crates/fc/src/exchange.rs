//! One SCSI command in the words of FCP.

use sanlab_kernel::Picoseconds;

use crate::FrameKind;

/// Whom an exchange is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A request of a host.
    Host,
    /// A copy that an array makes of a write.
    Mirror,
    /// An operation of an array on one of its disks.
    BackEnd,
}

/// SCSI status in FCP_RSP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ScsiStatus {
    /// Done.
    Good = 0x00,
    /// Not done, for a reason in the sense data: data that were to come did not.
    CheckCondition = 0x02,
    /// The task set, or the port in front of it, holds as many commands as it can.
    TaskSetFull = 0x28,
}

/// How far an exchange is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The command is under way.
    Open,
    /// Its initiator has sent ABTS and waits for BA_ACC.
    Aborting,
    /// It is over, and frames of it may still be on their way: its id rests (FC-FS, "recovery
    /// qualifier").
    Aborted,
    /// It is over.
    Closed,
}

/// Who knows the responder's id of an exchange: to others it is unassigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RxIdKnown {
    /// Nobody: its command has not arrived yet.
    ToNobody,
    /// The target: its command has arrived.
    ToTarget,
    /// Both ends: an XFER_RDY has arrived.
    ToBoth,
}

/// A SCSI command between its FCP_CMND and its FCP_RSP.
///
/// A read is CMND, DATA, RSP. A write is CMND, then per burst XFER_RDY and DATA, then RSP (FCP-4,
/// "Device Data Operations").
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Whom it is for.
    pub owner: Owner,
    /// The request of that owner.
    pub request: u32,
    /// N_Port of the initiator.
    pub initiator: u32,
    /// N_Port of the target.
    pub target: u32,
    /// What its frames are counted under.
    pub flow: u32,
    /// Originator's exchange id.
    pub ox_id: u16,
    /// True for READ, false for WRITE.
    pub is_read: bool,
    /// Status the response carries.
    pub status: ScsiStatus,
    /// How far it is.
    pub phase: Phase,
    /// Who knows its RX_ID; see [`Exchange::initiator_knows`].
    pub rx_id_known: RxIdKnown,
    /// It holds a place in the task set of its target.
    pub is_admitted: bool,
    /// When its command was sent.
    pub opened_at: Picoseconds,
    /// Its number among all exchanges.
    pub number: u32,
    /// Array of the LUN.
    pub array: u32,
    /// The LUN, as index into the array's.
    pub lun: u32,
    /// First byte on the LUN.
    pub address: u64,
    /// Length of the data.
    pub bytes: u32,
    /// Data asked for so far: bytes named in XFER_RDYs.
    pub asked_bytes: u32,
    /// Data that has arrived.
    pub arrived_bytes: u32,
    /// Credit wait of the transmitter when the information unit under way was handed to it, to tell
    /// its share later.
    pub credit_wait_before: Picoseconds,
    /// Time for which frames of the information unit under way held up a free fibre, because the I/O
    /// bus had not brought them yet.
    pub bus_wait: Picoseconds,
}

impl Exchange {
    /// Data of a burst that was asked for are missing.
    pub fn misses_data(&self) -> bool {
        !self.is_read && (self.arrived_bytes < self.asked_bytes || self.status != ScsiStatus::Good)
    }

    /// The last frame of an information unit has arrived: who knows of the exchange now?
    pub fn on_arrived(&mut self, kind: FrameKind) {
        match kind {
            FrameKind::Command => self.rx_id_known = RxIdKnown::ToTarget,
            FrameKind::TransferReady => self.rx_id_known = RxIdKnown::ToBoth,
            _ => {}
        }
    }

    /// The initiator has had a frame with the responder's id.
    pub fn initiator_knows(&self) -> bool {
        self.rx_id_known == RxIdKnown::ToBoth || (self.is_read && self.arrived_bytes > 0)
    }

    /// Its response tells of a fault, or comes without all data.
    pub fn is_spoilt(&self) -> bool {
        match self.status {
            ScsiStatus::Good => self.arrived_bytes != self.bytes,
            ScsiStatus::CheckCondition => true,
            ScsiStatus::TaskSetFull => false,
        }
    }
}

/// Exchange ids of one N_Port: each in use at most once, handed out in turn.
#[derive(Clone, Debug, Default)]
pub struct ExchangeIds {
    free: std::collections::VecDeque<u16>,
    next: u16,
}

impl ExchangeIds {
    /// An id not in use; `None` when all 65535 are (0xFFFF means "unassigned" on the fibre).
    pub fn take(&mut self) -> Option<u16> {
        if self.next < u16::MAX {
            self.next += 1;
            return Some(self.next - 1);
        }
        self.free.pop_front()
    }

    /// The next ids come later: they are handed out when the others have been.
    pub fn skip(&mut self, count: u16) {
        self.free.extend(self.next..self.next + count);
        self.next += count;
    }

    /// The exchange of this id is over.
    pub fn give_back(&mut self, id: u16) {
        self.free.push_back(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_but_the_last_is_handed_out_once_and_then_again() {
        let mut ids = ExchangeIds::default();
        for id in 0..u16::MAX {
            assert_eq!(ids.take(), Some(id));
        }
        assert_eq!(ids.take(), None);
        ids.give_back(7);
        ids.give_back(3);
        assert_eq!(
            [ids.take(), ids.take(), ids.take()],
            [Some(7), Some(3), None]
        );
    }
}
