import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Capability } from '../../access/capability.ts';
import type { Interrupted } from '../../model/interrupt.ts';
import { demandMayInterrupt } from './may-interrupt.ts';

const KIND = 'reasoning/cancel';
const ANN: Interrupted = { nodeId: 'n', agent: 'ann', taskId: 'T1', traceIds: [] };
/** Ann works in what ben began. */
const IN_BENS: Interrupted = { ...ANN, mew: { space: 'yard', path: 'r1/r2', agent: 'ben' } };
const NOBODY_KNOWN: Interrupted = { taskId: 'T1' };

const TABLE: readonly (readonly [readonly Capability[] | undefined, Interrupted, isAllowed: boolean])[] = [
  [undefined, NOBODY_KNOWN, true],
  [[], ANN, false],
  [[{ kind: '*' }], IN_BENS, true],
  [[{ kind: 'reasoning/*' }], NOBODY_KNOWN, true],
  [[{ kind: 'reasoning/thought' }], ANN, false],
  [[{ kind: 'reasoning/interrupt' }], ANN, false],
  [[{ kind: KIND, payload: { agent: 'ann' } }], ANN, true],
  [[{ kind: KIND, payload: { agent: 'ann' } }], IN_BENS, false],
  [[{ kind: KIND, payload: { agent: 'ben' } }], IN_BENS, false],
  [
    [
      { kind: KIND, payload: { agent: 'ann' } },
      { kind: KIND, payload: { agent: 'b*' } },
    ],
    IN_BENS,
    true,
  ],
  [[{ kind: KIND, payload: { agent: '!ben' } }], IN_BENS, false],
  [[{ kind: KIND, payload: { agent: '!ben' } }], NOBODY_KNOWN, false],
  [
    [
      { kind: KIND, payload: { agent: '!ben' } },
      { kind: KIND, payload: { taskId: 'T*' } },
    ],
    NOBODY_KNOWN,
    true,
  ],
  [[{ kind: KIND, payload: { space: 'yard', context: 'r1/*' } }], IN_BENS, true],
  [[{ kind: KIND, payload: { space: 'yard' } }], ANN, false],
  [[{ kind: KIND, payload: { context: '!r1' } }], ANN, true],
  [[{ kind: KIND, payload: { taskId: 'T2' } }], ANN, false],
  [[{ kind: KIND, payload: { reason: 'error' } }], ANN, true],
  [[{ kind: KIND, payload: { reason: 'timeout' } }], ANN, false],
  [[{ kind: KIND, payload: { nodeId: 'n' } }], ANN, false],
];

test('[IR27] patterns see agent, task, space, context and reason, and decide about each agent who is asked', () => {
  for (const [capabilities, about, isAllowed] of TABLE) {
    const demand = (): void => demandMayInterrupt(capabilities ? { capabilities } : {}, about, 'error');
    const what = JSON.stringify([capabilities, about]);
    if (isAllowed) assert.doesNotThrow(demand, what);
    else
      assert.throws(
        demand,
        { code: 'PERMISSION_DENIED', message: /it would need \{"kind":"reasoning\/cancel"/ },
        what,
      );
  }
});
