import { setFlagsFromString } from 'node:v8';

/**
 * By default V8 answers each 64 MB of new buffers outside the heap with a full collection, and gRPC copies every request
 * into such buffers. Counted with the heap they trigger none, which is what ingest needs (`npm run bench`).
 */
const COUNTED_WITH_HEAP = 'external-memory-accounted-in-global-limit';
/** Of buffers beyond the kept ones. Half a gigabyte of dead ones was seen before V8 looked by itself. */
const ROOM_BYTES = 128 * 1024 * 1024;
const CHECK_MS = 500;

export interface ExternalMemoryOptions {
  /** Bytes of buffers that are kept for long: the cache of texts. */
  readonly keptBytes: number;
  readonly usedBytes?: () => number;
  /** Takes a V8 flag. */
  readonly setFlag?: (flag: string) => void;
}

/**
 * Keeps V8 from collecting because of buffers outside the heap until there are more than `keptBytes` and `ROOM_BYTES` of
 * them; from there on lets it.
 * @returns the check that also runs every `CHECK_MS`
 */
export function collectExternalMemory(options: ExternalMemoryOptions): () => void {
  const { keptBytes, usedBytes = arrayBufferBytes, setFlag = setFlagsFromString } = options;
  // Older engines do not know the flag and would say so on standard error.
  if (Number.parseInt(process.versions.node, 10) < 24) return () => undefined;
  let isCounted = false;
  const look = (): void => {
    const shouldCount = usedBytes() < keptBytes + ROOM_BYTES;
    if (shouldCount === isCounted) return;
    isCounted = shouldCount;
    setFlag(`--${shouldCount ? '' : 'no-'}${COUNTED_WITH_HEAP}`);
  };
  look();
  setInterval(look, CHECK_MS).unref();
  return look;
}

function arrayBufferBytes(): number {
  return process.memoryUsage().arrayBuffers;
}
