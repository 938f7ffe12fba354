import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import type { ExplanationNode } from '../model/node.ts';
import { chanceWords, type PatternsAnswer } from '../model/patterns.ts';
import { falseDiscoveryRates, fisherExact } from './fisher.ts';
import { PatternCounts } from './pattern-counts.ts';

interface Run {
  readonly outcome: 'failed' | 'passed';
  readonly nodes: readonly ExplanationNode[];
}

const TRACE = 'a'.repeat(32);

function node(fields: Partial<ExplanationNode>): ExplanationNode {
  return {
    id: 'n',
    taskId: 'T',
    timestamp: '2026-01-01T00:00:00Z',
    agent: 'CoderAgent',
    type: 'OTHER',
    name: 'step',
    title: 'step',
    state: 'ENDED',
    status: 'OK',
    ...fields,
  };
}

const tool = (toolName: string, fields: Partial<ExplanationNode> = {}): ExplanationNode =>
  node({ type: 'TOOL_CALL', details: { toolName }, ...fields });

function answerFor(
  runs: readonly Run[],
  isWanted: (one: ExplanationNode) => boolean = () => true,
): PatternsAnswer {
  const counts = new PatternCounts(isWanted);
  for (const { outcome, nodes } of runs) atOnce(counts.addTask(outcome, nodes, NEVER_OVER));
  return counts.answer(false);
}

function found({ patterns }: PatternsAnswer, what: object) {
  return patterns.find((pattern) => JSON.stringify(pattern.what) === JSON.stringify(what));
}

const someNode: fc.Arbitrary<ExplanationNode> = fc
  .record({
    agent: fc.constantFrom('CoderAgent', 'CriticAgent'),
    type: fc.constantFrom('LLM_CALL', 'TOOL_CALL', 'OTHER', 'REASONING'),
    status: fc.constantFrom('OK', 'ERROR', 'WARNING'),
    toolName: fc.constantFrom('search', 'pytest'),
    model: fc.constantFrom('m1', 'm2', undefined),
    costUsd: fc.constantFrom(0.1, 0.2, 0.7, undefined),
    latencyMs: fc.constantFrom(1, 2.5, 800, undefined),
  })
  .map(({ toolName, model, costUsd, latencyMs, ...fields }) =>
    node({
      ...(fields as Partial<ExplanationNode>),
      ...(fields.type === 'TOOL_CALL' && { details: { toolName } }),
      ...(model !== undefined && { model }),
      ...(costUsd !== undefined && { costUsd }),
      ...(latencyMs !== undefined && { latencyMs }),
    }),
  );
const someRuns = fc.array(
  fc.record({
    outcome: fc.constantFrom<Run['outcome'][]>('failed', 'passed'),
    nodes: fc.array(someNode, { maxLength: 5 }),
  }),
  { maxLength: 12 },
);

/** Kinds as their tests are written: what of a step they look at. */
const OF_ONE_FIELD: readonly (readonly [string, (one: ExplanationNode) => unknown])[] = [
  ['type', ({ type }) => type],
  ['agent', ({ agent }) => agent],
  ['tool', ({ details }) => details?.['toolName']],
  ['model', ({ model }) => model],
];

test('[AN24] each kind is counted as who looks at all tasks one by one would, in any order of these', () => {
  fc.assert(
    fc.property(someRuns, (runs) => {
      const answer = answerFor(runs);
      assert.deepEqual(answerFor(runs.toReversed()), answer);
      const steps = runs.map(({ outcome, nodes }) => ({
        outcome,
        nodes: nodes.filter(({ type }) => type !== 'REASONING'),
      }));
      const withAny = steps.filter(({ nodes }) => nodes.length > 0);
      const all = (outcome: string): number => withAny.filter((run) => run.outcome === outcome).length;
      assert.deepEqual(answer.tasks, { failed: all('failed'), passed: all('passed') });
      for (const [field, of] of OF_ONE_FIELD) {
        const values = new Set(
          steps.flatMap(({ nodes }) => nodes.map(of)).filter((value) => value !== undefined),
        );
        for (const value of values) {
          const pattern = found(answer, { [field]: value });
          const has = steps.filter(({ nodes }) => nodes.some((one) => of(one) === value));
          const its = has.flatMap(({ nodes }) => nodes.filter((one) => of(one) === value));
          const failed = has.filter(({ outcome }) => outcome === 'failed').length;
          assert.deepEqual([pattern?.failed, pattern?.passed], [failed, has.length - failed]);
          assert.deepEqual(
            [pattern?.steps, pattern?.errors],
            [its.length, its.filter(({ status }) => status === 'ERROR').length],
          );
          const costs = its.flatMap(({ costUsd }) => costUsd ?? []);
          const cost = costs.reduce((sum, one) => sum + one, 0);
          assert.equal(pattern?.costUsd === undefined, costs.length === 0);
          assert.ok(Math.abs((pattern?.costUsd ?? 0) - cost) < 1e-9);
          assert.equal(
            pattern?.fisher,
            fisherExact(
              failed,
              all('failed') - failed,
              has.length - failed,
              all('passed') - has.length + failed,
            ),
          );
        }
      }
      assert.equal(answer.tested, answer.patterns.length);
      assert.deepEqual(
        answer.patterns.map(({ p }) => p),
        falseDiscoveryRates(answer.patterns.map(({ fisher }) => fisher)),
      );
    }),
    propertyRuns(),
  );
});

test('[AN24] a step that only failed tasks have stands first, with a p that many tests do not take away', () => {
  const usual = [node({ type: 'LLM_CALL', model: 'm1' }), tool('search')];
  const runs = Array.from({ length: 40 }, (_, i): Run => {
    const isFailed = i % 2 === 0;
    const more = isFailed ? [tool('flaky_api', { agent: 'FetchAgent', status: 'ERROR' })] : [];
    return { outcome: isFailed ? 'failed' : 'passed', nodes: [...usual, ...more] };
  });
  const answer = answerFor(runs);
  assert.deepEqual(
    answer.patterns.slice(0, 3).map(({ what, failed, passed }) => [what, failed, passed]),
    [
      [{ tool: 'flaky_api' }, 20, 0],
      [{ agent: 'FetchAgent' }, 20, 0],
      [{ agent: 'FetchAgent', type: 'TOOL_CALL', tool: 'flaky_api' }, 20, 0],
    ],
  );
  assert.ok((found(answer, { tool: 'flaky_api' })?.p ?? 1) < 1e-9);
  assert.ok((found(answer, { tool: 'search' })?.p ?? 0) > 0.99);
});

test('[AN23] where all tasks failed, or all passed, it is said that nothing is compared, and no p is shown', () => {
  const failed = answerFor([{ outcome: 'failed', nodes: [tool('fetch')] }]);
  assert.match(failed.notice, /No task passed: there is nothing to compare/);
  const passed = answerFor([{ outcome: 'passed', nodes: [tool('fetch')] }]);
  assert.match(passed.notice, /No task failed: there is nothing to compare/);
  for (const { patterns, tasks } of [failed, passed])
    assert.deepEqual(new Set(patterns.map((pattern) => chanceWords(pattern, tasks))), new Set(['–']));
  const both = answerFor([
    { outcome: 'failed', nodes: [tool('fetch')] },
    { outcome: 'passed', nodes: [tool('fetch')] },
  ]);
  assert.doesNotMatch(both.notice, /nothing to compare/);
  assert.deepEqual(both.patterns.map((pattern) => chanceWords(pattern, both.tasks))[0], '1.000');
});

test('[AN24] the latency of what contains steps is not counted; names without words that hold digits are one', () => {
  const span = (spanId: string, parentSpanId?: string) => ({
    id: `${TRACE}:${spanId}`,
    details: { traceId: TRACE, ...(parentSpanId !== undefined && { parentSpanId }) },
  });
  const nodes = [
    node({ ...span('1'), name: 'run 4711', latencyMs: 900 }),
    node({ ...span('2', '1'), name: 'run 4712', latencyMs: 30 }),
    node({ ...span('3', '1'), name: 'run 4713', latencyMs: 50 }),
    // Nodes that are not named after the span around their steps: of a request, and of two spans of one agent.
    node({ id: 'req:r', details: { traceId: TRACE, spanId: '4' }, name: 'run 4714', latencyMs: 900 }),
    node({ ...span('5', '4'), name: 'run 4715', latencyMs: 40 }),
    node({
      id: `${TRACE}:6`,
      details: { traceId: TRACE, spanId: '6', spanIds: ['6', '7'] },
      name: 'run 4716',
      latencyMs: 900,
    }),
    node({ ...span('8', '7'), name: 'run 4717', latencyMs: 40 }),
  ];
  const answer = answerFor([{ outcome: 'passed', nodes }]);
  const pattern = found(answer, { agent: 'CoderAgent', type: 'OTHER', name: 'run #' });
  assert.deepEqual([pattern?.steps, pattern?.latencyMs], [7, 40]);
});

test('[AN24] only steps that match count, and only tasks that have one', () => {
  const runs: Run[] = [
    { outcome: 'failed', nodes: [tool('search'), tool('fetch')] },
    { outcome: 'passed', nodes: [tool('fetch')] },
  ];
  const answer = answerFor(runs, ({ details }) => details?.['toolName'] === 'search');
  assert.deepEqual(answer.tasks, { failed: 1, passed: 0 });
  assert.ok(answer.patterns.every(({ what }) => what.tool === 'search' || what.tool === undefined));
});

test('[AN25] of many kinds the first by each measure are shown, and it is said that there are more', () => {
  const nodes = Array.from({ length: 400 }, (_, i) =>
    tool(`tool ${String.fromCharCode(97 + (i % 26), 97 + Math.trunc(i / 26))}`, {
      costUsd: i === 390 ? 5 : 0.01,
      latencyMs: i === 391 ? 5_000 : 1,
      status: i === 392 ? 'ERROR' : 'OK',
    }),
  );
  const answer = answerFor([{ outcome: 'failed', nodes }]);
  assert.ok(answer.patterns.length <= 200);
  assert.equal(answer.truncated, true);
  assert.ok(answer.tested > 800);
  for (const i of [390, 391, 392])
    assert.ok(found(answer, { tool: nodes[i]?.details?.['toolName'] }), `the ${i}th`);
});
