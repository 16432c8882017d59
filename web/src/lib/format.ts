// Numbers as a person reads them: one unit and one separator within a column.

/** As in texts, reports and charts: a narrow space that never breaks. */
const GROUPING = '\u202f';

function number(least: number, most: number): { format(value: number): string } {
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most, useGrouping: true };
  const english = new Intl.NumberFormat('en-US', digits);
  return { format: (value) => english.format(value).replaceAll(',', GROUPING) };
}
const whole = number(0, 0);
const fine = number(0, 3);
const precise = number(6, 6);

export const NONE = '–';

export function count(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? NONE : whole.format(value);
}

/** Three significant digits, with grouping. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude >= 2) return whole.format(value);
  if (magnitude < -4) return value.toExponential(2);
  return value.toFixed(Math.min(6, 2 - magnitude));
}

/** Words that begin a heading; the name of a percentile stays as it is. */
export function capital(words: string): string {
  return /^p\d/.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of a table whose unit is its column's. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === 'number') return Number.isInteger(value) ? whole.format(value) : fine.format(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

const TIMES: readonly [number, string][] = [
  [1e12, 's'],
  [1e9, 'ms'],
  [1e6, 'µs'],
  [1e3, 'ns'],
  [1, 'ps'],
];

/** A time in picoseconds with the unit that fits it. */
export function time(ps: number | null | undefined): string {
  if (ps === null || ps === undefined || !Number.isFinite(ps)) return NONE;
  if (ps === 0) return '0 s';
  const [size, unit] = TIMES.find(([limit]) => Math.abs(ps) >= limit) ?? [1, 'ps'];
  return `${figure(ps / size)} ${unit}`;
}

/** An instant of the simulated time, in seconds, to the microsecond. */
export function instant(ps: number): string {
  return `${Number((ps / 1e12).toFixed(6))} s`;
}

/** A time with enough digits to tell neighbours apart, in milliseconds. */
export function preciseTime(ps: number): string {
  return `${precise.format(ps / 1e9)} ms`;
}

/** How far a run came that was stopped. */
export function stopped(simulatedPs: number, plannedEndPs: number | null | undefined): string {
  if (!simulatedPs) return 'stopped at its start';
  return `stopped at ${time(simulatedPs)}${plannedEndPs ? ` of ${time(plannedEndPs)}` : ''}`;
}

export function rate(bytesPerSecond: number | null | undefined): string {
  if (bytesPerSecond === null || bytesPerSecond === undefined) return NONE;
  return `${figure(bytesPerSecond / 1e6)} MB/s`;
}

export function share(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const percent = value * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

export function length(metres: number | null | undefined): string {
  if (metres === null || metres === undefined) return NONE;
  return metres >= 1000 ? `${figure(metres / 1000)} km` : `${figure(metres)} m`;
}

export function date(text: string | number | null | undefined): string {
  if (text === null || text === undefined) return NONE;
  const at = new Date(typeof text === 'number' ? text * 1000 : text);
  return Number.isNaN(at.getTime()) ? String(text) : at.toISOString().slice(0, 16).replace('T', ' ');
}
