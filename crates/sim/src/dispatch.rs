//! What happens next, and which handler takes it: the top of the simulator.

use sanlab_fabric::{Fate, Probe};
use sanlab_kernel::Instant;
use sanlab_scsi::Exchanges;

use crate::event::{Event, RecoveryEvent};
use crate::issuer::Tag;
use crate::world::World;

impl<const EVERY_EVENT: bool> World<EVERY_EVENT> {
    /// The next thing happens, which is due `now`. At equal times the agenda goes first, so that the
    /// start of a frame sees everything that belongs to its instant. False for what only the slow
    /// reference does, and for a timer that finds nothing to do.
    #[inline(always)]
    pub(crate) fn step(&mut self, now: Instant, probe: &mut impl Probe<Exchanges<Tag>>) -> bool {
        if self.agenda.next_at() == now {
            let mut is_work = false;
            if let Some((_, event)) = self.agenda.take() {
                self.events += 1;
                is_work = !(self.faults.is_armed() && self.is_idle(&event));
                self.dispatch(now, event);
                if self.agenda.settle() {
                    self.read_ahead();
                }
            }
            self.take_loop_frames(probe);
            return is_work;
        }
        let Some(start) = self.network.step(now, probe, &self.fcp) else {
            return self.after_tenancy(probe);
        };
        self.on_start(now, start);
        true
    }

    /// The network did something else than start a frame: false if only the slow reference does it.
    #[inline(never)]
    fn after_tenancy(&mut self, probe: &mut impl Probe<Exchanges<Tag>>) -> bool {
        self.take_loop_frames(probe);
        self.network.is_tenancy_step
    }

    /// Frames that began on loops: what follows from one may send the next.
    #[inline(always)]
    fn take_loop_frames(&mut self, probe: &mut impl Probe<Exchanges<Tag>>) {
        while let Some((at, start)) = self.network.started_on_loop() {
            let frame = &self.network.frames[start.frame];
            probe.frame(
                start.fibre,
                frame,
                &self.fcp,
                at,
                start.landed_at,
                Fate::Whole,
            );
            self.on_start(at, start);
        }
    }

    fn dispatch(&mut self, now: Instant, event: Event) {
        match event {
            Event::JobStart(job) => self.on_job_start(now, job),
            Event::JobDue(job) => self.on_job_due(now, job),
            Event::JobSlotFree(job) => self.on_slot_free(now, job),
            Event::JobWake(job) => self.pump_job(now, job),
            Event::TokenGranted(request) => self.on_token_granted(now, request),
            Event::AllocationAsked(request) => self.on_allocation_asked(now, request),
            Event::Allocated(request) => self.on_allocated(now, request),
            Event::CpuSubmitted(request) => self.on_cpu_submitted(now, request),
            Event::EngineSubmitted(request) => self.on_engine_submitted(now, request),
            Event::WriteSeen(exchange, fibre) => self.on_write_seen(now, exchange, fibre),
            Event::TakenOut(frame) => self.on_taken_out(now, frame),
            Event::Arrived(frame) => self.on_arrived(now, frame),
            Event::EngineCompleted(request) => self.on_engine_completed(now, request),
            Event::TransferSubmitted(exchange, offset) => {
                self.send_data(now, exchange, offset);
            }
            Event::Interrupt(adapter) => self.on_interrupt(now, adapter),
            Event::CpuCompleted(request) => self.on_cpu_completed(now, request),
            Event::RetryLun(adapter, queue) => self.on_retry_lun(now, adapter, queue),
            Event::MirrorResumes(array, lun) => self.on_mirror_resumes(now, array, lun),
            Event::RegionDue(array, lun) => self.on_region_due(now, array, lun),
            Event::RetryCopy(transfer) => self.send_transfer(now, transfer),
            Event::LimitPassed(exchange, number) => self.on_limit_passed(now, exchange, number),
            Event::CommandProcessed(exchange, server, failures) => {
                self.on_command_processed(now, exchange, server, failures);
            }
            Event::CommandForwarded(exchange, came_to, failures) => {
                self.on_command_forwarded(now, exchange, came_to, failures);
            }
            Event::CacheServed(task) => self.on_cache_served(now, task),
            Event::CacheDue(array, home) => self.on_cache_due(now, array, home),
            Event::DiskDue(array, disk) => self.on_disk_due(now, array, disk),
            Event::MediaServed(task) => self.on_media_served(now, task),
            Event::Fault(fault) => self.on_fault(now, fault),
            Event::Service(event) => self.on_service(now, event),
            Event::Recovery(step) => self.on_recovery(now, step),
            Event::Policy(policy) => self.network.apply_policy(policy, now),
            Event::DataDue(exchange, number, seen) => {
                self.on_data_due(now, exchange, number, seen);
            }
            Event::ParityDone(task) => self.on_parity_done(now, task),
            Event::PartnerCopied(array, controller) => {
                self.on_partner_copied(now, array, controller);
            }
            Event::DriveFails(array, group) => self.on_drive_fails(now, array, group),
            Event::RebuildDue(array, group, rebuild) => {
                self.on_rebuild_due(now, array, group, rebuild);
            }
        }
    }

    fn on_recovery(&mut self, now: Instant, event: RecoveryEvent) {
        match event {
            RecoveryEvent::CommandsDue(adapter) => self.on_commands_due(now, adapter),
            RecoveryEvent::AbortDue(exchange, number) => self.on_abort_due(now, exchange, number),
            RecoveryEvent::CopyDue(exchange, number) => self.on_copy_due(now, exchange, number),
            RecoveryEvent::Rested(exchange) => self.on_rested(now, exchange),
            RecoveryEvent::PathsCheck => self.check_paths(now, None),
            RecoveryEvent::PathExpired(path, changes) => self.on_path_expired(now, path, changes),
            RecoveryEvent::PathReady(path) => self.on_path_ready(now, path),
            RecoveryEvent::PathChecked(path, changes) => self.on_path_checked(now, path, changes),
            RecoveryEvent::Failback(device) => self.on_failback(now, device),
            RecoveryEvent::PathStates(array) => self.on_path_states(now, array),
            RecoveryEvent::JobPaused(job) => self.on_slot_free(now, job),
        }
    }
}
