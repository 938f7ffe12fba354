import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { isInScope, parseAdaptationRef } from './adaptations.ts';

test('[AD1] a scope fits when all that it names fit; what is not known fits no pattern', () => {
  assert.ok(isInScope({}, {}));
  assert.ok(isInScope({ agent: 'CoderAgent' }, { agent: ['Critic', 'coder-agent'] }));
  assert.ok(isInScope({ model: 'GPT-*', task: '*-7' }, { model: 'gpt-5-mini', task: 'bill-7' }));
  assert.ok(!isInScope({ model: 'gpt-*', task: 'x*' }, { model: 'gpt-5-mini', task: 'bill-7' }));
  assert.ok(!isInScope({ channel: '*' }, {}));
  assert.ok(!isInScope({ session: 'a*a' }, { session: 'a' }));
});

test('[AD1] a pattern matches what its regular expression does, however many stars it has', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (task, value) => {
      const regex = new RegExp(`^${task.split('*').join('.*')}$`);
      assert.equal(isInScope({ task }, { task: value }), regex.test(value));
    }),
    propertyRuns(),
  );
  assertCpuTime(100, () => isInScope({ task: `${'*a'.repeat(100)}b` }, { task: 'a'.repeat(1000) }));
});

test('[AD10] a name is an id, with a version or without', () => {
  assert.deepEqual(parseAdaptationRef('adn.safety.general@12'), { id: 'adn.safety.general', version: 12 });
  assert.deepEqual(parseAdaptationRef('tone'), { id: 'tone' });
  for (const text of ['', '@1', 'a@', 'a@b', 'a b', 'jane@example.com', 'a@1234567890'])
    assert.equal(parseAdaptationRef(text), undefined, text);
});
