import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { ClientError } from '../../client/client-error.ts';
import type { SafeRecord } from '../../model/pipeline.ts';
import type { SplitFinding } from '../../model/told-cells.ts';
import { awayCell, cellOf } from '../../../test/support/cell-of.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { cot, nodeId, span, type SpanWords } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import type { AskedCell } from './asked-cell.ts';
import { findSplit, splitFinder } from './find-split.ts';

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

const found = async (...cells: readonly AskedCell[]): Promise<readonly SplitFinding[]> =>
  (await findSplit(cells, new ManualClock())).findings;

test('[DR1] what several cells cannot join is counted and named, with the cells', async () => {
  const findings = await found(
    await cell('c1', step(1, A, 'T'), step(2, B, 'S'), step(3, C, 'U', 'twin')),
    await cell('c2', step(4, B, 'S'), step(5, D, 'V', 'twin'), cot('lost')),
  );
  const cells = ['c1', 'c2'];
  assert.deepEqual(findings, [
    { kind: 'task', count: 1, examples: [{ id: 'S', cells }] },
    { kind: 'trace', count: 1, examples: [{ id: B, cells }] },
    { kind: 'thought', count: 1, examples: [{ id: 'req:lost', cells: ['c2'] }] },
    { kind: 'request', count: 1, examples: [{ id: 'twin', cells }] },
  ]);
});

test('[DR1] a request that several traces of one cell name is joined there, and no finding', async () => {
  const records = [step(1, A, 'T', 'same'), step(2, B, 'S', 'same')];
  assert.deepEqual(await found(await cell('c1', ...records), await cell('c2', step(3, C, 'U'))), []);
});

test('[DR1] tasks of one session in several cells are named, where the task is not the session itself', async () => {
  const inSession = (n: number, traceId: string, taskID: string): SafeRecord =>
    span(n, { traceId, attrs: { taskID, 'session.id': 'talk' } });
  const apart = await found(await cell('c1', inSession(1, A, 'T')), await cell('c2', inSession(2, B, 'S')));
  assert.deepEqual(apart, [{ kind: 'session', count: 1, examples: [{ id: 'talk', cells: ['c1', 'c2'] }] }]);
  const together = await found(
    await cell('c1', inSession(1, A, 'T'), inSession(2, B, 'S')),
    await cell('c2', step(3, C, 'U')),
  );
  assert.deepEqual(together, []);
});

test('[DR1] one call told in two traces, in different cells, is named; calls that only share an id are not', async () => {
  const call = (n: number, words: SpanWords): SafeRecord =>
    span(n, {
      ...words,
      attrs: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.response.id': 'r1',
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
        ...words.attrs,
      },
    });
  const outer = call(1, { traceId: A, ms: 100, scope: 'framework' });
  const apart = async (words: SpanWords): Promise<readonly SplitFinding[]> =>
    found(await cell('c1', outer), await cell('c2', call(2, { traceId: B, at: 10, ms: 50, ...words })));
  assert.deepEqual(await apart({}), [
    { kind: 'twin', count: 1, examples: [{ id: nodeId(1, A), cells: ['c1', 'c2'] }] },
  ]);
  assert.deepEqual(await apart({ at: 5000 }), []);
  assert.deepEqual(await apart({ attrs: { 'gen_ai.request.model': 'claude-4' } }), []);
  const other = { 'gen_ai.usage.input_tokens': 8, 'gen_ai.usage.output_tokens': 4 };
  assert.deepEqual(await apart({ attrs: other }), []);
  assert.deepEqual(await apart({ attrs: { 'gen_ai.response.id': 'r2' } }), []);
  const together = await cell('c1', outer, call(2, { traceId: B, at: 10, ms: 50, scope: 'sdk' }));
  assert.deepEqual(await found(together, await cell('c2', step(3, C, 'U'))), []);
});

test('[DR1] an id that very many calls share says nothing', async () => {
  const calls = (traceId: string): SafeRecord[] =>
    Array.from({ length: 40 }, (_, n) =>
      span(n + 10, {
        traceId,
        at: n * 1000,
        attrs: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.id': 'always' },
      }),
    );
  assert.deepEqual(await found(await cell('c1', ...calls(A)), await cell('c2', ...calls(B))), []);
});

test('[DR1] a cell that refuses what doctor asks is named as one that does not answer', async () => {
  const { engine } = makeEngine();
  const refuse = (): Promise<never> => Promise.reject(new ClientError('INVALID_ARGUMENT', 'no such sort'));
  const odd = cellOf('odd', engine, { findTasks: refuse });
  const report = await findSplit([await cell('c1', step(1, A, 'T')), odd], new ManualClock());
  assert.deepEqual(report.findings, []);
  assert.match(report.notices?.[0] ?? '', /odd \(no such sort\)/);
});

test('[DR1] tasks that are whole in their cells are no finding; a cell that is away is named', async () => {
  const cells = [await cell('c1', step(1, A, 'T'), step(2, A, 'T')), await cell('c2', step(1, E, 'U'))];
  const well = await findSplit(cells, new ManualClock());
  assert.deepEqual(well, { findings: [], tasks: 2, truncated: false });
  const { findings, notices } = await findSplit([...cells, awayCell('c3')], new ManualClock());
  assert.deepEqual(findings, []);
  assert.match(notices?.[0] ?? '', /c3/);
});

test('[DR1] who asks while the cells are looked through gets the same answer', async () => {
  let asked = 0;
  const { name, answers } = await cell('c1', step(1, A, 'T'));
  const counting: AskedCell = {
    name,
    answers: {
      ...answers,
      findTasks: (query) => {
        asked++;
        return answers.findTasks(query);
      },
    },
  };
  const find = splitFinder(() => [counting], new ManualClock());
  const reports = await Promise.all([find(), find(), find()]);
  assert.deepEqual([asked, new Set(reports).size], [1, 1]);
  await find();
  assert.equal(asked, 2);
});
