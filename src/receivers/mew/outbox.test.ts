import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { Outbox } from './outbox.ts';

test('[MW23] of an erased task nothing is said that waited for the gateway', () => {
  const metrics = { mewSaid: () => undefined, mewUnsaid: () => undefined };
  const outbox = new Outbox({ clock: new ManualClock(), logger: silentLogger, metrics });
  const said: string[] = [];
  const send = (text: string): void => void said.push((JSON.parse(text) as { id: string }).id);
  outbox.joined({ send, isSent: () => true });
  outbox.add({ id: 'a', kind: 'chat' }, 'erased');
  outbox.left();
  outbox.add({ id: 'b', kind: 'chat' }, 'erased');
  outbox.add({ id: 'c', kind: 'chat' }, 'kept');
  outbox.forget((taskId) => taskId === 'erased');
  outbox.joined({ send, isSent: () => true });
  assert.deepEqual(said, ['a', 'c'], 'what was said is not said again either');
});

test('[MW22] a gateway that does not read is given no more than it may leave unheard, and said is what it was sent', () => {
  const clock = new ManualClock();
  let counted = 0;
  const metrics = { mewSaid: (count: number) => void (counted += count), mewUnsaid: () => undefined };
  const outbox = new Outbox({ clock, logger: silentLogger, metrics });
  let sent = 0;
  let isSent = false;
  outbox.joined({ send: () => void sent++, isSent: () => isSent });
  for (let n = 0; n < 300; n++) outbox.add({ id: `m${n}`, kind: 'chat' }, 'T');
  for (let second = 0; second < 60; second++) clock.advance(1_000);
  assert.deepEqual([sent, counted], [100, 0]);
  isSent = true;
  clock.advance(5_000);
  assert.deepEqual([sent, counted], [200, 100], 'one that sends no echo has heard what it read');
});
