//! Hosts of a plan become models.

use std::num::NonZeroU64;

use sanlab_host::{Adapter, BlockLayer, CpuCosts, Engine, Host};
use sanlab_kernel::{Id, Rate, Span, Station};

use crate::host::file_system::FileSystem;
use crate::host::state::HostParts;
use crate::plan::{AdapterPlan, EnginePlan, Plan, SubmissionPlan};

/// Hosts with their processors, block layers and adapters, and file systems.
pub(super) fn add_hosts(parts: &mut HostParts, plan: &Plan) {
    parts.file_systems = plan.file_systems.iter().map(FileSystem::new).collect();
    for host in &plan.hosts {
        let first_engine = parts.engines.next_id().number();
        let engines = host.engines.iter().map(engine_of);
        engines.for_each(|engine| {
            parts.engines.push(engine);
        });
        let adapters = host.adapters.iter();
        let adapters = adapters
            .map(|adapter| adapter_of(adapter, Id::new(first_engine + adapter.engine)))
            .map(|adapter| parts.adapters.push(adapter))
            .collect();
        parts.hosts.push(Host {
            cpu: Station::settling(host.cores.get()),
            costs: CpuCosts::new(
                (
                    Span::from_ps(host.cpu_submit_ps),
                    Span::from_ps(host.cpu_complete_ps),
                ),
                Span::from_ps(host.cpu_command_ps),
                Span::from_ps(host.cpu_interrupt_ps),
            ),
            block_layer: BlockLayer {
                max_request: host.max_request_bytes.map_or(u64::MAX, u64::from),
                is_serial: host.submission == SubmissionPlan::Serial,
            },
            adapters,
        });
    }
}

fn engine_of(plan: &EnginePlan) -> Engine {
    let data = plan.bytes_per_s;
    Engine::new(
        data.map(|rate| Rate::from_bytes_per_s(rate.get())),
        Span::from_ps(plan.turnaround_ps),
    )
}

fn adapter_of(plan: &AdapterPlan, engine: Id<Engine>) -> Adapter {
    let mut adapter = Adapter::new(
        (Id::new(plan.n_port), engine),
        (
            Span::from_ps(plan.submit_ps),
            Span::from_ps(plan.complete_ps),
        ),
        plan.max_commands.get(),
        plan.lun_queue_depth.get(),
    );
    adapter.command_timeout = optional(plan.command_timeout_ps);
    adapter.path_timeout = Span::from_ps(plan.path_timeout_ps);
    adapter.retries = plan.retries;
    adapter.transfer = Span::from_ps(plan.transfer_ps);
    adapter.latency = Span::from_ps(plan.latency_ps);
    adapter.interrupt_delay = optional(plan.interrupt_delay_ps);
    adapter
}

fn optional(picoseconds: Option<NonZeroU64>) -> Span {
    picoseconds.map_or(Span::ZERO, |length| Span::from_ps(length.get()))
}
