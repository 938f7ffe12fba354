import { hash } from 'node:crypto';
import { furtherId } from './message-ids.ts';

/** Characters of one delta: an event stays far below the 10 MB that the official client takes in one frame. */
const MAX_DELTA_CHARS = 64 * 1024;

/** Tells the events of a message, by its id. */
export interface MessageEvents {
  /** @param replaces the message whose text turned out to be another */
  begin(messageId: string, replaces: string | undefined): void;
  content(messageId: string, delta: string): void;
  end(messageId: string): void;
}

/**
 * A text that is told while it grows, as the messages of one kind. Nearly always it is one. What comes after its end is
 * another, and so is a text that does not begin as what was told before: a message can't take anything back.
 */
export class GrowingMessage {
  private readonly firstId: string;
  private readonly events: MessageEvents;
  private count = 0;
  private isOpen = false;
  /** Characters that were told, and their hash: the text itself may be long, and there are many. */
  private told = 0;
  private toldHash = hashOf('');

  constructor(firstId: string, events: MessageEvents) {
    this.firstId = firstId;
    this.events = events;
  }

  /** The text is this now. Nothing comes of one that is empty. */
  grow(text: string): void {
    const isOther = hashOf(text.slice(0, this.told)) !== this.toldHash;
    const from = isOther ? 0 : this.told;
    const to = wholeLength(text);
    if (to === from) return;
    const replaced = isOther ? this.messageId : undefined;
    if (isOther) this.end();
    if (!this.isOpen) this.begin(replaced);
    for (const delta of deltasOf(text.slice(from, to))) this.events.content(this.messageId, delta);
    this.told = to;
    this.toldHash = hashOf(text.slice(0, to));
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.events.end(this.messageId);
  }

  private begin(replaced: string | undefined): void {
    this.isOpen = true;
    this.count++;
    this.events.begin(this.messageId, replaced);
  }

  private get messageId(): string {
    return furtherId(this.firstId, this.count);
  }
}

/** Without half a character at its end: the other half may yet come. */
export function wholeLength(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

/** A text in pieces, none of which ends within a character. */
export function* deltasOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const part = text.slice(at, at + MAX_DELTA_CHARS);
    const length = at + part.length < text.length ? wholeLength(part) : part.length;
    yield part.slice(0, length);
    at += length;
  }
}

function hashOf(text: string): string {
  return hash('sha1', text, 'base64');
}
