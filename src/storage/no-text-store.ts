import type { TextStore } from './text-store.ts';

/** Keeps no texts at all, for `zeroDataRetention`. */
export const noTextStore: TextStore = {
  put() {},
  get: () => undefined,
  delete() {},
};
