// A value that a person reads or hears follows one that changes many times a second.
import { untrack } from 'svelte';

const PERIOD_MS = 1000;

/** Follows what `read` returns at most once a period, and ends at its last value. Call it while a component is set up. */
export function slowly<T>(read: () => T): { readonly value: T } {
  let value = $state.raw(untrack(read));
  let due_ms = 0;
  $effect(() => {
    const next = read();
    const timer = setTimeout(() => {
      due_ms = performance.now() + PERIOD_MS;
      value = next;
    }, due_ms - performance.now());
    return () => clearTimeout(timer);
  });
  return {
    get value() {
      return value;
    },
  };
}
