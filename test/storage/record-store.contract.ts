import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Facts } from '../../src/model/facts.ts';
import type { ExplanationNode } from '../../src/model/node.ts';
import { epochMs } from '../../src/model/time.ts';
import type { LeavingNode, RecordStore, SourceRecord } from '../../src/storage/record-store.ts';
import { recordKey } from '../../src/storage/record-key.ts';

/** Somewhere a store keeps its records: opening it again finds what was appended. */
export interface StorePlace {
  open(): Promise<RecordStore>;
}

/** Anything a record can bring: all planes, line separators, halves of surrogate pairs, names of Object.prototype. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\u2028\n\r\u2029', '"],', ']}', 'LPXE', '__proto__', '', 'naïve 日本語 🦜'),
);
const time = fc.double({ min: 0, max: 8e15, noNaN: true }).map(epochMs);
/** Halves of surrogate pairs are not UTF-8: they become the replacement character, as on every wire. */
const wellFormed = text.map((value) => Buffer.from(value).toString());

const facts: fc.Arbitrary<Facts> = fc.oneof(
  fc.record({
    kind: fc.constant('cot' as const),
    requestId: wellFormed,
    part: fc.nat(),
    revision: fc.nat(),
    text: wellFormed,
    final: fc.boolean(),
    first: time,
    last: time,
  }),
  fc.record({
    kind: fc.constant('event' as const),
    eventId: wellFormed,
    eventType: wellFormed,
    time,
    payload: fc.dictionary(fc.constantFrom('a', 'b'), fc.array(wellFormed, { maxLength: 3 })),
  }),
);

export function thought(requestId: string, words = 'thought', revision = 1): SourceRecord {
  const at = epochMs(1_750_000_000_000);
  const fact: Facts = {
    kind: 'cot',
    requestId,
    part: 1,
    revision,
    text: words,
    final: true,
    first: at,
    last: at,
  };
  return { facts: fact, texts: { texts: { prompt: `prompt of ${requestId}` } } };
}

export function leaving(taskId: string, id: string): LeavingNode {
  const node: ExplanationNode = {
    id,
    timestamp: '2025-06-20T14:23:45.123Z',
    agent: 'A',
    type: 'OTHER',
    name: 'n',
    title: 'n',
    taskId,
    state: 'ENDED',
    status: 'OK',
  };
  return { node, edges: [], sources: [id] };
}

export async function restored(store: RecordStore): Promise<string[]> {
  const all: string[] = [];
  for await (const some of store.restore()) all.push(...some.map((fact) => JSON.stringify(fact)));
  return all.sort();
}

export async function archived(store: RecordStore, taskId: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of store.archivedTask(taskId)) ids.push(...page.map(({ node }) => node.id));
  return ids.sort();
}

/** What every RecordStore keeps to. */
export function recordStoreContract(name: string, place: (t: TestContext) => Promise<StorePlace>): void {
  void test(`[ST1] ${name}: an empty store gives nothing`, async (t) => {
    const store = await (await place(t)).open();
    assert.deepEqual(await restored(store), []);
    assert.deepEqual(await store.archivedTasks(), []);
    assert.equal(await store.archivedNode('no node'), undefined);
    assert.equal((await store.texts(['no source'])).size, 0);
    assert.deepEqual(store.problems, []);
    await store.close();
  });

  void test(`[ST2] ${name}: property: what was appended is there after a restart, once, whatever the texts are`, async (t) => {
    const where = await place(t);
    const all = new Map<string, { readonly rank: number; readonly json: string }[]>();
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { maxLength: 10 }), async (some) => {
        const first = await where.open();
        await first.append(some.map((fact) => ({ facts: fact })));
        await first.append(some.map((fact) => ({ facts: fact })));
        await first.close();
        for (const fact of some) {
          const { source, part, rank } = recordKey(fact);
          const key = `${part} ${source}`;
          const json = JSON.stringify(fact);
          const held = all.get(key) ?? [];
          const best = Math.max(rank, ...held.map((state) => state.rank));
          const states = [...held, { rank, json }].filter((state) => state.rank === best);
          all.set(
            key,
            states.filter((state, n) => states.findIndex((other) => other.json === state.json) === n),
          );
        }
        const second = await where.open();
        const found = await restored(second);
        await second.close();
        assert.deepEqual(
          found,
          [...all.values()]
            .flat()
            .map(({ json }) => json)
            .sort(),
        );
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  void test(`[ST3] ${name}: a thousand appends at once are all kept, and texts are there as soon as they are`, async (t) => {
    const where = await place(t);
    const store = await where.open();
    await Promise.all(Array.from({ length: 1000 }, (_, n) => store.append([thought(`r${n}`)])));
    assert.deepEqual((await store.texts(['req:r7'])).get('req:r7'), { texts: { prompt: 'prompt of r7' } });
    await store.close();
    const again = await where.open();
    assert.equal((await restored(again)).length, 1000);
    await again.close();
  });

  void test(`[ST31] ${name}: nodes that left memory are not restored, and can be read, over a restart too`, async (t) => {
    const where = await place(t);
    const store = await where.open();
    await store.append(['a', 'b', 'c'].map((id) => thought(id)));
    await store.archive('T', [leaving('T', 'req:a'), leaving('T', 'req:b')]);
    const check = async (of: RecordStore): Promise<void> => {
      assert.deepEqual(await archived(of, 'T'), ['req:a', 'req:b']);
      const under = async (prefix: string): Promise<string[]> => {
        const ids: string[] = [];
        for await (const page of of.archivedUnder(prefix)) ids.push(...page.map(({ node: { id } }) => id));
        return ids;
      };
      assert.deepEqual(
        [await under('req:'), await under('req')],
        [
          ['req:a', 'req:b'],
          ['req:a', 'req:b'],
        ],
      );
      assert.deepEqual([await under('re:'), await under('s')], [[], []]);
      const node = await of.archivedNode('req:a');
      assert.deepEqual(node?.node, leaving('T', 'req:a').node);
      assert.deepEqual(node.records, [thought('a')]);
      assert.equal(await of.archivedNode('req:c'), undefined);
    };
    await check(store);
    await store.close();
    const again = await where.open();
    assert.deepEqual(await restored(again), [JSON.stringify(thought('c').facts)]);
    await check(again);
    // What comes again is in memory again, and in the archive as it was.
    await again.append([thought('a', 'another', 2)]);
    await again.close();
    const third = await where.open();
    assert.equal((await restored(third)).length, 2);
    assert.deepEqual(await archived(third, 'T'), ['req:a', 'req:b']);
    await third.close();
  });

  void test(`[ST32] ${name}: what is erased is gone, and the rest is there`, async (t) => {
    const where = await place(t);
    const store = await where.open();
    await store.append(['a', 'b', 'c', 'd'].map((id) => thought(id, `secret of ${id}`)));
    await store.archive('T', [leaving('T', 'req:a')]);
    await store.archive('U', [leaving('U', 'req:b')]);
    await store.archive('U', [{ ...leaving('U', 'made'), sources: [] }]);
    assert.equal(await store.erase({ tasks: ['T'], sources: ['req:c', 'made'] }), 2);
    await store.sweep();
    const check = async (of: RecordStore): Promise<void> => {
      assert.deepEqual(await of.archivedTasks(), ['U']);
      const { tasks, next } = await of.archivedVersions(0);
      assert.deepEqual([tasks.map(([name]) => name), next], [['U'], undefined]);
      const overviews = await of.archivedOverviews(['U', 'T']);
      assert.deepEqual(
        overviews.map((task) => task && [task.taskId, task.nodes, task.archived]),
        [['U', 1, true], undefined],
      );
      assert.equal(await of.archivedNode('req:a'), undefined);
      assert.equal((await of.texts(['req:c'])).size, 0);
    };
    await check(store);
    await store.close();
    const again = await where.open();
    assert.deepEqual(await restored(again), [JSON.stringify(thought('d', 'secret of d').facts)]);
    await check(again);
    await again.close();
  });

  void test(`[ST33] ${name}: records can take the place of everything`, async (t) => {
    const where = await place(t);
    const before = await where.open();
    await before.append(['a', 'b'].map((id) => thought(id)));
    await before.archive('T', [leaving('T', 'req:b')]);
    await before.close();
    const store = await where.open();
    async function* others(): AsyncGenerator<readonly SourceRecord[]> {
      for await (const some of store.restore()) yield some.map((fact) => ({ facts: fact }));
    }
    await store.replaceAll(others());
    assert.deepEqual(await restored(store), [JSON.stringify(thought('a').facts)]);
    await store.close();
    const again = await where.open();
    assert.deepEqual(await restored(again), [JSON.stringify(thought('a').facts)]);
    assert.deepEqual(await again.archivedTasks(), []);
    assert.equal((await again.texts(['req:a'])).size, 0);
    await again.close();
  });
}
