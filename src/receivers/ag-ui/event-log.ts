import {
  AG_UI_EVENTS,
  AG_UI_FIRST,
  AG_UI_RECEIVED,
  type BesideEvent,
  type KeptEvent,
  type KeptText,
} from '../../model/ag-ui-events.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import type { AgUiEvent } from './read-event.ts';

/** Each piece is sent again while it grows. */
const PIECE_EVENTS = 32;
const PIECE_CHARS = 32 * 1024;
/** Pieces that are held beside the one that grows: the last one may be sent again, beside the one before it. */
const MAX_SENT = 2;
/** Larger events keep their short fields. */
const MAX_EVENT_CHARS = 512 * 1024;
/** Of more, events keep their short fields: whoever reads the root of a run is sent all of them. */
const MAX_RUN_CHARS = 4 * 1024 * 1024;
/** Of more, events are counted and not kept. */
const MAX_RUN_EVENTS = 50_000;
const SHORT_FIELD = 256;

/** A part of the events of a run that one record holds. */
export interface LogPiece {
  /** The number of its first event. */
  readonly first: number;
  /** Epoch ms. */
  readonly received: number;
  readonly events: readonly KeptEvent[];
  readonly chars: number;
  /** Grows with each event that came, those that were added to another one among them, and each time it is sent again. */
  readonly came: number;
}

/** A piece with those around it: a secret may be cut in two right between them. */
export interface NewPiece extends LogPiece {
  readonly before: readonly KeptEvent[];
  readonly after: readonly KeptEvent[];
}

/** The events of a run, as they are kept (`model/ag-ui-events.ts`): the last piece, and what is known of those before. */
export class EventLog {
  private piece: LogPiece | undefined;
  /** Complete, and not sent yet. */
  private done: readonly LogPiece[] = [];
  /** Those before, which were sent: the last one is sent again with what comes after it. */
  private sent: readonly LogPiece[] = [];
  private chars = 0;
  private count = 0;
  private left = 0;
  private hasNews = false;

  copy(): EventLog {
    return Object.assign(new EventLog(), this);
  }

  /** Events that are kept. */
  get kept(): number {
    return this.count;
  }

  /** Events that are not, because there were too many. */
  get dropped(): number {
    return this.left;
  }

  /** Of the piece that may still grow, and those before it. */
  get heldChars(): number {
    return [...this.sent, ...this.done].reduce((sum, { chars }) => sum + chars, this.piece?.chars ?? 0);
  }

  /** @param text where the text of the event is, which is left out */
  add({ fields, encrypted }: AgUiEvent, text: KeptText | undefined, received: number): void {
    const event = fields as KeptEvent['event'];
    if (text !== undefined && this.continues(event, text)) return;
    if (this.count >= MAX_RUN_EVENTS) {
      this.left++;
      return;
    }
    const told = encrypted.map(({ at, chars, sha256 }) => ({ at, chars, sha256 }));
    this.put(
      {
        event: text === undefined ? event : without(event, text.field === 'toolResult' ? 'content' : 'delta'),
        ...(text && { text }),
        ...(told.length > 0 && { encrypted: told }),
      },
      received,
    );
  }

  /**
   * The pieces that are new, or have grown, since the last time; and the one before them, when much has come after it.
   * @param isOver nothing more is to come
   */
  takeNews(isOver: boolean): readonly NewPiece[] {
    if (!this.hasNews || !this.piece) return [];
    const { piece, done, sent } = this;
    const isDue = done.length > 0 || isOver || isPowerOfTwo(piece.events.length);
    const all = [...sent, ...done, piece];
    const news = all.flatMap((of, i): NewPiece[] => {
      const isSent = i < sent.length;
      if (isSent && (i < sent.length - 1 || !isDue)) return [];
      const came = isSent ? of.came + 1 : of.came;
      return [{ ...of, came, before: besideOf(all[i - 1]), after: besideOf(all[i + 1]) }];
    });
    const resent = sent.length > 0 && isDue ? news[0] : undefined;
    const known = [...(resent ? [...sent.slice(0, -1), resent] : sent), ...done];
    const large = known.findLastIndex((of) => isLarge(of));
    this.sent = isOver ? [] : known.slice(Math.max(large + 1, known.length - MAX_SENT)).map(alone);
    this.done = [];
    this.hasNews = false;
    return news;
  }

  /** A further piece of the text of the last event adds to that one, which is sent again with the next event. */
  private continues(event: KeptEvent['event'], text: KeptText): boolean {
    const last = this.piece?.events.at(-1);
    if (!this.piece || last?.text === undefined || last.event.type !== event.type) return false;
    if (last.text.span !== text.span || last.text.field !== text.field || text.field === 'toolResult')
      return false;
    if ('metadata' in event || 'rawEvent' in event) return false;
    const joined = { ...last, text: { ...text, chars: last.text.chars + text.chars } };
    this.piece = {
      ...this.piece,
      events: [...this.piece.events.slice(0, -1), joined],
      came: this.piece.came + 1,
    };
    return true;
  }

  private put(given: KeptEvent, received: number): void {
    let kept = given;
    let chars = JSON.stringify(kept).length;
    if (chars > MAX_EVENT_CHARS || this.chars + chars > MAX_RUN_CHARS) {
      kept = shortened(kept);
      chars = JSON.stringify(kept).length;
    }
    const { piece } = this;
    const isFull =
      piece !== undefined && (piece.events.length >= PIECE_EVENTS || piece.chars + chars > PIECE_CHARS);
    if (isFull) this.done = [...this.done, piece];
    const begun = piece && !isFull ? piece : { first: this.count, received, events: [], chars: 0, came: 0 };
    this.piece = {
      ...begun,
      events: [...begun.events, kept],
      chars: begun.chars + chars,
      came: begun.came + 1,
    };
    this.chars += chars;
    this.count++;
    this.hasNews = true;
  }
}

/** The attributes of the record that holds a piece. */
export function pieceAttributes({ first, received, events, before, after }: NewPiece): {
  readonly [key: string]: AttributeValue;
} {
  const all = [...before.map(beside), ...events, ...after.map(beside)];
  return {
    [AG_UI_EVENTS]: all as unknown as AttributeValue,
    [AG_UI_FIRST]: first,
    [AG_UI_RECEIVED]: received,
  };
}

function beside({ event }: KeptEvent): BesideEvent {
  return { event, beside: true };
}

/** One event that is larger than a piece is to be: no piece of a text that is sent in pieces. */
function isLarge({ chars }: LogPiece): boolean {
  return chars > PIECE_CHARS;
}

function besideOf(piece: LogPiece | undefined): readonly KeptEvent[] {
  return piece === undefined || isLarge(piece) ? [] : piece.events;
}

function alone({ first, received, events, chars, came }: LogPiece): LogPiece {
  return { first, received, events, chars, came };
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}

function without(event: KeptEvent['event'], field: string): KeptEvent['event'] {
  const { [field]: _, ...rest } = event;
  return rest as KeptEvent['event'];
}

function shortened({ event, text, encrypted }: KeptEvent): KeptEvent {
  const short = Object.entries(event).filter(([, value]) => JSON.stringify(value).length <= SHORT_FIELD);
  return {
    event: Object.fromEntries(short) as KeptEvent['event'],
    ...(text && { text }),
    ...(encrypted && { encrypted: encrypted.slice(0, 8) }),
    cut: true,
  };
}
