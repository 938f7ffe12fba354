import type { Details, PartialStep, Texts, Usage } from './convention.ts';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** A step while conventions fill it, strongest first: what one has said, no later one changes. */
export interface Draft extends Writable<Omit<PartialStep, 'details' | 'texts' | 'usage'>> {
  readonly usage: Writable<Usage>;
  /** The first to count tokens counts them all: two conventions' ways of counting are never mixed. */
  hasUsage: boolean;
  readonly details: Writable<Details>;
  readonly texts: Writable<Texts>;
  /** Who decided the type. */
  typeBy?: string | undefined;
  /** Who said `container` without a type: holds when nobody says a type. */
  vaguelyContainer?: string | undefined;
}

export function newDraft(): Draft {
  return { usage: {}, hasUsage: false, details: {}, texts: {} };
}

export function fill(draft: Draft, name: string, said: PartialStep): void {
  if (draft.type === undefined && said.type !== undefined) {
    draft.type = said.type;
    draft.typeBy = name;
    draft.container = said.container;
  } else if (said.type === undefined && said.container === true) {
    draft.vaguelyContainer ??= name;
  }
  draft.agent ??= said.agent;
  draft.requestModel ??= said.requestModel;
  draft.responseModel ??= said.responseModel;
  draft.requestId ??= said.requestId;
  if (said.task !== undefined && (draft.task === undefined || said.task.rank < draft.task.rank))
    draft.task = said.task;
  draft.costUsd ??= said.costUsd;
  draft.latencyMs ??= said.latencyMs;
  draft.status ??= said.status;
  draft.promptSummary ??= said.promptSummary;
  if (said.usage !== undefined && !draft.hasUsage) {
    draft.hasUsage = true;
    Object.assign(draft.usage, said.usage);
  } else if (said.usage !== undefined && isSameCount(draft.usage, said.usage)) {
    draft.usage.cacheReadTokens ??= said.usage.cacheReadTokens;
    draft.usage.cacheWriteTokens ??= said.usage.cacheWriteTokens;
    draft.usage.reasoningTokens ??= said.usage.reasoningTokens;
  }
  if (said.details !== undefined) fillFields(draft.details, said.details);
  if (said.texts !== undefined) fillFields(draft.texts, said.texts);
}

/** Both count alike, so the parts that one has and the other lacks fit together. */
function isSameCount(a: Usage, b: Usage): boolean {
  return a.tokensIn === b.tokensIn && a.tokensOut === b.tokensOut;
}

function fillFields<T extends object>(into: T, from: T): void {
  for (const field in from)
    if (into[field] === undefined && from[field] !== undefined) into[field] = from[field];
}
