// One I/O step by step, and its geometry: lanes side by side, time downwards.
import type { components } from '../api/schema';

type Schemas = components['schemas'];
export type Ladder = Schemas['Ladder'];
export type Hop = Schemas['Hop'];
export type Step = Schemas['Step'];
export type Slow = Schemas['SlowIo'];

/** The name of an I/O, as requests have it. */
export const nameOf = (io: { job: string; number: number }): string => `${io.job}#${io.number}`;

/** A part of time that is shown. */
export interface Span {
  from: number;
  to: number;
}

const LEAST_PS = 1000;

/** The whole of an I/O, with the last credits that came back. */
export function whole(ladder: Ladder): Span {
  const ends = [...ladder.steps.map((step) => step.to_ps), ...ladder.hops.map((hop) => hop.arrived_ps), ladder.start_ps + ladder.response_ps];
  const to = Math.max(...ends);
  const edge = Math.max(LEAST_PS, (to - ladder.start_ps) * 0.02);
  return { from: ladder.start_ps - edge, to: to + edge };
}

/** The span after a zoom by a factor around an instant, within the whole. */
export function zoomed(span: Span, all: Span, factor: number, at: number): Span {
  const length = Math.min(all.to - all.from, Math.max(LEAST_PS, (span.to - span.from) * factor));
  const share = (at - span.from) / (span.to - span.from);
  return held({ from: at - share * length, to: at + (1 - share) * length }, all);
}

export function held(span: Span, all: Span): Span {
  const length = span.to - span.from;
  const from = Math.min(Math.max(span.from, all.from), all.to - length);
  return { from, to: from + length };
}

/** Hops in a span, at most so many; with more, evenly thinned ones. */
export function inSpan(hops: readonly Hop[], span: Span, most: number): { hops: Hop[]; left: number } {
  const found = hops.filter((hop) => hop.arrived_ps >= span.from && hop.sent_ps - hop.queue_wait_ps - hop.credit_wait_ps <= span.to);
  if (found.length <= most) return { hops: found, left: 0 };
  const step = found.length / most;
  return { hops: Array.from({ length: most }, (_, index) => found[Math.floor(index * step)]).filter((hop) => hop !== undefined), left: found.length - most };
}

/** Instants at round times since an origin, one about every 60 pixels. */
export function ticks(span: Span, height: number, origin: number): number[] {
  const rough = ((span.to - span.from) * 60) / height;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power * 10;
  const found: number[] = [];
  for (let at = origin + Math.ceil((span.from - origin) / step) * step; at <= span.to; at += step) found.push(at);
  return found;
}
