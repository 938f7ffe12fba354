import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { spanMaker } from '../exporters/otlp/graph-spans.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { SpanRecord } from '../model/records.ts';
import { isReplay } from '../model/replay.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import { detailOf, taskContent } from '../subscriptions/task-content.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Sent } from '../telemetry/sent.ts';
import { ForwardQueue } from './forward-queue.ts';

/** Sends spans on; one request. */
export interface SpanSender {
  send(spans: readonly SpanRecord[]): Promise<Sent>;
  close(): void;
}

export interface ForwardMetrics {
  spansForwarded(count: number): void;
  forwardDropped(reason: 'refused' | 'full' | 'stopped', count: number): void;
}

export interface ForwarderOptions {
  readonly reader: ReaderApi;
  /** Of a task in memory. */
  readonly nodesOf: (taskId: string) => Iterable<ExplanationNode>;
  readonly sender: SpanSender;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ForwardMetrics;
}

/** As many as the SDKs' batches have, and about so many characters: a receiver takes 4 MiB over gRPC by default. */
const MAX_BATCH_SPANS = 512;
const MAX_BATCH_CHARS = 1024 * 1024;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** How long a stop waits for what is left to be taken. */
const STOP_MS = 3000;

/**
 * Sends the steps of tasks that have ended on to another receiver of OTLP, each once as long as it does not change. A
 * receiver that is away is tried again until it is back; meanwhile only the names of tasks wait.
 */
export class Forwarder {
  private readonly options: ForwarderOptions;
  private readonly queue: ForwardQueue;
  /** What of each node was sent: the node is another object when it changes. */
  private readonly sent = new WeakMap<ExplanationNode, string>();
  private working: Promise<void> = Promise.resolve();
  private isWorking = false;
  private isFailing = false;
  private state: 'running' | 'stopping' | 'stopped' = 'running';
  private timer: Timer | undefined;
  private timerDueAt = 0;
  /** Ends the wait for the next attempt. */
  private wake: () => void = () => {};

  constructor(options: ForwarderOptions) {
    this.options = options;
    this.queue = new ForwardQueue({
      clock: options.clock,
      nodesOf: options.nodesOf,
      onDropped: (nodes) => this.dropped('full', nodes),
    });
  }

  /** Something of these tasks is another. */
  changed(tasks: Iterable<string>): void {
    if (this.state !== 'running') return;
    for (const taskId of tasks) this.queue.add(taskId);
    this.schedule();
  }

  /** Sends what has ended, within a bounded time; what is left is counted. */
  async stop(): Promise<void> {
    if (this.state !== 'running') return;
    const { clock, nodesOf, sender } = this.options;
    this.state = 'stopping';
    this.timer?.cancel();
    this.queue.hurry();
    this.wake();
    this.work();
    const timeout = new Promise<void>((resolve) => void clock.after(STOP_MS, resolve));
    await Promise.race([this.working, timeout]);
    this.state = 'stopped';
    this.wake();
    let left = 0;
    for (const taskId of this.queue.takeAll()) left += this.unsent(nodesOf(taskId));
    if (left > 0) this.dropped('stopped', left);
    sender.close();
  }

  private schedule(): void {
    if (this.isWorking || this.queue.isEmpty) return;
    const { clock } = this.options;
    const inMs = this.queue.nextInMs;
    const dueAt = clock.monotonic() + inMs;
    // What changed just now may be due before what waits for more.
    if (this.timer && this.timerDueAt <= dueAt) return;
    this.timer?.cancel();
    this.timerDueAt = dueAt;
    this.timer = clock.after(inMs, () => {
      this.timer = undefined;
      this.work();
    });
  }

  private work(): void {
    if (this.isWorking) return;
    this.isWorking = true;
    this.working = this.sendDue().finally(() => {
      this.isWorking = false;
      if (this.state === 'running') this.schedule();
    });
  }

  private async sendDue(): Promise<void> {
    for (let task = this.queue.take(); task !== undefined; task = this.queue.take()) {
      try {
        await this.sendTask(task);
      } catch (error) {
        const { code } = BoundaryError.from(error);
        if (code === 'RESOURCE_EXHAUSTED') this.queue.add(task);
        // It was erased meanwhile, or its service stops.
        else if (code === 'INTERNAL') this.options.logger.error({ code }, 'a task cannot be forwarded');
      }
      if (this.state === 'stopped') return;
    }
  }

  private async sendTask(taskId: string): Promise<void> {
    const { graph } = await taskContent(this.options.reader, taskId, () => this.state !== 'stopped');
    if (isReplay(graph.nodes)) return;
    const marks = marksOf(graph);
    const spanOf = spanMaker(graph);
    let batch: SpanRecord[] = [];
    let chars = 0;
    for (const [at, node] of graph.nodes.entries()) {
      if (this.sent.get(node) === marks[at]) continue;
      const detail = await detailOf(this.options.reader, node.id);
      if (!detail) continue;
      const span = spanOf({ ...detail, node });
      const size = sizeOf(span);
      if (batch.length === MAX_BATCH_SPANS || (batch.length > 0 && chars + size > MAX_BATCH_CHARS)) {
        await this.sendBatch(batch);
        [batch, chars] = [[], 0];
      }
      batch.push(span);
      chars += size;
    }
    if (batch.length > 0) await this.sendBatch(batch);
    for (const [at, node] of graph.nodes.entries()) this.sent.set(node, marks[at] ?? '');
  }

  /** Until it is taken, or never will be. */
  private async sendBatch(batch: readonly SpanRecord[]): Promise<void> {
    const { sender, metrics } = this.options;
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(MAX_RETRY_MS, delay * 2)) {
      if (this.state === 'stopped') return this.dropped('stopped', batch.length);
      const sent = await sender.send(batch);
      if (sent.outcome === 'taken') {
        this.works();
        metrics.spansForwarded(batch.length - sent.rejected);
        if (sent.rejected > 0) this.dropped('refused', sent.rejected);
        return;
      }
      this.fails(sent.reason);
      if (sent.outcome === 'refused') return this.dropped('refused', batch.length);
      await this.sleep(Math.max(sent.afterMs ?? 0, delay));
    }
  }

  private async sleep(ms: number): Promise<void> {
    if (this.state === 'stopped') return;
    await new Promise<void>((resolve) => {
      const timer = this.options.clock.after(Math.min(ms, MAX_RETRY_MS), resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private unsent(nodes: Iterable<ExplanationNode>): number {
    let count = 0;
    for (const node of nodes) if (!this.sent.has(node)) count++;
    return count;
  }

  private dropped(reason: 'refused' | 'full' | 'stopped', count: number): void {
    if (count === 0) return;
    this.options.metrics.forwardDropped(reason, count);
    this.options.logger.warn({ reason, spans: count }, 'spans are not forwarded');
  }

  /** Once, and once when it is over. */
  private fails(reason: string): void {
    if (!this.isFailing) this.options.logger.warn({ reason }, 'forwarding fails');
    this.isFailing = true;
  }

  private works(): void {
    if (this.isFailing) this.options.logger.info({}, 'forwarding works again');
    this.isFailing = false;
  }
}

/** Of each node, what leads to it: a node stays the same object when only that changes. */
function marksOf({ nodes, edges }: ExplanationGraph): readonly string[] {
  const into = Map.groupBy(edges, ({ to }) => to);
  return nodes.map(({ id }) => {
    const marks = into.get(id)?.map((edge) => `${edge.id} ${edge.evidence}`) ?? [];
    return marks.toSorted().join('\n');
  });
}

/** About what it takes on the wire: its texts. */
function sizeOf({ attributes }: SpanRecord): number {
  let chars = 0;
  for (const value of attributes.values())
    chars +=
      typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 8;
  return chars;
}
