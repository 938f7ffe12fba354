import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { Pattern, PatternsAnswer } from '../model/patterns.ts';
import { TaskSums } from '../model/task-overview.ts';
import { compareLines } from './compare-lines.ts';
import { patternLines } from './pattern-lines.ts';
import { painter, paintLine } from './terminal/line.ts';
import { displayWidth } from './terminal/plain-text.ts';
import { node } from './watch/watch.test-support.ts';

function answerOf(
  nodeA: ExplanationNode,
  nodeB: ExplanationNode,
  part: Partial<CompareAnswer> = {},
): CompareAnswer {
  const total = (taskId: string, one: ExplanationNode) => {
    const sums = new TaskSums();
    sums.add(one);
    return sums.overview(taskId);
  };
  return {
    a: 'A',
    b: 'B',
    steps: [],
    counts: { same: 0, differing: 0, onlyA: 0, onlyB: 0, textsCompared: 0 },
    totals: { a: total('A', nodeA), b: total('B', nodeB) },
    models: { a: [], b: [] },
    outcome: {},
    nodes: [nodeA, nodeB],
    notice: 'Different does not mean wrong.',
    ...part,
  };
}

function shown(answer: CompareAnswer, isAll = false): readonly string[] {
  return compareLines(answer, isAll).map((line) => paintLine(line, painter(false)).trimEnd());
}

test('[CLI56] one task only, something else, other figures, and the same each have their sign', () => {
  const a = node('a', 0, { title: 'I plan', model: 'm1', latencyMs: 1500 });
  const b = node('b', 0, { title: 'I plan', model: 'm2', latencyMs: 90 });
  const answer = answerOf(a, b, {
    steps: [
      { a: 'a', b: 'b', depth: 0, differs: ['model', 'completion', 'latencyMs'] },
      { a: 'a', depth: 1, differs: [] },
      { b: 'b', depth: 1, differs: [] },
      { a: 'a', b: 'b', depth: 1, differs: ['latencyMs'] },
      { a: 'a', b: 'b', depth: 1, differs: [] },
    ],
    firstDivergence: { step: 0, statement: 'I plan: the model differs' },
  });
  const told = `${a.type} ${a.agent}  I plan`;
  const rows = [
    `≠ ${told}`,
    '    model m1 → m2 · completion · time 1.5 s → 90 ms',
    `-   ${told}`,
    `+   ${told}`,
  ];
  const figures = [`~   ${told}`, '      time 1.5 s → 90 ms', `=   ${told}`];
  const lines = shown(answer);
  assert.ok(lines.includes('They part here first: I plan: the model differs'));
  assert.deepEqual(lines.slice(lines.indexOf(rows[0] ?? ''), -2), rows);
  const all = shown(answer, true);
  assert.deepEqual(all.slice(all.indexOf(rows[0] ?? ''), -2), [...rows, ...figures]);
});

const text = fc.string({
  unit: fc.constantFrom('a', ' ', '界', '\u0301', '\u001b', '\n', 'long-word'),
  maxLength: 120,
});

test('[CLI56] no line is wider than 80 columns, whatever the texts', () => {
  fc.assert(
    fc.property(text, text, fc.nat({ max: 60 }), (one, other, depth) => {
      const a = node('a', 0, { title: one, agent: other, model: one, name: other });
      const b = node('b', 0, { title: other, agent: one, model: other, name: one });
      const answer = answerOf(a, b, {
        a: one,
        b: other,
        steps: [
          { a: 'a', b: 'b', depth, differs: ['model', 'agent', 'name'] },
          { a: 'a', depth, differs: [] },
        ],
        models: { a: [one, other], b: [other] },
        firstDivergence: { step: 0, statement: one },
        truncated: true,
      });
      for (const line of shown(answer, true)) assert.ok(displayWidth(line) <= 80, line);
    }),
    propertyRuns(),
  );
});

const kind = (part: Partial<Pattern>): Pattern => ({
  what: { tool: 'search' },
  failed: 1,
  passed: 0,
  steps: 3,
  errors: 0,
  fisher: 0.5,
  p: 0.5,
  ...part,
});

function patterns(list: readonly Pattern[]): PatternsAnswer {
  return { patterns: list, tasks: { failed: 4, passed: 5 }, tested: 7, notice: 'No cause.' };
}

test('[CLI57] each table has what it is about, the largest first', () => {
  const lines = patternLines(
    patterns([
      kind({
        what: { agent: 'CoderAgent', type: 'TOOL_CALL', tool: 'fetch' },
        failed: 4,
        errors: 2,
        p: 0.01,
      }),
      kind({ what: { model: 'm1' }, passed: 5, costUsd: 0.5, latencyMs: 1500 }),
      kind({ what: { tool: 'search' }, errors: 9, costUsd: 2, latencyMs: 20 }),
    ]),
  );
  assert.deepEqual(
    lines.map((line) => line.replace(/ {2,}/g, '  ')),
    [
      '9 tasks: 4 failed, 5 passed; 7 kinds tested',
      '',
      'MORE OFTEN IN FAILED TASKS  FAILED  PASSED  P',
      'step  CoderAgent fetch  4/4  0/5  0.010 *',
      'tool  search  1/4  0/5  0.500',
      '',
      'FAIL MOST  ERRORS  STEPS',
      'tool  search  9  3',
      'step  CoderAgent fetch  2  3',
      '',
      'COST MOST  COST  STEPS',
      'tool  search  $2.00  3',
      'model m1  $0.50  3',
      '',
      'SLOWEST ON AVERAGE  TIME  STEPS',
      'model m1  1.5 s  3',
      'tool  search  20 ms  3',
      '',
      'No cause.',
    ],
  );
});

test('[CLI57] no line is wider than 80 columns, whatever the names', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const numbers = {
        failed: 1000,
        passed: 1000,
        steps: 123_456,
        errors: 123_456,
        costUsd: 1234,
        latencyMs: 1e9,
      };
      const list = [
        kind({ what: { tool: one }, ...numbers }),
        kind({ what: { agent: one, type: other, name: other } }),
      ];
      for (const line of patternLines(patterns(list))) assert.ok(displayWidth(line) <= 80, line);
    }),
    propertyRuns(),
  );
});
