import type { SpikesAnswer, WhyAnswer } from '../../src/model/why.ts';
import type { CompareAnswer } from '../../src/model/compare.ts';
import type { PatternsAnswer } from '../../src/model/patterns.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { NodeDetail, ServerFrame } from '../../src/model/reader-messages.ts';
import type { TaskSummary } from '../../src/model/summary.ts';
import type { TaskOverview } from '../../src/model/task-overview.ts';
import { DEADLINE_MS } from '../support/until.ts';

/** A reader as the contract suite needs it, whatever protocol it speaks. Refusals reject with ReaderError. */
export interface ReaderClient {
  /** Resolves when the service has taken the request; frames then wait in the subscription. */
  subscribe(request: object, requestId?: string): Promise<ClientSubscription>;
  updateFilters(subscriptionId: string, filters: object): Promise<void>;
  expand(subscriptionId: string, nodeId: string): Promise<void>;
  collapse(subscriptionId: string, nodeId: string): Promise<void>;
  expandTask(subscriptionId: string, taskId: string): Promise<void>;
  unsubscribe(subscriptionId: string): Promise<void>;
  getGraph(request: object): Promise<ExplanationGraph>;
  getNode(nodeId: string): Promise<NodeDetail>;
  listTasks(): Promise<readonly TaskOverview[]>;
  why(asked: string | { readonly taskId: string }): Promise<WhyAnswer>;
  spikes(taskId?: string): Promise<SpikesAnswer>;
  compare(a: string, b: string): Promise<CompareAnswer>;
  patterns(filters: object): Promise<PatternsAnswer>;
  summary(taskId: string): Promise<TaskSummary>;
  /** Loses the connection. Resolves when the client's end is closed. */
  disconnect(): Promise<void>;
  /** Stops and resumes reading from the network; absent where the client can't. */
  readonly flow?: { pause(): void; resume(): void };
}

export interface ClientSubscription {
  readonly subscriptionId: string;
  readonly frames: FrameQueue;
}

export class ReaderError extends Error {
  /** A BoundaryCode, or gRPC's own word for one. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Frames in order of arrival, for one taker. */
export class FrameQueue {
  private readonly waiting: ServerFrame[] = [];
  private taker: ((frame: ServerFrame) => void) | undefined;
  /** Set when the service ended the subscription. */
  endReason: string | undefined;

  push(frame: ServerFrame): void {
    if (this.taker === undefined) this.waiting.push(frame);
    else {
      const taker = this.taker;
      this.taker = undefined;
      taker(frame);
    }
  }

  /** The next frame; rejects when none comes in time. */
  async next(timeoutMs = DEADLINE_MS): Promise<ServerFrame> {
    const frame = this.waiting.shift() ?? (await this.arrival(timeoutMs));
    if (frame === undefined) throw new Error(`no frame came within ${timeoutMs} ms`);
    return frame;
  }

  /** The next frame, or undefined when none comes in time. */
  async poll(timeoutMs: number): Promise<ServerFrame | undefined> {
    return this.waiting.shift() ?? this.arrival(timeoutMs);
  }

  private arrival(timeoutMs: number): Promise<ServerFrame | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.taker = undefined;
        resolve(undefined);
      }, timeoutMs);
      this.taker = (frame) => {
        clearTimeout(timer);
        resolve(frame);
      };
    });
  }
}
