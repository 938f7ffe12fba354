import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Expansions } from './expansions.ts';
import type { Verb } from './transport.ts';

const SUMMARIES = ['a', 'b', 'c'];
const SNAPSHOT = {
  nodes: [{ id: 'n' }] as unknown as Parameters<Expansions['toRepeat']>[0]['nodes'],
  edges: [],
  lastUpdated: '',
};

const verb: fc.Arbitrary<Verb> = fc.oneof(
  fc.record({
    type: fc.constantFrom('expand' as const, 'collapse' as const),
    nodeId: fc.constantFrom(...SUMMARIES),
  }),
  fc.constant({ type: 'expandTask' as const, taskId: 't' }),
);

/** Which summaries of one task are open after the verbs, as the service has it. */
function openAfter(verbs: readonly Verb[]): string[] {
  const open = new Set<string>();
  for (const done of verbs) {
    if (done.type === 'expand') open.add(done.nodeId);
    if (done.type === 'collapse') open.delete(done.nodeId);
    if (done.type === 'expandTask') for (const id of SUMMARIES) open.add(id);
  }
  return [...open].sort();
}

test('[CL12] property: what is remembered opens the same as all that was done, in no more verbs than there are kinds', () => {
  fc.assert(
    fc.property(fc.array(verb, { maxLength: 40 }), (verbs) => {
      const expansions = new Expansions();
      for (const done of verbs) expansions.remember(done);
      const repeated = expansions.toRepeat(SNAPSHOT);
      assert.deepEqual(openAfter(repeated), openAfter(verbs));
      assert.ok(repeated.length <= 2 * SUMMARIES.length + 1);
    }),
  );
});

test('[CL12] no more is repeated than a service takes refusals for, the latest first of all', () => {
  const expansions = new Expansions();
  for (let n = 0; n < 200; n++) expansions.remember({ type: 'expand', nodeId: `${n}` });
  expansions.remember({ type: 'updateFilters', filters: {} });
  const repeated = expansions.toRepeat(SNAPSHOT);
  assert.equal(repeated.length, 50);
  assert.deepEqual(repeated.at(-1), { type: 'expand', nodeId: '199' });
  assert.deepEqual(
    expansions.toRepeat({ ...SNAPSHOT, nodes: [] }),
    [],
    'nothing can be open where nothing is',
  );
});
