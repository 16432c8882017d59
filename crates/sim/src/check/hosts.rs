//! Hosts: processors, adapters, buses, multipathing.

use std::collections::BTreeSet;

use crate::plan::{AdapterPlan, HostPlan, Plan, PlanError};

use super::bounds::{MOST_SLOTS, Within, fields, known, rate, require, span};
use super::fabric::n_port;

pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    let on_loops: BTreeSet<u32> = plan
        .loops
        .iter()
        .flat_map(|of| of.ports.iter().filter_map(|port| port.n_port))
        .collect();
    for (index, host) in plan.hosts.iter().enumerate() {
        check_host(host, |key| format!("hosts[{index}].{key}"))?;
        for (number, adapter) in host.adapters.iter().enumerate() {
            let place = |key: &str| format!("hosts[{index}].adapters[{number}].{key}");
            n_port(plan, adapter.n_port, || place("n_port"))?;
            check_adapter(adapter, place)?;
            let engines = host.engines.len();
            known(adapter.engine, engines, "engine of this host", || {
                place("engine")
            })?;
            let Some(bus) = adapter.bus else { continue };
            known(bus, host.buses.len(), "bus of this host", || place("bus"))?;
            require(
                !on_loops.contains(&adapter.n_port),
                || place("bus"),
                || "a port on a loop has no bus".into(),
            )?;
        }
    }
    Ok(())
}

fn check_host(host: &HostPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    host.cores.within(1, MOST_SLOTS, || place("cores"))?;
    fields!(span, host, place;
        cpu_submit_ps, cpu_complete_ps, cpu_command_ps, cpu_interrupt_ps);
    for (number, bus) in host.buses.iter().enumerate() {
        let at = |key: &str| place(&format!("buses[{number}].{key}"));
        rate(bus.bytes_per_s, || at("bytes_per_s"))?;
        fields!(span, bus, at; fetch_overhead_ps, store_overhead_ps);
    }
    for (number, engine) in host.engines.iter().enumerate() {
        let at = |key: &str| place(&format!("engines[{number}].{key}"));
        if let Some(bytes_per_s) = engine.bytes_per_s {
            rate(bytes_per_s, || at("bytes_per_s"))?;
        }
        fields!(span, engine, at; turnaround_ps);
    }
    let Some(multipath) = host.multipath else {
        return Ok(());
    };
    let at = |key: &str| place(&format!("multipath.{key}"));
    fields!(span, multipath, at; failback_ps, checker_ps);
    Ok(())
}

fn check_adapter(adapter: &AdapterPlan, place: impl Fn(&str) -> String) -> Result<(), PlanError> {
    fields!(span, adapter, place;
        submit_ps, complete_ps, command_timeout_ps, path_timeout_ps, transfer_ps, latency_ps,
        interrupt_delay_ps);
    Ok(())
}
