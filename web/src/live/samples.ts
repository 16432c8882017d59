// Samples of a job as values of links and as curves.
import type { Sample, Topology } from '../api/types';
import type { Curve } from '../charts/Chart.svelte';
import type { Field, History } from './history';

/** Most curves of a chart, and of one that chooses the busiest ports itself. */
const MOST = 8;
const BUSIEST = 4;

/** Places of both ends of each link among the ports of the samples. */
export function endsOf(topology: Topology, names: readonly string[]): number[][] {
  const placeOf = new Map(names.map((name, place) => [name, place]));
  return topology.links.map((link) => [link.a, link.b].flatMap((name) => placeOf.get(name) ?? []));
}

/** Share of each link's rate in use, or share of time without credit, by a sample. */
export function linkValues(topology: Topology, ends: readonly number[][], sample: Sample, metric: 'utilisation' | 'credit_wait'): number[] {
  const field: Field = metric === 'utilisation' ? 1 : 2;
  const values: number[] = [];
  for (const row of sample.ports) values[row[0]] = row[field];
  return topology.links.map((link, index) => {
    const most = Math.max(0, ...(ends[index] ?? []).map((place) => values[place] ?? 0));
    return metric === 'utilisation' ? most / (link.bytes_per_s * Math.max(1, link.members)) : most;
  });
}

export function workloadCurves(history: History, names: readonly string[], field: Field): Curve[] {
  return names.slice(0, MOST).map((label, place) => ({ label, at: history.at_s, values: history.column('workloads', place, field) }));
}

/** Curves of chosen ports, or of those that sent or waited most. */
export function portCurves(history: History, names: readonly string[], chosen: readonly string[], field: Field): Curve[] {
  const wanted = chosen.length ? chosen.map((name) => names.indexOf(name)).filter((place) => place >= 0) : history.busiest(field, BUSIEST);
  return wanted.slice(0, MOST).map((place) => ({ label: names[place] ?? String(place), at: history.at_s, values: history.column('ports', place, field) }));
}
