import type { EpochMs } from './time.ts';

/** Why somebody wants an agent to stop (MEW's ADR r5x); `other` says so in a message. */
export const INTERRUPT_REASONS = [
  'timeout',
  'redirect',
  'error',
  'user_request',
  'resource_limit',
  'other',
] as const;
export type InterruptReason = (typeof INTERRUPT_REASONS)[number];

/** What an agent says that it does about it. */
export const ANSWER_STATUSES = ['stopping', 'completing_thought', 'continuing', 'ignored'] as const;
export type AnswerStatus = (typeof ANSWER_STATUSES)[number];

/** So long an agent has to answer. */
export const ANSWER_WITHIN_MS = 30_000;

/** What is to be stopped, as far as it is known. */
export interface Interrupted {
  readonly nodeId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly agent?: string | undefined;
  /** The traces of the step; none when it is in none, undefined when nobody said. */
  readonly traceIds?: readonly string[] | undefined;
  /** The run of AG-UI that the step is of. */
  readonly runId?: string | undefined;
  /** The context of MEW that the step is, or is in. */
  readonly mew?: MewContext | undefined;
}

/** Where an agent of MEW reasons. */
export interface MewContext {
  readonly space: string;
  readonly path: string;
  /** Who began it. */
  readonly agent: string;
}

export interface Interrupt {
  readonly id: string;
  readonly reason: InterruptReason;
  readonly message?: string | undefined;
  readonly about: Interrupted;
  /** Who asks, for people to read: known by their access, never claimed. */
  readonly by: string;
  readonly at: EpochMs;
  /** The node that it follows from, where that is not the step. */
  readonly after?: string | undefined;
  /** A sender's word to itself: only what this principal opened may be told. */
  readonly onlyOf?: string | undefined;
}

export interface InterruptAnswer {
  readonly status: AnswerStatus;
  readonly message?: string | undefined;
}

/** Takes what one agent answers. The first answer counts. @returns whether this is it */
export type TakeAnswer = (answer: InterruptAnswer) => boolean;

/** How it goes on with an interrupt that is being delivered. */
export interface Delivering {
  /**
   * Somebody is told, or will be: to be called once for each, at once where that is known. Who says nothing is shown as
   * silent when the time is over.
   */
  readonly told: (agent: string | undefined) => TakeAnswer;
  /** Aborted when the time for answers is over: nothing is sent any more. */
  readonly over: AbortSignal;
}

export type InterruptWay = 'control' | 'ag-ui' | 'mew' | 'webhook';

/** One way by which agents are reached. */
export interface InterruptTarget {
  readonly way: InterruptWay;
  /** Asked only where no other way has told anybody. */
  readonly isLast?: true;
  /** May somebody be told this way? */
  canReach(interrupt: Pick<Interrupt, 'about' | 'onlyOf'>): boolean;
  /** Tells them, each once, and hands on what they answer. Never throws. */
  send(interrupt: Interrupt, delivering: Delivering): void;
}

/** One agent that was told, for who asked. */
export interface ToldAgent {
  readonly way: InterruptWay;
  readonly agent?: string;
  /** Absent while it says nothing. */
  readonly status?: AnswerStatus;
  readonly message?: string;
}

/** How it stands with an interrupt. */
export interface InterruptState {
  readonly id: string;
  /** The node that shows it. */
  readonly nodeId: string;
  readonly reason: InterruptReason;
  /** What is to be stopped. */
  readonly stepId?: string;
  readonly taskId?: string;
  readonly by: string;
  readonly askedAt: string;
  /** No answer is taken any more. */
  readonly isOver: boolean;
  readonly told: readonly ToldAgent[];
}
