import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import type { SafeRecord } from '../../model/pipeline.ts';
import { awayCell, cellOf } from '../../../test/support/cell-of.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { cot, span } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import type { AskedCell } from './asked-cell.ts';
import { findSplit } from './find-split.ts';

const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(32)) as [
  string,
  string,
  string,
  string,
  string,
];

async function cell(name: string, ...records: readonly SafeRecord[]): Promise<AskedCell> {
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(records));
  return cellOf(name, engine);
}

const step = (n: number, traceId: string, taskID: string, requestId?: string): SafeRecord =>
  span(n, { traceId, attrs: { taskID, 'model.name': 'm', ...(requestId !== undefined && { requestId }) } });

test('[DR1] what several cells cannot join is counted and named', async () => {
  const cells = [
    await cell('c1', step(1, A, 'T'), step(2, B, 'S'), step(3, C, 'U', 'twin')),
    await cell('c2', step(4, B, 'S'), step(5, D, 'V', 'twin'), cot('lost')),
  ];
  const { findings, truncated } = await findSplit(cells, new ManualClock());
  assert.equal(truncated, false);
  assert.deepEqual(findings, [
    { kind: 'task', count: 1, examples: ['S'] },
    { kind: 'trace', count: 1, examples: [B] },
    { kind: 'thought', count: 1, examples: ['req:lost'] },
    { kind: 'twin', count: 1, examples: ['twin'] },
  ]);
});

test('[DR1] tasks that are whole in their cells are no finding; a cell that is away is named', async () => {
  const cells = [await cell('c1', step(1, A, 'T'), step(2, A, 'T')), await cell('c2', step(1, E, 'U'))];
  const well = await findSplit(cells, new ManualClock());
  assert.deepEqual(well, { findings: [], tasks: 2, truncated: false });
  const { findings, notices } = await findSplit([...cells, awayCell('c3')], new ManualClock());
  assert.deepEqual(findings, []);
  assert.match(notices?.[0] ?? '', /c3/);
});
