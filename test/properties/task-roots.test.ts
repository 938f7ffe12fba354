import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { edgeId } from '../../src/model/ids.ts';
import type { ExplanationEdge } from '../../src/model/node.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import { epochMs } from '../../src/model/time.ts';
import { makeEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { cot, event, nodeId, span } from '../support/records.ts';
import { Situations } from '../support/situations.ts';
import { batchOf } from '../support/world.ts';

const TASKS = ['t1', 't2', 't3'];
const START = 1_750_000_000_000;
/** A trace for each span: parents are of the same trace. */
const TRACES = ['a', 'b', 'c'].map((digit) => digit.repeat(32));

/** A step as the oracle sees it: what is above it, if that is there. */
interface Step {
  readonly id: string;
  readonly task: string;
  readonly at: number;
  readonly above: string | undefined;
  readonly joins: boolean;
  readonly record: SafeRecord;
}

const spanStep = fc
  .record({
    digit: fc.integer({ min: 1, max: 9 }),
    trace: fc.nat({ max: 2 }),
    parent: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    task: fc.constantFrom(...TASKS),
    at: fc.nat({ max: 5 }),
    joins: fc.constantFrom(false, false, true),
  })
  .map(({ digit, trace, parent, task, at, joins }): Step => {
    const traceId = TRACES[trace] ?? '';
    // Parents are smaller, so that they form no circle.
    const above = parent === undefined || parent >= digit ? undefined : parent;
    const attrs = { taskID: task, ...(joins && { 'agui.kind': 'run', 'agui.task': task }) };
    return {
      id: nodeId(digit, traceId),
      task,
      at,
      above: above === undefined ? undefined : nodeId(above, traceId),
      joins,
      record: span(digit, { traceId, at, attrs, ...(above !== undefined && { parent: above }) }),
    };
  });

const thoughtStep = fc
  .record({ name: fc.constantFrom('r1', 'r2'), task: fc.constantFrom(...TASKS), at: fc.nat({ max: 5 }) })
  .map(({ name, task, at }): Step => {
    const time = epochMs(START + at);
    const record = cot(name, { taskId: task, first: time, last: time });
    return { id: `req:${name}`, task, at, above: undefined, joins: false, record };
  });

const eventStep = fc
  .record({ name: fc.constantFrom('e1', 'e2'), task: fc.constantFrom(...TASKS), at: fc.nat({ max: 5 }) })
  .map(({ name, task, at }): Step => {
    const record = event('Whatever', { taskID: task }, { eventId: name, time: epochMs(START + at) });
    return { id: `event:${name}`, task, at, above: undefined, joins: false, record };
  });

const stepsArbitrary = fc
  .tuple(
    fc.uniqueArray(spanStep, { selector: ({ id }) => id, maxLength: 14 }),
    fc.uniqueArray(thoughtStep, { selector: ({ id }) => id, maxLength: 2 }),
    fc.uniqueArray(eventStep, { selector: ({ id }) => id, maxLength: 2 }),
  )
  .map((kinds) => kinds.flat());

/** The rule, said anew: of each task with a root that joins it the first root leads to the others. */
function expected(steps: readonly Step[]): readonly string[] {
  const ids = new Set(steps.map(({ id }) => id));
  return TASKS.flatMap((task) => {
    const roots = steps.filter((step) => step.task === task && !ids.has(step.above ?? ''));
    if (!roots.some(({ joins }) => joins)) return [];
    const [first, ...others] = roots.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    return others.map(({ id }) => edgeId(first?.id ?? '', 'OTHER', id));
  }).toSorted();
}

function joining(edges: readonly ExplanationEdge[]): readonly string[] {
  return edges
    .filter(({ relation, evidence }) => relation === 'OTHER' && evidence === 'inferred')
    .map(({ id }) => id)
    .toSorted();
}

test('[CO38] of a task that several protocols tell the first root leads to all others, whatever came when', async (t) => {
  const seen = new Situations('joined', 'notJoined', 'firstJoinsNot');
  const arrival = stepsArbitrary.chain((steps) =>
    fc.tuple(
      fc.constant(steps),
      fc.shuffledSubarray(steps, { minLength: steps.length }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(), { maxLength: 3 }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(arrival, async ([steps, arriving, size, erased]) => {
      seen.nextCase();
      const { engine } = makeEngine();
      for (let from = 0; from < arriving.length; from += size) {
        const batch = arriving.slice(from, from + size);
        await engine.correlator.consume(batchOf(batch.map(({ record }) => record)));
        const found = joining(engine.reader.getGraph({ collapse: 'none' }).edges);
        assert.deepEqual(found, expected(arriving.slice(0, from + size)));
      }
      const edges = expected(steps).length;
      seen.saw(edges > 0 ? 'joined' : 'notJoined');
      if (edges > 0 && !steps.toSorted((a, b) => a.at - b.at)[0]?.joins) seen.saw('firstJoinsNot');
      let left = steps;
      for (const place of erased) {
        const gone = left[place % Math.max(1, left.length)];
        if (!gone) break;
        left = left.filter((step) => step !== gone);
        engine.correlator.erase([gone.id]);
        assert.deepEqual(joining(engine.reader.getGraph({ collapse: 'none' }).edges), expected(left));
      }
    }),
    propertyRuns(),
  );
  seen.tell(t);
});

test('[CO38] two thousand roots of a task are joined at the cost of one pass, and of more none is led to another', async () => {
  const roots = (count: number): SafeRecord[] =>
    Array.from({ length: count }, (_, n) =>
      span(1, {
        traceId: (n + 1).toString(16).padStart(32, '0'),
        at: n,
        attrs: { taskID: 't', ...(n === 0 && { 'agui.kind': 'run' }) },
      }),
    );
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(roots(2_000)));
  assert.equal(joining(engine.reader.getGraph({ collapse: 'none' }).edges).length, 1_999);
  await engine.correlator.consume(batchOf(roots(2_001)));
  assert.equal(joining(engine.reader.getGraph({ collapse: 'none' }).edges).length, 0);
});
