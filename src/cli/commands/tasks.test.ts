import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskOverview } from '../../model/task-overview.ts';
import { displayWidth } from '../terminal/plain-text.ts';
import { taskTable } from './tasks.ts';

test('[CLI11] on a terminal a long id makes no row of the table long; in a pipe ids are whole', () => {
  const task: TaskOverview = {
    taskId: `first-${'x'.repeat(300)}-last`,
    title: 'Create README.md',
    status: 'OK',
    state: 'ENDED',
    nodes: 1,
    errors: 0,
    warnings: 0,
    running: 0,
    types: {},
    firstTimestamp: '2026-01-01T00:00:00.000Z',
    lastTimestamp: '2026-01-01T00:00:00.000Z',
    lastChanged: '2026-01-01T00:00:00.000Z',
    durationMs: 0,
    agents: Array.from({ length: 50 }, (_, n) => `Agent${n}`),
    activity: [1],
  };
  const [heads = '', row = ''] = taskTable([task], true);
  assert.ok(displayWidth(heads) < 250 && displayWidth(row) < 250, row);
  assert.match(row, /^first-x{14}…x{14}-last {2}Create README\.md /);
  const [, whole = ''] = taskTable([task], false);
  assert.ok(whole.startsWith(`${task.taskId}  Create`));
  assert.ok(whole.endsWith('Agent49'));
});
