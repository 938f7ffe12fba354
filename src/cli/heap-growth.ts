import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** What lives in the heap beside the graph: code, indexes, views, requests being read. */
const BESIDE_GRAPH_BYTES = 128 * MIB;
/** Below it collecting would take more of the processor than the memory is worth (`npm run bench`). */
const LEAST_PERCENT = 75;
/** V8 never lets the heap grow further between two collections. */
const MOST_PERCENT = 300;

export interface HeapGrowthOptions {
  /** What the graph may take: `maxMemoryBytes`. */
  readonly graphBytes: number;
  /** Takes a V8 flag. */
  readonly setFlag?: (flag: string) => void;
}

/**
 * V8 by default lets the heap grow to the fourfold of what lives before it looks for garbage. Here it may do so up to
 * the size that it has to have anyway when the graph is full; beyond that it may grow by `LEAST_PERCENT`.
 * @returns what is told after each full collection how many bytes live; that happens by itself
 */
export function boundHeapGrowth(options: HeapGrowthOptions): (liveBytes: number) => void {
  const { graphBytes, setFlag = setFlagsFromString } = options;
  let percent = 0;
  const collected = (liveBytes: number): void => {
    const room = Math.round(((graphBytes + BESIDE_GRAPH_BYTES) / liveBytes - 1) * 100);
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
