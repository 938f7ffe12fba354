import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WhyAnswer } from '../model/why.ts';
import { painter, paintLine } from './terminal/line.ts';
import { whyLines } from './why-lines.ts';
import { lastFailure } from './commands/why.ts';
import { edge, node } from './watch/watch.test-support.ts';

const CALL = node('req:r1', 0, { model: 'gpt-4o-mini', name: 'generate code' });
const TOOL = node('tool', 1, { type: 'TOOL_CALL', name: 'write file' });
const FAILED = node('test', 2, { type: 'TEST_RUN', name: 'unit tests', status: 'ERROR' });
const FIRST = edge('req:r1', 'tool', { relation: 'TRIGGERED' });
const SECOND = edge('tool', 'test', { bridged: true });

function answer(part: Partial<WhyAnswer>): WhyAnswer {
  return {
    nodeId: 'test',
    graph: { nodes: [FAILED, TOOL, CALL], edges: [FIRST, SECOND], lastUpdated: FAILED.timestamp },
    candidates: [],
    notice: 'No verdict.',
    ...part,
  };
}

function text(value: WhyAnswer): string {
  return whyLines(value)
    .map((line) => paintLine(line, painter(false)))
    .join('\n');
}

test('[CLI50] the answer names the step, the candidates in order with their reasons, the way once, and how to read it', () => {
  const evidence = { path: ['req:r1', 'tool', 'test'], edgeIds: [FIRST.id, SECOND.id], nodeIds: [] };
  const shown = text(
    answer({
      candidates: [
        {
          nodeId: 'test',
          reasons: [
            {
              rule: 'firstError',
              statement: 'It failed',
              evidence: { path: ['test'], edgeIds: [], nodeIds: [] },
            },
          ],
        },
        {
          nodeId: 'req:r1',
          reasons: [
            { rule: 'nearestCall', statement: 'The closest call', evidence },
            { rule: 'costOutlier', statement: 'Cost a lot', evidence },
          ],
        },
      ],
    }),
  );
  assert.match(shown, /^✗ TEST_RUN unit tests {2}CoderAgent\n {2}test {2}task T1 {2}2025/);
  assert.match(shown, /2 candidates, the strongest first\n\n1\. ✗ TEST_RUN unit tests/);
  assert.match(shown, /2\. ✓ LLM_CALL generate code {2}CoderAgent {2}gpt-4o-mini\n {3}req:r1\n/);
  assert.match(
    shown,
    / {3}• The closest call {2}\[nearestCall\]\n {5}✓ LLM_CALL generate code.*\n {7}└ TRIGGERED ▸ ✓ TOOL_CALL write file.*\n {9}└ NEXT_STEP \(past hidden steps\) ▸ ✗ TEST_RUN unit tests.*← asked about\n {3}• Cost a lot {2}\[costOutlier\]\n/,
  );
  assert.equal(shown.split('← asked about').length, 2, 'the way is shown once');
  assert.match(shown, /The way back has 3 steps\.\nNo verdict\.$/);
});

test('[CLI50] no candidate and a cut way are said; a long way shows its two ends', () => {
  assert.match(text(answer({ truncated: true })), /No rule names a candidate[^]*it is longer/);
  const nodes = Array.from({ length: 30 }, (_, index) => node(`n${index}`, index));
  const evidence = { path: nodes.map(({ id }) => id), edgeIds: [], nodeIds: [] };
  const shown = text(
    answer({
      nodeId: 'n29',
      graph: { nodes, edges: [], lastUpdated: '' },
      candidates: [{ nodeId: 'n0', reasons: [{ rule: 'nearestCall', statement: 'x', evidence }] }],
    }),
  );
  assert.match(shown, /step n4 .*\n.*… 20 more steps …\n.*step n25 /);
});

test('[CLI51] of a task the step is asked about that failed last, an error before a warning', () => {
  const early = node('e', 0, { status: 'ERROR', latencyMs: 9000 });
  const late = node('l', 5, { status: 'ERROR', latencyMs: 100 });
  const warned = node('w', 60, { status: 'WARNING' });
  assert.equal(lastFailure([late, early, warned])?.id, 'e');
  assert.equal(lastFailure([late, warned])?.id, 'l');
  assert.equal(lastFailure([warned, CALL])?.id, 'w');
  assert.equal(lastFailure([CALL]), undefined);
});
