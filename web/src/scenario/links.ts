// Changes by hand on the picture as edits of the text. Links are found in the text as they are written.
import type { Edit } from '../api/types';

interface Written {
  from: string;
  to: string;
}

/** Ends of each item of `links` as written; null for an item that is not written in a plain way. */
export function writtenLinks(text: string): (Written | null)[] {
  const block = /^links:[^\n]*\n((?:(?:[ \t-][^\n]*)?\n?)*?)(?=^[^\s#-]|$(?![\s\S]))/m.exec(text)?.[1] ?? '';
  const indent = /^([ \t]*)-/m.exec(block)?.[1] ?? '';
  const items = block.split(new RegExp(`^${indent}-[ \\t]`, 'm')).slice(1);
  return items.map((item) => {
    const end = (key: string) => new RegExp(`(?:^|[{,\\s])${key}:[ \\t]*(?:"([^"]*)"|'([^']*)'|([^\\s,}#\\["'][^\\s,}#]*))`).exec(item);
    const from = end('from');
    const to = end('to');
    if (!from || !to) return null;
    return { from: from[1] ?? from[2] ?? from[3] ?? '', to: to[1] ?? to[2] ?? to[3] ?? '' };
  });
}

/** The names of a group of numbers, `host[1..3]`; null where it depends on a count. */
export function names(group: string): string[] | null {
  const match = /^(.*?)\[([\d.,]+)\](.*)$/.exec(group);
  if (!match) return group.includes('[') ? null : [group];
  const found: string[] = [];
  for (const part of (match[2] ?? '').split(',')) {
    const range = /^(\d+)\.\.(\d+)$/.exec(part);
    const first = Number(range?.[1] ?? part);
    const last = Number(range?.[2] ?? part);
    const width = (range?.[1] ?? part).startsWith('0') ? (range?.[1] ?? part).length : 0;
    if (!Number.isFinite(first) || last - first > 10000) return null;
    for (let number = first; number <= last; number++) {
      const rest = names(`${match[1]}${String(number).padStart(width, '0')}${match[3]}`);
      if (!rest) return null;
      found.push(...rest);
    }
  }
  return found;
}

/** The item of `links` with an end that stands for one of these names. */
export function itemOf(text: string, wanted: readonly string[], other: readonly string[]): { index: number; side: 'from' | 'to'; members: string[]; end: string } | null {
  const list = writtenLinks(text);
  for (const [index, item] of list.entries()) {
    if (!item) continue;
    for (const side of ['from', 'to'] as const) {
      const members = names(item[side]);
      const ends = names(item[side === 'from' ? 'to' : 'from']);
      const member = members?.find((name) => wanted.includes(name));
      if (member && members && ends?.some((name) => other.includes(name))) return { index, side, members, end: member };
    }
  }
  return null;
}

/** Edits that move one end of a cable; the other members of its group stay where they are. */
export function moved(text: string, own: readonly string[], old: readonly string[], next: string): Edit[] | null {
  const found = itemOf(text, own, old);
  if (!found) return null;
  const far = found.side === 'from' ? 'to' : 'from';
  if (found.members.length === 1) return [{ op: 'set', path: `links.${found.index}.${far}`, value: next }];
  const rest = found.members.filter((name) => name !== found.end);
  return [
    { op: 'set', path: `links.${found.index}.${found.side}`, value: rest.length === 1 ? rest[0] : rest },
    { op: 'insert', path: 'links', value: { from: found.end, to: next } },
  ];
}

export const cabled = (from: string, to: string): Edit[] => [{ op: 'insert', path: 'links', value: { from, to } }];

/** Names under which a link's end may be written: the port, and the boxes and adapters it belongs to. */
export function writtenNames(port: string, node: string): string[] {
  const found = [port];
  for (let at = port.lastIndexOf('.'); at > 0; at = port.lastIndexOf('.', at - 1)) found.push(port.slice(0, at));
  return [...new Set([...found, node])];
}
