import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { cot, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import type { CotText } from '../model/facts.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { ArchivedNode, RecordStore } from '../storage/record-store.ts';
import { withArchive } from './archived-reader.ts';

const CALL = { 'gen_ai.operation.name': 'chat', requestId: 'r' };

/** The answer for a node that is in memory with what came last, and left it before with these records. */
async function detailAfter(records: ArchivedNode['records']): Promise<NodeDetail> {
  const { engine } = makeEngine();
  const second = cot('r', { part: 2, text: 'and its second.' });
  await engine.correlator.consume(batchOf([span(1, { attrs: CALL }), second]));
  const id = [...engine.graph.taskIds()].flatMap((task) => [...engine.graph.nodesOfTask(task)])[0] ?? '';
  const node = engine.graph.node(id);
  assert.ok(node);
  const archivedNode = (): Promise<ArchivedNode> =>
    Promise.resolve({ node, edges: [], sources: [], records });
  const api = withArchive({
    reader: engine.reader,
    store: { archivedNode } as Partial<RecordStore> as RecordStore,
    loadTexts: () => Promise.resolve(),
    nodesOf: () => [],
    partsOf: (of) => engine.partsOf(of),
    isHeldBack: () => false,
  });
  const detail = await api.getNode(id);
  engine.stop();
  return detail;
}

test('[ST39] a node that left and came again has the texts of both times', async () => {
  const first = cot('r', { part: 1, text: 'Its first part' }) as CotText;
  const detail = await detailAfter([{ facts: first, texts: { texts: { prompt: 'what was asked then' } } }]);
  assert.equal(detail.texts?.['reasoning'], 'Its first part\nand its second.');
  assert.equal(detail.texts?.['prompt'], 'what was asked then');
});
