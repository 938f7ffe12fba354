import { ANY_AGENT, type StepFacts, type StepTexts, type TaskHint } from '../model/facts.ts';
import { responseStepId } from '../model/ids.ts';
import type { Resource, Scope } from '../model/records.ts';
import { sharedText } from '../model/shared-text.ts';
import { textHash } from '../model/text-hash.ts';
import { thoughtSteps } from '../model/thoughts.ts';
import type { EpochMs } from '../model/time.ts';
import { derivedType, type TypeRule } from './derived-types.ts';
import type { Draft } from './draft.ts';
import type { Failure } from './failure.ts';
import { boundedDetails, isChunk, type NodeDetails } from './node-details.ts';
import { estimateCost } from './prices.ts';
import { resourceFacts } from './resource.ts';
import { MAX_NAME_CHARS, clip } from '../model/one-line.ts';
import { summarise } from './text.ts';
import { isOfThought, stepTitle } from './title.ts';
import { joinUsers } from './user.ts';
import {
  askedHash,
  callHash,
  codeHash,
  codeHashes,
  HANDOFF_HASH,
  handoffTo,
  handsToAnybody,
  isHandoff,
} from './tool-arguments.ts';
import { unlessWithheld } from './withheld.ts';

/** What finishing a step needs of the span, or of the log record, that told of it. */
export interface StepSource {
  readonly traceId?: string | undefined;
  readonly start: EpochMs;
  readonly durationMs?: number | undefined;
  readonly status: 'UNSET' | 'OK' | 'ERROR';
  readonly resource: Resource;
  readonly scope: Scope;
}

/**
 * A tool call or container that is a test run, static analysis or self-reflection becomes one.
 *
 * @param spanName also names the tool where nobody else did, by `toolOfName`
 * @param rules the users' own, before the built-in ones
 */
export function refineType(draft: Draft, spanName: string, rules: readonly TypeRule[]): void {
  const { type } = draft;
  if (type === undefined ? rules.length === 0 : type !== 'TOOL_CALL' && type !== 'OTHER') return;
  if (draft.wrapper === true && type === 'OTHER') return;
  const { toolName } = draft.details;
  const isContainer = type === 'OTHER' && draft.container === true;
  if (toolName === undefined && !isContainer && rules.length === 0) return;
  const { toolArguments } = draft.texts;
  draft.type =
    derivedType({ toolName, toolArguments, spanName, agent: draft.agent, isContainer }, rules) ?? type;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };
type Step = Writable<StepFacts>;

/** The draft with every string bounded and its numbers put where they belong. @param conventions all that were spoken */
export function stepOf(
  draft: Draft,
  source: StepSource,
  failure: Failure,
  conventions: readonly string[],
): StepFacts {
  const { type } = draft;
  const process = resourceFacts(source.resource);
  Object.assign(draft.details, joinUsers(draft.details, process.user));
  draft.details.sessionId ??= process.sessionId;
  const details = boundedDetails(draft, failure);
  const step: Step = {
    status: statusOf(draft, source, failure),
    details,
  };
  if (type !== undefined) step.type = type;
  if (draft.container === true) step.container = true;
  if (draft.wrapper === true && type === 'OTHER') step.wrapper = true;
  if (draft.joinsTask === true) step.joinsTask = true;
  if (draft.endsStep === true) step.endsStep = true;
  const convention = draft.typeBy ?? conventions[0];
  if (convention !== undefined) step.convention = convention;
  if (conventions.length > 1) details['conventions'] = conventions;
  if (draft.agent !== undefined) step.agent = sharedText(clip(draft.agent, MAX_NAME_CHARS));
  const serviceName =
    draft.application === undefined ? process.serviceName : clip(draft.application, MAX_NAME_CHARS);
  if (serviceName !== undefined) step.serviceName = serviceName;
  if (process.resourceKey !== undefined) step.resourceKey = process.resourceKey;
  if (draft.requestId !== undefined) step.requestId = clip(draft.requestId, MAX_NAME_CHARS);
  const task = strongerTask(draft.task, process.task);
  if (task !== undefined) step.task = { ...task, id: clip(task.id, MAX_NAME_CHARS) };
  const latencyMs = draft.latencyMs ?? source.durationMs;
  if (latencyMs !== undefined) step.latencyMs = latencyMs;
  if (draft.stepId !== undefined) step.stepId = clip(draft.stepId, MAX_NAME_CHARS);
  addSummary(step, details, draft);
  const title = stepTitle(draft);
  if (title !== undefined) step.title = title;
  if (title !== undefined && isOfThought(draft)) details['titleOf'] = 'thought';
  addModel(step, details, draft);
  addUsage(step, details, draft);
  addEstimate(step, draft, source.start);
  if (type === 'LLM_CALL') addCall(step, draft, source);
  else addTool(step, details, draft);
  if (type === 'LLM_CALL' || isChunk(draft)) addThoughts(step, draft);
  return step;
}

/** Why an answer ended when there was none: the standard's word, and that of OpenAI's Responses API. */
const FAILED_FINISH = new Set(['error', 'failed']);

/** Some SDKs set OK on the span of a call that failed: its finish reason knows better than that, and than no status. */
function statusOf(
  { status, type, details }: Draft,
  source: StepSource,
  failure: Failure,
): StepFacts['status'] {
  if (source.status === 'ERROR') return 'ERROR';
  if (status !== undefined) return status;
  const isFailed =
    type === 'LLM_CALL' && details.finishReasons?.some((word) => FAILED_FINISH.has(word.toLowerCase()));
  return isFailed === true ? 'ERROR' : failure.status;
}

/** A task that is named is stronger than a session; of two alike, the step's own. */
function strongerTask(own: TaskHint | undefined, process: TaskHint | undefined): TaskHint | undefined {
  if (own === undefined || process === undefined) return own ?? process;
  return process.rank < own.rank ? process : own;
}

function addSummary(step: Step, details: NodeDetails, draft: Draft): void {
  const { promptSummary, texts } = draft;
  const summary = summarise(promptSummary ?? texts.prompt ?? texts.reasoning);
  if (summary === undefined) return;
  step.promptSummary = summary;
  if (promptSummary !== undefined) step.ownSummary = true;
  else if (texts.prompt === undefined) details['promptSummaryOf'] = 'thought';
  else if (isOfUser(step, draft)) step.byUser = true;
}

/** A text without a role is what an agent or workflow was asked to do; to a model the program itself may have said it. */
function isOfUser({ type, container }: Step, { byUser, isPlain }: Draft): boolean {
  return byUser === true || type === 'USER_QUERY' || (container === true && isPlain === true);
}

/** The responding model is shown; the requested one beside it where it is another word, be it for the same model. */
function addModel(step: Step, details: NodeDetails, draft: Draft): void {
  const named = draft.responseModel ?? draft.requestModel;
  if (named === undefined) return;
  const model = plainModelName(named);
  step.model = sharedText(clip(model, MAX_NAME_CHARS));
  if (draft.responseModel !== undefined) details['responseModel'] = step.model;
  if (draft.responseModel === undefined || draft.requestModel === undefined) return;
  const requested = plainModelName(draft.requestModel);
  if (requested !== model) details['requestModel'] = sharedText(clip(requested, MAX_NAME_CHARS));
}

const RESOURCE_PATH = /^(?:[\w.-]{1,128}\/){0,8}models\//;

/** `models/gemini-2.5-pro` and `publishers/google/models/gemini-2.5-pro` are resource paths, not names. */
function plainModelName(name: string): string {
  return name.includes('models/') ? name.replace(RESOURCE_PATH, '') || name : name;
}

/** A container's usage repeats what the calls inside it used: correlation decides whether it counts. */
function addUsage(step: Step, details: NodeDetails, draft: Draft): void {
  const { usage, costUsd } = draft;
  const tokensIn = inclusiveOfCache(draft);
  if (tokensIn !== undefined) step.tokensIn = tokensIn;
  if (usage.tokensOut !== undefined) step.tokensOut = usage.tokensOut;
  if (costUsd !== undefined && !isUnpriced(costUsd, step)) step.costUsd = costUsd;
  if (usage.cacheReadTokens !== undefined) details['cacheReadTokens'] = usage.cacheReadTokens;
  if (usage.cacheWriteTokens !== undefined) details['cacheWriteTokens'] = usage.cacheWriteTokens;
  if (usage.reasoningTokens !== undefined) details['reasoningTokens'] = usage.reasoningTokens;
}

/** A sender that has no price for a model writes 0: tokens that cost nothing are of unknown cost. */
function isUnpriced(costUsd: number, { tokensIn = 0, tokensOut = 0 }: Step): boolean {
  return costUsd === 0 && tokensIn + tokensOut > 0;
}

/** Most senders count the cache as part of the input. Where it is more than the input, this one didn't. */
function inclusiveOfCache({ usage }: Draft): number | undefined {
  if (usage.tokensIn === undefined) return undefined;
  const cached = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  return cached > usage.tokensIn ? usage.tokensIn + cached : usage.tokensIn;
}

function addEstimate(step: Step, draft: Draft, time: EpochMs): void {
  const { tokensIn, tokensOut, model, costUsd } = step;
  if (costUsd !== undefined || model === undefined || (tokensIn === undefined && tokensOut === undefined))
    return;
  if (step.type !== 'LLM_CALL' && step.container !== true) return;
  const { cacheReadTokens, cacheWriteTokens } = draft.usage;
  const { provider } = draft.details;
  const call = { model, provider, tokensIn, tokensOut, cacheReadTokens, cacheWriteTokens, time };
  const estimate =
    estimateCost(call) ??
    (draft.requestModel === undefined || draft.requestModel === model
      ? undefined
      : estimateCost({ ...call, model: draft.requestModel }));
  if (estimate !== undefined) step.estimatedCostUsd = estimate;
}

/** What tells a call from another, and by what its neighbours are known. */
function addCall(step: Step, draft: Draft, source: StepSource): void {
  const { responseId } = draft.details;
  if (step.stepId === undefined && responseId !== undefined)
    step.stepId = responseStepId(clip(responseId, MAX_NAME_CHARS));
  if (source.scope.name !== '') step.scope = sharedText(clip(source.scope.name, MAX_NAME_CHARS));
  if (draft.texts.completion !== undefined) addSaid(step, draft.texts.completion);
  const heard = draft.heardTexts === undefined ? undefined : hashesOf(draft.heardTexts);
  if (heard !== undefined) step.heardHashes = heard;
  if (draft.asked !== undefined) addAsked(step, draft.asked, draft.details.requestedToolCallIds);
  const code = draft.texts.completion === undefined ? NO_HASHES : codeHashes(draft.texts.completion);
  const handoff = draft.asked?.some(isHandoff) === true ? [HANDOFF_HASH] : NO_HASHES;
  if (code.length + handoff.length > 0) step.codeHashes = [...code, ...handoff];
}

const NO_HASHES: readonly string[] = [];

/** The calls that it asked for, each once, with their ids where it names as many ids as calls. */
function addAsked(step: Step, asked: readonly string[], ids: readonly string[] | undefined): void {
  const hasIds = ids?.length === asked.length;
  const byHash = new Map<string, string>();
  for (const [place, call] of asked.entries()) {
    const hash = askedHash(call);
    if (hash !== undefined && !byHash.has(hash))
      byHash.set(hash, hasIds ? clip(ids[place] ?? '', MAX_NAME_CHARS) : '');
  }
  if (byHash.size === 0) return;
  step.askedHashes = [...byHash.keys()];
  if (hasIds) step.askedIds = [...byHash.values()];
}

function addThoughts(step: Step, { texts }: Draft): void {
  if (texts.reasoning !== undefined) step.thoughts = thoughtSteps(texts.reasoning);
}

/** Each once; undefined when there is none. */
function hashesOf(texts: readonly string[]): readonly string[] | undefined {
  const hashes: string[] = [];
  for (const text of texts) {
    const hash = textHash(text);
    if (hash !== undefined && !hashes.includes(hash)) hashes.push(hash);
  }
  // Copied, since an array that was pushed to keeps unused capacity.
  return hashes.length === 0 ? undefined : hashes.slice();
}

/** What a tool gave; and, where no id says which call it was, in what words it was called. */
function addTool(step: Step, details: NodeDetails, { texts, details: said }: Draft): void {
  const { toolArguments, toolResult } = texts;
  if (toolResult !== undefined) addSaid(step, unquoted(toolResult));
  const { toolName, toolCallId } = said;
  if (toolName === undefined) return;
  const given = toolArguments === undefined ? undefined : textHash(toolArguments, 1);
  if (given !== undefined) details['argumentsHash'] = Number(given) >>> 1;
  const agent = handoffTo(toolName, toolArguments, toolResult);
  if (agent !== undefined) step.handsTo = clip(agent, MAX_NAME_CHARS);
  else if (handsToAnybody(toolName, toolArguments)) {
    step.handsTo = ANY_AGENT;
    step.ranCodeHash = HANDOFF_HASH;
    return;
  }
  if (toolCallId !== undefined && !RUN_ID.test(toolCallId)) return;
  const ran = callHash(toolName, toolArguments);
  if (ran !== undefined) step.ranHash = ran;
  const code = codeHash(toolArguments);
  if (code !== undefined) step.ranCodeHash = code;
}

/** Where the model's id of a call is lost, frameworks give the run of a tool one of their own. */
const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function addSaid(step: Step, text: string): void {
  const hash = textHash(text);
  if (hash !== undefined) step.saidHash = hash;
}

/** A tool's result that is one text may come as JSON, in quotes; in the message that carries it on it has none. */
function unquoted(result: string): string {
  if (!result.startsWith('"') || !result.endsWith('"')) return result;
  try {
    return String(JSON.parse(result));
  } catch {
    return result;
  }
}

/** Texts that their sender kept back are no texts. */
export function dropWithheld({ texts }: Draft): void {
  texts.prompt = unlessWithheld(texts.prompt);
  texts.completion = unlessWithheld(texts.completion);
  texts.reasoning = unlessWithheld(texts.reasoning);
}

const TEXT_FIELDS = ['prompt', 'completion', 'reasoning', 'toolArguments', 'toolResult', 'error'] as const;

/** The texts that conventions found; undefined when they found none. */
export function textsOf(draft: Draft): StepTexts | undefined {
  const texts: Writable<StepTexts> = {};
  let any = false;
  for (const field of TEXT_FIELDS) {
    const value = draft.texts[field];
    if (value === undefined) continue;
    texts[field] = value;
    any = true;
  }
  return any ? texts : undefined;
}
