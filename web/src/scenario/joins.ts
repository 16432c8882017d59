// What a line drawn by hand from one element to another means for the text.
import type { Edit, Topology } from '../api/types';
import { cabled, moved, writtenNames } from './links';

/** Edits that connect two elements: a free end gets a cable, a cabled port of a host or array moves. */
export function joinEdits(text: string, topology: Topology, from: string, to: string): Edit[] | null {
  const port = topology.ports.find((entry) => entry.name === from);
  const box = topology.nodes.find((entry) => entry.name === (port?.node ?? from));
  const target = topology.ports.find((entry) => entry.name === to);
  const next = target && target.peer !== null ? target.node : to;
  if (!box) return null;
  if (box.kind === 'switch') return cabled(from, next);
  const own = port ?? topology.ports.find((entry) => entry.node === box.name && entry.peer !== null);
  if (!own?.peer) return cabled(from, next);
  const peer = topology.ports.find((entry) => entry.name === own.peer);
  if (!peer) return null;
  return moved(text, writtenNames(own.name, own.node), writtenNames(peer.name, peer.node), next);
}
