// The lines of a drawing: smooth curves from port to port, trunks with one line for each cable.
import type { Topology } from '../api/types';
import type { Box, Drawing, Side, Spot, Wire } from './parts';

const AWAY: Record<Side, [number, number]> = { top: [0, -1], bottom: [0, 1], left: [-1, 0], right: [1, 0] };
const MOST_CABLES = 8;

export function wiresOf(topology: Topology, drawing: Drawing): Wire[] {
  const wires: Wire[] = [];
  topology.links.forEach((link, index) => {
    const wire = between(drawing, [link.a, link.a_node], [link.b, link.b_node], Math.min(link.members, MOST_CABLES));
    if (wire) wires.push({ ...wire, index, link, label: null });
  });
  for (const loop of topology.loops) {
    if (loop.node) continue;
    for (const port of loop.ports) {
      const node = drawing.portOf.get(port)?.node;
      const wire = node && between(drawing, [port, node], [`${loop.name}/${port}`, loop.name], 1);
      if (wire) wires.push({ ...wire, index: null, link: null, label: null });
    }
  }
  label(wires, drawing.boxes);
  return wires;
}

/** Size of a label as it is drawn. */
const LETTER = 6.6;
const LINE = 15;
/** Places of a label along its line, the best first. */
const PLACES = [0.5, 0.38, 0.62, 0.28, 0.72];

/** Labels links between switches, one label for all that run side by side with one speed; one without room is left out. */
function label(wires: Wire[], boxes: readonly Box[]): void {
  const groups = new Map<string, Wire[]>();
  for (const wire of wires) {
    if (!wire.link || wire.link.kind === 'edge') continue;
    const { a_node, b_node, members, speed } = wire.link;
    const key = [...[a_node, b_node].sort(), members, speed].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), wire]);
  }
  const taken: { left: number; right: number; top: number; bottom: number }[] = boxes.map((box) => ({ left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height }));
  for (const group of groups.values()) {
    const first = group[0];
    if (!first?.link) continue;
    const { members, speed } = first.link;
    const trunk = members > 1 ? `trunk of ${members} × ${speed}` : speed;
    const text = group.length > 1 ? `${group.length} × ${trunk}` : trunk;
    const half = (text.length * LETTER) / 2;
    for (const wire of [...group].reverse()) {
      const place = PLACES.map((share) => wire.along(share))
        .map(({ x, y }) => ({ x: x + (wire.isAcross ? 0 : half + 6), y: y - (wire.isAcross ? 12 : 3) }))
        .find(({ x, y }) => taken.every((other) => x + half < other.left || x - half > other.right || y < other.top || y - LINE > other.bottom));
      if (!place) continue;
      taken.push({ left: place.x - half, right: place.x + half, top: place.y - LINE, bottom: place.y });
      wire.label = { text, ...place };
      break;
    }
  }
}

function between(drawing: Drawing, a: [string, string], b: [string, string], cables: number): Pick<Wire, 'path' | 'shifts' | 'middle' | 'along' | 'isAcross'> | null {
  const from = drawing.spotOf.get(a[0]);
  const to = drawing.spotOf.get(b[0]);
  if (!from || !to) return null;
  const start = out(from, drawing.boxOf.get(a[1]));
  const end = out(to, drawing.boxOf.get(b[1]));
  const distance = Math.hypot(end.x - start.x, end.y - start.y);
  const reach = Math.min(Math.max(24, distance * 0.4), 160);
  const [ax, ay] = AWAY[from.side];
  const [bx, by] = AWAY[to.side];
  const curve = `C${n(start.x + ax * reach)} ${n(start.y + ay * reach)} ${n(end.x + bx * reach)} ${n(end.y + by * reach)} ${n(end.x)} ${n(end.y)}`;
  const along = (t: number) => ({
    x: bezier(start.x, start.x + ax * reach, end.x + bx * reach, end.x, t),
    y: bezier(start.y, start.y + ay * reach, end.y + by * reach, end.y, t),
  });
  const isFlat = from.side === 'top' || from.side === 'bottom';
  return {
    path: `M${n(from.x)} ${n(from.y)}${start.lead}${curve}${end.tail}`,
    shifts: Array.from({ length: cables }, (_, index) => {
      const shift = (index - (cables - 1) / 2) * 4;
      return isFlat ? { x: shift, y: 0 } : { x: 0, y: shift };
    }),
    isAcross: !isFlat,
    along,
    middle: along(0.5),
  };
}

const bezier = (a: number, b: number, c: number, d: number, t: number): number =>
  a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t ** 2 * (1 - t) + d * t ** 3;

/** The point where a line leaves its tier, with the path from the port to it and back. */
function out(spot: Spot, box: Box | undefined): { x: number; y: number; lead: string; tail: string } {
  const gap = box?.gap;
  if (!gap) return { x: spot.x, y: spot.y, lead: '', tail: '' };
  const turn = spot.side === 'bottom' ? 14 : -14;
  const y = spot.y + turn;
  return {
    x: gap.x,
    y: gap.y,
    lead: `C${n(spot.x)} ${n(y)} ${n(gap.x)} ${n(spot.y)} ${n(gap.x)} ${n(y + turn)}V${n(gap.y)}`,
    tail: `V${n(y + turn)}C${n(gap.x)} ${n(spot.y)} ${n(spot.x)} ${n(y)} ${n(spot.x)} ${n(spot.y)}`,
  };
}

const n = (value: number): string => String(Math.round(value * 10) / 10);
