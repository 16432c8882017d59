//! Hosts of a plan become models.

use sanlab_host::{Adapter, BlockLayer, CpuCosts, Host};
use sanlab_kernel::{NEVER, Station, id_of};

use crate::host::file_system::FileSystem;
use crate::host::state::HostParts;
use crate::plan::{AdapterPlan, Plan, SubmissionPlan};

/// Hosts with their processors, block layers and adapters, and file systems.
pub(super) fn add_hosts(parts: &mut HostParts, plan: &Plan) {
    parts.file_systems = plan.file_systems.iter().map(FileSystem::new).collect();
    for host in &plan.hosts {
        let first = id_of(parts.adapters.len());
        parts.adapters.extend(host.adapters.iter().map(adapter_of));
        parts.hosts.push(Host {
            cpu: Station::settling(host.cores.get()),
            costs: CpuCosts::new(
                (host.cpu_submit_ps, host.cpu_complete_ps),
                host.cpu_command_ps,
                host.cpu_interrupt_ps,
            ),
            block_layer: BlockLayer {
                max_request: host.max_request_bytes.map_or(NEVER, u64::from),
                is_serial: host.submission == SubmissionPlan::Serial,
            },
            adapters: (first..id_of(parts.adapters.len())).collect(),
        });
    }
}

fn adapter_of(plan: &AdapterPlan) -> Adapter {
    let mut adapter = Adapter::new(
        plan.n_port,
        (plan.submit_ps, plan.complete_ps),
        plan.max_commands.get(),
        plan.lun_queue_depth.get(),
    );
    adapter.command_timeout = plan.command_timeout_ps.map_or(0, u64::from);
    adapter.path_timeout = plan.path_timeout_ps;
    adapter.retries = plan.retries;
    adapter.transfer = plan.transfer_ps;
    adapter.latency = plan.latency_ps;
    adapter.interrupt_delay = plan.interrupt_delay_ps.map_or(0, u64::from);
    adapter
}
