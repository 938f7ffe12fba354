import assert from 'node:assert/strict';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import { within } from '../steps/child.ts';
import { checkShown, textOf, type Piece } from './thought-text.ts';

/** A request gives up after this: the service dies under it. */
const TIMEOUT_MS = 2_000;
/** What is accepted is shown in far less; the machine may be very busy. */
const FOLLOW_MS = 10_000;
/** Until one request is answered; tried again meanwhile, which adds nothing. */
const FINISH_MS = 60_000;
/** Thoughts that are written at the same time. */
const AT_ONCE = 4;
const START_MS = 1_750_000_000_000;
const MAX_TOKENS = 300;
const MAX_TOKENS_A_REQUEST = 40;
/** A large thought is made of pieces of up to so many characters. */
const LARGE_PIECE = 12_000;
const LARGE = 0.15;
const SECRET = 0.2;
/** Of sentences with a private key behind them. */
const KEY = 0.08;
const KEY_LINES = 6;
const PEM_HEAD = '-----BEGIN PRIVATE KEY-----';
const MAX_TOKEN_CHARS = 9;
/** One piece in so many goes alone in its request. */
const ALONE = 0.5;

interface Addresses {
  readonly readers: string;
  readonly otlpHttp: string;
}

/** How a thought is sent: entries of `/api/cot` with or without numbers, or numbered OTLP log records. */
type Way = 'numbered' | 'in order of arrival' | 'log records';

/** A request that was not answered: it is sent again as it was. */
interface Pending {
  readonly url: (addresses: Addresses) => string;
  readonly body: string;
  readonly tokens: number;
}

/** One thought that is written a request at a time, over as many lives of the service as it takes. */
class Thought {
  readonly id: string;
  private readonly pieces: readonly Piece[];
  private readonly tokens: readonly string[];
  private readonly way: Way;
  private readonly random: () => number;
  private acknowledgedTokens = 0;
  private pending: Pending | undefined;

  constructor(id: string, random: () => number) {
    this.id = id;
    this.random = random;
    const isLarge = random() < LARGE;
    this.way =
      (['numbered', 'in order of arrival', 'log records'] as const)[Math.floor(random() * 3)] ?? 'numbered';
    this.pieces = piecesOf(id, isLarge, random);
    this.tokens = tokensOf(textOf(this.pieces), isLarge ? LARGE_PIECE : MAX_TOKEN_CHARS, random);
  }

  get isDone(): boolean {
    return this.acknowledgedTokens === this.tokens.length;
  }

  get acknowledgedChars(): number {
    return this.upTo(this.acknowledgedTokens);
  }

  /** One request; an unanswered one is sent again, the same to the last byte. Resolves false when it got no answer. */
  async step(addresses: Addresses): Promise<boolean> {
    this.pending ??= this.next();
    const { url, body, tokens } = this.pending;
    try {
      const headers = { 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(url(addresses), { method: 'POST', headers, body, signal });
      const said = await answer.text();
      // Going down, it refuses; nothing of that is acknowledged.
      if (answer.status === 503 || answer.status === 429) return false;
      assert.ok(answer.ok, `${this.id}: answered ${answer.status} ${said}`);
      assert.doesNotMatch(said, /"rejected":[1-9]|rejectedLogRecords":"?[1-9]/, this.id);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
    this.acknowledgedTokens += tokens;
    this.pending = undefined;
    return true;
  }

  /** Everything that was acknowledged is shown, once and in order; what was not answered may be. */
  async check(readers: string): Promise<void> {
    if (this.acknowledgedTokens === 0) return;
    const answer = await fetch(`http://${readers}/api/nodes/${encodeURIComponent(`req:${this.id}`)}`);
    const text = await answer.text();
    assert.equal(
      answer.status,
      200,
      `${this.id}, of which ${this.acknowledgedChars} characters are acknowledged: ${text}`,
    );
    const sure = this.acknowledgedChars;
    const perhaps = this.upTo(this.acknowledgedTokens + (this.pending?.tokens ?? 0));
    const shown = (JSON.parse(text) as NodeDetail).texts?.reasoning ?? '';
    checkShown({
      who: `${this.id} (${this.way})`,
      pieces: this.pieces,
      shown,
      sure,
      perhaps,
      isDone: this.isDone,
    });
  }

  private next(): Pending {
    const from = this.acknowledgedTokens;
    const left = this.tokens.length - from;
    const count =
      this.random() < ALONE ? 1 : Math.min(left, 1 + Math.floor(this.random() * MAX_TOKENS_A_REQUEST));
    const entries = this.tokens
      .slice(from, from + count)
      .map((token, index) => this.entry(token, from, from + index));
    if (this.way === 'log records') {
      const request = { resourceLogs: [{ scopeLogs: [{ logRecords: entries }] }] };
      return {
        url: ({ otlpHttp }) => `http://${otlpHttp}/v1/logs`,
        body: JSON.stringify(request),
        tokens: count,
      };
    }
    return {
      url: ({ readers }) => `http://${readers}/api/cot`,
      body: JSON.stringify(entries),
      tokens: count,
    };
  }

  /** All entries of a request bear one time, as those of a fast model do. */
  private entry(token: string, first: number, position: number): object {
    const isFinal = position === this.tokens.length - 1;
    const time = START_MS + first;
    if (this.way !== 'log records') {
      const sequence = this.way === 'numbered' ? { sequence: position } : {};
      return {
        requestId: this.id,
        timestamp: time,
        tokens: [token],
        ...sequence,
        ...(isFinal && { final: true }),
      };
    }
    const attributes = [
      { key: 'requestId', value: { stringValue: this.id } },
      { key: 'tokens', value: { stringValue: token } },
      { key: 'sequence', value: { intValue: position } },
      ...(isFinal ? [{ key: 'final', value: { boolValue: true } }] : []),
    ];
    return { timeUnixNano: `${time}000000`, eventName: 'cot.delta', attributes };
  }

  private upTo(tokens: number): number {
    return this.tokens.slice(0, tokens).reduce((sum, token) => sum + token.length, 0);
  }
}

/** Chains of thought, with secrets in them, cut at any place; it knows which characters were acknowledged. */
export class Thoughts {
  private readonly all: Thought[] = [];
  private readonly random: () => number;
  private readonly name: string;

  constructor(name: string, random: () => number) {
    this.name = name;
    this.random = random;
  }

  get acknowledgedChars(): number {
    return this.all.reduce((sum, thought) => sum + thought.acknowledgedChars, 0);
  }

  /** Writes until it is told to stop, several thoughts at once, each of them a request at a time. */
  async send(addresses: Addresses, until: () => boolean): Promise<void> {
    const open = this.all.filter((thought) => !thought.isDone);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        let thought = open.pop() ?? this.begin();
        while (!until()) {
          if (!(await thought.step(addresses))) await new Promise((done) => setTimeout(done, 20));
          if (thought.isDone) thought = open.pop() ?? this.begin();
        }
      }),
    );
  }

  /** Writes what has begun to its end. */
  async finish(addresses: Addresses): Promise<void> {
    for (const thought of this.all)
      while (!thought.isDone)
        await within(FINISH_MS, `${thought.id} gets an answer`, async () =>
          (await thought.step(addresses)) ? true : undefined,
        );
  }

  /** Waits for the ends of thoughts: they are held back for a moment, also after a start. */
  async check(readers: string): Promise<void> {
    const deadline = performance.now() + FOLLOW_MS;
    for (;;) {
      try {
        for (const thought of this.all) await thought.check(readers);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  }

  private begin(): Thought {
    const thought = new Thought(`${this.name}-${this.all.length}`, this.random);
    this.all.push(thought);
    return thought;
  }
}

const LETTERS = 'abcdefghijkmnpqrstuvwyz';
const DIGITS = '23456789';

/** Sentences that say where they stand, and secrets between them. */
function piecesOf(id: string, isLarge: boolean, random: () => number): readonly Piece[] {
  const pieces: Piece[] = [];
  const count = 2 + Math.floor(random() * 30);
  for (let n = 0; n < count; n++) {
    const sentence = `Sentence ${n} of ${id}: the table is | a | b | b |, and so on and on.\n`;
    pieces.push({ text: isLarge ? sentence.repeat(1 + Math.floor(random() * 60)) : sentence });
    if (random() < SECRET)
      pieces.push({ text: 'password=' }, { text: secret(random), isSecret: true }, { text: '; then ' });
    if (random() < KEY)
      pieces.push(
        { text: privateKey(random), isSecret: true, label: PEM_HEAD.length },
        { text: ' was the key.\n' },
      );
  }
  return [...pieces, { text: 'That is all.' }];
}

/** Letters and digits by turns, and no x: a word, or a value with `xxxx` in it, counts as a placeholder. */
function secret(random: () => number): string {
  return Array.from({ length: 8 }, () => pick(LETTERS, random) + pick(DIGITS, random)).join('');
}

function privateKey(random: () => number): string {
  const line = (): string => Array.from({ length: 4 }, () => secret(random)).join('');
  const lines = Array.from({ length: 1 + Math.floor(random() * KEY_LINES) }, line);
  return [PEM_HEAD, ...lines, '-----END PRIVATE KEY-----'].join('\n');
}

function pick(signs: string, random: () => number): string {
  return signs[Math.floor(random() * signs.length)] ?? '';
}

function tokensOf(text: string, maxChars: number, random: () => number): readonly string[] {
  const least = Math.ceil(text.length / MAX_TOKENS);
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = Math.max(least, 1 + Math.floor(random() * maxChars));
    tokens.push(text.slice(at, at + size));
    at += size;
  }
  return tokens;
}
