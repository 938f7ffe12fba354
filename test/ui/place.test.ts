import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import { epochMs, toFineIso } from '../../src/model/time.ts';
import { frameBands } from '../../ui/layout/frames.ts';
import { Placement, type Cell } from '../../ui/layout/place.ts';
import { placesOf, toPlace } from '../../ui/layout/tidy.ts';
import { GraphStore } from '../../ui/state/graph-store.ts';
import { propertyRuns } from '../support/property-runs.ts';

const EPOCH_MS = Date.parse('2026-03-01T10:00:00Z');
const NOTHING = { added: [], changed: [], removed: [] };

function step(id: string, parts: Partial<ExplanationNode> & { readonly at?: number } = {}): ExplanationNode {
  const { at = 0, ...given } = parts;
  return {
    id,
    timestamp: toFineIso(epochMs(EPOCH_MS + at)),
    agent: 'planner',
    type: 'TOOL_CALL',
    name: id,
    title: id,
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
    latencyMs: 10,
    ...given,
  };
}

function edge(from: string, to: string, parts: Partial<ExplanationEdge> = {}): ExplanationEdge {
  return { id: `${from}>${to}`, from, to, relation: 'TRIGGERED', evidence: 'toolCallId', ...parts };
}

const INSIDE = { relation: 'NEXT_STEP', evidence: 'parentSpanId' } as const;

function storeOf(nodes: readonly ExplanationNode[], edges: readonly ExplanationEdge[] = []): GraphStore {
  const store = new GraphStore();
  store.apply([{ nodes: { ...NOTHING, added: nodes }, edges: { ...NOTHING, added: edges } }], true);
  return store;
}

function cellsOf(placement: Placement): Record<string, readonly number[]> {
  return Object.fromEntries([...placement.cells].map(([id, { col, row }]) => [id, [col, row]]));
}

test('[UI8] time runs to the right, every agent has a lane, what runs side by side has a row each', () => {
  const placement = new Placement();
  placement.update(
    storeOf([
      step('ask'),
      step('one', { at: 20, agent: 'searcher', latencyMs: 50 }),
      step('two', { at: 21, agent: 'searcher', latencyMs: 50 }),
      step('answer', { at: 100 }),
    ]),
  );
  assert.deepEqual(cellsOf(placement), { ask: [0, 0], one: [1, 1], two: [1, 2], answer: [2, 0] });
  assert.deepEqual(
    placement.lanes.map(({ agent, isBase }) => [agent, isBase]),
    [
      ['planner', true],
      ['searcher', true],
      ['searcher', false],
    ],
  );
});

test('[UI8] [AN26] steps one after the other within a millisecond stand so, by clocks of any exactness', () => {
  const [first, second, third] = ['a', 'b', 'c'].map((id, i) =>
    step(id, { at: 0.1 + i * 0.25, latencyMs: 0.2 }),
  );
  const fine = new Placement();
  fine.update(storeOf([first, second, third].filter((node) => node !== undefined)));
  assert.deepEqual(cellsOf(fine), { a: [0, 0], b: [1, 0], c: [2, 0] });
  const cut = new Placement();
  cut.update(
    storeOf([step('a', { latencyMs: 1.4 }), step('b', { at: 1, latencyMs: 3 }), step('c', { at: 2 })]),
  );
  assert.deepEqual(cellsOf(cut), { a: [0, 0], b: [1, 0], c: [1, 1] });
});

test('[UI8] an effect stands right of its cause, also where clocks say that it began before', () => {
  const placement = new Placement();
  placement.update(
    storeOf([step('effect', { at: 0 }), step('cause', { at: 50 })], [edge('cause', 'effect')]),
  );
  assert.deepEqual(cellsOf(placement), { cause: [0, 0], effect: [1, 0] });
});

test('[UI8] steps one after the other stand so, also where something early waits for them as its causes', () => {
  const placement = new Placement();
  const steps = ['a', 'b', 'c'].map((id, index) => step(id, { at: 100 + index * 20 }));
  placement.update(
    storeOf(
      [step('summary', { at: 0, latencyMs: 500 }), ...steps],
      [edge('a', 'summary'), edge('b', 'summary'), edge('c', 'summary')],
    ),
  );
  assert.deepEqual(cellsOf(placement), { a: [0, 0], b: [1, 0], c: [2, 0], summary: [3, 0] });
});

test('[UI8] a step that only holds others is a frame and takes no cell; its bands leave out cards of others', () => {
  const store = storeOf(
    [
      step('run', { type: 'OTHER', latencyMs: 100 }),
      step('a', { at: 1 }),
      step('other', { at: 20 }),
      step('b', { at: 40 }),
    ],
    [edge('run', 'a', INSIDE), edge('run', 'b', INSIDE)],
  );
  const placement = new Placement();
  placement.update(store);
  assert.deepEqual(Object.keys(cellsOf(placement)), ['a', 'other', 'b']);
  assert.deepEqual(
    frameBands(store, placement.cells).map(({ id, row, from, to }) => [id, row, from, to]),
    [
      ['run', 0, 0, 0],
      ['run', 0, 2, 2],
    ],
  );
});

test('[UI8] what led to a container stands left of all that it holds, whatever ids and clocks say', () => {
  const run = step('run', { type: 'OTHER', latencyMs: 100 });
  const inner = step('inner', { type: 'OTHER', latencyMs: 100 });
  const steps = [step('a', { latencyMs: 5 }), step('b', { at: 1, latencyMs: 50 })];
  const query = step('query', { type: 'USER_QUERY', at: 2, latencyMs: 0 });
  const edges = [edge('query', 'run'), edge('run', 'inner', INSIDE)].concat(
    steps.map(({ id: of }) => edge('inner', of, INSIDE)),
  );
  const placement = new Placement();
  placement.update(storeOf([run, inner, ...steps, query], edges));
  assert.deepEqual(cellsOf(placement), { query: [0, 0], a: [1, 0], b: [1, 1] });
});

test('[UI8] a query that is known when its run ends stands before the first step, which stays where it is', () => {
  const placement = new Placement();
  const store = storeOf([step('a', { latencyMs: 5 }), step('b', { at: 20 })]);
  placement.update(store);
  const late = [
    step('run', { type: 'OTHER', latencyMs: 100 }),
    step('query', { type: 'USER_QUERY', latencyMs: 0 }),
  ];
  const edges = [edge('query', 'run'), edge('run', 'a', INSIDE), edge('run', 'b', INSIDE)];
  store.apply([{ nodes: { ...NOTHING, added: late }, edges: { ...NOTHING, added: edges } }], true);
  placement.update(store);
  assert.deepEqual(cellsOf(placement), { query: [-1, 0], a: [0, 0], b: [1, 0] });
  assert.deepEqual([placement.first, placement.columns], [-1, 3]);
});

test('[UI8] tidying mends an edge that ran backwards, and its undo puts everything back', () => {
  const placement = new Placement();
  const store = storeOf([step('first'), step('effect', { at: 20 })]);
  placement.update(store);
  store.apply(
    [
      {
        nodes: { ...NOTHING, added: [step('cause', { at: 20 })] },
        edges: { ...NOTHING, added: [edge('cause', 'effect')] },
      },
    ],
    true,
  );
  placement.update(store);
  const before = cellsOf(placement);
  assert.deepEqual(before, { first: [0, 0], effect: [1, 0], cause: [1, 1] });
  const undo = placement.take(placesOf(toPlace(store)));
  assert.deepEqual(cellsOf(placement), { first: [0, 0], cause: [1, 0], effect: [2, 0] });
  undo();
  assert.deepEqual(cellsOf(placement), before);
});

const id = fc.nat({ max: 30 }).map(String);
const change = fc.record({
  added: fc.array(
    fc.record({
      id,
      at: fc.nat({ max: 100 }),
      latencyMs: fc.nat({ max: 50 }),
      agent: fc.constantFrom('planner', 'searcher', 'writer'),
      type: fc.constantFrom('OTHER' as const, 'LLM_CALL' as const, 'TOOL_CALL' as const),
      state: fc.constantFrom('RUNNING' as const, 'ENDED' as const),
    }),
    { maxLength: 6 },
  ),
  edges: fc.array(fc.tuple(id, id, fc.boolean()), { maxLength: 6 }),
  removed: fc.array(id, { maxLength: 3 }),
});

test('[UI8] whatever updates bring, no step that has a cell moves, and no two share one', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const store = new GraphStore();
      const placement = new Placement();
      let before = new Map<string, Cell>();
      for (const { added, edges, removed } of changes) {
        store.apply(
          [
            {
              nodes: {
                ...NOTHING,
                added: added.map((one) => step(one.id, one)),
                removed: removed.map((one) => step(one)),
              },
              edges: {
                ...NOTHING,
                added: edges.map(([from, to, isInside]) => edge(from, to, isInside ? INSIDE : {})),
              },
            },
          ],
          true,
        );
        placement.update(store);
        for (const [one, cell] of before) assert.deepEqual(placement.cells.get(one), cell, `${one} moved`);
        const keys = [...placement.cells.values()].map(({ col, row }) => `${col}:${row}`);
        assert.equal(new Set(keys).size, keys.length, 'two steps in one cell');
        for (const { row } of placement.cells.values()) assert.equal(placement.lanes[row]?.row, row);
        before = new Map(placement.cells);
      }
    }),
    propertyRuns(),
  );
});
