import { NO_ATTRIBUTES, type AttributeValue } from '../../model/attributes.ts';
import { spanKey } from '../../model/ids.ts';
import type { CotRecord, Resource, Scope, SpanRecord, TelemetryRecord } from '../../model/records.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import { pieceAttributes } from './event-log.ts';
import { spanIdOf, type Run, type Thing } from './run.ts';

const SCOPE: Scope = { name: 'ag-ui', version: '', attributes: NO_ATTRIBUTES };
const RESOURCE: Resource = { attributes: NO_ATTRIBUTES };

interface Step {
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly start: EpochMs;
  readonly end?: EpochMs | undefined;
  readonly links?: SpanRecord['links'] | undefined;
  readonly attributes: { readonly [key: string]: AttributeValue };
}

interface Said {
  readonly run: Run;
  readonly thing: Thing;
  readonly tokens: string[];
  first: EpochMs;
  isFinal: boolean;
}

/** What one body has to tell of runs: of a step that changes several times what it is at last. */
export class RunRecords {
  private readonly steps = new Map<string, SpanRecord>();
  private readonly said = new Map<string, Said>();

  get all(): readonly TelemetryRecord[] {
    return [...this.steps.values(), ...[...this.said.values()].map(thoughtRecord)];
  }

  root(run: Run, end?: EpochMs): void {
    this.put(run, {
      spanId: run.rootSpanId,
      parentSpanId: undefined,
      name: 'AG-UI run',
      start: run.start,
      end,
      links: run.parentRunSpan && [{ ...run.parentRunSpan, attributes: NO_ATTRIBUTES }],
      attributes: { 'agui.kind': 'run', 'agui.agent': run.agent, ...run.attributes },
    });
  }

  thing(run: Run, thing: Thing, end?: EpochMs): void {
    const { spanId, parentSpanId, name, start, kind, attributes, links } = thing;
    this.put(run, {
      spanId,
      parentSpanId,
      name,
      start,
      end,
      links: links.map((to) => ({ traceId: run.traceId, spanId: to, attributes: NO_ATTRIBUTES })),
      attributes: { 'agui.kind': kind === 'reasoning span' ? 'reasoning' : kind, ...attributes },
    });
  }

  /** A step that is over at once. */
  event(
    run: Run,
    step: Pick<Step, 'spanId' | 'name' | 'attributes'> & {
      readonly parentSpanId: string;
      readonly at: EpochMs;
    },
  ): void {
    const { at, ...rest } = step;
    this.put(run, { ...rest, start: at, end: at, attributes: { 'agui.kind': 'event', ...step.attributes } });
  }

  /** Adds something to what is known of a step, though it may have ended. */
  note(run: Run, of: Pick<Thing, 'spanId'>, what: string, at: EpochMs, attributes: Step['attributes']): void {
    const spanId = spanIdOf(run.traceId, of.spanId, what);
    this.put(run, {
      spanId,
      parentSpanId: of.spanId,
      name: 'note',
      start: at,
      end: at,
      attributes: { 'agui.kind': 'note', ...attributes },
    });
  }

  /** A piece of the text of a step. */
  say(run: Run, thing: Thing, delta: string, at: EpochMs): void {
    this.saidOf(run, thing, at).tokens.push(delta);
  }

  /** Its text is complete. */
  end(run: Run, thing: Thing, at: EpochMs): void {
    this.saidOf(run, thing, at).isFinal = true;
  }

  /** The events of a run that came. */
  log(run: Run, received: number): void {
    const news = run.log.takeNews(run.isOver);
    if (news.length === 0) return;
    const began = run.isImplied ? String(run.start) : '';
    for (const piece of news) {
      this.put(run, {
        spanId: spanIdOf(run.rootSpanId, 'events', began, String(piece.first)),
        parentSpanId: run.rootSpanId,
        // Of two records of one piece the greater name is the newer.
        name: `events ${String(piece.first).padStart(6, '0')} ${String(piece.came).padStart(9, '0')}`,
        start: run.start,
        end: epochMs(Math.max(run.start, received)),
        attributes: { 'agui.kind': 'note', ...pieceAttributes(piece) },
      });
    }
    const dropped = run.log.dropped;
    this.put(run, {
      spanId: spanIdOf(run.rootSpanId, 'count', began),
      parentSpanId: run.rootSpanId,
      name: 'count',
      start: run.start,
      attributes: {
        'agui.kind': 'note',
        'agui.count': run.log.kept,
        ...(dropped > 0 && { 'agui.dropped': dropped }),
      },
    });
  }

  private saidOf(run: Run, thing: Thing, at: EpochMs): Said {
    const known = this.said.get(thing.spanId);
    if (known) return known;
    const said: Said = { run, thing, tokens: [], first: at, isFinal: false };
    this.said.set(thing.spanId, said);
    return said;
  }

  private put(run: Run, step: Step): void {
    const { spanId, parentSpanId, name, start, attributes, links = [] } = step;
    const end = step.end === undefined ? undefined : epochMs(Math.max(step.end, start));
    const thread = run.attributes['agui.thread'];
    this.steps.set(`${run.traceId}:${spanId}`, {
      kind: 'span',
      traceId: run.traceId,
      spanId,
      parentSpanId,
      name,
      start,
      end,
      durationMs: end === undefined ? undefined : end - start,
      status: 'UNSET',
      statusMessage: '',
      traceState: '',
      attributes: new Map(
        Object.entries({
          ...attributes,
          'agui.task': run.taskId,
          ...(thread !== undefined && { 'agui.thread': thread }),
        }),
      ),
      events: [],
      links,
      scope: SCOPE,
      resource: RESOURCE,
    });
  }
}

/** A thought of its own for each text, by the id of its step: the door joins its pieces, and shows them as they come. */
function thoughtRecord({ run, thing, tokens, first, isFinal }: Said): CotRecord {
  return {
    kind: 'cot',
    requestId: spanKey(run.traceId, thing.spanId),
    time: first,
    text: undefined,
    tokens,
    final: isFinal,
    summary: undefined,
    agent: undefined,
    model: undefined,
    taskId: run.taskId,
    traceId: run.traceId,
    spanId: thing.spanId,
    sequence: undefined,
    ...(thing.says !== 'reasoning' && { of: thing.says }),
  };
}
