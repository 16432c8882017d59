// The samples of a job as columns over time. A new sample costs one number for each curve that is shown.
import type { Sample } from '../api/types';

const PS = 1e12;
/** Samples that are kept, about one for each pixel of a chart; with more, neighbours become one. */
const MOST = 400;
/** How much more another port must have sent than one of the busiest to take its place. */
const MARGIN = 1.25;

type Part = 'ports' | 'workloads';
/** The first or the second figure of a row of a sample. */
export type Field = 1 | 2;

export class History {
  #samples: Sample[] = [];
  #at_s: number[] = [];
  #columns = new Map<string, number[]>();
  #sums: Record<Field, Map<number, number>> = { 1: new Map(), 2: new Map() };
  #busiest: Record<Field, number[]> = { 1: [], 2: [] };

  get length(): number {
    return this.#samples.length;
  }
  get last(): Sample | undefined {
    return this.#samples[this.#samples.length - 1];
  }
  /** Simulated times of the samples, in seconds. */
  get at_s(): readonly number[] {
    return this.#at_s;
  }

  /** Adds a sample; those of its time or later, from before a change of the run, go. */
  add(sample: Sample): void {
    while (this.last && this.last.at_ps >= sample.at_ps) this.#drop();
    this.#samples.push(sample);
    this.#at_s.push(sample.at_ps / PS);
    for (const [key, column] of this.#columns) column.push(valueIn(sample, ...parted(key)));
    this.#sum(sample, 1);
    if (this.length > MOST) this.#thin();
  }

  /** A figure of a port or workload over time, zero where a sample leaves it out. */
  column(part: Part, place: number, field: Field): readonly number[] {
    const key = `${part} ${place} ${field}`;
    let found = this.#columns.get(key);
    if (!found) {
      found = this.#samples.map((sample) => valueIn(sample, part, place, field));
      this.#columns.set(key, found);
    }
    return found;
  }

  /** Places of the ports with the greatest sums; one leaves them only for another that is clearly ahead. */
  busiest(field: Field, most: number): readonly number[] {
    const sums = this.#sums[field];
    const before = this.#busiest[field];
    const least = Math.min(...before.map((place) => sums.get(place) ?? 0));
    const isOvertaken = [...sums].some(([place, sum]) => sum > 0 && !before.includes(place) && (before.length < most || sum > least * MARGIN));
    if (!isOvertaken) return before;
    const ranked = [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]);
    return (this.#busiest[field] = ranked.slice(0, most).map(([place]) => place).sort((a, b) => a - b));
  }

  #sum(sample: Sample, sign: 1 | -1): void {
    for (const field of [1, 2] as const) {
      const sums = this.#sums[field];
      for (const row of sample.ports) sums.set(row[0], (sums.get(row[0]) ?? 0) + sign * row[field]);
    }
  }

  #drop(): void {
    const sample = this.#samples.pop();
    this.#at_s.pop();
    for (const column of this.#columns.values()) column.pop();
    if (sample) this.#sum(sample, -1);
  }

  #thin(): void {
    const all = this.#samples;
    this.#samples = all.flatMap((sample, index) => {
      const next = all[index + 1];
      if (index % 2) return [];
      return next ? [merged(sample, next, sample.at_ps - (all[index - 1]?.at_ps ?? 0))] : [sample];
    });
    this.#at_s = this.#samples.map((sample) => sample.at_ps / PS);
    this.#columns.clear();
  }
}

/** One sample for the time of two neighbours; the first one covers so much of it. */
function merged(first: Sample, second: Sample, covered_ps: number): Sample {
  const share = covered_ps / (covered_ps + second.at_ps - first.at_ps);
  const rows = (part: Part): [number, number, number][] => {
    const found = new Map(first[part].map((row) => [row[0], [row[0], row[1] * share, row[2] * share] as [number, number, number]]));
    for (const [place, one, other] of second[part]) {
      const before = found.get(place) ?? [place, 0, 0];
      found.set(place, [place, before[1] + one * (1 - share), before[2] + other * (1 - share)]);
    }
    return [...found.values()];
  };
  return { at_ps: second.at_ps, ports: rows('ports'), workloads: rows('workloads') };
}

const parted = (key: string): [Part, number, Field] => {
  const [part, place, field] = key.split(' ');
  return [part as Part, Number(place), Number(field) as Field];
};

const valueIn = (sample: Sample, part: Part, place: number, field: Field): number => sample[part].find((row) => row[0] === place)?.[field] ?? 0;
