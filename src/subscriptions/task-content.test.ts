import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { TaskContent } from '../model/task-content.ts';
import type { ReaderApi } from './reader-api.ts';
import { taskContent } from './task-content.ts';

async function all(content: TaskContent): Promise<readonly NodeDetail[]> {
  const details: NodeDetail[] = [];
  for await (const detail of content.details()) details.push(detail);
  return details;
}

async function readerOf(): Promise<ReaderApi> {
  const { engine } = makeEngine();
  const attrs = { taskID: 'T', 'model.name': 'm', 'gen_ai.completion': 'said so' };
  await engine.correlator.consume(
    batchOf([
      span(1, { at: 0, attrs }),
      span(2, { parent: 1, at: 5, attrs }),
      span(3, { attrs: { taskID: 'U' } }),
    ]),
  );
  engine.flush();
  return engine.reader;
}

test('[SV85] the content of a task is all its nodes with their attributes, by start, unfolded', async () => {
  const content = await taskContent(await readerOf(), 'T');
  const details = await all(content);
  assert.deepEqual(
    details.map(({ node }) => node.id),
    [nodeId(1), nodeId(2)],
  );
  assert.ok(details.every(({ attributes }) => Object.keys(attributes ?? {}).length === 1));
  assert.equal(content.graph.edges.length, 1);
});

test('[SV85] an unknown task is NOT_FOUND, and who has gone is read nothing further', async () => {
  const reader = await readerOf();
  await assert.rejects(taskContent(reader, 'V'), { code: 'NOT_FOUND', message: /^taskId/ });
  let isWanted = true;
  const content = await taskContent(reader, 'T', () => isWanted);
  isWanted = false;
  assert.deepEqual(await all(content), []);
});
