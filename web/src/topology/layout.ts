// A fixed layout of a topology: tiers from top to bottom, sites side by side, ports on the edges of boxes.
import type { Topology } from '../api/types';
import type { Area, Box, Drawing, Side, Spot } from './parts';
import { graphOf, ordered, sizeOf, tiersOf, type Graph } from './tiers';
import { wiresOf } from './wires';

const COLUMN_GAP = 22;
const ROW_GAP = 30;
const TIER_GAP = 110;
const MOST_TIER_GAP = 300;
/** Greatest scale at which a whole drawing is shown. */
export const MOST_SCALE = 1.6;
const MARGIN = 40;
/** Most switches of a layer that stand in one row whatever their width. */
const MOST_SIDE_BY_SIDE = 20;

/** Lays a topology out; the gaps between tiers take the height that a room of this size leaves. */
export function layout(topology: Topology, room: { width: number; height: number } | null = null): Drawing {
  const graph = graphOf(topology);
  const tiers = ordered(graph, tiersOf(graph)).filter((tier) => tier.length);
  const sites = topology.sites.length > 1 ? topology.sites.length : 1;
  const wide = targetWidth(graph, tiers) / sites;
  const blocks = Array.from({ length: sites }, (_, site) =>
    tiers.map((tier, index) => block(graph, sites === 1 ? tier : tier.filter((name) => (graph.siteOf.get(name) ?? 0) === site), wide, index === 0)),
  );
  const heights = tiers.map((_, tier) => Math.max(0, ...blocks.map((site) => site[tier]?.height ?? 0)));
  const gap = tierGap(
    room,
    blocks.reduce((sum, site) => sum + Math.max(160, ...site.map((part) => part.width)) + 120, 2 * MARGIN - 120),
    heights.reduce((sum, height) => sum + height, 2 * MARGIN + (sites > 1 ? 20 : 0)),
    heights.length - 1,
  );
  const areas: Area[] = [];
  const boxes: Box[] = [];
  let left = MARGIN;
  blocks.forEach((site, number) => {
    const width = Math.max(160, ...site.map((part) => part.width));
    let top = MARGIN + (sites > 1 ? 20 : 0);
    site.forEach((part, tier) => {
      const height = heights[tier] ?? 0;
      const isLast = tier === site.length - 1 && tier > 0;
      place(part, left + (width - part.width) / 2, top + (isLast ? 0 : height - part.height), tier === 0 ? top + height : isLast ? top : null);
      boxes.push(...part.boxes);
      top += height + gap;
    });
    if (sites > 1) {
      areas.push({ name: topology.sites[number]?.name ?? '', x: left - 20, y: MARGIN - 24, width: width + 40, height: top - gap - MARGIN + 48 });
    }
    left += width + 120;
  });
  const boxOf = new Map(boxes.map((box) => [box.name, box]));
  const spotOf = placePorts(topology, boxOf);
  const drawing: Drawing = {
    boxes,
    wires: [],
    areas,
    width: left - 120 + MARGIN,
    height: heights.reduce((sum, height) => sum + height + gap, 0) - gap + 2 * MARGIN + (sites > 1 ? 20 : 0),
    boxOf,
    spotOf,
    portOf: new Map(topology.ports.map((port) => [port.name, port])),
  };
  drawing.wires = wiresOf(topology, drawing);
  return drawing;
}

function tierGap(room: { width: number; height: number } | null, width: number, boxes: number, gaps: number): number {
  if (!room?.width || gaps < 1) return TIER_GAP;
  const scale = Math.min(room.width / width, MOST_SCALE);
  return Math.round(Math.min(MOST_TIER_GAP, Math.max(TIER_GAP, (room.height / scale - boxes) / gaps)));
}

/** A width at which the whole drawing has about the shape of a screen. */
function targetWidth(graph: Graph, tiers: string[][]): number {
  const area = tiers.flat().reduce((sum, name) => {
    const { width, height } = sizeOf(graph, name);
    return sum + (width + COLUMN_GAP) * (height + ROW_GAP);
  }, 0);
  const switches = tiers.filter((tier) => tier.length <= MOST_SIDE_BY_SIDE && graph.kinds.get(tier[0] ?? '') === 'switch');
  const widest = Math.max(0, ...switches.map((tier) => tier.reduce((sum, name) => sum + sizeOf(graph, name).width + gapOf(graph, tier), 0)));
  return Math.max(1000, widest, Math.sqrt(area * 2.2));
}

/** Room between the columns of a tier: more where links run between neighbours. */
function gapOf(graph: Graph, names: readonly string[]): number {
  const own = new Set(names);
  return names.some((name) => [...(graph.near.get(name) ?? [])].some((other) => own.has(other))) ? 4 * COLUMN_GAP : COLUMN_GAP;
}

interface Block {
  boxes: Box[];
  width: number;
  height: number;
  /** Right end of the gap beside each box, relative to the block. */
  gaps: number[];
  isLastRow: boolean[];
}

/** One tier as a grid that fills column by column, so that boxes of one switch stand together. */
function block(graph: Graph, names: string[], wide: number, isTop: boolean): Block {
  const sizes = names.map((name) => sizeOf(graph, name));
  const between = gapOf(graph, names);
  const total = sizes.reduce((sum, size) => sum + size.width + between, 0);
  const isRow = names.length <= MOST_SIDE_BY_SIDE && graph.kinds.get(names[0] ?? '') === 'switch';
  const rows = isRow ? 1 : Math.max(1, Math.ceil(total / wide - 0.15));
  const height = Math.max(0, ...sizes.map((size) => size.height));
  const result: Block = { boxes: [], width: 0, height: names.length ? Math.min(rows, names.length) * (height + ROW_GAP) - ROW_GAP : 0, gaps: [], isLastRow: [] };
  let x = 0;
  for (let start = 0; start < names.length; start += rows) {
    const column = names.slice(start, start + rows);
    const width = Math.max(...column.map((_, row) => sizes[start + row]?.width ?? 0));
    column.forEach((name, row) => {
      const size = sizes[start + row] ?? { width, height };
      // Short columns stand next to the switches.
      const line = isTop ? row + rows - column.length : row;
      result.boxes.push({
        name,
        kind: graph.kinds.get(name) ?? 'host',
        x: x + (width - size.width) / 2,
        y: Math.min(line, rows - 1) * (height + ROW_GAP),
        width: size.width,
        height: size.height,
        note: graph.notes.get(name) ?? '',
        spots: [],
        gap: null,
      });
      result.gaps.push(x + width + between * (0.25 + (0.5 * (row + 1)) / (rows + 1)));
      result.isLastRow.push(isTop ? line === rows - 1 : line === 0);
    });
    x += width + between;
  }
  result.width = Math.max(0, x - between);
  return result;
}

function place(part: Block, x: number, y: number, edge: number | null): void {
  part.boxes.forEach((box, index) => {
    box.x += x;
    box.y += y;
    if (edge !== null && !part.isLastRow[index]) box.gap = { x: (part.gaps[index] ?? 0) + x, y: edge };
  });
}

/** Puts each cabled port on the edge that faces the other end, in the order of the other ends. */
function placePorts(topology: Topology, boxOf: Map<string, Box>): Map<string, Spot> {
  const wanted = new Map<Box, { spot: Spot; other: Box }[]>();
  const want = (port: string, own: Box | undefined, other: Box | undefined) => {
    if (!own || !other) return;
    const list = wanted.get(own) ?? [];
    list.push({ spot: { port, side: sideOf(own, other), x: 0, y: 0 }, other });
    wanted.set(own, list);
  };
  for (const link of topology.links) {
    want(link.a, boxOf.get(link.a_node), boxOf.get(link.b_node));
    want(link.b, boxOf.get(link.b_node), boxOf.get(link.a_node));
  }
  const nodeOf = new Map(topology.ports.map((port) => [port.name, port.node]));
  for (const loop of topology.loops) {
    if (loop.node) continue;
    for (const port of loop.ports) {
      want(port, boxOf.get(nodeOf.get(port) ?? ''), boxOf.get(loop.name));
      want(`${loop.name}/${port}`, boxOf.get(loop.name), boxOf.get(nodeOf.get(port) ?? ''));
    }
  }
  const spotOf = new Map<string, Spot>();
  for (const [box, list] of wanted) {
    for (const side of ['top', 'bottom', 'left', 'right'] as const) spread(box, side, list.filter((entry) => entry.spot.side === side));
    for (const { spot } of list) {
      box.spots.push(spot);
      spotOf.set(spot.port, spot);
    }
  }
  return spotOf;
}

function sideOf(own: Box, other: Box): Side {
  if (own.kind === 'host') return 'bottom';
  if (own.kind === 'array' || own.kind === 'stack') return 'top';
  if (Math.abs(own.y - other.y) < 30) return own.x < other.x ? 'right' : 'left';
  return other.y < own.y ? 'top' : 'bottom';
}

function spread(box: Box, side: Side, list: { spot: Spot; other: Box }[]): void {
  const isFlat = side === 'top' || side === 'bottom';
  const centre = (other: Box) => (isFlat ? other.x + other.width / 2 : other.y);
  list.sort((a, b) => centre(a.other) - centre(b.other));
  const span = isFlat ? box.width : box.height;
  const pitch = Math.min(14, (span - 12) / Math.max(1, list.length));
  list.forEach(({ spot }, index) => {
    const along = span / 2 + (index - (list.length - 1) / 2) * pitch;
    spot.x = isFlat ? box.x + along : side === 'left' ? box.x : box.x + box.width;
    spot.y = isFlat ? (side === 'top' ? box.y : box.y + box.height) : box.y + along;
  });
}
