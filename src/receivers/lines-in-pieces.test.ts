import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';
import { AgUiReceiver } from './ag-ui/ag-ui-receiver.ts';
import { receive } from './events/receive.ts';
import { splitItems } from './events/split-items.ts';
import { MewReceiver } from './mew/mew-receiver.ts';
import { RecordingConsumer } from './otlp/otlp.test-support.ts';
import { OpenSessions } from './thoughtflow/open-sessions.ts';
import { FlowReceiver } from './thoughtflow/receive-flow.ts';

/** Every turn is over. */
class Rests implements Turns {
  readonly isOver = true;
  count = 0;

  rest(): Promise<void> {
    this.count++;
    return Promise.resolve();
  }
}

const consumer = new RecordingConsumer();
const shared = { consumer, metrics: noMetrics, clock: new ManualClock() };
const named = { contentType: undefined, taskId: undefined };

const posted = { contentType: undefined, consumer, receivedAt: 0, metrics: noMetrics };

const WAYS: Readonly<Record<string, (body: Buffer, pace: Turns) => Promise<unknown>>> = {
  '/api/cot': (body, pace) => receive('cot', { ...posted, body, pace }),
  '/api/events': (body, pace) => receive('event', { ...posted, body, pace }),
  '/ag-ui/events': (body, pace) =>
    new AgUiReceiver({ ...shared, pace }).receive({ ...named, body, agent: undefined }),
  '/mew/envelopes': (body, pace) =>
    new MewReceiver({ ...shared, pace }).receive({ ...named, body, space: undefined }),
  '/thoughtflow': (body, pace) =>
    new FlowReceiver({
      ...shared,
      pace,
      open: new OpenSessions(),
      known: () => Promise.resolve(undefined),
      onEnded: () => undefined,
    }).receive({ ...named, body, receivedAt: 0 }),
};

/** One more than a body may have: it is refused before anything but its lines was looked at. */
const TOO_MANY = 100_001;

for (const [way, receive] of Object.entries(WAYS))
  test(`[EL2] the lines of a large body are parsed in pieces: ${way}`, async () => {
    const pace = new Rests();
    await assert.rejects(receive(Buffer.from('{"a":1}\n'.repeat(TOO_MANY)), pace), { code: 'TOO_LARGE' });
    assert.ok(pace.count > 30, String(pace.count));
  });

test('[EL2] the frames of a large stream of AG-UI are parsed in pieces', async () => {
  const pace = new Rests();
  const body = Buffer.from('data: {}\n\n'.repeat(TOO_MANY));
  await assert.rejects(WAYS['/ag-ui/events']?.(body, pace) ?? Promise.resolve(), { code: 'TOO_LARGE' });
  assert.ok(pace.count > 1_000, String(pace.count));
});

test('[EL2] a large body says the same in pieces as a small one, whatever its first line is', () => {
  const items = (body: string): readonly unknown[] =>
    atOnce(splitItems(Buffer.from(body), undefined, NEVER_OVER)).map((item) =>
      'value' in item ? item.value : item.problem,
    );
  const blank = ' \n'.repeat(40_000);
  const long = JSON.stringify('x'.repeat(100_000));
  assert.deepEqual(items(`[1,\n2]${blank}`), [1, 2]);
  assert.deepEqual(items(`1\n${blank}`), [1]);
  assert.deepEqual(items(`1\n\n2\n${blank}`), [1, 2]);
  assert.deepEqual(items(`1\n${blank}2\r\n`), [1, 2]);
  assert.deepEqual(items(`no\n2\n${blank}`), ['not valid JSON', 2]);
  assert.deepEqual(items(`${long}\n2`), [JSON.parse(long), 2]);
  assert.deepEqual(items(`[1]\n[2]\n${blank}no`), [[1], [2], 'not valid JSON']);
  assert.throws(() => items(`{"a":1}\n[${'1,'.repeat(2_500_000)}1]`), { code: 'TOO_LARGE' });
});
