import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ApprovalsAtCells } from './approvals-at-cells.ts';
import type { CellActs } from './cell-acts.ts';

test('[GP3] an approval is asked for where its step is, else its task, else where its trace is sent; again at the same cell', async () => {
  const asked: string[] = [];
  const homes: Readonly<Record<string, string>> = { 'node-1': 'c', 'task-1': 'b' };
  const homeOf = async (id: string): Promise<string> => {
    const home = homes[id];
    if (home === undefined) throw new BoundaryError('NOT_FOUND', 'no such');
    return home;
  };
  const acts = {
    names: () => ['a', 'b', 'c', 'd'],
    homeOfNode: homeOf,
    homesOfTask: async (id: string) => [await homeOf(id)],
    at: async (cell: string) => {
      asked.push(cell);
      return {};
    },
  } as unknown as CellActs;
  const approvals = new ApprovalsAtCells(acts, (traceId) => (traceId === undefined ? 'a' : 'd'));
  await approvals.ask({ id: '1', nodeId: 'node-1', taskId: 'task-1' }, PROGRAM);
  await approvals.ask({ id: '2', nodeId: 'node-9', taskId: 'task-1', traceId: 't' }, PROGRAM);
  await approvals.ask({ id: '3', taskId: 'task-9', traceId: 't' }, PROGRAM);
  await approvals.ask({ id: '4', agent: 'coder' }, PROGRAM);
  await approvals.ask({ id: '2', taskId: 'task-9' }, PROGRAM);
  assert.deepEqual(asked, ['c', 'b', 'd', 'a', 'b']);
});
