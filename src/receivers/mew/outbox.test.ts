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
  outbox.joined(send);
  outbox.add({ id: 'a', kind: 'chat' }, 'erased');
  outbox.left();
  outbox.add({ id: 'b', kind: 'chat' }, 'erased');
  outbox.add({ id: 'c', kind: 'chat' }, 'kept');
  outbox.forget((taskId) => taskId === 'erased');
  outbox.joined(send);
  assert.deepEqual(said, ['a', 'c'], 'what was said is not said again either');
});
