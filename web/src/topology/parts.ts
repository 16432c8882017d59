// Parts of a drawing of a topology, in its own coordinates.
import type { Link, Node, Port } from '../api/types';

export type Side = 'top' | 'bottom' | 'left' | 'right';

export interface Spot {
  port: string;
  side: Side;
  x: number;
  y: number;
}

export interface Box {
  name: string;
  kind: Node['kind'] | 'loop';
  x: number;
  y: number;
  width: number;
  height: number;
  /** Second line of the box. */
  note: string;
  spots: Spot[];
  /** Where a line leaves the box's tier: through the gap beside its column; null in the tier's row next to the switches. */
  gap: { x: number; y: number } | null;
}

export interface Wire {
  /** Index in Topology.links; null for the joint of a port with its loop. */
  index: number | null;
  link: Link | null;
  path: string;
  /** Shift of each cable of a trunk. */
  shifts: { x: number; y: number }[];
  middle: { x: number; y: number };
  /** A point of the line, from 0 at one end to 1 at the other. */
  along: (share: number) => { x: number; y: number };
  /** Number and speed of the links between the same switches, at one of them. */
  label: { text: string; x: number; y: number } | null;
  /** The line leaves its box to the side, so that its label stands above it. */
  isAcross: boolean;
}

export interface Area {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Drawing {
  boxes: Box[];
  wires: Wire[];
  areas: Area[];
  width: number;
  height: number;
  boxOf: Map<string, Box>;
  spotOf: Map<string, Spot>;
  portOf: Map<string, Port>;
}

/** What is chosen in a map: a box, a port or a link. */
export type Chosen = { kind: 'node' | 'port'; name: string } | { kind: 'link'; index: number };
