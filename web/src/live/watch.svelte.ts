// A job as it goes on: its state, and the last samples of ports and workloads.
import { address, asProblem, get, type Problem } from '../api/client';
import type { Job, Sample } from '../api/types';

/** Samples that are kept for the charts; older ones are thinned out to every second. */
const MOST = 1200;

export class Watched {
  job = $state.raw<Job | null>(null);
  problem = $state.raw<Problem | null>(null);
  samples = $state.raw<Sample[]>([]);
  isConnected = $state(false);
  #source: EventSource | null = null;
  #pending: Sample[] = [];
  #frame = 0;

  constructor(readonly id: string) {}

  async open(): Promise<void> {
    await this.refresh();
    if (!this.job || this.isOver) return;
    const source = new EventSource(address(['jobs', this.id, 'events']));
    this.#source = source;
    source.addEventListener('open', () => (this.isConnected = true));
    source.addEventListener('error', () => {
      this.isConnected = false;
      if (source.readyState === EventSource.CLOSED) void this.refresh();
    });
    source.addEventListener('progress', (event: MessageEvent<string>) => this.#progress(JSON.parse(event.data) as Partial<Job>));
    source.addEventListener('sample', (event: MessageEvent<string>) => this.#sample(JSON.parse(event.data) as Sample));
  }

  get isOver(): boolean {
    return ['done', 'stopped', 'failed'].includes(this.job?.state ?? '');
  }

  async refresh(): Promise<void> {
    try {
      this.job = await get<Job>(['jobs', this.id]);
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    }
  }

  /** After a change the job simulates again up to the present: what was seen until then stays. */
  take(job: Job): void {
    this.job = job;
  }

  close(): void {
    this.#source?.close();
    cancelAnimationFrame(this.#frame);
  }

  #progress(news: Partial<Job>): void {
    if (!this.job) return;
    // From before the last change, and overtaken by its answer.
    if ((news.changed_at_ps ?? -1) < (this.job.changed_at_ps ?? -1)) return;
    const hadNames = this.job.port_names.length > 0;
    this.job = { ...this.job, ...news };
    if (this.isOver) {
      this.close();
      void this.refresh();
    } else if (!hadNames && this.samples.length) void this.refresh();
  }

  #sample(sample: Sample): void {
    this.#pending.push(sample);
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const next = [...this.samples.filter((old) => old.at_ps < (this.#pending[0]?.at_ps ?? Infinity)), ...this.#pending];
      this.#pending = [];
      this.samples = next.length > MOST ? next.filter((_, index) => index % 2 === next.length % 2) : next;
      if (this.job && !this.job.port_names.length) void this.refresh();
    });
  }
}
