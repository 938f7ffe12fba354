import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { MewGateway } from '../../../test/support/mew-gateway.ts';
import { until } from '../../../test/support/until.ts';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { Interrupt, InterruptAnswer } from '../../model/interrupt.ts';
import { epochMs } from '../../model/time.ts';
import { MewReceiver } from '../../receivers/mew/mew-receiver.ts';
import { MewParticipant, type ParticipantSettings } from '../../receivers/mew/participant.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { MewTarget } from './mew-target.ts';

const INTERRUPT: Interrupt = {
  id: 'a'.repeat(32),
  reason: 'timeout',
  message: 'too long',
  about: { nodeId: 'n1', taskId: 'yard/r', agent: 'ann', mew: { space: 'yard', path: 'r/n', agent: 'ann' } },
  by: 'ops',
  at: epochMs(1),
};
/** About an agent of whom a message tells that did not come through the gateway. */
const NOBODY: Interrupt = { ...INTERRUPT, about: { mew: { space: 'yard', path: 'r/o', agent: 'nobody' } } };
const ASK = 'reasoning/cancel';

/** A space that is joined. What is said there is read, and kept nowhere. */
class Yard {
  readonly clock = new ManualClock();
  readonly target: MewTarget;
  readonly told: (string | undefined)[] = [];
  /** All that are taken: one whose time is over takes no more. */
  readonly answers: InterruptAnswer[] = [];
  gateway: MewGateway;
  private readonly participant: MewParticipant;
  private readonly port: number;

  private constructor(gateway: MewGateway, interrupts: ParticipantSettings['interrupts']) {
    const { clock } = this;
    this.gateway = gateway;
    this.port = gateway.port;
    const pace = new Pace(clock);
    const consumer = { consume: () => Promise.resolve() };
    this.participant = new MewParticipant({
      url: gateway.url,
      space: 'yard',
      participant: 'watcher',
      interrupts,
      maxMessageBytes: 1_000_000,
      receiver: new MewReceiver({ consumer, clock, metrics: noMetrics, pace }),
      clock,
      logger: silentLogger,
    });
    this.target = new MewTarget(() => this.participant);
    this.participant.start();
  }

  static async joined(
    t: TestContext,
    interrupts: ParticipantSettings['interrupts'] = 'cancel',
  ): Promise<Yard> {
    const yard = new Yard(await MewGateway.start(), interrupts);
    t.after(async () => {
      await yard.participant.stop();
      await yard.gateway.stop();
    });
    await yard.isIn();
    await until('the gateway said who is there', () => !yard.target.canReach(NOBODY));
    yard.gateway.say('ann', { id: 'n', kind: 'reasoning/start', context: 'r' });
    await until('it was heard who reasons there', () => yard.target.canReach(INTERRUPT));
    return yard;
  }

  /** @returns ends it, as the time does */
  interrupt(given: Partial<Interrupt> = {}): () => void {
    const ending = new AbortController();
    this.target.send(
      { ...INTERRUPT, ...given },
      {
        told: (agent) => {
          this.told.push(agent);
          return (answer) => this.answers.push(answer) > 0;
        },
        over: ending.signal,
      },
    );
    return () => ending.abort();
  }

  /** What agents were asked. */
  asked(kind = ASK): readonly { readonly [field: string]: unknown }[] {
    return this.gateway.came.filter((message) => message['kind'] === kind);
  }

  async untilAsked(count: number, kind?: string): Promise<void> {
    await until('the agent is asked', () => this.asked(kind).length >= count);
  }

  async dies(): Promise<void> {
    await this.gateway.stop();
    await until('it is away', () => this.participant.problem !== undefined);
  }

  async comesBack(): Promise<void> {
    this.gateway = await MewGateway.start({ port: this.port });
    await this.isIn();
  }

  private async isIn(): Promise<void> {
    await until('it is in the space', () => {
      if (this.participant.problem !== undefined) this.clock.advance(500);
      return this.gateway.participants.includes('watcher') && this.participant.problem === undefined;
    });
  }
}

test('[IR25] who began a context of MEW is asked once, with the reason in the words of its protocol', async (t) => {
  for (const [interrupts, reason, said] of [
    ['cancel', 'timeout', 'timeout'],
    ['cancel', 'redirect', 'superseded'],
    ['interrupt', 'redirect', 'redirect'],
  ] as const) {
    const yard = await Yard.joined(t, interrupts);
    const kind = `reasoning/${interrupts}`;
    yard.interrupt({ reason });
    await yard.untilAsked(1, kind);
    const [asked] = yard.asked(kind);
    assert.partialDeepStrictEqual(asked, {
      to: ['ann'],
      context: 'r/n',
      payload: { reason: said, message: 'too long' },
    });
    assert.deepEqual(yard.told, ['ann']);
    await yard.dies();
    await yard.comesBack();
    assert.deepEqual(yard.asked(kind), [], 'nothing is said twice');
  }
});

test('[IR25] only the space that is joined is reached, and nothing that a sender says to itself', async (t) => {
  const { target } = await Yard.joined(t);
  const { mew, ...about } = INTERRUPT.about;
  assert.ok(mew);
  assert.equal(target.canReach(INTERRUPT), true);
  assert.equal(target.canReach({ ...INTERRUPT, about }), false);
  assert.equal(target.canReach({ ...INTERRUPT, about: { mew: { ...mew, space: 'shed' } } }), false);
  assert.equal(target.canReach({ ...INTERRUPT, onlyOf: 'k1' }), false);
  assert.equal(target.canReach(NOBODY), false);
  assert.equal(new MewTarget(() => undefined).canReach(INTERRUPT), false);
});

test('[IR25] what the agent says in that context is the answer; what others say, or of other contexts, is none', async (t) => {
  const conclusion = (from: string, context: string, payload: object) => ({
    from,
    message: { kind: 'reasoning/conclusion', context, payload },
  });
  for (const [payload, answer] of [
    [
      { cancelled: true, reason: 'timeout' },
      { status: 'stopping', message: 'timeout' },
    ],
    [{ message: 'Here it is' }, { status: 'completing_thought', message: 'Here it is' }],
    [{}, { status: 'completing_thought', message: undefined }],
  ] as const) {
    const yard = await Yard.joined(t);
    yard.interrupt();
    await yard.untilAsked(1);
    for (const { from, message } of [
      conclusion('ben', 'r/n', { cancelled: true }),
      conclusion('ann', 'r', { cancelled: true }),
      conclusion('ann', 'r/n', payload),
    ])
      yard.gateway.say(from, message);
    await until('it is taken', () => yard.answers.length > 0);
    assert.deepEqual(yard.answers, [answer]);
  }
});

test('[IR25] an interrupt-ack answers the interrupt that it names, with its status; a frame of a stream says that it is cancelled', async (t) => {
  const yard = await Yard.joined(t, 'interrupt');
  yard.interrupt();
  await yard.untilAsked(1, 'reasoning/interrupt');
  const id = yard.asked('reasoning/interrupt')[0]?.['id'];
  const ack = (correlation: unknown, status: string): void =>
    yard.gateway.say('ann', {
      kind: 'reasoning/interrupt-ack',
      correlation_id: [correlation],
      payload: { status, message: 'soon' },
    });
  ack('another', 'stopping');
  ack(id, 'perhaps');
  ack(id, 'ignored');
  yard.gateway.frame('#s#{"context":"r/n","type":"status","event":"cancelled"}');
  await until('both came', () => yard.answers.length === 2);
  assert.deepEqual(yard.answers, [
    { status: 'ignored', message: 'soon' },
    { status: 'stopping', message: undefined },
  ]);
});

test('[IR25] while the gateway is away nobody is told; who can be told in time is, once, and later nobody', async (t) => {
  const yard = await Yard.joined(t);
  await yard.dies();
  yard.interrupt({ message: 'in time' });
  yard.interrupt({ message: 'too late' })();
  assert.deepEqual(yard.told, []);
  await yard.comesBack();
  await yard.untilAsked(1);
  await yard.dies();
  await yard.comesBack();
  yard.interrupt({ message: 'another' });
  await yard.untilAsked(1);
  assert.deepEqual(
    yard.asked().map(({ payload }) => payload),
    [{ reason: 'timeout', message: 'another' }],
  );
  assert.deepEqual(yard.told, ['ann', 'ann']);
});

test('[IR25] an answer that comes when its time is over is none', async (t) => {
  const yard = await Yard.joined(t);
  yard.interrupt()();
  yard.interrupt({ message: 'another' });
  await yard.untilAsked(2);
  yard.gateway.say('ann', { kind: 'reasoning/conclusion', context: 'r/n', payload: { cancelled: true } });
  await until('it is taken', () => yard.answers.length > 0);
  assert.equal(yard.answers.length, 1);
});

test('[MW20] who began a context by what came through the gateway is asked, whoever is said to have begun it', async (t) => {
  const yard = await Yard.joined(t);
  const about = (path: string): Interrupt['about'] => ({ mew: { space: 'yard', path, agent: 'ben' } });
  yard.gateway.say('ben', { id: 'n', kind: 'reasoning/start', context: 'r' });
  yard.gateway.say('ben', { id: 'm', kind: 'reasoning/start', context: 'r' });
  await until('all is heard', () => yard.target.canReach({ about: about('r/m') }));
  yard.interrupt({ about: about('r/n') });
  await yard.untilAsked(1);
  assert.deepEqual(
    yard.asked().map(({ to }) => to),
    [['ann']],
  );
  assert.deepEqual(yard.told, ['ann']);
});

test('[MW20] whom nobody named but a sender of this service is asked nothing through the gateway, also when it was away', async (t) => {
  const yard = await Yard.joined(t);
  yard.interrupt(NOBODY);
  yard.interrupt({ about: { mew: { space: 'yard', path: 'elsewhere', agent: 'ann' } } });
  await yard.dies();
  yard.interrupt(NOBODY);
  yard.interrupt();
  await yard.comesBack();
  await yard.untilAsked(1);
  assert.deepEqual(
    yard.asked().map(({ to }) => to),
    [['ann']],
  );
  assert.deepEqual(yard.told, ['ann']);
  // Whom the gateway lists may have begun before this service came.
  const socket = new WebSocket(yard.gateway.url);
  t.after(() => socket.terminate());
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'join', space: 'yard', participantId: 'nobody' })),
  );
  await until('the gateway told of it', () => yard.target.canReach(NOBODY));
  socket.close();
  await until('and that it left', () => !yard.target.canReach(NOBODY));
});
