import { ChangeLog, type GraphChange } from './change-log.ts';
import type { ClientError } from './client-error.ts';
import type { GraphMirror } from './graph-mirror.ts';

/**
 * The changes of a graph for one consumer at its own pace. Nothing queues up: what happens while the consumer is
 * busy becomes one change, the difference between what it knows and what is now.
 */
export class ChangeIterator implements AsyncIterableIterator<GraphChange, undefined> {
  private readonly mirror: GraphMirror;
  private readonly log = new ChangeLog();
  private readonly onReturn: (iterator: ChangeIterator) => void;
  private takers: {
    readonly resolve: (result: IteratorResult<GraphChange, undefined>) => void;
    readonly reject: (error: ClientError) => void;
  }[] = [];
  private over = false;
  private error: ClientError | undefined;

  constructor(mirror: GraphMirror, onReturn: (iterator: ChangeIterator) => void) {
    this.mirror = mirror;
    this.onReturn = onReturn;
    mirror.watch(this.log);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The graph has changed. */
  wake(): void {
    const taker = this.takers[0];
    if (taker === undefined) return;
    const value = this.log.take(this.mirror.graph);
    if (value === undefined) return;
    this.takers.shift();
    taker.resolve({ done: false, value });
  }

  /** No change will come any more. */
  end(error: ClientError | undefined): void {
    this.over = true;
    this.mirror.unwatch(this.log);
    const { takers } = this;
    this.takers = [];
    for (const { resolve, reject } of takers) {
      if (error === undefined) resolve({ done: true, value: undefined });
      else reject(error);
    }
    if (takers.length === 0) this.error = error;
  }

  next(): Promise<IteratorResult<GraphChange, undefined>> {
    const value = this.log.take(this.mirror.graph);
    if (value !== undefined) return Promise.resolve({ done: false, value });
    const { error } = this;
    this.error = undefined;
    if (error !== undefined) return Promise.reject(error);
    if (this.over) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.takers.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<GraphChange, undefined>> {
    if (!this.over) {
      this.end(undefined);
      this.onReturn(this);
    }
    return Promise.resolve({ done: true, value: undefined });
  }
}
