// The keys above a place of a YAML text, found by indentation and braces, so that half-written lines work too.

export interface Where {
  path: string[];
  /** The key whose value is being written; null where a key is expected. */
  key: string | null;
  /** Where the word being written begins. */
  from: number;
}

export function whereAt(text: string, position: number): Where {
  const brace = openBrace(text, position);
  if (brace !== null) {
    const owner = ownerOf(text, brace);
    const part = text.slice(brace + 1, position);
    const entry = part.slice(lastComma(part) + 1);
    return { path: owner, ...entryOf(entry, position) };
  }
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const line = text.slice(start, position);
  const lead = /^(\s*(?:- +)*)/.exec(line)?.[1] ?? '';
  const path = above(text, start, lead);
  return { path, ...entryOf(line.slice(lead.length), position) };
}

function entryOf(entry: string, position: number): { key: string | null; from: number } {
  const match = /^\s*(?:([\w.-]+)|"([^"]*)")\s*:\s+(.*)$/s.exec(entry) ?? /^\s*(?:([\w.-]+)|"([^"]*)"):()$/s.exec(entry);
  const word = /[\w.[\]:*-]*$/.exec(entry)?.[0] ?? '';
  if (match) return { key: match[1] ?? match[2] ?? '', from: position - (match[3] ? word.length : 0) };
  return { key: null, from: position - word.length };
}

/** Place of the innermost brace that is still open; the search ends at a line that begins in the first column. */
function openBrace(text: string, position: number): number | null {
  let depth = 0;
  for (let at = position - 1; at >= 0; at--) {
    const sign = text[at];
    if (sign === '}') depth++;
    else if (sign === '{') {
      if (depth === 0) return at;
      depth--;
    } else if (sign === '\n' && /\S/.test(text[at + 1] ?? '') && at + 1 < position && depth === 0) return null;
  }
  return null;
}

/** Keys above a flow mapping that opens at a place. */
function ownerOf(text: string, brace: number): string[] {
  const before = whereAt(text, brace);
  return before.key === null ? before.path : [...before.path, before.key];
}

function lastComma(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const sign = text[at] ?? '';
    if ('}]'.includes(sign)) depth++;
    else if ('{['.includes(sign)) depth--;
    else if (sign === ',' && depth === 0) return at;
  }
  return -1;
}

/** Keys above a line with a lead of spaces and dashes. */
function above(text: string, start: number, lead: string): string[] {
  const lines = text.slice(0, start).split('\n');
  const path: string[] = [];
  let indent = lead.length;
  // Below a dash of the line itself, the key above may stand in the dash's own column.
  let limit = lead.includes('-') ? lead.indexOf('-') + 1 : indent;
  for (let index = lines.length - 1; index >= 0 && limit > 0; index--) {
    const match = /^(\s*)((?:- +)*)(?:([\w.-]+)\s*:(?=\s|$))?/.exec(lines[index] ?? '');
    if (!match || !/\S/.test(lines[index] ?? '') || /^\s*#/.test(lines[index] ?? '')) continue;
    const outer = (match[1] ?? '').length;
    const column = outer + (match[2] ?? '').length;
    if (match[3] && column < limit && !(match[2] && column >= indent)) {
      path.unshift(match[3]);
      indent = column;
      limit = column;
    }
    if (match[2] && outer < limit) {
      indent = outer;
      limit = outer + 1;
      if (limit > column) limit = column;
    }
  }
  return path;
}
