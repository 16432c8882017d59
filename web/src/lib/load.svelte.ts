// A value that comes from the server: empty, on its way, there, or refused.
import { asProblem, type Problem } from '../api/client';

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  isBusy = $state(false);
  #turn = 0;

  /** Waits for the answer; an answer that a later question overtook is dropped. */
  async from(answer: Promise<T>): Promise<void> {
    const turn = ++this.#turn;
    this.isBusy = true;
    try {
      const value = await answer;
      if (turn !== this.#turn) return;
      this.value = value;
      this.problem = null;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.problem = asProblem(error);
    } finally {
      if (turn === this.#turn) this.isBusy = false;
    }
  }
}

/** Loads again whenever what `ask` reads changes. Call it while a component is set up. */
export function loading<T>(ask: () => Promise<T> | null): Loaded<T> {
  const loaded = new Loaded<T>();
  $effect(() => {
    const answer = ask();
    if (answer) void loaded.from(answer);
  });
  return loaded;
}
