//! Hosts of a plan become models.

use sanlab_host::{Adapter, BlockLayer, CpuCosts, Host};
use sanlab_kernel::{NEVER, Station, id_of};

use crate::plan::{AdapterPlan, Plan, SubmissionPlan};
use crate::world::World;

pub(super) fn add_hosts<const E: bool>(world: &mut World<E>, plan: &Plan) {
    for host in &plan.hosts {
        let first = id_of(world.adapters.len());
        world.adapters.extend(host.adapters.iter().map(adapter_of));
        world.hosts.push(Host {
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
            adapters: (first..id_of(world.adapters.len())).collect(),
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
