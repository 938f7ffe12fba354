import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** What lives in the heap beside the graph and the requests: code, indexes, views. */
const BESIDE_BYTES = 96 * MIB;
/** Of what lives, for garbage. Less would cost more of the processor than the memory is worth. */
const LEAST_PERCENT = 33;
/** V8 never lets the heap grow further between two collections. */
const MOST_PERCENT = 300;

export interface HeapGrowthOptions {
  /** The most that the graph and requests in flight may take: `maxMemoryBytes` and `maxInflightBytes`. */
  readonly boundedBytes: number;
  /** Takes a V8 flag. */
  readonly setFlag?: (flag: string) => void;
}

/**
 * V8 by default lets the heap grow to the fourfold of what lives before it looks for garbage. Here it may do so up to
 * what may live in it when all limits are reached, and by `LEAST_PERCENT` if so much lives.
 * @returns what is told after each full collection how many bytes live; that happens by itself
 */
export function boundHeapGrowth(options: HeapGrowthOptions): (liveBytes: number) => void {
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
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) collected(getHeapStatistics().used_heap_size);
  }).observe({ entryTypes: ['gc'] });
  return collected;
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
