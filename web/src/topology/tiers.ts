// Which boxes stand in which tier, and in what order: hosts, switches by distance from hosts, arrays.
import type { Topology } from '../api/types';
import type { Box } from './parts';

/** Width of a port on the edge of a box; narrower on boxes with many. */
const PITCH = 14;
const NARROW = 9;
const MANY = 24;

/** A graph of boxes; a loop that joins several boxes counts as one. */
export interface Graph {
  names: string[];
  kinds: Map<string, Box['kind']>;
  notes: Map<string, string>;
  near: Map<string, Set<string>>;
  /** Number of ports with a cable to another box. */
  cables: Map<string, number>;
  siteOf: Map<string, number>;
}

export function graphOf(topology: Topology): Graph {
  const graph: Graph = { names: [], kinds: new Map(), notes: new Map(), near: new Map(), cables: new Map(), siteOf: new Map() };
  const add = (name: string, kind: Box['kind'], note: string) => {
    graph.names.push(name);
    graph.kinds.set(name, kind);
    graph.notes.set(name, note);
    graph.near.set(name, new Set());
    graph.cables.set(name, 0);
  };
  for (const node of topology.nodes) add(node.name, node.kind, node.model ?? '');
  for (const loop of topology.loops) if (!loop.node) add(loop.name, 'loop', `${loop.ports.length} ports`);
  const join = (a: string, b: string) => {
    graph.near.get(a)?.add(b);
    graph.near.get(b)?.add(a);
    for (const name of [a, b]) graph.cables.set(name, (graph.cables.get(name) ?? 0) + 1);
  };
  for (const link of topology.links) join(link.a_node, link.b_node);
  const nodeOf = new Map(topology.ports.map((port) => [port.name, port.node]));
  for (const loop of topology.loops) {
    if (loop.node) continue;
    for (const port of loop.ports) {
      const node = nodeOf.get(port);
      if (node) join(node, loop.name);
    }
  }
  topology.sites.forEach((site, index) => site.nodes.forEach((name) => graph.siteOf.set(name, index)));
  return graph;
}

/** Most letters of a name in a box. */
const MOST_LETTERS = 26;

/** A name as it stands in a box: the middle of a long one is left out, numbers are at the end. */
export function shortened(name: string): string {
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 11)}…${name.slice(-10)}` : name;
}

export function sizeOf(graph: Graph, name: string): { width: number; height: number } {
  const cables = graph.cables.get(name) ?? 0;
  const kind = graph.kinds.get(name);
  const text = Math.max(shortened(name).length * 8, shortened(graph.notes.get(name) ?? '').length * 5.6) + 20;
  const pitch = cables > MANY ? NARROW : PITCH;
  if (kind === 'switch') return { width: Math.max(140, text, Math.ceil(cables * 0.75) * pitch + 24), height: 56 };
  if (kind === 'loop') return { width: Math.max(110, text, cables * pitch + 24), height: 44 };
  return { width: Math.max(88, text, cables * pitch + 16), height: graph.notes.get(name) ? 44 : 36 };
}

/** Names of boxes by tier, from the top: hosts, layers of switches, arrays and stacks. */
export function tiersOf(graph: Graph): string[][] {
  const hosts: string[] = [];
  const storage: string[] = [];
  const middle: string[] = [];
  for (const name of graph.names) {
    const kind = graph.kinds.get(name);
    (kind === 'host' ? hosts : kind === 'switch' || kind === 'loop' ? middle : storage).push(name);
  }
  const layers: string[][] = [[], [], []];
  for (const name of middle) {
    const kinds = new Set([...(graph.near.get(name) ?? [])].map((other) => graph.kinds.get(other)));
    const hasHosts = kinds.has('host');
    const hasStorage = kinds.has('array') || kinds.has('stack');
    layers[hasHosts ? 0 : hasStorage ? 2 : 1]?.push(name);
  }
  if (!layers[0]?.length && !layers[2]?.length) return [hosts, layers[1] ?? [], storage];
  return [hosts, ...layers.filter((layer) => layer.length), storage];
}

/** Orders each tier by the mean place of its neighbours, so that few lines cross. */
export function ordered(graph: Graph, tiers: string[][]): string[][] {
  const place = new Map<string, number>();
  const note = (tier: string[]) => tier.forEach((name, index) => place.set(name, index / Math.max(1, tier.length - 1)));
  const result = tiers.map((tier) => [...tier]);
  result.forEach(note);
  const sort = (tier: string[]) => {
    const weight = new Map(
      tier.map((name, index) => {
        const near = [...(graph.near.get(name) ?? [])].filter((other) => place.has(other) && !tier.includes(other));
        const mean = near.reduce((sum, other) => sum + (place.get(other) ?? 0), 0) / near.length;
        return [name, near.length ? mean : index / tier.length];
      }),
    );
    tier.sort((a, b) => (graph.siteOf.get(a) ?? 0) - (graph.siteOf.get(b) ?? 0) || (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
    note(tier);
  };
  // Switches keep the order of the scenario in the first layer; the others follow it.
  for (let round = 0; round < 2; round++) {
    for (let index = 2; index < result.length; index++) sort(result[index] ?? []);
    sort(result[0] ?? []);
  }
  return result;
}
