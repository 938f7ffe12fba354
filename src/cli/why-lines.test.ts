import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CauseCandidate, CauseReason, WhyAnswer } from '../model/why.ts';
import { painter, paintLine } from './terminal/line.ts';
import { whyLines } from './why-lines.ts';
import { edge, node } from './watch/watch.test-support.ts';

const CALL = node('req:r1', 0, { model: 'gpt-4o-mini', name: 'chat', title: 'generate code' });
const TOOL = node('tool', 1, { type: 'TOOL_CALL', name: 'write', title: 'write file' });
const FAILED = node('test', 2, {
  type: 'TEST_RUN',
  name: 'unit tests',
  title: '2 tests failed',
  status: 'ERROR',
});
const FIRST = edge('req:r1', 'tool', { relation: 'TRIGGERED' });
const SECOND = edge('tool', 'test', { bridged: true });

function answer(part: Partial<WhyAnswer>): WhyAnswer {
  return {
    nodeId: 'test',
    outcome: { failedNodes: ['test'] },
    graph: { nodes: [FAILED, TOOL, CALL], edges: [FIRST, SECOND], lastUpdated: FAILED.timestamp },
    candidates: [],
    agents: [],
    considered: { steps: 2, withText: 1, cut: 0 },
    notice: 'No verdict.',
    ...part,
  };
}

function candidate(nodeId: string, rank: number, reasons: readonly CauseReason[]): CauseCandidate {
  return { nodeId, agent: 'CoderAgent', rank, reasons };
}

function text(value: WhyAnswer): string {
  return whyLines(value)
    .map((line) => paintLine(line, painter(false)))
    .join('\n');
}

test('[CLI50] the answer names the step, the candidates by their titles in order with their reasons and quotes, the way once, and how to read it', () => {
  const evidence = {
    path: ['req:r1', 'tool', 'test'],
    edgeIds: [FIRST.id, SECOND.id],
    quotes: [{ nodeId: 'tool', field: 'toolResult', start: 4, end: 13, text: 'no such\tfile' } as const],
    values: [],
  };
  const alone = { path: [], edgeIds: [], quotes: [], values: [] };
  const shown = text(
    answer({
      candidates: [
        candidate('req:r1', 1, [
          { rule: 'failedAction', strength: 'evidence', statement: 'Its call failed', evidence },
          { rule: 'nearestCall', strength: 'evidence', statement: 'The closest call', evidence },
        ]),
        candidate('tool', 2, [
          { rule: 'lastAct', strength: 'order', statement: 'The last', evidence: alone },
        ]),
      ],
    }),
  );
  assert.match(shown, /^✗ TEST_RUN unit tests {2}CoderAgent\n {2}test {2}task T1 {2}2025/);
  assert.match(
    shown,
    /2 candidates: where to look first\n\n1\. ✓ LLM_CALL generate code {2}CoderAgent {2}gpt-4o-mini\n {3}req:r1\n/,
  );
  assert.match(
    shown,
    / {3}• Its call failed {2}\[failedAction\]\n {5}“no such file”\n {5}✓ LLM_CALL generate code.*\n {7}└ TRIGGERED ▸ ✓ TOOL_CALL write file.*\n {9}└ NEXT_STEP \(past hidden steps\) ▸ ✗ TEST_RUN unit tests.*← asked about\n {3}• The closest call {2}\[nearestCall\]\n/,
  );
  assert.equal(shown.split('← asked about').length, 2, 'the way is shown once');
  assert.match(shown, /2\. ✓ TOOL_CALL write file[^]*• The last {2}\[lastAct, by order alone\]/);
  assert.match(shown, /The way back has 3 steps\.\nNo verdict\.$/);
});

test('[CLI50] no candidate and a cut way are said; a long way shows its two ends', () => {
  assert.match(text(answer({ truncated: true })), /No other step is named\.[^]*it is longer/);
  assert.match(text(answer({ unexplained: true })), /Unexplained\./);
  const error = { nodeId: 'n1', text: 'the provider\n is down' };
  assert.match(text(answer({ outcome: { failedNodes: ['n1'], error } })), /Its error: the provider is down/);
  const named = { nodeId: 'test', text: 'unit tests' };
  assert.doesNotMatch(text(answer({ outcome: { failedNodes: ['test'], error: named } })), /Its error/);
  const nodes = Array.from({ length: 30 }, (_, index) => node(`n${index}`, index));
  const evidence = { path: nodes.map(({ id }) => id), edgeIds: [], quotes: [], values: [] };
  const shown = text(
    answer({
      nodeId: 'n29',
      graph: { nodes, edges: [], lastUpdated: '' },
      candidates: [
        candidate('n0', 1, [{ rule: 'nearestCall', strength: 'evidence', statement: 'x', evidence }]),
      ],
    }),
  );
  assert.match(shown, /step n4 .*\n.*… 20 more steps …\n.*step n25 /);
});
