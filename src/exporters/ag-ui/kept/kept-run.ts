import type { KeptEvent, KeptText } from '../../../model/ag-ui-events.ts';
import type { StepTexts } from '../../../model/facts.ts';
import { wholeLength } from '../growing-message.ts';
import type { RunIds } from '../task-run.ts';
import { EventOrder } from './event-order.ts';
import { ReasoningIds } from './reasoning-ids.ts';
import { validEvent, type OutEvent } from './valid-event.ts';

/** What a span's node says by now. */
export interface SpanTexts {
  readonly texts: StepTexts;
  /** More of it may come. */
  readonly isOpen: boolean;
}

/** A text that events bring in pieces. */
interface Lane {
  readonly text: KeptText;
  /** The number of the last event that is known to bring a piece of it. */
  last: number;
  /** Characters that events up to here brought, before redaction, and that were told. */
  brought: number;
  told: number;
  /** That a further piece of it is like. */
  event: KeptEvent['event'];
  /** Pieces of it were told, and more may be. */
  isOpen: boolean;
}

/** Texts that are remembered while a list of events is told: those that it goes back and forth between. */
const MAX_REMEMBERED = 16;
/** After these a message has no more to say. */
const ENDS: ReadonlySet<string> = new Set(['TEXT_MESSAGE_END', 'REASONING_MESSAGE_END', 'TOOL_CALL_END']);
const OVER: ReadonlySet<string> = new Set(['RUN_FINISHED', 'RUN_ERROR', 'RUN_STARTED']);

/** A run that came in by AG-UI, told by its own events, in their order, as they become known. */
export class KeptRun {
  private readonly textsOf: (span: string) => Promise<SpanTexts | undefined>;
  private readonly order: EventOrder;
  private at = 0;
  /** Events that were looked through for the texts that they bring. */
  private known = 0;
  private readonly reasoning = new ReasoningIds();
  /** Of events that name nothing, by their number. */
  private ids = new Map<number, string>();
  private lanes = new Map<string, Lane>();
  /** By the message or tool call whose text it is. */
  private laneOf = new Map<string, Lane>();
  private remembered = new Map<string, SpanTexts | undefined>();

  constructor(ids: RunIds, textsOf: (span: string) => Promise<SpanTexts | undefined>) {
    this.order = new EventOrder(ids);
    this.textsOf = textsOf;
  }

  /**
   * The events of the run that were not told yet, as far as their texts are there.
   * @param events all that are known of it
   * @param isAll nothing more comes: what is missing is not waited for
   */
  async *tell(events: readonly KeptEvent[], isAll: boolean): AsyncGenerator<readonly OutEvent[], void> {
    this.remembered.clear();
    this.learn(events);
    for (; this.at < events.length; this.at++) {
      const sent = events[this.at];
      if (!sent) return;
      const messageId = this.ids.get(this.at);
      const kept = messageId === undefined ? sent : { ...sent, event: { ...sent.event, messageId } };
      for (const lane of this.lanesBefore(kept, events[this.at - 1])) {
        const held = await this.read(lane.text.span);
        const isWhole = held && (!held.isOpen || lane.text.field === 'toolArguments');
        if (!isWhole && !isAll) return;
        yield this.rest(lane, held);
        lane.isOpen = false;
      }
      // What was kept may be seen before the step that has its text.
      if (kept.text && !isAll && !(await this.read(kept.text.span))) return;
      yield this.order.pass(await this.eventOf(kept));
    }
    for (const lane of this.openLanes()) yield this.rest(lane, await this.read(lane.text.span));
  }

  /** Its end was told. */
  get isOver(): boolean {
    return this.at > 0 && !this.order.isRunning;
  }

  /** Another run of the task comes next. */
  next(): readonly OutEvent[] {
    this.at = 0;
    this.known = 0;
    this.reasoning.next();
    this.ids = new Map();
    this.lanes = new Map();
    this.laneOf = new Map();
    return this.order.giveUp();
  }

  /** The last events of a run that can't be told to its end. */
  breakOff(code: string, message: string): readonly OutEvent[] {
    return this.order.isRunning ? [...this.order.endAll(), { type: 'RUN_ERROR', code, message }] : [];
  }

  private openLanes(): readonly Lane[] {
    return [...this.lanes.values()].filter(({ isOpen }) => isOpen);
  }

  private learn(events: readonly KeptEvent[]): void {
    for (; this.known < events.length; this.known++) {
      const { event, text } = events[this.known] ?? {};
      const id = event && this.reasoning.idFor(event);
      if (id !== undefined) this.ids.set(this.known, id);
      if (!event || !text) continue;
      const key = laneKey(text);
      const lane = this.lanes.get(key) ?? { text, last: 0, brought: 0, told: 0, event, isOpen: false };
      lane.last = this.known;
      this.lanes.set(key, lane);
    }
  }

  /** Whose texts have to be told before this event. */
  private lanesBefore(kept: KeptEvent, before: KeptEvent | undefined): readonly Lane[] {
    if (OVER.has(kept.event.type)) return this.openLanes();
    const ended = ENDS.has(kept.event.type) ? this.laneOf.get(entityOf(kept.event)) : undefined;
    const isLeft = before?.event.type.endsWith('_CHUNK') === true && before.text !== undefined;
    const left =
      isLeft && (kept.text === undefined || laneKey(kept.text) !== laneKey(before.text))
        ? this.lanes.get(laneKey(before.text))
        : undefined;
    return [ended, left].filter((lane) => lane !== undefined).filter(({ isOpen }) => isOpen);
  }

  private async eventOf(kept: KeptEvent): Promise<OutEvent> {
    const { event, text } = kept;
    const lane = text && this.lanes.get(laneKey(text));
    if (!text || !lane) return validEvent(kept);
    const whole = (await this.read(text.span))?.texts[text.field] ?? '';
    if (text.field === 'toolResult') return validEvent(kept, { content: whole });
    this.laneOf.set(entityOf(event), lane);
    lane.event = event;
    lane.isOpen = true;
    lane.brought += text.chars;
    const isLast = this.at >= lane.last;
    const to = isLast ? wholeLength(whole) : wholeLength(whole.slice(0, lane.brought));
    return validEvent(kept, this.piece(lane, whole, to));
  }

  /** What of a text was not told yet, as one more piece. */
  private rest(lane: Lane, held: SpanTexts | undefined): readonly OutEvent[] {
    const whole = held?.texts[lane.text.field] ?? '';
    const to = wholeLength(whole);
    if (to <= lane.told) return [];
    const { metadata: _metadata, rawEvent: _rawEvent, ...event } = lane.event;
    return this.order.pass(validEvent({ event }, this.piece(lane, whole, to)));
  }

  private piece(lane: Lane, whole: string, to: number): { readonly delta?: string } {
    const delta = whole.slice(lane.told, to);
    lane.told = Math.max(lane.told, to);
    return delta === '' && lane.event.type.endsWith('_CHUNK') ? {} : { delta };
  }

  private async read(span: string): Promise<SpanTexts | undefined> {
    if (this.remembered.has(span)) return this.remembered.get(span);
    const found = await this.textsOf(span);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(span, found);
    return found;
  }
}

function laneKey({ span, field }: KeptText): string {
  return `${field} ${span}`;
}

/** What begins, goes on and ends under one id. */
function entityOf(event: KeptEvent['event']): string {
  const [kind = ''] = event.type.split(/_(?:START|CONTENT|ARGS|END|CHUNK)$/);
  return `${kind} ${String(event['toolCallId'] ?? event['messageId'])}`;
}
