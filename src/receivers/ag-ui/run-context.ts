import type { KeptText } from '../../model/ag-ui-events.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import type { Bounds } from '../bounds.ts';
import type { AgUiEvent } from './read-event.ts';
import type { RunRecords } from './run-records.ts';
import { keep, keepInLane, spanIdOf, thingOf, type Run, type Thing, type ThingKind } from './run.ts';

/** An id may be asked for by so many calls in one record (`conventions/node-details.ts`). */
const CALLS_PER_NOTE = 32;

export interface Taking {
  readonly run: Run;
  readonly records: RunRecords;
  readonly bounds: Bounds;
  /** Epoch ms at which the body came. */
  readonly received: number;
}

interface Opening {
  readonly name: string;
  readonly attributes?: Thing['attributes'];
  readonly links?: readonly string[];
  readonly parentSpanId?: string;
  /** Of another step, whose node it shares, and its id. */
  readonly shared?: Thing;
  readonly says?: Thing['says'];
  /** It is what the model says or thinks: it has read the results so far, and asks for the tools that follow. */
  readonly isTurn?: true;
}

/** One event on its way into its run, and what all kinds of events do alike. */
export class RunContext {
  readonly run: Run;
  readonly records: RunRecords;
  readonly bounds: Bounds;
  readonly fields: AgUiEvent['fields'];
  readonly event: AgUiEvent;
  readonly at: EpochMs;
  /** The sub-agent that the event belongs to; empty for the run itself. */
  readonly lane: string;

  constructor({ run, records, bounds, received }: Taking, event: AgUiEvent) {
    this.run = run;
    this.records = records;
    this.bounds = bounds;
    this.event = event;
    this.fields = event.fields;
    this.at = event.time ?? epochMs(received);
    this.lane = this.id('subagentRunId') ?? '';
  }

  id(field: string): string | undefined {
    const value = this.fields[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** The step that is around what comes now in the lane. */
  get around(): string {
    return this.run.steps.get(this.lane)?.at(-1)?.spanId ?? this.spanOfLane;
  }

  get spanOfLane(): string {
    return thingOf(this.run, 'subagent', this.lane)?.spanId ?? this.run.rootSpanId;
  }

  /** A number for what has no id. */
  nextNumber(): number {
    return ++this.run.unnamed;
  }

  /** Begins a step, one of an open id goes on. An id that was used before is another step. */
  open(kind: ThingKind, id: string, opening: Opening): Thing {
    const known = thingOf(this.run, kind, id);
    if (known?.isOpen === true) return known;
    const n = known === undefined ? 0 : known.n + 1;
    const spanId = opening.shared?.spanId ?? spanIdOf(this.run.rootSpanId, kind, id, String(n));
    const thing = keep(this.run, {
      kind,
      id,
      n,
      spanId,
      parentSpanId: opening.shared?.parentSpanId ?? opening.parentSpanId ?? this.around,
      name: opening.name,
      start: this.startTime(),
      isOpen: true,
      lane: this.lane,
      attributes: opening.attributes ?? {},
      links: opening.links ?? [],
      args: '',
      partner: opening.shared?.id,
      says: opening.says ?? 'reasoning',
    });
    if (opening.shared === undefined) this.records.thing(this.run, thing);
    if (opening.isTurn === true) this.beginTurn(thing);
    return thing;
  }

  /** Steps without times of their own keep their order. */
  private startTime(): EpochMs {
    const { run, event, at } = this;
    const start = event.time === undefined ? Math.max(at, run.lastStart + 1) : at;
    run.lastStart = Math.max(run.lastStart, start);
    return epochMs(start);
  }

  /** Ends a step, with what is known of it at last. Nothing happens to one that is not open. */
  close(thing: Thing | undefined, attributes: Thing['attributes'] = {}): void {
    if (thing?.isOpen !== true) return;
    const ended = keep(this.run, {
      ...thing,
      isOpen: false,
      attributes: { ...thing.attributes, ...attributes },
    });
    this.records.thing(this.run, ended, this.at);
  }

  change(thing: Thing, attributes: Thing['attributes']): Thing {
    const changed = keep(this.run, { ...thing, attributes: { ...thing.attributes, ...attributes } });
    this.records.thing(this.run, changed, changed.isOpen ? undefined : this.at);
    return changed;
  }

  /** The event's piece of the text of a step. */
  say(thing: Thing, delta: AttributeValue | undefined): KeptText {
    const text = typeof delta === 'string' ? delta : '';
    if (text !== '') this.records.say(this.run, thing, text, this.at);
    return { span: thing.spanId, field: thing.says, chars: text.length };
  }

  /** From here on the model has read what tools gave. */
  private beginTurn(turn: Thing): void {
    const { run, lane } = this;
    keepInLane(run.turns, lane, turn);
    const unread = run.unread.get(lane) ?? [];
    run.unread.delete(lane);
    for (let from = 0; from < unread.length; from += CALLS_PER_NOTE)
      this.records.note(run, turn, `reads ${from}`, turn.start, {
        'agui.answered': unread.slice(from, from + CALLS_PER_NOTE),
      });
  }
}
