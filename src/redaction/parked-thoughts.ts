import { hash } from 'node:crypto';
import type { CotText } from '../model/facts.ts';

/** Bounds of the thoughts that can continue after a silence or a restart; the longest silent are evicted first. */
const MAX_PARKED = 50_000;
const MAX_PARKED_CHARS = 64 * 1024 * 1024;
/** What a state takes besides; its names and its summary are short. */
const FIXED_CHARS = 400;
/** 2 MiB: with a million evicted ones, one unknown id in 250 is taken for one of them. */
const FILTER_BITS = 2 ** 24;

/** Matches a text that ends after white space or a plain word, so not inside a hidden value. */
const PLAIN_END = /(?:^|\s)\p{L}*[.,;!?]?\s*$/u;
/** Longer than any word. */
const END_CHARS = 256;

/** Last states of idle thoughts: the text redacted, the context for redaction sealed. */
export class ParkedThoughts {
  /** By redacted request id, in order of parking. */
  private readonly states = new Map<string, CotText>();
  private chars = 0;
  /**
   * A Bloom filter of the ids evicted in the middle of a text. Nothing is ever removed: a fuller filter has more false
   * positives, which only start new thoughts as cut off.
   */
  private evicted: Uint8Array | undefined;

  get count(): number {
    return this.states.size;
  }

  /** Ignores a state older than the one already held. */
  put(state: CotText): void {
    const held = this.states.get(state.requestId);
    if (held && (held.part > state.part || (held.part === state.part && held.revision > state.revision)))
      return;
    this.delete(state.requestId);
    // A final text has no continuation.
    const kept = state.final ? { ...state, text: '' } : state;
    this.states.set(kept.requestId, kept);
    this.chars += charsOf(kept);
    for (const requestId of this.states.keys()) {
      if (this.states.size <= MAX_PARKED && this.chars <= MAX_PARKED_CHARS) break;
      this.evict(requestId);
    }
  }

  take(requestId: string): CotText | undefined {
    const held = this.states.get(requestId);
    this.delete(requestId);
    return held;
  }

  /** Drops the text of the given requests and keeps the part number, so that the next part gets a new one. */
  forget(isMeant: (requestId: string) => boolean): void {
    const meant = [...this.states.values()].filter(({ requestId }) => isMeant(requestId));
    for (const { requestId, part, revision, first, last, text, tail = '', context } of meant) {
      this.delete(requestId);
      const stub = { kind: 'cot', requestId, part, revision, first, last, text: '', final: true } as const;
      const mayGoOn = context !== undefined && !PLAIN_END.test((text + tail).slice(-END_CHARS));
      this.put(mayGoOn ? { ...stub, context: '' } : stub);
    }
  }

  /** Whether an evicted thought of this id may have ended in the middle of a secret. */
  isEvicted(requestId: string): boolean {
    const { evicted } = this;
    return evicted !== undefined && placesOf(requestId).every((at) => isSet(evicted, at));
  }

  private evict(requestId: string): void {
    const mayGoOn = this.states.get(requestId)?.context !== undefined;
    this.delete(requestId);
    if (!mayGoOn) return;
    const evicted = (this.evicted ??= new Uint8Array(FILTER_BITS / 8));
    for (const at of placesOf(requestId)) evicted[at >> 3] = (evicted[at >> 3] ?? 0) | (1 << (at & 7));
  }

  private delete(requestId: string): void {
    const held = this.states.get(requestId);
    if (held) this.chars -= charsOf(held);
    this.states.delete(requestId);
  }
}

function charsOf({ requestId, text, tail = '', context = '', requests = '' }: CotText): number {
  return FIXED_CHARS + requestId.length + text.length + tail.length + context.length + requests.length;
}

/** Four bits of the filter. */
function placesOf(requestId: string): readonly number[] {
  const digest = hash('sha256', requestId, 'buffer');
  return [0, 4, 8, 12].map((at) => digest.readUInt32LE(at) % FILTER_BITS);
}

function isSet(filter: Uint8Array, at: number): boolean {
  return ((filter[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}
