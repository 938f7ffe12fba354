import type { Principal } from '../access/principal.ts';
import type { ApprovalOutcome, ApprovalState } from '../model/approval.ts';
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
  WaitingFrame | InterruptFrame | ApprovalFrame | { readonly type: 'closed'; readonly reason: string };

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

/** What became of an approval that an agent asked for. */
export interface ApprovalFrame extends Omit<ApprovalState, 'id' | 'nodeId' | 'state' | 'expiresAt'> {
  readonly type: 'approval';
  /** Of this delivery: who has it says so by it. The same when it is told again after a lost connection. */
  readonly id: string;
  readonly approvalId: string;
  /** The node that shows it: what comes after it may depend on that. */
  readonly approvalNodeId: string;
  readonly state: ApprovalOutcome;
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
  answer(
    principal: Principal,
    given: { readonly [name: string]: unknown },
  ): ControlAnswered | Promise<ControlAnswered>;
}

export interface ControlAnswered {
  readonly id: string;
  readonly status?: AnswerStatus;
}

/** What agents ask people to approve. */
export interface ApprovalsApi {
  /**
   * `{question, options?, agent?, taskId?, traceId?, spanId?, nodeId?, requestId?, expiresInSeconds?, id?}`, unchecked. The
   * same `id` again, of the same asker, is the same approval.
   * @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE
   */
  ask(given: { readonly [name: string]: unknown }, by: Principal): Promise<ApprovalState>;
  /** Of one's own. @throws BoundaryError NOT_FOUND */
  state(id: string, by: Principal): Promise<ApprovalState>;
}
