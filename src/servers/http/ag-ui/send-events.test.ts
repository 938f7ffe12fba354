import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { ManualClock } from '../../../base/clock.ts';
import { encodingFor } from './encoding.ts';
import { MAX_RUNS, RunStreams, STALLED_MS } from './run-streams.ts';
import { KEEP_ALIVE_MS, sendEvents } from './send-events.ts';

/** A reader over a network that takes so many frames, and then no more. */
class Reader extends Writable {
  headersSent = false;
  readonly taken: string[] = [];
  private left: number;

  constructor(frames = Infinity) {
    super({ highWaterMark: 1 });
    this.left = frames;
  }

  writeHead(): void {
    this.headersSent = true;
  }

  override _write(frame: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(frame.toString());
    if (this.left-- > 0) done();
  }
}

const SSE = encodingFor('text/event-stream');

function asResponse(reader: Reader): ServerResponse {
  return reader as unknown as ServerResponse;
}

test('[AG28] the next events are made when the reader has taken those before, and none when it has gone', async () => {
  let made = 0;
  async function* events() {
    for (;;) yield [{ type: `E${++made}` }];
  }
  const reader = new Reader(3);
  const waits: boolean[] = [];
  const sent = sendEvents(asResponse(reader), events(), {
    encoding: SSE,
    clock: new ManualClock(),
    waits: (isWaiting) => waits.push(isWaiting),
  });
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  assert.equal(made, 4);
  assert.equal(waits.at(-1), true);
  reader.destroy();
  await sent;
  assert.ok(made <= 5);
});

test('[AG27] over SSE a comment every fifteen seconds shows that the stream lives, and none before the first event', async () => {
  const clock = new ManualClock();
  let go: () => void = () => undefined;
  async function* events() {
    await new Promise<void>((resolve) => (go = resolve));
    yield [{ type: 'RUN_STARTED' }];
    await new Promise<void>((resolve) => (go = resolve));
  }
  const reader = new Reader();
  const sent = sendEvents(asResponse(reader), events(), { encoding: SSE, clock, waits: () => undefined });
  const next = async (): Promise<void> => {
    await new Promise(setImmediate);
    clock.advance(KEEP_ALIVE_MS);
    await new Promise(setImmediate);
  };
  await next();
  assert.deepEqual(reader.taken, []);
  go();
  await next();
  await next();
  const comment = ': keep-alive\n\n';
  assert.deepEqual(reader.taken, ['data: {"type":"RUN_STARTED"}\n\n', comment, comment]);
  go();
  await sent;
});

test('[AG27] protobuf is for who names it and likes it as much as SSE', () => {
  const proto = 'application/vnd.ag-ui.event+proto';
  const sse = 'text/event-stream';
  const cases: readonly (readonly [accept: string | undefined, type: string])[] = [
    [undefined, sse],
    ['*/*', sse],
    [sse, sse],
    [proto, proto],
    [`${sse}, ${proto}`, proto],
    [`${sse}, ${proto};q=0.9`, sse],
    [`${proto};q=0`, sse],
    ['Application/VND.ag-ui.event+proto; q=0.5', proto],
  ];
  for (const [accept, type] of cases) assert.equal(encodingFor(accept).contentType, type, accept);
});

test('[AG28] [AC37] of runs so many are read; one whose reader stands still makes room, and nobody who reads', () => {
  const clock = new ManualClock();
  const runs = new RunStreams(clock);
  const readers = Array.from({ length: MAX_RUNS }, () => new Reader());
  const begin = (reader: Reader, who = 'ada'): void =>
    runs.begin(asResponse(reader), { close: () => undefined }, who);
  for (const reader of readers) begin(reader);
  assert.throws(() => begin(new Reader()), { code: 'RESOURCE_EXHAUSTED', message: /ask again/ });
  const [first, second] = readers as [Reader, Reader];
  runs.waits(asResponse(first), true);
  runs.waits(asResponse(second), true);
  runs.waits(asResponse(first), false);
  assert.throws(() => begin(new Reader()), { code: 'RESOURCE_EXHAUSTED' });
  clock.advance(STALLED_MS);
  begin(new Reader());
  assert.deepEqual([first.destroyed, second.destroyed], [false, true]);
  assert.equal(runs.size, MAX_RUNS);
  begin(new Reader(), 'bob');
  assert.deepEqual([readers.at(-1)?.destroyed, readers.at(-2)?.destroyed], [false, false]);
  begin(new Reader(), 'bob');
  assert.deepEqual(
    [readers.at(-1)?.destroyed, readers.at(-2)?.destroyed],
    [true, false],
    'the last of who has most',
  );
});
