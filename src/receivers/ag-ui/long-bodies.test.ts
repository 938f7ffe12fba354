import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../../base/pace.ts';
import { systemClock } from '../../base/clock.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { RecordingConsumer } from '../otlp/otlp.test-support.ts';
import { AgUiReceiver } from './ag-ui-receiver.ts';
import { LongBodies } from './long-bodies.ts';

const LONG = 1_000_000;

/** Work that is done when it is told to be. */
function works(): {
  readonly order: string[];
  readonly start: (bodies: LongBodies, key: string, name: string, bytes?: number) => Promise<void>;
  readonly end: (name: string) => void;
} {
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    order,
    start: (bodies, key, name, bytes = LONG) =>
      bodies.inTurn(key, bytes, () => {
        order.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      }),
    end: (name) => ends.get(name)?.(),
  };
}

test('[AG13] long bodies are taken one after the other, the runs in turn, and short ones at once', async () => {
  const bodies = new LongBodies();
  const { order, start, end } = works();
  const names = ['a1', 'a2', 'a3', 'b1', 'b2'];
  const done = names.map((name) => start(bodies, name.charAt(0), name));
  const short = start(bodies, 'a', 'short', 100);
  assert.deepEqual(order, ['a1', 'short']);
  end('short');
  await short;
  for (const [i, name] of ['a1', 'a2', 'b1', 'a3', 'b2'].entries()) {
    assert.equal(order.filter((other) => other !== 'short')[i], name);
    end(name);
    await done[names.indexOf(name)];
    await Promise.resolve();
  }
});

test('[AG13] after a long body that failed the next one is taken', async () => {
  const bodies = new LongBodies();
  const failed = bodies.inTurn('a', LONG, () => Promise.reject(new Error('refused')));
  const next = bodies.inTurn('a', LONG, () => Promise.resolve('taken'));
  await assert.rejects(failed, /refused/);
  assert.equal(await next, 'taken');
  assert.equal(await bodies.inTurn('a', LONG, () => Promise.resolve('free')), 'free');
});

test('[AG13] while many long bodies are under way, a bystander without a name of its own waits for one of them at most', async () => {
  const receiver = new AgUiReceiver({
    consumer: new RecordingConsumer(),
    clock: systemClock,
    metrics: noMetrics,
    pace: new Pace(systemClock),
  });
  const post = (events: readonly object[]) =>
    receiver.receive({
      body: Buffer.from(JSON.stringify(events)),
      contentType: undefined,
      taskId: undefined,
      agent: undefined,
    });
  const started = (runId: string) => ({ type: 'RUN_STARTED', threadId: 't', runId });
  const said = (messageId: string) =>
    Array.from({ length: 5_000 }, () => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'x' }));
  let taken = 0;
  const others = Array.from({ length: 16 }, (_, i) =>
    post([started(`long${i}`), ...said(`m${i}`)]).then(() => taken++),
  );
  await post([started('mine'), { type: 'CUSTOM', name: 'n', value: 1 }]);
  assert.ok(taken <= 1, String(taken));
  await Promise.all(others);
});
