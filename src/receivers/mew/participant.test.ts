import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { MewGateway, type GatewayOptions } from '../../../test/support/mew-gateway.ts';
import { until } from '../../../test/support/until.ts';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { RecordingConsumer } from '../otlp/otlp.test-support.ts';
import { MewReceiver } from './mew-receiver.ts';
import type { StopListener } from './stop-requests.ts';
import { MewParticipant, type ParticipantOptions, type ParticipantSettings } from './participant.ts';

const TOKEN = 'tok-91c7d2';

interface World {
  readonly gateway: MewGateway;
  readonly participant: MewParticipant;
  readonly clock: ManualClock;
  readonly consumer: RecordingConsumer;
  readonly log: string[];
  readonly rejected: Map<string, number>;
}

function receiverFor(clock: ManualClock) {
  const consumer = new RecordingConsumer();
  const rejected = new Map<string, number>();
  const metrics = {
    ...noMetrics,
    recordsRejected: (signal: string, reason: string, count: number) =>
      void rejected.set(`${signal} ${reason}`, (rejected.get(`${signal} ${reason}`) ?? 0) + count),
  };
  return {
    consumer,
    rejected,
    receiver: new MewReceiver({ consumer, clock, metrics, pace: new Pace(clock) }),
  };
}

async function joined(
  t: TestContext,
  options: GatewayOptions = {},
  settings: Partial<ParticipantSettings> = {},
  full?: ParticipantOptions['receiver'],
): Promise<World> {
  const gateway = await MewGateway.start(options);
  t.after(() => gateway.stop());
  const clock = new ManualClock();
  const log: string[] = [];
  const say = (fields: object, message: string): void =>
    void log.push(JSON.stringify({ ...fields, message }));
  const logger: Logger = { debug: say, info: say, warn: say, error: say };
  const { consumer, rejected, receiver } = receiverFor(clock);
  const participant = new MewParticipant({
    url: gateway.url,
    space: 'yard',
    token: TOKEN,
    participant: 'watcher',
    interrupts: 'cancel',
    maxMessageBytes: 1_000_000,
    receiver: full ?? receiver,
    clock,
    logger,
    ...settings,
  });
  participant.start();
  t.after(() => participant.stop());
  await until('it is in the space', () => log.some((line) => line.includes('joined the space')));
  gateway.say('system:gateway', {
    kind: 'system/presence',
    payload: { event: 'join', participant: { id: 'ann' } },
  });
  await until('it knows ann', () => participant.mayReach({ space: 'yard', to: 'ann', contextId: 'r' }));
  return { gateway, participant, clock, consumer, log, rejected };
}

/** Nobody waits for an answer. */
function unheard(): StopListener {
  return { answered: () => undefined, over: new AbortController().signal };
}

function cameOf({ came }: MewGateway, kind: string): readonly { readonly [field: string]: unknown }[] {
  return came.filter((message) => message['kind'] === kind);
}

test('[MW14] of one participant more messages than an agent can think are left out, counted and named; others are not concerned', () => {
  const clock = new ManualClock();
  const { receiver, rejected } = receiverFor(clock);
  const place = { space: 'yard', namedTask: undefined };
  let refused = 0;
  let taken = 0;
  const say = (from: string, count: number): number =>
    receiver.read(
      Array.from({ length: count }, (_, n) =>
        JSON.stringify({ id: `${from} ${clock.now()} ${n}`, from, kind: 'reasoning/thought', context: 'r' }),
      ),
      place,
      { heard: () => undefined, refused: (reason) => void (reason === 'rate' && refused++) },
    ).length;
  for (let second = 0; second < 6; second++) {
    taken += say('ann', 10_000);
    assert.equal(say('ben', 100), 100);
    clock.advance(1_000);
  }
  assert.equal(taken + refused, 60_000);
  // What is taken at once after a silence, and the rate of five seconds.
  assert.equal(taken, 20_000 + 5 * 5_000);
  assert.equal(rejected.get('mew rate'), refused);
});

test('[MW14] what was left out is said once in a while, and what waits is bounded', async (t) => {
  const { gateway, clock, consumer, log } = await joined(t);
  gateway.frame('{"no": JSON');
  gateway.frame('[]');
  gateway.say('ann', { id: 'r', kind: 'reasoning/start' });
  await until('the last one is taken', () => consumer.records.length > 0);
  assert.ok(!log.some((line) => line.includes('not taken')));
  clock.advance(10_000);
  assert.deepEqual(
    log.filter((line) => line.includes('not taken')),
    ['{"tooMany":0,"invalid":2,"message":"messages of MEW were not taken"}'],
  );
});

test('[MW13] while the service is full little is read of large messages; then they are taken in small portions', async (t) => {
  const paused = t.mock.method(WebSocket.prototype, 'pause');
  const portions: number[] = [];
  const room = Promise.withResolvers<void>();
  const { receiver: taking } = receiverFor(new ManualClock());
  const receiver: ParticipantOptions['receiver'] = {
    read: (texts, ...beside) => {
      portions.push(texts.length);
      return taking.read(texts, ...beside);
    },
    keep: () => room.promise,
  };
  t.after(() => room.resolve());
  const { gateway } = await joined(t, {}, {}, receiver);
  const before = portions.length;
  for (let n = 0; n < 20; n++)
    gateway.say('ann', { kind: 'reasoning/thought', payload: { message: 'x'.repeat(900_000) } });
  await until('it reads no more', () => paused.mock.callCount() > 0);
  room.resolve();
  await until('all is taken', () => portions.slice(before).reduce((sum, count) => sum + count, 0) >= 20);
  assert.equal(Math.max(...portions.slice(1)), 1);
});

test('[MW15] an agent is asked to stop by a cancel of its context, or by an interrupt of ADR r5x where that is set, once', async (t) => {
  const request = {
    space: 'yard',
    contextId: 'r/n',
    to: 'ann',
    reason: 'timeout',
    message: 'Enough',
  } as const;
  for (const interrupts of ['cancel', 'interrupt'] as const) {
    const { gateway, participant, consumer } = await joined(t, {}, { interrupts });
    const id = participant.cancelContext(request, unheard());
    await until('it is shown', () => consumer.records.length > 0);
    const [message, second] = cameOf(gateway, `reasoning/${interrupts}`);
    assert.equal(second, undefined);
    const { ts: _, ...said } = message ?? {};
    assert.deepEqual(said, {
      protocol: 'mew/v0.4',
      id,
      from: 'watcher',
      to: ['ann'],
      kind: `reasoning/${interrupts}`,
      context: 'r/n',
      payload: { reason: 'timeout', message: 'Enough' },
      ...(interrupts === 'interrupt' && { correlation_id: ['n'] }),
    });
    assert.throws(() => participant.cancelContext({ ...request, space: 'elsewhere' }, unheard()), {
      code: 'NOT_FOUND',
    });
    await participant.stop();
    assert.throws(() => participant.cancelContext(request, unheard()), { code: 'UNAVAILABLE' });
  }
});

test('[MW15] conformance 19: what the gateway refuses is named in the log, and not sent again', async (t) => {
  const { gateway, participant, clock, log } = await joined(t, { tokens: { [TOKEN]: [{ kind: 'chat' }] } });
  const id = participant.cancelContext(
    { space: 'yard', contextId: 'r', to: 'ann', reason: 'error' },
    unheard(),
  );
  // A refusal of what others sent, one of nobody's, and one that only looks like one.
  gateway.say('ann', { kind: 'system/error', correlation_id: ['not-ours'], payload: { error: 'theirs' } });
  gateway.frame('{"kind":"system/error","payload":{"error":"VALIDATION_ERROR"}}');
  const refusals = (): readonly unknown[] =>
    log
      .filter((line) => line.includes('refused'))
      .map((line) => (JSON.parse(line) as { reason: unknown }).reason);
  await until('both are said', () => refusals().length === 2);
  clock.advance(60_000);
  gateway.frame('{"kind":"system/error","payload":{"error":"text of anybody"}}');
  await until('the third is said', () => refusals().length === 3);
  assert.deepEqual([...refusals()].sort(), ['VALIDATION_ERROR', 'capability_violation', 'unknown']);
  assert.ok(log.some((line) => line.includes(id)));
  for (let minutes = 0; minutes < 10; minutes++) clock.advance(60_000);
  await until('heartbeats came', () => cameOf(gateway, 'system/heartbeat').length >= 10);
  assert.equal(cameOf(gateway, 'reasoning/cancel').length, 1);
  assert.ok(!log.join().includes(TOKEN));
});

test('[MW17] what anybody in a space says in the name of its gateway floods no log, and puts off no heartbeat', async (t) => {
  const { gateway, participant, clock, consumer, log } = await joined(t);
  const id = participant.cancelContext(
    { space: 'yard', contextId: 'r', to: 'ann', reason: 'error' },
    unheard(),
  );
  const payload = { error: 'forged' };
  for (let count = 0; count < 50; count++) {
    gateway.say('mallory', { kind: 'system/error', correlation_id: [id], payload });
    gateway.frame(JSON.stringify({ kind: 'system/error', payload }));
  }
  clock.advance(20_000);
  gateway.frame('{"kind":"system/welcome","payload":{}}');
  gateway.say('ann', { id: 'r', kind: 'reasoning/start' });
  await until('its own message and the last one are taken', () => consumer.records.length > 1);
  assert.equal(log.filter((line) => line.includes('refused')).length, 2);
  clock.advance(10_000);
  await until('the heartbeat came in its time', () => cameOf(gateway, 'system/heartbeat').length === 1);
});

test('[MW13] who is not let in tries again and again, and says it once', async (t) => {
  let tries = 0;
  const closed = createServer((socket) => {
    tries++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  const clock = new ManualClock();
  const log: string[] = [];
  const say = (_: object, message: string): void => void log.push(message);
  const participant = new MewParticipant({
    url: `ws://127.0.0.1:${port}`,
    space: 'yard',
    participant: 'watcher',
    interrupts: 'cancel',
    maxMessageBytes: 1_000_000,
    receiver: receiverFor(clock).receiver,
    clock,
    logger: { debug: say, info: say, warn: say, error: say },
  });
  participant.start();
  t.after(() => participant.stop());
  await until('it is away', () => participant.problem !== undefined);
  assert.equal(tries, 1, 'it waits before it tries again');
  await until('it has tried again and again', () => {
    clock.advance(1_000);
    return tries >= 4;
  });
  await new Promise((resolve) => void closed.close(resolve));
  const gateway = await MewGateway.start({ port });
  t.after(() => gateway.stop());
  await until('it is in the space', () => {
    clock.advance(1_000);
    return participant.problem === undefined;
  });
  assert.equal(log.filter((line) => line.includes('away')).length, 1);
});

test('[MW21] one key is limited under however many names it posts; another is not', async () => {
  const clock = new ManualClock();
  const { receiver } = receiverFor(clock);
  const post = (key: string | undefined, name: string) => {
    const message = { kind: 'reasoning/thought', from: name, context: 'r', payload: {} };
    const body = Buffer.from(
      JSON.stringify(Array.from({ length: 12_000 }, (_, n) => ({ id: `${n}`, ...message }))),
    );
    return receiver.receive({ body, contentType: 'application/json', taskId: undefined, space: 'yard', key });
  };
  await post('k1', 'a');
  await post('k1', 'b');
  await assert.rejects(post('k1', 'c'), { code: 'RESOURCE_EXHAUSTED', message: /of one key/ });
  await post('k2', 'd');
  // Who is not told from others is known by the names alone.
  for (const name of ['e', 'f', 'g']) await post(undefined, name);
  clock.advance(10_000);
  await post('k1', 'c');
});
