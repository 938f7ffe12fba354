import { parentPort, workerData } from 'node:worker_threads';
import { BoundaryError } from '../../base/boundary-error.ts';
import { removePutAside } from '../put-aside.ts';
import { codeOf, isDamage } from './database.ts';
import { openStore, sayDamaged } from './open-store.ts';
import type { Say } from './say.ts';
import type { StoreCore } from './store-core.ts';
import type { Answer, Call, WorkerSettings } from './worker-messages.ts';

/**
 * The thread of the store: it does one call after the other, in the order in which they came, and looks after the store
 * between them.
 */
const MAINTAIN_EVERY_MS = 1000;

const port = parentPort;
if (!port) throw new Error('this is a thread of the service');
const settings = workerData as WorkerSettings;

/** Undefined while it is damaged and could not be repaired. */
let core: StoreCore | undefined;
let timer: NodeJS.Timeout | undefined;
/** The last attempt to make the store smaller failed, which was said. */
let isStuck = false;

function tell(answer: Answer): void {
  port?.postMessage(answer);
}

const say: Say = (...said) => tell({ kind: 'say', said });

function open(isDamaged = false): StoreCore {
  return openStore(
    {
      ...settings,
      say,
      onDropped: (...dropped) => tell({ kind: 'dropped', dropped }),
    },
    isDamaged,
  );
}

/** When the database turns out to be damaged, it is made anew from what can be read, and the work is done there. */
function healed<T>(work: (core: StoreCore) => T): T {
  // A repair that failed is tried again, by the next probe at the latest.
  core ??= open(true);
  try {
    return work(core);
  } catch (error) {
    if (!isDamage(error)) throw error;
    sayDamaged(say, error);
    core.close();
    core = undefined;
    core = open(true);
    return work(core);
  }
}

function receive(call: Call): void {
  const { id } = call;
  try {
    const [value, bytes] = healed((store) => [perform(store, call), store.bytes]);
    tell({ kind: 'done', id, value, bytes });
  } catch (error) {
    tell({ kind: 'failed', id, code: codeOf(error) });
  }
}

function perform(core: StoreCore, { method, args }: Call): unknown {
  if (method === 'close') clearTimeout(timer);
  if (method === 'erase' || method === 'replace') removePutAside(settings.dataDir);
  return (core[method] as (...args: unknown[]) => unknown).apply(core, [...args]);
}

function maintainLater(delayMs: number): void {
  timer = setTimeout(() => {
    // A step at a time, so that calls come in between.
    const hasMore = smaller((store) => store.maintain(Date.now()));
    maintainLater(hasMore ? 0 : MAINTAIN_EVERY_MS);
  }, delayMs);
}

function smaller(work: (core: StoreCore) => boolean): boolean {
  try {
    const hasMore = healed(work);
    isStuck = false;
    return hasMore;
  } catch (error) {
    if (!isStuck)
      say(
        'error',
        { code: codeOf(error) },
        'the store could not be made smaller: it is tried again until it is',
      );
    isStuck = true;
    return false;
  }
}

try {
  const opened = open();
  core = opened;
  smaller((store) => store.dropExpired(settings.now));
  port.on('message', (call: Call) => receive(call));
  const { heldTexts, heldRecords, identity } = opened;
  tell({ kind: 'ready', heldTexts, heldRecords, identity });
  maintainLater(0);
} catch (error) {
  const message = error instanceof BoundaryError ? error.message : undefined;
  tell({ kind: 'unusable', code: codeOf(error), path: (error as { readonly path?: string }).path, message });
}
