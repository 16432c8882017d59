// States of ports as a person says them, and the slots of a front panel.
import type { Port } from '../api/types';

export type Tone = 'good' | 'warn' | 'bad' | 'none';

export const STATE_TONES: { tone: Tone; mark: string; text: string }[] = [
  { tone: 'good', mark: '✓', text: 'online' },
  { tone: 'warn', mark: '!', text: 'isolated, disabled or lately down' },
  { tone: 'bad', mark: '✕', text: 'down' },
  { tone: 'none', mark: '·', text: 'no cable' },
];

/** Tone and words of a port's state; the reason follows in the port. */
export function stateOf(port: Port): { tone: Tone; text: string } {
  const text = port.state.replaceAll('_', ' ');
  if (/^(online|up)$/.test(text)) return { tone: 'good', text };
  if (port.peer === null) return { tone: 'none', text };
  return { tone: /isolated|was down|again|degraded|disabled|segmented|waiting/.test(text) ? 'warn' : 'bad', text };
}

export function markOf(port: Port): string {
  const { tone } = stateOf(port);
  return STATE_TONES.find((entry) => entry.tone === tone)?.mark ?? '';
}

/** Ports by slot: the part of a label before its last number names the slot, as in `ctl0.p1` or `2/5`. */
export function slotsOf(ports: readonly Port[]): { name: string; ports: { port: Port; number: string }[] }[] {
  const slots = new Map<string, { port: Port; number: string }[]>();
  for (const port of ports) {
    const match = /^(.*?)[./]?([a-z]*\d+)$/i.exec(port.label);
    const [slot, number] = match ? [match[1] ?? '', match[2] ?? port.label] : ['', port.label];
    slots.set(slot, [...(slots.get(slot) ?? []), { port, number }]);
  }
  const order = (number: string) => Number(/\d+/.exec(number)?.[0] ?? 0);
  return [...slots].map(([name, list]) => ({ name, ports: list.sort((a, b) => order(a.number) - order(b.number)) }));
}
