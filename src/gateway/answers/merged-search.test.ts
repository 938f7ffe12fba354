import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../base/clock.ts';
import type { SearchHit, SearchPage, SearchQuery } from '../../model/search.ts';
import { awayCell, cellOf } from '../../../test/support/cell-of.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { nodeId, span } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import type { Engine } from '../../service/engine.ts';
import { cursorAt } from '../../subscriptions/task-order.ts';
import { searchCursorAt } from '../../subscriptions/search-place.ts';
import type { AskedCell } from './asked-cell.ts';
import { mergedSearch } from './merged-search.ts';

/** A step of a task, in a cell. */
interface Step {
  readonly task: number;
  readonly cell: number;
  readonly at: number;
  readonly words: string;
}

const CELLS = 3;
const clock = new ManualClock();

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  task: fc.nat(4),
  cell: fc.nat(CELLS - 1),
  at: fc.nat(5),
  words: fc.constantFrom('find me', 'nothing', 'find, and find'),
});

async function world(
  steps: readonly Step[],
  pageOfCells: number | undefined,
): Promise<{ readonly cells: readonly AskedCell[]; readonly one: Engine }> {
  const engines = Array.from({ length: CELLS }, () => makeEngine().engine);
  const one = makeEngine().engine;
  for (const [i, { task, cell, at, words }] of steps.entries()) {
    const record = span(1, {
      traceId: (i + 1).toString(16).padStart(32, '0'),
      at: at * 1000,
      name: words,
      attrs: { taskID: `t${task}` },
    });
    for (const engine of [one, engines[cell]]) await engine?.correlator.consume(batchOf([record]));
  }
  const cells = engines.map((engine, i) =>
    cellOf(`c${i}`, engine, {
      // As one that gets no further in its time.
      ...(pageOfCells !== undefined &&
        i > 0 && { search: (query) => engine.reader.search({ ...query, limit: pageOfCells }) }),
    }),
  );
  return { cells, one };
}

async function hitsOf(
  ask: (query: SearchQuery) => Promise<SearchPage>,
  limit: number,
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let cursor: string | undefined, pages = 0; ; pages++) {
    assert.ok(pages < 200, 'the search does not end');
    const page = await ask({ text: 'FIND', limit, cursor });
    hits.push(...page.hits);
    assert.ok(page.nextCursor === undefined || page.hits.length >= limit || page.truncated);
    cursor = page.nextCursor;
    if (cursor === undefined) return hits;
  }
}

function places(hits: readonly SearchHit[]): string[] {
  return hits.map(({ nodeId: node, field, start }) => `${node} ${field} ${start}`);
}

test('[GA11] what is found over all pages is what one process finds, in its order where tasks are in one cell', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(stepArbitrary, { maxLength: 12 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(undefined, 1, 2),
      async (drawn, isWhole, limit, pageOfCells) => {
        const steps = drawn.map((step) => (isWhole ? { ...step, cell: step.task % CELLS } : step));
        const { cells, one } = await world(steps, pageOfCells);
        const merged = places(await hitsOf((query) => mergedSearch(cells, query, clock), limit));
        const whole = places(await hitsOf((query) => one.reader.search(query), 200));
        if (isWhole) assert.deepEqual(merged, whole);
        else assert.deepEqual(merged.toSorted(), whole.toSorted());
      },
    ),
    propertyRuns(),
  ));

test('[GA11] a node that two cells have is told of by the first of them', async () => {
  const engines = [makeEngine().engine, makeEngine().engine, makeEngine().engine];
  for (const [i, engine] of engines.entries())
    await engine.correlator.consume(
      batchOf([
        span(1, { attrs: { taskID: 'T' }, name: i === 0 ? 'nothing' : 'find', at: 1000 * i }),
        span(2, { attrs: { taskID: 'T' }, name: 'find', at: 2000 }),
      ]),
    );
  const cells = engines.map((engine, i) => cellOf(`c${i}`, engine));
  for (const limit of [1, 10]) {
    const hits = await hitsOf((query) => mergedSearch(cells, query, clock), limit);
    assert.deepEqual([...new Set(hits.map((hit) => hit.nodeId))], [nodeId(2)]);
    assert.equal(new Set(places(hits)).size, hits.length);
  }
});

test('[GA11] a search ends though a cell gets nowhere, and names a cell that is away', async () => {
  const { cells } = await world([{ task: 1, cell: 0, at: 1, words: 'find' }], undefined);
  const stuck: SearchPage = {
    hits: [],
    nextCursor: searchCursorAt({ key: '9', taskId: 'x', nodeId: '' }),
    truncated: true,
  };
  const lame = {
    ...awayCell('c8'),
    answers: { ...awayCell('c8').answers, search: () => Promise.resolve(stuck) },
  };
  const asked = [...cells, lame, awayCell('c9')];
  let notices: readonly string[] | undefined;
  const hits = await hitsOf(async (query) => {
    const page = await mergedSearch(asked, query, clock);
    ({ notices } = page);
    return page;
  }, 10);
  assert.ok(hits.length > 0);
  assert.match(notices?.join('') ?? '', /c9 \(nothing answers\)/);
  await assert.rejects(mergedSearch(asked, { text: '' }, clock), { code: 'INVALID_ARGUMENT' });
  const cursor = cursorAt({ key: 1, taskId: 'T' }, 'cost');
  await assert.rejects(mergedSearch(cells, { text: 'x', cursor }, clock), {
    code: 'INVALID_ARGUMENT',
    message: 'cursor must be the nextCursor of a page',
  });
});
