import { hash } from 'node:crypto';
import type { AttributeValue } from '../../model/attributes.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import { EventLog } from './event-log.ts';

/** What of a run has a step of its own. */
export type ThingKind = 'message' | 'reasoning span' | 'reasoning' | 'tool' | 'step' | 'subagent';

/** A step of a run that was begun. Replaced when it changes, so that a copy of a run shares it. */
export interface Thing {
  readonly kind: ThingKind;
  /** As the sender names it. */
  readonly id: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly start: EpochMs;
  readonly isOpen: boolean;
  /** It is what the store knew of it after a restart: its end may be one that was kept and is sent again. */
  readonly isRecalled?: boolean;
  /** How often its id was used before. */
  readonly n: number;
  /** The sub-agent that it belongs to; empty for the run itself. */
  readonly lane: string;
  readonly attributes: { readonly [key: string]: AttributeValue };
  readonly links: readonly string[];
  /** Of a tool call: its arguments so far. */
  readonly args: string;
  /** Of a span of reasoning: the id of its first message, which shares its node; of that message: the id of the span. */
  readonly partner: string | undefined;
  /** Which text of its node its pieces are. */
  readonly says: 'completion' | 'prompt' | 'reasoning';
}

/** A run of an agent, as far as it must be known to take in what comes next. */
export interface Run {
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly taskId: string;
  readonly agent: string;
  readonly runId: string;
  /** Hash of the event that began it; empty where none did. */
  readonly begun: string;
  /** How often an equal event began a run of this id before, one after the other. */
  readonly repeats: number;
  readonly start: EpochMs;
  /** Its beginning has not come: it was sent elsewhere, or before a restart. */
  readonly isImplied: boolean;
  /** The sender told its id. */
  readonly isNamed: boolean;
  isOver: boolean;
  /** Attributes of the root that hold until its end. */
  attributes: { readonly [key: string]: AttributeValue };
  parentRunSpan: { readonly traceId: string; readonly spanId: string } | undefined;
  /** Epoch ms of the step that began last, so that steps without times keep their order. */
  lastStart: number;
  /** Steps by kind and id, those that ended among them: others may refer to them. */
  things: Map<string, Thing>;
  /** What chunks go on with, by lane. */
  chunks: Map<string, Thing>;
  /** The reasoning that events without an id mean, by its kind and lane. */
  reasoning: Map<string, string>;
  /** How many steps are open: by lane, and the sub-agents themselves. */
  openIn: Map<string, number>;
  /** Open steps by lane, the innermost last. */
  steps: Map<string, readonly Thing[]>;
  /** What the model said or thought last, by lane: it asks for the tools that follow. */
  turns: Map<string, Thing>;
  /** Tool calls whose results no turn has read yet, by lane. */
  unread: Map<string, readonly string[]>;
  /** What has no id is numbered. */
  unnamed: number;
  log: EventLog;
}

/** What a run is known by. */
export interface RunNames {
  readonly agent: string;
  readonly taskId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly begun: string;
  readonly repeats: number;
  /** Its id was used before by a run that began otherwise, or before it. */
  readonly isAnother: boolean;
  readonly isImplied: boolean;
  /** The sender told its id, and not just that of its task or of something in it. */
  readonly isNamed: boolean;
}

export function newRun(names: RunNames, start: EpochMs): Run {
  const { agent, taskId, threadId, runId, begun, repeats, isAnother, isImplied, isNamed } = names;
  const traceId = traceIdOf(agent, taskId);
  return {
    traceId,
    rootSpanId: isAnother
      ? spanIdOf(traceId, 'run', runId, begun, String(repeats))
      : firstRoot(traceId, runId),
    taskId,
    agent,
    runId,
    begun,
    repeats,
    start: epochMs(start),
    isImplied,
    isNamed,
    isOver: false,
    attributes: { 'agui.run': runId, ...(threadId !== '' && { 'agui.thread': threadId }) },
    parentRunSpan: undefined,
    lastStart: start,
    things: new Map(),
    chunks: new Map(),
    reasoning: new Map(),
    openIn: new Map(),
    steps: new Map(),
    turns: new Map(),
    unread: new Map(),
    unnamed: 0,
    log: new EventLog(),
  };
}

/** Steps of one run that are remembered; of more, those that ended first are forgotten, and their ids are new again. */
export const MAX_THINGS = 5_000;
/** Forgotten at once, so that a look at all of them is rare. */
const FORGOTTEN_AT_ONCE = 500;
/** Steps that stand in one another; what is deeper stands in the last of them. */
export const MAX_STEPS_DEEP = 64;
/** Results of which the next turn says that it read them: the last ones. */
export const MAX_UNREAD = 256;
/** Sub-agents of one run of which it is known what goes on in them; of more, those that came first are forgotten. */
const MAX_LANES = 1_000;

/** Names never hold it. */
const BETWEEN = '\u0000';

export function traceIdOf(agent: string, taskId: string): string {
  return digest(['ag-ui trace', agent, taskId], 32);
}

/** The root of the first run of an id, which others may name as theirs and whose end may come without its beginning. */
export function firstRoot(traceId: string, runId: string): string {
  return spanIdOf(traceId, 'run', runId, '0');
}

/** Of the note that says how a run began. */
export function begunSpan(traceId: string, rootSpanId: string, begun: string): string {
  return spanIdOf(traceId, rootSpanId, begunNote(begun));
}

export function begunNote(begun: string): string {
  return `begun ${begun}`;
}

export function spanIdOf(...parts: readonly string[]): string {
  return digest(['ag-ui span', ...parts], 16);
}

/** Never all zero: that one value in 2^64 comes up is left to chance, as everywhere. */
function digest(parts: readonly string[], digits: number): string {
  return hash('sha256', parts.join(BETWEEN), 'hex').slice(0, digits);
}

export function thingKey(kind: ThingKind, id: string): string {
  return `${kind}:${id}`;
}

/** A copy that changes by itself. */
export function copyOf(run: Run): Run {
  return {
    ...run,
    things: new Map(run.things),
    chunks: new Map(run.chunks),
    reasoning: new Map(run.reasoning),
    openIn: new Map(run.openIn),
    steps: new Map(run.steps),
    turns: new Map(run.turns),
    unread: new Map(run.unread),
    log: run.log.copy(),
  };
}

export function thingOf(run: Run, kind: ThingKind, id: string): Thing | undefined {
  return run.things.get(thingKey(kind, id));
}

const NAMED_BY_ID = ['message', 'reasoning', 'reasoning span', 'tool', 'subagent'] as const;

/** The keys under which a run has what an event means by an id. */
export function idKeys(id: string): readonly string[] {
  return NAMED_BY_ID.map((kind) => thingKey(kind, id));
}

export function namesId(key: string): boolean {
  return !key.startsWith('step:');
}

export function hasId(run: Run, id: string): boolean {
  return NAMED_BY_ID.some((kind) => run.things.has(thingKey(kind, id)));
}

/** Keeps what is known of a step now. */
export function keep(run: Run, thing: Thing): Thing {
  const key = thingKey(thing.kind, thing.id);
  count(run, run.things.get(key), -1);
  count(run, thing, 1);
  run.things.set(key, thing);
  if (run.things.size > MAX_THINGS) forgetSome(run);
  return thing;
}

/** Keeps what is known of a lane now. */
export function keepInLane<T>(lanes: Map<string, T>, lane: string, value: T): void {
  lanes.set(lane, value);
  if (lanes.size <= MAX_LANES) return;
  for (const oldest of lanes.keys()) return void lanes.delete(oldest);
}

/** Is anything of a lane open, its sub-agent aside? */
export function isAnyOpen(run: Run, lane?: string): boolean {
  return lane === undefined ? run.openIn.size > 0 : run.openIn.has(`in ${lane}`);
}

function count(run: Run, thing: Thing | undefined, by: 1 | -1): void {
  if (thing?.isOpen !== true) return;
  const key = thing.kind === 'subagent' ? 'sub-agents' : `in ${thing.lane}`;
  const now = (run.openIn.get(key) ?? 0) + by;
  if (now === 0) run.openIn.delete(key);
  else run.openIn.set(key, now);
}

/** The oldest that have ended, and where these are too few, the oldest. */
function forgetSome(run: Run): void {
  const all = [...run.things];
  const ended = all.filter(([, { isOpen }]) => !isOpen);
  for (const [key, thing] of [...ended, ...all].slice(0, FORGOTTEN_AT_ONCE)) {
    if (run.things.delete(key)) count(run, thing, -1);
  }
}

const BYTES_PER_RUN = 4_096;
const BYTES_PER_THING = 768;
const BYTES_PER_LANE = 512;

/** Bytes in memory, by estimate. */
export function sizeOf(run: Run): number {
  const { things, log, chunks, reasoning, openIn, steps, turns, unread } = run;
  let chars = log.heldChars;
  for (const { args } of things.values()) chars += args.length;
  for (const calls of unread.values()) for (const call of calls) chars += call.length;
  let lanes = chunks.size + reasoning.size + openIn.size + turns.size + unread.size;
  for (const open of steps.values()) lanes += open.length;
  return BYTES_PER_RUN + things.size * BYTES_PER_THING + lanes * BYTES_PER_LANE + 2 * chars;
}
