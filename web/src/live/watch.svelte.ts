// A job as it goes on: its state, and the samples of ports and workloads.
import { address, asProblem, get, type Problem } from '../api/client';
import type { Job, Sample } from '../api/types';
import { History } from './history';

/** What the server says of a job that goes on. */
type News = Partial<Job>;

export class Watched {
  job = $state.raw<Job | null>(null);
  problem = $state.raw<Problem | null>(null);
  isConnected = $state(false);
  #history = new History();
  /** Grows when samples are to be shown: the history itself is plain data. */
  #count = $state(0);
  #source: EventSource | null = null;
  #news: News | null = null;
  #frame = 0;
  #turn = 0;

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
    source.addEventListener('progress', (event: MessageEvent<string>) => this.#progress(JSON.parse(event.data) as News));
    source.addEventListener('sample', (event: MessageEvent<string>) => this.#sample(JSON.parse(event.data) as Sample));
  }

  get isOver(): boolean {
    return isFinal(this.job?.state);
  }

  /** The samples so far. What reads them is computed again when there are new ones. */
  get samples(): History {
    void this.#count;
    return this.#history;
  }

  /** Asks for the whole job; an answer that a later question overtook is dropped. */
  async refresh(): Promise<void> {
    const turn = ++this.#turn;
    try {
      const job = await get<Job>(['jobs', this.id]);
      if (turn !== this.#turn) return;
      this.job = job;
      this.problem = null;
    } catch (error) {
      if (turn === this.#turn) this.problem = asProblem(error);
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

  #progress(news: News): void {
    this.#news = news;
    // A tab in the background has no frames, but its state is right when somebody comes back to it.
    if (news.state !== this.job?.state) this.#show();
    else this.#soon();
  }

  #sample(sample: Sample): void {
    this.#history.add(sample);
    this.#soon();
  }

  /** Everything that arrives between two frames of the screen is shown at once. */
  #soon(): void {
    this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  #show(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const news = this.#news;
    this.#news = null;
    this.#count += 1;
    if (!this.job || !news) return;
    const hadNames = this.job.port_names.length > 0;
    // News from before the last change of the run is overtaken by the answer to it.
    if ((news.changed_at_ps ?? -1) >= (this.job.changed_at_ps ?? -1)) this.job = { ...this.job, ...news };
    if (this.isOver) {
      this.close();
      void this.refresh();
    } else if (!hadNames && this.#history.length) void this.refresh();
  }
}

const isFinal = (state: string | undefined): boolean => ['done', 'stopped', 'failed'].includes(state ?? '');
