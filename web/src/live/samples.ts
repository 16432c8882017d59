// Samples of a job as values of links and as curves.
import type { Sample, Topology } from '../api/types';
import type { Curve } from '../charts/Chart.svelte';

const PS = 1e12;

/** Share of each link's rate in use, or share of time without credit, by the last sample. */
export function linkValues(topology: Topology, names: readonly string[], samples: readonly Sample[], metric: 'utilisation' | 'credit_wait'): (number | null)[] {
  const last = samples[samples.length - 1];
  const byName = new Map((last?.ports ?? []).map(([index, rate, wait]) => [names[index] ?? '', { rate, wait }]));
  return topology.links.map((link) => {
    const ends = [link.a, link.b].flatMap((name) => byName.get(name) ?? []);
    if (!ends.length) return names.length ? 0 : null;
    if (metric === 'credit_wait') return Math.max(...ends.map((end) => end.wait));
    return Math.max(...ends.map((end) => end.rate)) / (link.bytes_per_s * Math.max(1, link.members));
  });
}

export function workloadCurves(samples: readonly Sample[], names: readonly string[], field: 1 | 2): Curve[] {
  const at = samples.map((sample) => sample.at_ps / PS);
  return names.slice(0, 8).map((label, index) => ({
    label,
    at,
    values: samples.map((sample) => sample.workloads.find((row) => row[0] === index)?.[field] ?? 0),
  }));
}

/** Curves of chosen ports, or of the four that sent most. */
export function portCurves(samples: readonly Sample[], names: readonly string[], chosen: readonly string[], field: 1 | 2): Curve[] {
  const at = samples.map((sample) => sample.at_ps / PS);
  const wanted = chosen.length ? chosen.map((name) => names.indexOf(name)).filter((index) => index >= 0) : busiest(samples, field);
  return wanted.slice(0, 8).map((index) => ({
    label: names[index] ?? String(index),
    at,
    values: samples.map((sample) => sample.ports.find((row) => row[0] === index)?.[field] ?? 0),
  }));
}

function busiest(samples: readonly Sample[], field: 1 | 2): number[] {
  const total = new Map<number, number>();
  for (const sample of samples) for (const row of sample.ports) total.set(row[0], (total.get(row[0]) ?? 0) + row[field]);
  return [...total].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([index]) => index);
}
