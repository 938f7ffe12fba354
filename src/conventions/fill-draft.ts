import { noteContradictions } from './contradictions.ts';
import type { PartialStep, Usage } from './convention.ts';
import type { Draft } from './draft.ts';

/** What the named convention says, where none before has said it. */
export function fill(draft: Draft, name: string, said: PartialStep): void {
  noteContradictions(draft, name, said);
  fillType(draft, name, said);
  fillModel(draft, name, said);
  fillUsage(draft, name, said.usage);
  draft.name ??= said.name;
  draft.joinsTask ??= said.joinsTask;
  draft.endsStep ??= said.endsStep;
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
  if (said.task?.rank === 1) draft.details.sessionId ??= said.task.id;
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
