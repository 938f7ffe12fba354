import assert from 'node:assert/strict';
import { test } from 'node:test';
import { node } from '../../../test/client/fake-transport.ts';
import { aboutStep } from './interrupt-requests.ts';

test('[IR25] who began a context is asked of whoever works in it, also when no gateway was heard to say who it was', () => {
  const step = (id: string, agent: string, contextPath: string, reasoningKind?: string) =>
    node(id, { agent, state: 'RUNNING', details: { sessionId: 'yard', contextPath, reasoningKind } });
  const [start, other, call] = [
    step('start', 'ann', 'c', 'start'),
    step('other', 'eve', 'd', 'start'),
    step('call', 'ben', 'c'),
  ];
  const asked = (...nodes: readonly (typeof start)[]): unknown => aboutStep(call, () => [...nodes, call]).mew;
  assert.deepEqual(asked(start, other), { space: 'yard', path: 'c', agent: 'ann' });
  assert.deepEqual(asked(other), { space: 'yard', path: 'c', agent: 'ben' });
});
