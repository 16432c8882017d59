// What a line drawn by hand from one element to another means: a free end gets a cable, a cabled port of a host or array moves.
import type { Topology } from '../api/types';
import type { Change } from './changes';

export function joined(topology: Topology, from: string, to: string): Change | null {
  const port = topology.ports.find((entry) => entry.name === from);
  const box = topology.nodes.find((entry) => entry.name === (port?.node ?? from));
  const target = topology.ports.find((entry) => entry.name === to);
  const next = target && target.peer !== null ? target.node : to;
  if (!box) return null;
  const cable: Change = { at: 'edit', body: { edits: [{ op: 'insert', path: 'links', value: { from, to: next } }] } };
  if (box.kind === 'switch') return cable;
  const own = port ?? topology.ports.find((entry) => entry.node === box.name && entry.peer !== null);
  if (!own?.peer || own.link === null) return cable;
  return { at: 'edit/cable', body: { link: own.link, end: own.peer, to: next } };
}
