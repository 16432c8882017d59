// Units of axes: the factor that makes values readable, and its name.

export interface Unit {
  factor: number;
  name: string;
}

const TIMES: [number, string][] = [
  [1e12, 's'],
  [1e9, 'ms'],
  [1e6, 'µs'],
  [1e3, 'ns'],
];

/** The unit in which the greatest value of the curves is at least one. */
export function unitOf(unit: string, curves: readonly (readonly (number | null)[])[]): Unit {
  let most = 0;
  for (const values of curves) for (const value of values) if (value !== null && Math.abs(value) > most) most = Math.abs(value);
  if (unit === 'ps') {
    const [factor, name] = TIMES.find(([limit]) => most >= limit) ?? [1, 'ps'];
    return { factor: 1 / factor, name };
  }
  if (unit === 'B/s') return { factor: 1e-6, name: 'MB/s' };
  if (unit === 'B') return most >= 2 ** 30 ? { factor: 1 / 2 ** 30, name: 'GiB' } : { factor: 1 / 2 ** 20, name: 'MiB' };
  if (unit === '1') return { factor: 100, name: '%' };
  if (unit === '1/s') return { factor: 1, name: '1/s' };
  return { factor: 1, name: unit };
}
