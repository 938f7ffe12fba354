import { NO_ATTRIBUTES, type AttributeValue } from '../../model/attributes.ts';
import { MEW } from '../../model/mew.ts';
import type { EdgeRelation } from '../../model/node.ts';
import type { Resource, Scope, SpanLink, SpanRecord } from '../../model/records.ts';
import { EDGE } from '../../model/retold.ts';
import type { EpochMs } from '../../model/time.ts';
import { referencesOf, type Envelope } from './envelope.ts';
import { isOnlyEnd, isOver, opens, STOPS } from './kinds.ts';
import { anywhereSpanId, mewSpanId, mewStepId, mewTraceId, type MewPlace } from './mew-ids.ts';

const SCOPE: Scope = { name: 'mew', version: '', attributes: NO_ATTRIBUTES };
const RESOURCE: Resource = { attributes: NO_ATTRIBUTES };

/**
 * The spans of one message: a function of it and of its place alone, so that messages may come in any order and as often as
 * they like. What several messages tell of one tool call has a step id in common, and becomes one node.
 * @param sameAs what a frame of a stream that told the same is known by
 */
export function* mewRecords(
  envelope: Envelope,
  place: MewPlace,
  time: EpochMs,
  sameAs?: string,
): Generator<SpanRecord, void> {
  const { id, kind, context } = envelope;
  const about = new About(envelope, place, time);
  const inner = context.at(-1);
  if (inner !== undefined && isOnlyEnd(envelope)) return void (yield about.end(inner, isOver(envelope)));
  const opened = opens(envelope);
  const answered = kind === 'mcp/response' ? envelope.correlation[0] : undefined;
  const step = kind === 'mcp/request' ? id : (answered ?? sameAs);
  yield about.span(mewSpanId(place, opened ?? id), {
    tells: 'message',
    isOpen: opened !== undefined || kind === 'mcp/request',
    step,
    links: about.links(inner),
  });
  if (inner === undefined) {
    yield about.span(anywhereSpanId(id), { tells: 'pointer', parent: mewSpanId(place, opened ?? id) });
    return;
  }
  if (kind === 'reasoning/conclusion') yield about.end(inner, isOver(envelope));
  if (!STOPS.has(kind)) return;
  const stopped = mewSpanId(place, inner);
  yield about.span(mewSpanId(place, inner, 'stopped'), { tells: 'stop', parent: stopped });
  // What was said last in the context is told to follow from it, without knowing its id.
  yield about.span(mewSpanId(place, inner, 'stop'), { tells: 'pointer', parent: mewSpanId(place, id) });
}

/**
 * A context is over, and no message says so: who reasoned in it has left, or a frame of a stream told of it.
 * @param outcome how it ended, where not by itself
 */
export function* endRecords(
  envelope: Envelope,
  place: MewPlace,
  time: EpochMs,
  outcome: string | undefined,
): Generator<SpanRecord, void> {
  const inner = envelope.context.at(-1);
  if (inner !== undefined) yield new About(envelope, place, time).end(inner, outcome);
}

/** A thought that a frame of a stream told. @param knownBy by which a message that tells the same finds it */
export function thoughtRecord(
  envelope: Envelope,
  place: MewPlace,
  time: EpochMs,
  knownBy: string,
): SpanRecord {
  const about = new About({ ...envelope, id: '' }, place, time);
  return about.span(mewSpanId(place, knownBy, 'frame'), { tells: 'message', step: knownBy });
}

interface Draft {
  readonly tells: 'message' | 'end' | 'stop' | 'pointer';
  readonly isOpen?: boolean;
  readonly step?: string | undefined;
  readonly parent?: string | undefined;
  readonly links?: readonly SpanLink[];
  readonly outcome?: string | undefined;
}

/** What all spans of one message have in common. */
class About {
  private readonly envelope: Envelope;
  private readonly place: MewPlace;
  private readonly time: EpochMs;
  private readonly traceId: string;
  /** Of the contexts around what the message tells of, from the root down. */
  private readonly within: readonly string[];
  private readonly path: readonly string[];

  constructor(envelope: Envelope, place: MewPlace, time: EpochMs) {
    this.envelope = envelope;
    this.place = place;
    this.time = time;
    const { context, id } = envelope;
    this.traceId = mewTraceId(place, context[0] ?? id);
    const opened = opens(envelope);
    // A start that begins the context in which it stands is that context.
    this.path = opened === context.at(-1) ? context.slice(0, -1) : context;
    this.within = this.path.map((segment) => mewSpanId(place, segment));
  }

  /** Whose end is that of the context, whoever told of it. */
  end(inner: string, outcome: string | undefined): SpanRecord {
    const { place } = this;
    const parent = mewSpanId(place, inner);
    return this.span(mewSpanId(place, inner, 'end'), { tells: 'end', outcome, parent });
  }

  /** What led to the message: what it answers or refers to, in a trace of its own if it stands in no context. */
  links(inner: string | undefined): readonly SpanLink[] {
    const { envelope, place, traceId } = this;
    const { kind } = envelope;
    if (kind === 'mcp/response') return [];
    const isStop = STOPS.has(kind);
    const relation: EdgeRelation = isStop
      ? 'USER_ACTION'
      : kind === 'mcp/proposal'
        ? 'ESCALATED'
        : 'NEXT_STEP';
    const links = referencesOf(envelope).map((id) =>
      linkTo(mewTraceId(place, id), mewSpanId(place, id), isStop ? relation : 'NEXT_STEP'),
    );
    if (inner === undefined) return links;
    if (relation !== 'NEXT_STEP') links.push(linkTo(traceId, mewSpanId(place, inner), relation));
    if (kind === 'reasoning/conclusion')
      links.push(linkTo(traceId, mewSpanId(place, inner, 'stop'), 'TRIGGERED'));
    return links;
  }

  span(spanId: string, draft: Draft): SpanRecord {
    const { envelope, place, time, traceId, within, path } = this;
    const { id, kind, from, claimedFrom, to, payload } = envelope;
    const { tells, isOpen = false, step, links = [], outcome } = draft;
    const isMessage = tells === 'message';
    const opened = opens(envelope);
    const attributes = new Map<string, AttributeValue>();
    const set = (key: string, value: AttributeValue | undefined): void => {
      if (value !== undefined && value !== '') attributes.set(key, value);
    };
    set(MEW.kind, kind);
    set(MEW.tells, tells);
    set(MEW.space, place.space);
    set(MEW.context, isMessage && opened !== undefined ? [...path, opened].join('/') : path.join('/'));
    set(MEW.outcome, outcome);
    if (step !== undefined) set(MEW.step, mewStepId(place, step));
    this.setTask(set);
    if (isMessage) {
      set(MEW.id, id);
      set(MEW.from, from);
      set(MEW.claimed, claimedFrom);
      if (to.length > 0) set(MEW.to, to);
      set(MEW.payload, payload);
      const after = kind === 'mcp/response' ? [] : referencesOf(envelope);
      if (after.length > 0)
        set(
          MEW.after,
          after.flatMap((other) => [mewSpanId(place, other), anywhereSpanId(other)]),
        );
    } else if (tells === 'stop' || isOnlyEnd(envelope)) set(MEW.payload, payload);
    if (within.length > 0 && isMessage) set(MEW.within, within);
    return {
      kind: 'span',
      traceId,
      spanId,
      parentSpanId: 'parent' in draft ? draft.parent : within.at(-1),
      name: isMessage ? kind : tells,
      start: time,
      end: isOpen ? undefined : time,
      durationMs: undefined,
      status: 'UNSET',
      statusMessage: '',
      traceState: '',
      attributes,
      events: [],
      links,
      scope: SCOPE,
      resource: RESOURCE,
    };
  }

  /**
   * Of its trace the message that begins it says which task it is; the others say so only for where none does. What answers
   * something, and is neither an answer in words nor reasoning, is of the task of that (`correlation/tasks.ts`).
   */
  private setTask(set: (key: string, value: string | undefined) => void): void {
    const { envelope, place } = this;
    const { kind, context, id, correlation } = envelope;
    const [answers] = correlation;
    if (place.namedTask !== undefined) set(MEW.ownTask, place.namedTask);
    else if (context[0] !== undefined) set(MEW.thread, taskOf(place, context[0]));
    else if (kind === 'reasoning/start' || kind === 'chat') set(MEW.task, taskOf(place, answers ?? id));
    else if (kind === 'mcp/response') set(MEW.thread, taskOf(place, undefined));
    else if (answers === undefined) set(MEW.task, taskOf(place, undefined));
  }
}

function taskOf({ space }: MewPlace, thread: string | undefined): string {
  return [space === '' && thread === undefined ? 'mew' : space, thread].filter((part) => part).join('/');
}

function linkTo(traceId: string, spanId: string, relation: EdgeRelation): SpanLink {
  const evidence = relation === 'NEXT_STEP' ? 'dependsOn' : 'link';
  return {
    traceId,
    spanId,
    attributes: new Map([
      [EDGE.relation, relation],
      [EDGE.evidence, evidence],
    ]),
  };
}
