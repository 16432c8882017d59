// Columns of a table, and what sorting, filtering and downloading do with them.
import { plain } from '../lib/format';

export interface Column<R> {
  key: string;
  label: string;
  unit?: string | null;
  help?: string;
  isNumber?: boolean;
  /** The value that sorts and downloads; by default the field `key`. */
  value?: (row: R) => unknown;
  /** The text that is shown and filtered; by default the value in plain form. */
  text?: (row: R) => string;
  href?: (row: R) => string | null;
}

export function valueOf<R>(column: Column<R>, row: R): unknown {
  return column.value ? column.value(row) : (row as Record<string, unknown>)[column.key];
}

export function textOf<R>(column: Column<R>, row: R): string {
  return column.text ? column.text(row) : plain(valueOf(column, row));
}

/** Rows that hold every word of the filter in some column. */
export function filtered<R>(rows: readonly R[], columns: readonly Column<R>[], filter: string): R[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [...rows];
  return rows.filter((row) => {
    const text = columns.map((column) => textOf(column, row)).join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Rows in the order of a column; empty values come last either way. */
export function sorted<R>(rows: readonly R[], column: Column<R> | undefined, isDown: boolean): R[] {
  if (!column) return [...rows];
  const sign = isDown ? -1 : 1;
  return [...rows].sort((one, other) => {
    const a = valueOf(column, one);
    const b = valueOf(column, other);
    if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
    if (b === null || b === undefined) return -1;
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
  });
}

/** Text of a CSV file with the values as they are, not as they are shown. */
export function csv<R>(rows: readonly R[], columns: readonly Column<R>[]): string {
  const quoted = (value: unknown) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const head = columns.map((column) => quoted(column.unit ? `${column.label} (${column.unit})` : column.label)).join(',');
  return [head, ...rows.map((row) => columns.map((column) => quoted(valueOf(column, row))).join(','))].join('\n') + '\n';
}

/** Offers a text as a file. */
export function save(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read the file after the click only.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
