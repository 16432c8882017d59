//! Requests that the block layer splits: an application's I/O becomes several commands.
//!
//! Each piece is a request of its own that begins with a copy of its parent's time line. The parent
//! takes over the time line of the piece that ended last, so the stages of the critical path still
//! sum to the response time.

use sanlab_host::{Piece, Role};
use sanlab_kernel::{Id, Instant};

use super::request::OpenRequest;
use super::state::HostSide;
use crate::event::Event;
use crate::world::World;

impl HostSide {
    /// So much of the request is done: how much may be under way?
    fn admit_pieces(&mut self, parent: Id<OpenRequest>, done: u64) {
        let record = &self.requests[parent];
        let host = self.jobs[record.job].host;
        let block_layer = &self.hosts[host].block_layer;
        let may_be_issued = block_layer.may_be_issued(self.bytes_in_pieces(record), done);
        self.requests[parent].may_be_issued = may_be_issued;
    }

    /// Bytes of all pieces of a request: a write to a mirror goes to every LUN.
    fn bytes_in_pieces(&self, request: &OpenRequest) -> u64 {
        let volume = self.jobs[request.job].volume.as_ref();
        let copies = volume.filter(|_| !request.is_read);
        request.bytes * copies.map_or(1, |volume| volume.copies)
    }

    fn has_issued_all(&self, parent: Id<OpenRequest>) -> bool {
        let record = &self.requests[parent];
        record.issued == record.may_be_issued
    }

    fn next_piece(&mut self, parent: Id<OpenRequest>) -> Id<OpenRequest> {
        let whole = self.requests[parent];
        let host = self.jobs[whole.job].host;
        let most = self.hosts[host].block_layer.max_request;
        let (copy, done) = (whole.issued / whole.bytes, whole.issued % whole.bytes);
        let bytes = most
            .min(whole.may_be_issued - whole.issued)
            .min(whole.bytes - done);
        let address = whole.address + done;
        let place = self.place_of(&whole, copy, address, bytes);
        let (bytes, device) = (place.bytes, self.jobs[whole.job].devices[place.target]);
        let record = &mut self.requests[parent];
        record.issued += bytes;
        record.pieces += 1;
        record.due_at = Instant::NEVER;
        self.requests.insert(OpenRequest {
            role: Role::Piece,
            parent: parent.into(),
            pieces: 0,
            commands: 1,
            address: place.address,
            target: place.target,
            device,
            bytes,
            arrived: 0,
            issued: 0,
            may_be_issued: 0,
            ..whole
        })
    }

    /// Where a part of a request is. The LUNs of a mirror hold the same; reads go to them in turn.
    fn place_of(&self, whole: &OpenRequest, copy: u64, address: u64, bytes: u64) -> Piece {
        let Some(volume) = &self.jobs[whole.job].volume else {
            return Piece {
                target: whole.target,
                address,
                bytes,
            };
        };
        if volume.copies == 1 {
            return volume.map.place(address, bytes);
        }
        let turn = if whole.is_read {
            whole.address / whole.bytes % volume.copies
        } else {
            copy
        };
        Piece {
            target: Id::from_place(usize::try_from(turn).unwrap_or(0)),
            address,
            bytes,
        }
    }
}

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The processor has taken in a request that is too large for one command.
    pub(crate) fn split(&mut self, now: Instant, parent: Id<OpenRequest>) {
        self.host.admit_pieces(parent, 0);
        self.issue_pieces(now, parent);
    }

    /// Issue the pieces that may be issued: the next one when the processor is done with the last.
    fn issue_pieces(&mut self, now: Instant, parent: Id<OpenRequest>) {
        loop {
            let piece = self.host.next_piece(parent);
            let is_last = self.host.has_issued_all(parent);
            let job = self.host.requests[parent].job;
            let host = self.host.jobs[job].host;
            if let Some(ends_at) = self
                .host
                .occupy_cpu(now, host, |costs| costs.submit(Role::Piece))
            {
                let component = self.host.component(job).number();
                self.agenda
                    .schedule(ends_at, component, Event::CpuSubmitted(piece));
                return;
            }
            self.assign(now, piece);
            if is_last || self.gives_up(now, parent) {
                return;
            }
        }
    }

    /// The processor has issued a piece.
    pub(crate) fn on_piece_submitted(&mut self, now: Instant, piece: Id<OpenRequest>) {
        let parent = self.host.requests[piece].parent.certain();
        // The parent is gone if its last piece fails at once.
        let is_last = self.host.has_issued_all(parent);
        self.assign(now, piece);
        if !is_last && !self.gives_up(now, parent) {
            self.issue_pieces(now, parent);
        }
    }

    /// A piece has failed before all were issued: there will be no more. It is over if none is left.
    fn gives_up(&mut self, now: Instant, parent: Id<OpenRequest>) -> bool {
        let record = &mut self.host.requests[parent];
        if record.failed_pieces == 0 {
            return false;
        }
        record.may_be_issued = record.issued;
        if record.pieces == 0 {
            self.fail_whole(now, parent);
        }
        true
    }

    fn fail_whole(&mut self, now: Instant, parent: Id<OpenRequest>) {
        let record = &mut self.host.requests[parent];
        let record = *record;
        self.host.requests.remove(parent);
        if let Some(ladder) = &mut self.ladder {
            ladder.on_end(parent, &record, false);
        }
        self.end_in_error(now, &record, record.pause);
    }

    /// A piece has ended, with or without an error: the request issues its next pieces, or ends.
    pub(crate) fn end_piece(&mut self, now: Instant, piece: &OpenRequest, is_good: bool) {
        let id = piece.parent.certain();
        let parent = &mut self.host.requests[id];
        parent.pieces -= 1;
        parent.commands += piece.commands;
        parent.failed_pieces += u32::from(!is_good);
        parent.is_retried |= piece.is_retried;
        if is_good {
            parent.arrived += piece.bytes;
        } else {
            // Whichever piece ends last: the application waits as the one that failed says.
            parent.pause = parent.pause.max(piece.pause);
        }
        if parent.pieces > 0 {
            return;
        }
        if is_good {
            parent.timeline = piece.timeline;
            (parent.device, parent.path) = (piece.device, piece.path);
        }
        let parent = *parent;
        if parent.failed_pieces > 0 {
            // While pieces are being issued, who issues them notices.
            if parent.issued == parent.may_be_issued {
                self.fail_whole(now, id);
            }
        } else if parent.issued < self.host.bytes_in_pieces(&parent) {
            self.host.admit_pieces(id, parent.issued);
            self.issue_pieces(now, id);
        } else {
            self.complete(now, id);
        }
    }

    /// All pieces are done: the processor tells the application.
    fn complete(&mut self, now: Instant, parent: Id<OpenRequest>) {
        let job = self.host.requests[parent].job;
        let host = self.host.jobs[job].host;
        if let Some(ends_at) = self
            .host
            .occupy_cpu(now, host, |costs| costs.complete(Role::Split))
        {
            let component = self.host.component(job).number();
            self.agenda
                .schedule(ends_at, component, Event::CpuCompleted(parent));
        } else {
            self.on_cpu_completed(now, parent);
        }
    }
}
