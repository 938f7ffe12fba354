/** The attributes that the receiver of MEW gives the spans that it makes of envelopes. */
export const MEW = {
  kind: 'mew.kind',
  /** What the span tells: the message itself, or something of the context or tool call that it is about. */
  tells: 'mew.tells',
  id: 'mew.id',
  space: 'mew.space',
  from: 'mew.from',
  /** Where the gateway knows another sender than the message names. */
  claimed: 'mew.claimed_from',
  to: 'mew.to',
  context: 'mew.context',
  /** Spans of the contexts around it, from the root down. */
  within: 'mew.within',
  /** Spans of the messages that it answers or refers to. */
  after: 'mew.after',
  /** Shared by what asks for a tool and what it answers. */
  step: 'mew.step',
  /** The task that was named for it. */
  ownTask: 'mew.own_task',
  /** The task that it begins. */
  task: 'mew.task',
  /** The task that it is of, where none around it names one. */
  thread: 'mew.thread',
  outcome: 'mew.outcome',
  payload: 'mew.payload',
} as const;

/** Today's version, in which this service speaks. */
export const MEW_PROTOCOL = 'mew/v0.4';

/** Where a payload holds what the service knows of a step beside its words, when it tells one by MEW. */
export const TOLD_KEY = 'explain';

/** The fields there. */
export const TOLD = {
  node: 'node',
  task: 'task',
  type: 'type',
  name: 'name',
  agent: 'agent',
  status: 'status',
  model: 'model',
  tokensIn: 'tokens_in',
  tokensOut: 'tokens_out',
  costUsd: 'cost_usd',
  latencyMs: 'latency_ms',
  /** On a conclusion that says nothing but that the step around it is over: it is no step of its own. */
  ends: 'ends',
  /** By which the service that said it knows it again. */
  seal: 'seal',
} as const;
