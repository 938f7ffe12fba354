import { ownScript } from '../../connection/own-script.ts';
import type { Places } from '../../layout/place.ts';
import { toPlace } from '../../layout/tidy.ts';
// oxlint-disable-next-line import/default -- vite makes it: the address of the built worker
import workerUrl from '../../layout/tidy.worker.ts?worker&url';
import type { GraphStore } from '../../state/graph-store.ts';

/** What is not done by then is not worth to be waited for. */
const DEADLINE_MS = 2_000;

/** New places for all that is there, made by a worker. @returns undefined when it is not done in time, or cannot run */
export async function tidied(store: GraphStore): Promise<Places | undefined> {
  const worker = new Worker(ownScript(new URL(workerUrl, import.meta.url).href), { type: 'module' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<Places | undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), DEADLINE_MS);
      worker.onerror = () => resolve(undefined);
      worker.onmessage = ({ data }: MessageEvent<Places>) => resolve(data);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      worker.postMessage(toPlace(store));
    });
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
