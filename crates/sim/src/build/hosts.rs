//! Hosts of a plan.

use sanlab_host::{Adapter, BlockLayer, CpuCosts, Host};
use sanlab_kernel::{Station, id_of};

use super::jobs::limit;
use crate::host::file_system::FileSystem;
use crate::host::state::HostParts;
use crate::plan::{Plan, SubmissionPlan};

/// Hosts with their processors, block layers and adapters, and file systems.
pub(super) fn add_hosts(parts: &mut HostParts, plan: &Plan) {
    parts.file_systems = plan.file_systems.iter().map(FileSystem::new).collect();
    for host in &plan.hosts {
        let first = id_of(parts.adapters.len());
        for adapter in &host.adapters {
            let costs = (adapter.submit_ps, adapter.complete_ps);
            let mut model = Adapter::new(
                adapter.n_port,
                costs,
                adapter.max_commands,
                adapter.lun_queue_depth,
            );
            model.command_timeout = adapter.command_timeout_ps;
            model.path_timeout = adapter.path_timeout_ps;
            model.retries = adapter.retries;
            model.transfer = adapter.transfer_ps;
            model.latency = adapter.latency_ps;
            model.interrupt_delay = adapter.interrupt_delay_ps;
            parts.adapters.push(model);
        }
        parts.hosts.push(Host {
            cpu: Station::settling(host.cores),
            costs: CpuCosts::new(
                (host.cpu_submit_ps, host.cpu_complete_ps),
                host.cpu_command_ps,
                host.cpu_interrupt_ps,
            ),
            block_layer: BlockLayer {
                max_request: limit(host.max_request_bytes),
                is_serial: host.submission == SubmissionPlan::Serial,
            },
            adapters: (first..id_of(parts.adapters.len())).collect(),
        });
    }
}
