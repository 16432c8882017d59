//! Commands that arrays send: copies, operations on disks behind loops.

use sanlab_fc::Exchange;
use sanlab_kernel::{Id, Instant, MaybeId, Stage};

use super::transfer::{Transfer, TransferPurpose};
use crate::event::RecoveryEvent;
use crate::exchanges::steps::Command;
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// Open an exchange for a transfer and send FCP_CMND.
    pub(crate) fn send_transfer(&mut self, now: Instant, id: Id<Transfer>) {
        let transfer = self.array.transfers[id];
        let array = &self.array.arrays[transfer.array];
        let (tag, (initiator, target), (device, lun), flow) = match transfer.purpose {
            TransferPurpose::Copy { lun, .. } => {
                let Some(mirror) = &array.luns[lun].mirror else {
                    return;
                };
                let route = mirror.route;
                // Since it was refused.
                let timeline = &mut self.array.transfers[id].timeline;
                timeline.until(now, Stage::TaskSet);
                (
                    Tag::Mirror(id),
                    (route.source_n_port, route.target_n_port),
                    (route.array.same().into(), route.lun.same()),
                    route.flow,
                )
            }
            TransferPurpose::Disk { disk, path, .. } => {
                let Some(back_end) = &array.back_end else {
                    return;
                };
                (
                    Tag::BackEnd(id),
                    (back_end.initiators[path], back_end.disks[disk][path]),
                    (MaybeId::NONE, Id::new(0)),
                    back_end.flow,
                )
            }
        };
        let command = Command {
            tag,
            initiator: initiator.same(),
            target: target.same(),
            device,
            lun,
            flow: flow.same(),
            is_read: transfer.is_read,
            address: transfer.address,
            bytes: transfer.bytes,
        };
        let Some(exchange) = self.open_exchange(now, command) else {
            return;
        };
        if self.faults.is_armed() && matches!(tag, Tag::Mirror(_)) {
            self.watch_copy(now, exchange);
        }
        self.send_command(now, exchange);
    }

    /// A copy has been sent: the array looks later whether it has its answer.
    fn watch_copy(&mut self, now: Instant, exchange: Id<Exchange>) {
        let number = self.fcp.exchange(exchange).number;
        let due_at = now + self.faults.times().r_a_tov;
        self.recover_at(due_at, RecoveryEvent::CopyDue(exchange, number));
    }
}
