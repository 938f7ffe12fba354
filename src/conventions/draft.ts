import type { Details, PartialStep, Texts, Usage } from './convention.ts';
import { noteContradictions } from './contradictions.ts';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** A step while conventions fill it, strongest first: what one has said, no later one changes. */
export interface Draft extends Writable<Omit<PartialStep, 'details' | 'texts' | 'usage' | 'heard'>> {
  /** The first to count tokens counts them all: two conventions' ways of counting are never mixed. */
  usage: Writable<Usage>;
  details: Writable<Details>;
  texts: Writable<Texts>;
  /** A convention has spoken. */
  isBegun?: true | undefined;
  /** `texts.prompt` was written by a user. */
  byUser?: true | undefined;
  /** `texts.prompt` came as a text without a role. */
  isPlain?: true | undefined;
  /** What the model was told since it last spoke, and what it said then. */
  heardTexts?: readonly string[] | undefined;
  /** Who decided the type, the model, the tokens. */
  typeBy?: string | undefined;
  modelBy?: string | undefined;
  usageBy?: string | undefined;
  /** Who said `container` without a type: holds when nobody says a type. */
  vaguelyContainer?: string | undefined;
  /** `field: stronger≠weaker`. */
  contradictions?: string[] | undefined;
}

export function newDraft(): Draft {
  return { usage: {}, details: {}, texts: {} };
}

export function fill(draft: Draft, name: string, said: PartialStep): void {
  noteContradictions(draft, name, said);
  fillType(draft, name, said);
  fillModel(draft, name, said);
  fillUsage(draft, name, said.usage);
  draft.stepId ??= said.stepId;
  draft.agent ??= said.agent;
  draft.application ??= said.application;
  draft.requestId ??= said.requestId;
  if (said.task !== undefined && (draft.task === undefined || said.task.rank < draft.task.rank))
    draft.task = said.task;
  draft.costUsd ??= said.costUsd;
  draft.latencyMs ??= said.latencyMs;
  draft.status ??= said.status;
  draft.promptSummary ??= said.promptSummary;
  draft.ancestors ??= said.ancestors;
  draft.announces ??= said.announces;
  draft.asked ??= said.asked;
  const { details, texts } = said;
  // Nearly always one convention says it all: a copy is many times faster than going through the fields.
  if (details !== undefined)
    draft.details = draft.isBegun === true ? fillFields(draft.details, details) : { ...details };
  if (texts !== undefined)
    draft.texts = draft.isBegun === true ? fillFields(draft.texts, texts) : { ...texts };
  draft.isBegun = true;
  fillHeard(draft, said);
}

function fillType(draft: Draft, name: string, said: PartialStep): void {
  if (draft.type === undefined && said.type !== undefined) {
    draft.type = said.type;
    draft.typeBy = name;
    draft.container = said.container;
    draft.wrapper = said.wrapper;
  } else if (said.type === undefined && said.container === true) {
    draft.vaguelyContainer ??= name;
  }
}

function fillModel(draft: Draft, name: string, said: PartialStep): void {
  if (said.requestModel === undefined && said.responseModel === undefined) return;
  draft.modelBy ??= name;
  draft.requestModel ??= said.requestModel;
  draft.responseModel ??= said.responseModel;
}

function fillUsage(draft: Draft, name: string, said: Usage | undefined): void {
  if (said?.tokensIn === undefined && said?.tokensOut === undefined) return;
  const { usage } = draft;
  if (draft.usageBy === undefined) {
    draft.usageBy = name;
    draft.usage = { ...said };
  } else if (usage.tokensIn === said.tokensIn && usage.tokensOut === said.tokensOut) {
    // Both count alike, so the parts that one has and the other lacks fit together.
    usage.cacheReadTokens ??= said.cacheReadTokens;
    usage.cacheWriteTokens ??= said.cacheWriteTokens;
    usage.reasoningTokens ??= said.reasoningTokens;
  }
}

function fillHeard(draft: Draft, { heard }: PartialStep): void {
  if (heard === undefined) return;
  draft.heardTexts ??= heard.texts;
  draft.details.answeredToolCallIds ??= heard.toolResultIds;
  if (draft.texts.prompt !== undefined || heard.prompt === undefined) return;
  draft.texts.prompt = heard.prompt;
  draft.byUser = heard.byUser;
  draft.isPlain = heard.isPlain;
}

function fillFields<T extends object>(into: T, from: T): T {
  for (const field in from)
    if (into[field] === undefined && from[field] !== undefined) into[field] = from[field];
  return into;
}
