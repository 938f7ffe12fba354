import type { StepFacts, StepLogFacts, StepTexts } from '../model/facts.ts';
import { epochMs } from '../model/time.ts';
import type { Details } from './convention.ts';
import type { TypeRule } from './derived-types.ts';
import { newDraft, type Draft } from './draft.ts';
import { fill } from './fill-draft.ts';
import type { Failure } from './failure.ts';
import { dropWithheld, refineType, stepOf, textsOf, type StepSource } from './finish-step.ts';
import type { InterpreterOptions } from './interpret-span.ts';
import { namesOf, type PartialLogStep, type SafeLog } from './log-convention.ts';
import { logIdOf } from './log-id.ts';
import { LOG_CONVENTIONS } from './log-registry.ts';
import { plainObject } from './plain-attributes.ts';
import { asText, firstText } from './read.ts';
import { LogRecogniser } from './recognise-log.ts';
import { MAX_NAME_CHARS, clip } from '../model/one-line.ts';
import { readWho } from './who.ts';

/** What a log record tells of a step, and the long texts it brought: the latter go to the text store. */
export interface InterpretedLog {
  readonly facts: StepLogFacts;
  readonly texts: {
    readonly texts?: StepTexts;
    /** The redacted attributes as they are, a body under `body`. */
    readonly attributes?: { readonly [key: string]: unknown };
  };
}

const recogniser = new LogRecogniser(LOG_CONVENTIONS);

/** Undefined for a record that tells of no step, as most do. */
export type InterpretLog = (log: SafeLog) => InterpretedLog | undefined;

/** Never throws, whatever the record holds. */
export function createLogInterpreter({ typeRules = [] }: InterpreterOptions = {}): InterpretLog {
  return (log) => {
    const convention = recogniser.of(log);
    const said = convention?.interpret(log);
    if (convention === undefined || said === undefined || isAstray(log, said)) return undefined;
    return interpreted(log, convention.name, said, typeRules);
  };
}

/** Content of a step that nothing leads to. */
function isAstray(log: SafeLog, said: PartialLogStep): boolean {
  return said.type === undefined && said.stepId === undefined && log.spanId === undefined;
}

/** By the built-in rules alone. */
export const interpretLog: InterpretLog = createLogInterpreter();

function interpreted(
  log: SafeLog,
  convention: string,
  said: PartialLogStep,
  typeRules: readonly TypeRule[],
): InterpretedLog {
  const draft = newDraft();
  fill(draft, convention, said);
  fill(draft, 'who', readWho(log.attributes));
  refineType(draft, nameOf(log), typeRules);
  const failure = failureOf(log);
  draft.texts.error ??= failure.error;
  dropWithheld(draft);
  const step = withTurn(stepOf(draft, sourceOf(log, draft.latencyMs), failure, [convention]), draft);
  const texts = textsOf(draft);
  const attributes = attributesOf(log);
  return {
    facts: factsOf(log, step, said),
    texts: texts === undefined ? { attributes } : { texts, attributes },
  };
}

function nameOf(log: SafeLog): string {
  const [eventName, body] = namesOf(log);
  return eventName === '' ? body : eventName;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

function factsOf(log: SafeLog, step: StepFacts, said: PartialLogStep): StepLogFacts {
  const facts: Writable<StepLogFacts> = {
    kind: 'log',
    logId: logIdOf(log),
    name: clip(nameOf(log), MAX_NAME_CHARS),
    start: startOf(log, step.latencyMs),
    end: log.time,
    step,
  };
  if (log.traceId !== undefined) facts.traceId = log.traceId;
  if (log.spanId !== undefined) facts.spanId = log.spanId;
  if (said.causes !== undefined && said.causes.length > 0)
    facts.causes = said.causes.map((cause) => ({ ...cause, stepId: clip(cause.stepId, MAX_NAME_CHARS) }));
  return facts;
}

function startOf(log: SafeLog, latencyMs: number | undefined): StepLogFacts['start'] {
  return latencyMs === undefined ? log.time : epochMs(Math.max(0, log.time - latencyMs));
}

/** A record is written when its step is over, so it began that much earlier. */
function sourceOf(log: SafeLog, durationMs: number | undefined): StepSource {
  const { traceId, resource, scope } = log;
  return { traceId, start: startOf(log, durationMs), durationMs, status: 'UNSET', resource, scope };
}

/** A failure that the record itself carries, whatever its convention: an exception, or the standard's `error.type`. */
function failureOf(log: SafeLog): Failure {
  const a = log.attributes;
  const errorType = firstText(a, ['error.type', 'exception.type']);
  const message = asText(a.get('exception.message'));
  const stack = asText(a.get('exception.stacktrace'));
  if (errorType === undefined && message === undefined && stack === undefined) return { status: 'OK' };
  return { status: 'ERROR', errorType, errorMessage: message, error: stack ?? message };
}

const TURN = ['requestedToolCallIds', 'answeredToolCallIds'] as const;

/** A record of a message alone is of no type, but always of a model's turn: the tools in it are named too. */
function withTurn(step: StepFacts, draft: Draft): StepFacts {
  if (step.type !== undefined) return step;
  const more: Writable<Details> = {};
  for (const field of TURN) {
    const ids = draft.details[field];
    if (ids !== undefined) more[field] = ids.map((id) => clip(id, MAX_NAME_CHARS));
  }
  return { ...step, details: { ...step.details, ...more } };
}

function attributesOf(log: SafeLog): { readonly [key: string]: unknown } {
  const plain = plainObject(log.attributes);
  return log.body === null || log.body === '' ? plain : { ...plain, body: log.body };
}
