import { isObject, type JsonObject } from '../../base/json.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { boundObject } from '../bounded-values.ts';
import type { Bounds } from '../bounds.ts';
import { MAX_EVENTS_ITEMS, MAX_ID_CHARS, TOO_LONG_ID } from '../config.ts';
import { dependenciesOf, dependencySpans, type Dependent, type NoEdges } from './dependencies.ts';
import type { FlowConversation, FlowLink, FlowList, FlowSession, FlowStep } from './flow.ts';
import { conversationSpanId, sessionSpanId, sessionTraceId, stepSpanId } from './flow-ids.ts';

/** A session, and what of it could not be taken. */
export interface ReadSession {
  readonly session: FlowSession;
  /** Conversations and steps that were left out, by their path. */
  readonly problems: readonly string[];
}

/**
 * Reads a consolidated session of any era.
 * @param namedTask the task that the sender named beside it
 * @param noEdges counts what its steps depend on in vain
 * @throws BoundaryError INVALID_ARGUMENT naming the field, TOO_LARGE
 */
export function readSession(
  value: JsonObject,
  namedTask: string | undefined,
  bounds: Bounds,
  noEdges: NoEdges,
): ReadSession {
  const id = idIn(value, 'session_id') ?? namedTask;
  if (id === undefined) throw wrong('session_id: required, a string that is not empty');
  const list = listOf(value);
  const { [list]: conversations, ...item } = value;
  if (!Array.isArray(conversations)) throw wrong(`${list}: must be an array`);
  const traceId = sessionTraceId(id, namedTask);
  const reading = new Reading(traceId, list, bounds);
  const read = reading.conversations(conversations);
  return {
    session: {
      id,
      traceId,
      spanId: sessionSpanId(traceId),
      taskId: namedTask ?? id,
      item: boundObject(item, bounds),
      list,
      isOpen: item['ended_at'] === undefined && read.some(({ isOpen }) => isOpen),
      conversations: withLinks(read, noEdges),
    },
    problems: reading.problems,
  };
}

/** Undefined when it is absent or empty. @throws BoundaryError INVALID_ARGUMENT */
export function idIn(item: JsonObject, field: string): string | undefined {
  const value = item[field];
  if (value === undefined || value === null || value === '') return undefined;
  const id = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof id !== 'string') throw wrong(`${field}: must be a string`);
  if (id.length > MAX_ID_CHARS) throw wrong(`${field}: ${TOO_LONG_ID}`);
  // Half of a surrogate pair is U+FFFD everywhere.
  return id.toWellFormed();
}

function listOf(value: JsonObject): FlowList {
  if ('conversations' in value) return 'conversations';
  if ('runs' in value) return 'runs';
  throw wrong('conversations: required, or runs; a line of an event log has a type');
}

class Reading {
  readonly problems: string[] = [];
  private readonly traceId: string;
  private readonly list: FlowList;
  private readonly bounds: Bounds;
  private steps = 0;

  constructor(traceId: string, list: FlowList, bounds: Bounds) {
    this.traceId = traceId;
    this.list = list;
    this.bounds = bounds;
  }

  conversations(values: readonly unknown[]): readonly FlowConversation[] {
    const seen = new Map<string, number>();
    return values.flatMap((value, index) => {
      const path = `${this.list}[${index}]`;
      return this.orProblem(path, () => this.conversation(objectAt(value), index, path, seen));
    });
  }

  private conversation(
    value: JsonObject,
    index: number,
    path: string,
    seen: Map<string, number>,
  ): FlowConversation {
    const id = conversationIdIn(value);
    if (id === undefined) throw wrong('conversation_id: required, or run_id');
    const spanId = conversationSpanId(this.traceId, id, nextOf(seen, id));
    const { steps = [], ...item } = value;
    if (!Array.isArray(steps)) throw wrong('steps: must be an array');
    const isRunning = isRunningStatus(item['status']);
    return {
      id,
      spanId,
      index,
      item: boundObject(item, this.bounds),
      isOpen: isRunning,
      steps: this.stepsOf(spanId, steps, `${path}.steps`, isRunning),
    };
  }

  private stepsOf(
    conversationSpan: string,
    values: readonly unknown[],
    path: string,
    isRunning: boolean,
  ): readonly FlowStep[] {
    const seen = new Map<string, number>();
    return values.flatMap((value, index) => {
      if (++this.steps > MAX_EVENTS_ITEMS)
        throw new BoundaryError('TOO_LARGE', `a session may have at most ${MAX_EVENTS_ITEMS} steps`);
      return this.orProblem(`${path}[${index}]`, () => {
        const item = boundObject(objectAt(value), this.bounds);
        const id = idIn(item, 'step_id');
        if (id === undefined) throw wrong('step_id: required, a string that is not empty');
        const spanId = stepSpanId(this.traceId, conversationSpan, id, nextOf(seen, id));
        return { id, spanId, index, item, isOpen: isRunning && isUnfinished(item), after: [] };
      });
    });
  }

  /** What is wrong with one thing costs no other. */
  private orProblem<T>(path: string, read: () => T): T[] {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof BoundaryError) || error.code !== 'INVALID_ARGUMENT') throw error;
      this.problems.push(`${path}: ${error.message}`);
      return [];
    }
  }
}

/** How often an id was there before; counts it. */
function nextOf(seen: Map<string, number>, id: string): number {
  const occurrence = seen.get(id) ?? 0;
  seen.set(id, occurrence + 1);
  return occurrence;
}

/** By either name. @throws BoundaryError INVALID_ARGUMENT */
export function conversationIdIn(item: JsonObject): string | undefined {
  return idIn(item, 'conversation_id') ?? idIn(item, 'run_id');
}

/** In a file that is written at the end of a session, what has no end is not one that still runs. */
function isRunningStatus(status: unknown): boolean {
  return status === 'in_progress' || status === 'running';
}

function isUnfinished({ ended_at, duration_ms, payload_completed }: JsonObject): boolean {
  return ended_at === undefined && duration_ms === undefined && payload_completed === undefined;
}

function objectAt(value: unknown): JsonObject {
  if (!isObject(value)) throw wrong('not a JSON object');
  return value;
}

/** The steps with what leads to each. */
function withLinks(
  conversations: readonly FlowConversation[],
  noEdges: NoEdges,
): readonly FlowConversation[] {
  const anywhere = new Map<string, string>();
  for (const { steps } of conversations)
    for (const { id, spanId } of steps) if (!anywhere.has(id)) anywhere.set(id, spanId);
  const edges = dependencySpans(
    conversations.flatMap(({ steps }): readonly Dependent[] => {
      const here = new Map(steps.toReversed().map(({ id, spanId }) => [id, spanId]));
      const find = (id: string): string | undefined => here.get(id) ?? anywhere.get(id);
      return steps.map((step) => ({ ...step, find }));
    }),
    noEdges,
  );
  return conversations.map((conversation) => {
    const isChain = conversation.steps.every(({ item }) => dependenciesOf(item).length === 0);
    const steps = conversation.steps.map((step, place): FlowStep => {
      const before = isChain ? conversation.steps[place - 1] : undefined;
      const after: readonly FlowLink[] = before
        ? [{ spanId: before.spanId, evidence: 'inferred' }]
        : (edges.get(step.spanId) ?? []).map((spanId) => ({ spanId, evidence: 'dependsOn' }));
      return { ...step, after };
    });
    return { ...conversation, steps };
  });
}

function wrong(message: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', message);
}
