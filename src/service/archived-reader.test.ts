import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { cot, nodeId, span, TRACE } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import type { CotText } from '../model/facts.ts';
import { queryId } from '../model/ids.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import { recordKey } from '../storage/record-key.ts';
import type { ArchivedNode, RecordStore, SourceRecord } from '../storage/record-store.ts';
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
    shown: (of, value) => engine.shownTexts(of, value),
    shownOfLeft: (_, value) => value,
    partsOf: (of) => engine.correlator.sources.partsOf(of),
    borrowedBy: (of) => engine.correlator.sources.borrowedBy(of),
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

test('[ST41] a query keeps its prompt when the call that it was asked in leaves before it', async () => {
  const records: SourceRecord[] = [];
  const journal = { append: async (taken: readonly SourceRecord[]) => void records.push(...taken) };
  const { engine } = makeEngine({ journal });
  const call = (n: number, content: string): ReturnType<typeof span> => {
    const asked = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content }] }]);
    const attrs = { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': asked };
    return span(n, { parent: 1, at: n, attrs });
  };
  const run = span(1, { attrs: { 'gen_ai.operation.name': 'invoke_agent' } });
  await engine.correlator.consume(batchOf([run, call(2, 'the first'), call(3, 'the second')]));
  const left = new Map<string, ArchivedNode>();
  engine.onLeaving((nodes) => {
    for (const node of nodes)
      left.set(node.node.id, {
        ...node,
        records: records.filter(({ facts }) => node.sources.includes(recordKey(facts).source)),
      });
  });
  const store: Partial<RecordStore> = {
    archivedNode: async (id) => left.get(id),
    texts: async () => new Map(),
  };
  const api = withArchive({
    reader: engine.reader,
    store: store as RecordStore,
    loadTexts: () => Promise.resolve(),
    nodesOf: () => [],
    shown: (of, value) => engine.shownTexts(of, value),
    shownOfLeft: (_, value) => value,
    partsOf: (of) => engine.correlator.sources.partsOf(of),
    borrowedBy: (of) => engine.correlator.sources.borrowedBy(of),
    isHeldBack: () => false,
  });
  for (const leaving of [[], [nodeId(2)], [nodeId(1)]]) {
    engine.takeOut(leaving);
    assert.deepEqual((await api.getNode(queryId(TRACE))).texts, { prompt: 'the first' });
  }
  assert.deepEqual([...left.keys()].sort(), [nodeId(1), nodeId(2), queryId(TRACE)].sort());
  engine.stop();
});
