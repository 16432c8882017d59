//! Commands that arrays send: copies, operations on disks behind loops.

use sanlab_fc::FrameKind;
use sanlab_kernel::{NONE, Picoseconds, Stage};
use sanlab_scsi::FCP_CMND_BYTES;

use super::transfer::TransferPurpose;
use crate::event::RecoveryEvent;
use crate::exchanges::steps::Command;
use crate::issuer::{Issuer, Tag};
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Open an exchange for a transfer and send FCP_CMND.
    pub(crate) fn send_transfer(&mut self, now: Picoseconds, id: u32) {
        let transfer = self.array.transfers[id];
        let array = &self.array.arrays[transfer.array as usize];
        let mut command = Command {
            tag: Tag {
                issuer: Issuer::BackEnd,
                request: id,
            },
            initiator: 0,
            target: 0,
            device: NONE,
            lun: 0,
            flow: 0,
            is_read: transfer.is_read,
            address: transfer.address,
            bytes: transfer.bytes,
        };
        match transfer.purpose {
            TransferPurpose::Copy { lun, .. } => {
                let Some(mirror) = &array.luns[lun as usize].mirror else {
                    return;
                };
                command.tag.issuer = Issuer::Mirror;
                (command.initiator, command.target) = (mirror.source_n_port, mirror.target_n_port);
                (command.device, command.lun) = (mirror.array, mirror.lun);
                command.flow = mirror.flow;
                // Since it was refused.
                let timeline = &mut self.array.transfers[id].timeline;
                timeline.until(now, Stage::TaskSet);
            }
            TransferPurpose::Disk { disk, path, .. } => {
                let Some(back_end) = &array.back_end else {
                    return;
                };
                command.initiator = back_end.initiators[path as usize];
                command.target = back_end.disks[disk as usize][path as usize];
                command.flow = back_end.flow;
            }
        }
        let Some(exchange) = self.open_exchange(now, command) else {
            return;
        };
        if self.faults.is_armed() && command.tag.issuer == Issuer::Mirror {
            self.watch_copy(now, exchange);
        }
        self.send(now, exchange, FrameKind::Command, 0, FCP_CMND_BYTES);
    }

    /// A copy has been sent: the array looks later whether it has its answer.
    fn watch_copy(&mut self, now: Picoseconds, exchange: u32) {
        let number = self.fcp.exchange(exchange).number;
        let due_at = now + self.faults.plan().r_a_tov_ps;
        self.recover_at(due_at, RecoveryEvent::CopyDue(exchange, number));
    }
}
