import type { Principal } from '../access/principal.ts';
import type { AnswerStatus, InterruptReason } from '../model/interrupt.ts';

/** For whom an agent waits to be told: each that is given must be that of the step. */
export interface Waiting {
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly traceId?: string | undefined;
  /** Tells processes apart that wait for the same; the same after a lost connection. */
  readonly instance?: string | undefined;
}

/** What is written to a control stream. */
export type ControlFrame =
  WaitingFrame | InterruptFrame | { readonly type: 'closed'; readonly reason: string };

interface WaitingFrame extends Waiting {
  readonly type: 'waiting';
}

export interface InterruptFrame {
  readonly type: 'interrupt';
  /** Of this delivery: an answer names it. The same when it is told again after a lost connection. */
  readonly id: string;
  /** The node that shows it: what comes after it may depend on that. */
  readonly interruptNodeId: string;
  readonly reason: InterruptReason;
  readonly message?: string | undefined;
  readonly by: string;
  readonly nodeId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly agent?: string | undefined;
  /** So long an answer is taken. */
  readonly answerWithinMs: number;
}

/** A connection on which an agent waits. */
export interface ControlStream {
  /** Never throws; whoever does not read is cut off by the stream. */
  send(frame: ControlFrame): void;
  /** Nothing more comes. */
  end(): void;
}

/** What agents wait on, and answer. */
export interface ControlApi {
  /**
   * An agent waits from now on. What it was told before its connection was lost, and has not acknowledged, it is told
   * again.
   * @param waiting unchecked @param lastId of what was received before, where it says so
   * @returns ends it
   * @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED
   */
  wait(
    principal: Principal,
    waiting: { readonly [name: string]: unknown },
    stream: ControlStream,
    lastId?: string,
  ): () => void;
  /**
   * `{id, status, message?}` or `{id, received: true}`, unchecked.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION (too late, or answered otherwise)
   */
  answer(principal: Principal, given: { readonly [name: string]: unknown }): ControlAnswered;
}

export interface ControlAnswered {
  readonly id: string;
  readonly status?: AnswerStatus;
}
