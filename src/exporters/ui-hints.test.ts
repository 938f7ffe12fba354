import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationNode } from '../model/node.ts';
import { nodeUi } from './ui-hints.ts';

const NODE: ExplanationNode = {
  id: 'n',
  timestamp: '2025-06-20T14:00:00.000Z',
  agent: 'CriticAgent',
  type: 'STATIC_ANALYSIS',
  name: 'semgrep',
  title: 'semgrep',
  taskId: 't',
  state: 'ENDED',
  status: 'ERROR',
};

test('[SV84] the colour tells status, and running where nothing is wrong', () => {
  const colors = (['OK', 'ERROR', 'WARNING', 'SKIPPED'] as const).map(
    (status) => nodeUi({ ...NODE, status }).color,
  );
  assert.deepEqual(colors, ['green', 'red', 'orange', 'gray']);
  assert.equal(nodeUi({ ...NODE, status: 'OK', state: 'RUNNING' }).color, 'dodgerblue');
  assert.equal(nodeUi({ ...NODE, state: 'RUNNING' }).color, 'red');
});

test('[SV84] the label names agent and step, is short, and is the name of a summary', () => {
  assert.equal(nodeUi(NODE).label, 'CriticAgent: semgrep');
  const long = nodeUi({ ...NODE, name: '😀'.repeat(100) }).label;
  assert.ok(long.length <= 60 && long.isWellFormed() && long.endsWith('…'));
  const name = 'Routine LLM calls (n=5, avg latency 30 ms)';
  assert.equal(nodeUi({ ...NODE, type: 'SUMMARY', name }).label, name);
});

test('[SV84] the size grows with latency, or with the members of a summary, within bounds', () => {
  const size = (latencyMs: number) => nodeUi({ ...NODE, latencyMs }).size;
  assert.ok(
    nodeUi(NODE).size >= 8 && size(10) < size(1000) && size(1000) < size(100_000) && size(1e300) <= 40,
  );
  const summary = (count: number) =>
    nodeUi({ ...NODE, summary: { count, types: {}, reason: 'routine' } }).size;
  assert.ok(summary(2) < summary(50) && summary(1e9) <= 40);
});

test('[SV84] the tooltip says what was found and where, or which model took over; all details are beside it', () => {
  const details = { ruleId: 'sql-injection', severity: 'HIGH', file: 'users.js', line: 42, cwe: 89 };
  const { tooltip, metadata } = nodeUi({ ...NODE, details });
  assert.equal(tooltip, 'STATIC_ANALYSIS ERROR\nsql-injection · HIGH · users.js:42');
  assert.deepEqual(metadata, details);
  const models = { oldModel: 'small', newModel: 'large' };
  assert.equal(nodeUi({ ...NODE, details: models }).tooltip, 'STATIC_ANALYSIS ERROR\nsmall → large');
  assert.deepEqual(nodeUi(NODE).metadata, {});
});

test('[SV84] the tooltip holds the known figures only', () => {
  assert.equal(nodeUi(NODE).tooltip, 'STATIC_ANALYSIS ERROR');
  const full = {
    ...NODE,
    model: 'm',
    latencyMs: 12.4,
    costUsd: 0.0012345,
    tokensIn: 3,
    promptSummary: 'Visit line 42',
  };
  assert.equal(
    nodeUi(full).tooltip,
    'STATIC_ANALYSIS ERROR · m · 12 ms · $0.00123 · 3 → ? tokens\nVisit line 42',
  );
});
