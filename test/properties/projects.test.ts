import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TelemetryRecord } from '../../src/model/records.ts';
import { makeEntry } from '../support/make-door.ts';
import { everything, openProjects, send } from '../support/open-projects.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { eventArbitrary, logArbitrary, spanArbitrary } from '../support/world.ts';

/** Of one small world of ids for both projects, so that all of them are equal somewhere. */
const entryArbitrary: fc.Arbitrary<TelemetryRecord> = fc
  .record({
    requestId: fc.constantFrom('r1', 'r2', 'r3'),
    taskId: fc.constantFrom(undefined, 't1', 't2'),
    text: fc.constantFrom('First I look at the parser.', 'Then I run the tests.'),
  })
  .map((fields) => makeEntry({ ...fields, final: true }));
const recordsArbitrary = fc.array<TelemetryRecord>(
  fc.oneof({ weight: 5, arbitrary: spanArbitrary }, eventArbitrary, logArbitrary, entryArbitrary),
  { minLength: 1, maxLength: 8 },
);
const stepArbitrary = fc.oneof(
  { weight: 4, arbitrary: recordsArbitrary.map((records) => ({ by: 'a' as const, records })) },
  { weight: 4, arbitrary: recordsArbitrary.map((records) => ({ by: 'b' as const, records })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('t1', 't2').map((taskId) => ({ by: 'b' as const, erase: taskId })),
  },
  { weight: 1, arbitrary: fc.constant({ by: 'b' as const, prune: true as const }) },
);

test('[AC40] what readers of a project see is what they would see alone, whatever another does with the same ids', async (t) => {
  const situations = new Situations('both', 'equal', 'erased');
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 1, maxLength: 8 }), async (steps) => {
      situations.nextCase();
      const together = await openProjects({ names: ['a', 'b'] });
      const alone = await openProjects({ names: ['a'] });
      const [a, b, oracle] = [together.projects.of('a'), together.projects.of('b'), alone.projects.of('a')];
      try {
        for (const step of steps) {
          if ('erase' in step) await b.erase({ taskId: step.erase });
          else if ('prune' in step) await b.reader.prune(0);
          else if (step.by === 'b') await send(b, step.records);
          else {
            await send(a, step.records);
            await send(oracle, step.records);
          }
        }
        const [seen, expected] = [await everything(a.reader), await everything(oracle.reader)];
        const next = await everything(b.reader);
        assert.deepEqual(seen, expected);
        const [ids, others] = [idsOf(expected), idsOf(next)];
        if (ids.size > 0 && others.size > 0) situations.saw('both');
        if (!ids.isDisjointFrom(others)) situations.saw('equal');
        if (ids.size > 0 && steps.some((step) => 'erase' in step)) situations.saw('erased');
      } finally {
        await Promise.all([together.stop(), alone.stop()]);
      }
    }),
    // Each case opens five projects.
    { ...propertyRuns(), numRuns: Math.ceil(propertyRuns().numRuns / 5) },
  );
  situations.tell(t);
});

function idsOf(seen: object): ReadonlySet<string> {
  return new Set((seen as { readonly nodes: readonly { readonly id: string }[] }).nodes.map(({ id }) => id));
}
