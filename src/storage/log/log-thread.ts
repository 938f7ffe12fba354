import { Worker } from 'node:worker_threads';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Answer, CallBody, WorkerSettings } from './worker-messages.ts';

export interface LogThreadOptions extends WorkerSettings {
  readonly logger: Logger;
  /** Told of what was deleted because it was too old or too much. */
  readonly onDropped: (reason: 'limit' | 'retention', tasks: number, records: number) => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A failure of the other thread, by the code of the system or the name of the error. */
export class LogFailure extends Error {
  override readonly name = 'LogFailure';
  readonly code: string;

  constructor(code: string) {
    super(`the log failed (${code})`);
    this.code = code;
  }
}

/** The thread of the log, as the service calls it. Calls are done in their order. */
export class LogThread {
  /** Whether it started with texts in it. */
  readonly heldTexts: boolean;
  bytes = 0;
  /** What is wrong with the index. */
  indexProblem: string | undefined;
  /** Why the thread is gone; undefined while it runs. */
  gone: LogFailure | undefined;
  private readonly worker: Worker;
  private readonly options: LogThreadOptions;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  private constructor(worker: Worker, options: LogThreadOptions, heldTexts: boolean) {
    this.worker = worker;
    this.options = options;
    this.heldTexts = heldTexts;
    worker.on('message', (answer: Answer) => this.receive(answer));
    worker.on('error', (error) => this.lost(error.name));
    worker.on('exit', () => this.lost('EXIT'));
  }

  /** Resolves when the log is open and its index up to date. @throws BoundaryError, LogFailure */
  static async start(options: LogThreadOptions): Promise<LogThread> {
    const { logger, onDropped: _, ...settings } = options;
    // Built, the sources are JavaScript.
    const file = import.meta.url.endsWith('.ts') ? './log-worker.ts' : './log-worker.js';
    const worker = new Worker(new URL(file, import.meta.url), { workerData: settings, name: 'log' });
    return new Promise((resolve, reject) => {
      const first = (answer: Answer): void => {
        if (answer.kind === 'ready') {
          worker.off('message', first).off('error', reject);
          resolve(new LogThread(worker, options, answer.heldTexts));
        } else if (answer.kind === 'unusable') {
          const { code, message } = answer;
          void worker.terminate();
          reject(
            message === undefined ? new LogFailure(code) : new BoundaryError('FAILED_PRECONDITION', message),
          );
        } else if (answer.kind === 'say') logger[answer.level](answer.fields, answer.message);
      };
      worker.on('message', first);
      worker.once('error', reject);
    });
  }

  /** @throws LogFailure */
  call(body: CallBody, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.gone) return Promise.reject(this.gone);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ ...body, id }, transfer);
    });
  }

  async stop(): Promise<void> {
    await this.call({ kind: 'close' }).catch(() => {});
    this.gone = new LogFailure('CLOSED');
    await this.worker.terminate();
  }

  private receive(answer: Answer): void {
    switch (answer.kind) {
      case 'done':
        this.bytes = answer.bytes;
        this.indexProblem = answer.problem;
        this.settle(answer.id)?.resolve(answer.value);
        break;
      case 'failed':
        this.settle(answer.id)?.reject(new LogFailure(answer.code));
        break;
      case 'say':
        this.options.logger[answer.level](answer.fields, answer.message);
        break;
      case 'dropped':
        this.options.onDropped(answer.reason, answer.tasks, answer.records);
        break;
      case 'ready':
      case 'unusable':
        break;
    }
  }

  private settle(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  /** Without its thread the service takes nothing in any more. */
  private lost(code: string): void {
    if (this.gone) return;
    this.gone = new LogFailure(code);
    this.options.logger.error(
      { code },
      'the thread of the log ended: nothing is taken in until the service is started again',
    );
    for (const { reject } of this.waiting.values()) reject(this.gone);
    this.waiting.clear();
  }
}
