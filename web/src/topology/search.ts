// A search over everything in a topology that has a name or an address.
import type { Topology } from '../api/types';
import type { Chosen } from './parts';

export interface Hit {
  text: string;
  note: string;
  chosen: Chosen;
}

export function search(topology: Topology, query: string, most = 12): Hit[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  const hits: (Hit & { rank: number })[] = [];
  const bare = wanted.replaceAll(':', '');
  const rank = (text: string | null | undefined): number | null => {
    if (!text) return null;
    const lower = text.toLowerCase();
    if (lower === wanted) return 0;
    if (lower.startsWith(wanted)) return 1;
    if (lower.includes(wanted)) return 2;
    return bare.length > 3 && lower.replaceAll(':', '').includes(bare) ? 3 : null;
  };
  const best = (...texts: (string | null | undefined)[]): number | null => {
    const ranks = texts.map(rank).filter((value) => value !== null);
    return ranks.length ? Math.min(...ranks) : null;
  };
  for (const node of topology.nodes) {
    const found = best(node.name, node.model);
    if (found !== null) hits.push({ rank: found, text: node.name, note: node.kind, chosen: { kind: 'node', name: node.name } });
  }
  for (const port of topology.ports) {
    const own = best(port.name, port.wwpn, port.fc_id);
    const far = best(port.peer, ...port.logins);
    if (own === null && far === null) continue;
    const note = [port.peer && `to ${port.peer}`, port.fc_id, port.wwpn].filter(Boolean).join(' · ');
    hits.push({ rank: own === null ? (far ?? 0) + 4.5 : own + 0.5, text: port.name, note, chosen: { kind: 'port', name: port.name } });
  }
  return hits.sort((a, b) => a.rank - b.rank).slice(0, most);
}

/** The element that a name stands for: a box, a port, or a link by the names of its ends. */
export function placeOf(topology: Topology, name: string): Chosen | null {
  if (topology.nodes.some((node) => node.name === name)) return { kind: 'node', name };
  if (topology.ports.some((port) => port.name === name)) return { kind: 'port', name };
  const ends = name.split(/\s*(?:<->|->|–|—|\s-\s|\s)\s*/).filter(Boolean);
  const index = topology.links.findIndex(
    (link) => String(link.id) === name.replace(/^link:/, '') || (ends.includes(link.a) && ends.includes(link.b)),
  );
  if (index >= 0) return { kind: 'link', index };
  const zone = topology.ports.find((port) => name.startsWith(`${port.name}.`) || name.startsWith(`${port.name} `));
  if (zone) return { kind: 'port', name: zone.name };
  const node = topology.nodes.find((entry) => name.startsWith(`${entry.name}.`));
  return node ? { kind: 'node', name: node.name } : null;
}
