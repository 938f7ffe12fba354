import { create } from 'zustand';
import type { LiveState, StateEvent } from '../../src/client/browser.ts';

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
  /** Updates that have come and are not shown yet. */
  readonly behind: number;
  readonly problem: string | undefined;
  /** It was live before, since it was opened. */
  readonly wasLive: boolean;
  /** How a lost connection came back; undefined as long as none was lost. */
  readonly back: 'resumed' | 'fresh' | undefined;
  /** Epoch milliseconds until which that is said. */
  readonly backUntil: number;
  readonly opened: () => void;
  readonly changed: (event: StateEvent) => void;
  readonly updated: (changes: number, isComplete: boolean, behind: number) => void;
  readonly failed: (message: string) => void;
}

/** What the page knows of its way to the service. */
export const useConnection = create<Connection>()((set, get) => ({
  state: 'connecting',
  retryAt: undefined,
  updatedAt: undefined,
  parts: undefined,
  behind: 0,
  problem: undefined,
  wasLive: false,
  back: undefined,
  backUntil: 0,
  opened: () => set({ state: 'connecting', parts: undefined, behind: 0, problem: undefined, wasLive: false }),
  changed({ state, retryInMs, resumed }) {
    const isLive = state === 'live';
    const isBack = isLive && get().wasLive;
    set({
      state,
      wasLive: isLive || get().wasLive,
      retryAt: retryInMs === undefined ? undefined : Date.now() + retryInMs,
      ...(isLive && { problem: undefined }),
      ...(isBack && { back: resumed === true ? 'resumed' : 'fresh', backUntil: Date.now() + TOLD_MS }),
    });
  },
  updated(changes, isComplete, behind) {
    const parts = isComplete ? undefined : (get().parts ?? 0) + changes;
    set({ parts, behind, updatedAt: Date.now() });
  },
  failed: (problem) => set({ problem }),
}));
