import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** What lives in the heap beside the graph and the requests: code, indexes, views. */
const BESIDE_BYTES = 48 * MIB;
/** Of what lives, for garbage. Less would cost more of the processor than the memory is worth. */
const LEAST_PERCENT = 33;
/** V8 never lets the heap grow further between two collections. */
const MOST_PERCENT = 300;
/** V8 lets the young generation grow to 128 MiB where there is much memory: that is a tenth of what the service may take. */
const MOST_YOUNG_BYTES = 48 * MIB;

export interface HeapGrowth {
  /** After a full collection so many bytes live. */
  readonly collected: (liveBytes: number) => void;
  /** So large is the young generation, after any collection. */
  readonly young: (bytes: number) => void;
}

export interface HeapGrowthOptions {
  /** The most that the graph and requests in flight may take: `maxMemoryBytes` and `maxInflightBytes`. */
  readonly boundedBytes: number;
  /** Takes a V8 flag. */
  readonly setFlag?: (flag: string) => void;
}

/**
 * V8 by default lets the heap grow to the fourfold of what lives before it looks for garbage. Here it may do so up to
 * what may live in it when all limits are reached, and by `LEAST_PERCENT` if so much lives. The young generation stays as
 * large as it is once it has `MOST_YOUNG_BYTES`.
 * @returns what is told after collections; that happens by itself
 */
export function boundHeapGrowth(options: HeapGrowthOptions): HeapGrowth {
  const { boundedBytes, setFlag = setFlagsFromString } = options;
  const mostBytes = boundedBytes + BESIDE_BYTES;
  let percent = 0;
  const collected = (liveBytes: number): void => {
    const room = Math.round((mostBytes / liveBytes - 1) * 100);
    // 0 stands for V8's own choice.
    const next = room >= MOST_PERCENT ? 0 : Math.max(LEAST_PERCENT, room);
    if (next === percent) return;
    percent = next;
    setFlag(`--heap-growing-percent=${percent}`);
  };
  let mayGrow = true;
  const young = (bytes: number): void => {
    // V8 makes it smaller again when little is to do, and then it may grow as before.
    if (mayGrow === bytes < MOST_YOUNG_BYTES) return;
    mayGrow = !mayGrow;
    setFlag(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) collected(getHeapStatistics().used_heap_size);
    young(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0);
  }).observe({ entryTypes: ['gc'] });
  return { collected, young };
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
