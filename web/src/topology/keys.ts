// Arrow keys between the boxes of a map.
import type { Box } from './parts';

const WAYS: Record<string, [number, number]> = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** The nearest box in the direction of an arrow key; null for another key or at the edge. */
export function neighbour(boxes: readonly Box[], from: Box, key: string): Box | null {
  const way = WAYS[key];
  if (!way) return null;
  const x = from.x + from.width / 2;
  const y = from.y + from.height / 2;
  let best: Box | null = null;
  let least = Infinity;
  for (const box of boxes) {
    const dx = box.x + box.width / 2 - x;
    const dy = box.y + box.height / 2 - y;
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (box === from || along < 8) continue;
    const cost = along + 2 * aside;
    if (cost < least) [best, least] = [box, cost];
  }
  return best;
}
