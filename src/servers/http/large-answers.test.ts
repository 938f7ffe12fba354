import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { LargeAnswers, MAX_AWAITED_MS, MAX_LARGE_ANSWERS, STALLED_MS } from './large-answers.ts';
import { sendAnswer } from './send-answer.ts';

/** A reader over a network that takes so many pieces, and then no more. */
class Reader extends Writable {
  readonly setHeader = (): void => undefined;
  readonly appendHeader = (): void => undefined;
  private left: number;

  constructor(pieces: number) {
    super({ highWaterMark: 1 });
    this.left = pieces;
  }

  override _write(_piece: Buffer, _encoding: string, done: () => void): void {
    if (this.left-- > 0) done();
  }
}

test('[SV77] of large answers so many are under way; who took nothing the longest makes room, nobody who reads', async () => {
  const clock = new ManualClock();
  const large = new LargeAnswers(clock);
  const pace = new Pace(systemClock);
  const send = (reader: Reader): Promise<void> => {
    const request = { method: 'GET', headers: {} } as IncomingMessage;
    const answer = { status: 200, contentType: 'text/plain', body: ['a', 'b', 'c', 'd', 'e', 'f'] };
    return sendAnswer(request, reader as unknown as ServerResponse, answer, { large, pace });
  };
  const stuck = Array.from({ length: MAX_LARGE_ANSWERS }, () => new Reader(0));
  const ends = Promise.allSettled(stuck.map(send));
  await assert.rejects(send(new Reader(6)), { code: 'RESOURCE_EXHAUSTED', message: /ask again/ });
  clock.advance(STALLED_MS);
  for (const reader of stuck.slice(1)) large.taken(reader as unknown as ServerResponse);
  await send(new Reader(6));
  assert.deepEqual(
    stuck.map(({ destroyed }) => destroyed),
    stuck.map((_, index) => index === 0),
  );
  // One has gone, another has read to its end.
  const last = new Reader(0);
  const lastEnd = Promise.allSettled([send(last)]);
  await assert.rejects(send(new Reader(6)), { code: 'RESOURCE_EXHAUSTED' });
  for (const reader of [...stuck, last]) reader.destroy();
  await Promise.all([ends, lastEnd]);
  // What is noted of one that has gone takes no room.
  for (const reader of [...stuck, last]) large.taken(reader as unknown as ServerResponse);
  await send(new Reader(6));
});

test('[SV77] when all of them read, the eldest makes room after a minute', () => {
  const clock = new ManualClock();
  const large = new LargeAnswers(clock);
  const readers = Array.from({ length: MAX_LARGE_ANSWERS }, () => new Reader(0));
  const begin = (reader: Reader, who = 'ada'): void => large.begin(reader as unknown as ServerResponse, who);
  for (const reader of readers) begin(reader);
  for (let waited = 0; waited < MAX_AWAITED_MS; waited += STALLED_MS / 2) {
    assert.throws(() => begin(new Reader(0)), { code: 'RESOURCE_EXHAUSTED' });
    clock.advance(STALLED_MS / 2);
    for (const reader of readers) large.taken(reader as unknown as ServerResponse);
  }
  begin(new Reader(0));
  assert.deepEqual(
    readers.map(({ destroyed }) => destroyed),
    readers.map((_, index) => index === 0),
  );
});

test('[AC37] one who reads many large answers makes room for another, by the last', () => {
  const large = new LargeAnswers(new ManualClock());
  const readers = Array.from({ length: MAX_LARGE_ANSWERS }, () => new Reader(0));
  const begin = (reader: Reader, who: string): void => large.begin(reader as unknown as ServerResponse, who);
  for (const reader of readers) begin(reader, 'ada');
  begin(new Reader(0), 'bob');
  assert.deepEqual(
    readers.map(({ destroyed }) => destroyed),
    readers.map((_, index) => index === MAX_LARGE_ANSWERS - 1),
  );
});

test('[EL8] an empty piece of an answer is a place to rest, and nothing is sent for it', async () => {
  const large = new LargeAnswers(new ManualClock());
  const sent: string[] = [];
  const reader = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      sent.push(piece.toString());
      done();
    },
  });
  Object.assign(reader, { setHeader: () => undefined, appendHeader: () => undefined });
  let rests = 0;
  const pace = { isOver: true, rest: () => Promise.resolve(void rests++) };
  const request = { method: 'GET', headers: {} } as IncomingMessage;
  const answer = { status: 200, contentType: 'text/plain', body: ['', '', 'a', ''] };
  await sendAnswer(request, reader as unknown as ServerResponse, answer, { large, pace });
  assert.deepEqual({ sent, rests }, { sent: ['a'], rests: 4 });
});
