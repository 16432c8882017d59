// Levels of a link's colour, with the words for them.
import type { Link, Metric } from '../api/types';
import { count, share } from '../lib/format';

export const METRICS: { id: Metric; text: string; help: string }[] = [
  { id: 'utilisation', text: 'Utilisation', help: 'Share of the time in which the busier direction carried frames' },
  { id: 'credit_wait', text: 'Waiting for credit', help: 'Share of the time in which an end had a frame to send and no buffer credit' },
  { id: 'errors', text: 'Lost frames', help: 'Frames lost on the link' },
];

const SHARES = [0.001, 0.25, 0.5, 0.75, 0.9];
const COUNTS = [1, 10, 100, 1000, 10000];
const SHARE_WORDS = ['below 0.1 %', '0.1 to 25 %', '25 to 50 %', '50 to 75 %', '75 to 90 %', 'above 90 %'];
const COUNT_WORDS = ['0', '1 to 9', '10 to 99', '100 to 999', '1,000 to 9,999', '10,000 and more'];

/** Level 0 to 5 of a value, or null where there is none. */
export function level(value: number | null | undefined, metric: Metric): number | null {
  if (value === null || value === undefined) return null;
  const limits = metric === 'errors' ? COUNTS : SHARES;
  return limits.filter((limit) => value >= limit).length;
}

export const words = (metric: Metric): string[] => (metric === 'errors' ? COUNT_WORDS : SHARE_WORDS);

export function valueText(value: number | null | undefined, metric: Metric): string {
  return metric === 'errors' ? count(value) : share(value);
}

export function metricOf(link: Link, metric: Metric): number | null {
  return link[metric];
}

export const STATES: Record<Link['state'], string> = { up: 'up', down: 'down', isolated: 'isolated', was_down: 'up again after a failure' };
