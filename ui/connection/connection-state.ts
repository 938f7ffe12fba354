import { create } from 'zustand';
import type { LiveState } from '../../src/client/browser.ts';

/** How long it is said that the connection was taken up again. */
const TOLD_MS = 6_000;

interface Connection {
  readonly state: LiveState;
  /** Epoch milliseconds of the next attempt. */
  readonly retryAt: number | undefined;
  /** Epoch milliseconds of the last update. */
  readonly updatedAt: number | undefined;
  /** Parts of a large graph that have come; undefined when it is whole. */
  readonly parts: number | undefined;
  readonly problem: string | undefined;
  /** Epoch milliseconds until which it is said that a lost connection is back. */
  readonly backUntil: number;
  readonly opened: () => void;
  readonly changed: (state: LiveState, retryInMs: number | undefined) => void;
  readonly updated: (changes: number, isComplete: boolean) => void;
  readonly failed: (message: string) => void;
}

/** What the page knows of its way to the service. */
export const useConnection = create<Connection>()((set, get) => ({
  state: 'connecting',
  retryAt: undefined,
  updatedAt: undefined,
  parts: undefined,
  problem: undefined,
  backUntil: 0,
  opened: () => set({ state: 'connecting', parts: undefined, problem: undefined }),
  changed(state, retryInMs) {
    const wasAway = get().problem !== undefined;
    const isBack = state === 'live' && wasAway;
    set({
      state,
      retryAt: retryInMs === undefined ? undefined : Date.now() + retryInMs,
      ...(state === 'live' && { problem: undefined }),
      ...(isBack && { backUntil: Date.now() + TOLD_MS }),
    });
  },
  updated(changes, isComplete) {
    const parts = isComplete ? undefined : (get().parts ?? 0) + changes;
    set({ parts, updatedAt: Date.now() });
  },
  failed: (problem) => set({ problem }),
}));
