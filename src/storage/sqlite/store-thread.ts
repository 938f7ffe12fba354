import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { StoreCore } from './store-core.ts';
import type { OnDropped } from './upkeep.ts';
import type { Answer, Call, Method, WorkerSettings } from './worker-messages.ts';

export interface StoreThreadOptions extends WorkerSettings {
  readonly logger: Logger;
  readonly onDropped: OnDropped;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A failure of the other thread, by the code of the system or the name of the error. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly code: string;
  readonly path: string | undefined;

  constructor(code: string, path?: string) {
    super(`the store failed (${code})`);
    this.code = code;
    this.path = path;
  }
}

/**
 * Of the thread's heap, in MiB, for what has just been made: what it reads and writes is short-lived and small. The
 * main thread's share would be several times as much on a large machine, for nothing.
 */
const YOUNG_MIB = 16;
/**
 * It begins with all of that, which V8 counts as three halves, one for what is large, of so many MiB: what comes for one transaction is then garbage before it is looked
 * through. Beginning small, V8 copies it twice, keeps it among what lives long, and collects that several times a second.
 */
const HALF_YOUNG_MIB = Math.floor(YOUNG_MIB / 3);

/** The thread of the store, as the service calls it. Calls are done in their order. */
export class StoreThread {
  /** Whether it started with texts in it. */
  readonly heldTexts: boolean;
  readonly heldRecords: boolean;
  readonly identity: number;
  bytes = 0;
  /** Why the thread is gone; undefined while it runs. */
  gone: StoreFailure | undefined;
  private readonly worker: Worker;
  private readonly options: StoreThreadOptions;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  private constructor(
    worker: Worker,
    options: StoreThreadOptions,
    { heldTexts, heldRecords, identity }: Extract<Answer, { kind: 'ready' }>,
  ) {
    this.worker = worker;
    this.options = options;
    this.heldTexts = heldTexts;
    this.heldRecords = heldRecords;
    this.identity = identity;
    worker.on('message', (answer: Answer) => this.receive(answer));
    worker.on('error', (error) => this.lost(error.name));
    worker.on('exit', () => this.lost('EXIT'));
  }

  /** Resolves when the store is open. @throws BoundaryError, StoreFailure */
  static async start(options: StoreThreadOptions): Promise<StoreThread> {
    const { logger: _, onDropped: __, ...settings } = options;
    // Built, the sources are JavaScript.
    const file = import.meta.url.endsWith('.ts') ? './store-worker.ts' : './store-worker.js';
    // Taken by all heaps that are made from now on, since no single thread can be given it: to another one it costs a MiB.
    setFlagsFromString(`--min-semi-space-size=${HALF_YOUNG_MIB}`);
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: settings,
      name: 'store',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    return new Promise((resolve, reject) => {
      const first = (answer: Answer): void => {
        if (answer.kind === 'ready') {
          worker.off('message', first).off('error', reject);
          resolve(new StoreThread(worker, options, answer));
        } else if (answer.kind === 'unusable') {
          const { code, path, message } = answer;
          void worker.terminate();
          reject(
            message === undefined
              ? new StoreFailure(code, path)
              : new BoundaryError('FAILED_PRECONDITION', message),
          );
        } else hear(answer, options);
      };
      worker.on('message', first);
      worker.once('error', reject);
    });
  }

  /** @throws StoreFailure */
  call<M extends Method>(method: M, ...args: Parameters<StoreCore[M]>): Promise<ReturnType<StoreCore[M]>> {
    if (this.gone) return Promise.reject(this.gone);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      const call: Call = { id, method, args };
      this.worker.postMessage(call, []);
    });
  }

  async stop(): Promise<void> {
    const closed = this.call('close').catch(() => {});
    // What is asked from now on would come after that, and be answered by nobody.
    this.gone ??= new StoreFailure('CLOSED');
    await closed;
    await this.worker.terminate();
  }

  private receive(answer: Answer): void {
    if (answer.kind === 'done') {
      this.bytes = answer.bytes;
      this.settle(answer.id)?.resolve(answer.value);
    } else if (answer.kind === 'failed') this.settle(answer.id)?.reject(new StoreFailure(answer.code));
    else hear(answer, this.options);
  }

  private settle(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  /** Without its thread the service takes nothing in any more. */
  private lost(code: string): void {
    if (!this.gone) {
      this.gone = new StoreFailure(code);
      this.options.logger.error(
        { code },
        'the thread of the store ended: nothing is taken in until the service is started again',
      );
    }
    for (const { reject } of this.waiting.values()) reject(this.gone);
    this.waiting.clear();
  }
}

/** What the thread tells without being asked. */
function hear(answer: Answer, { logger, onDropped }: StoreThreadOptions): void {
  if (answer.kind === 'say') {
    const [level, fields, message] = answer.said;
    logger[level](fields, message);
  } else if (answer.kind === 'dropped') onDropped(...answer.dropped);
}
