import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import type { Facts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { epochMs } from '../model/time.ts';
import type { GraphStore, SnapshotSource, StoredState } from './graph-store.ts';
import type { SourceTexts } from './text-store.ts';

/** Somewhere a store keeps its state: opening it again finds what was saved. */
export interface StorePlace {
  open(): Promise<GraphStore>;
}

type TextEntry = readonly [string, SourceTexts];

/** Anything a record can bring: all planes, line separators, halves of surrogate pairs, names of Object.prototype. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\u2028\n\r\u2029', '\ud800', '"],', ']}', '{"format":2,', '__proto__', ''),
);
/**
 * V8 13.6 can take a key that is written with an escape for another one that was parsed before (after
 * `{"x":0,"\\\\":0}` it reads `{"x":0,"\\ud800":0}` as the former): no store can help that.
 */
const key = text.filter((name) => JSON.stringify(name).length === name.length + 2);
const HEX = Array.from({ length: 16 }, (_, digit) => digit.toString(16));
const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...HEX), minLength: length, maxLength: length })
    .filter((id) => !/^0+$/.test(id));
const time = fc.double({ min: 0, max: 8e15, noNaN: true }).map(epochMs);

const facts: fc.Arbitrary<Facts> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('span' as const),
      traceId: hex(32),
      spanId: hex(16),
      parentSpanId: hex(16),
      name: text,
      start: time,
      end: time,
      step: fc.record({
        status: fc.constantFrom('OK', 'ERROR', 'WARNING', 'SKIPPED'),
        details: fc.dictionary(key, fc.oneof(text, fc.integer(), fc.boolean())),
      }),
    },
    { requiredKeys: ['kind', 'traceId', 'spanId', 'name', 'start', 'step'] },
  ),
  fc.record({
    kind: fc.constant('cot' as const),
    requestId: text,
    part: fc.nat(),
    revision: fc.nat(),
    text,
    final: fc.boolean(),
    first: time,
    last: time,
  }),
  fc.record({
    kind: fc.constant('event' as const),
    eventId: text,
    eventType: text,
    time,
    payload: fc.dictionary(key, fc.array(text, { maxLength: 3 })),
  }),
);

const textEntry: fc.Arbitrary<TextEntry> = fc.tuple(
  text,
  fc.record(
    {
      texts: fc.record({ prompt: text, completion: text, error: text }, { requiredKeys: [] }),
      attributes: fc.dictionary(key, fc.jsonValue({ maxDepth: 3 })),
    },
    { requiredKeys: [] },
  ),
);

export function node(id: string): ExplanationNode {
  const timestamp = '2025-06-20T14:23:45.123Z';
  return { id, timestamp, agent: 'A', type: 'OTHER', name: 'n', taskId: 'T', state: 'ENDED', status: 'OK' };
}

export function source(facts: readonly Facts[], texts: readonly TextEntry[] = []): SnapshotSource {
  const nodes = facts.map((_, index) => node(`n${index}`));
  return {
    graph: () => ({ nodes, edges: [], lastUpdated: '2025-06-20T14:23:45.123Z' }),
    facts: () => facts,
    texts: () => texts,
  };
}

export function cot(requestId: string, text = 'thought'): Facts {
  const at = epochMs(1_750_000_000_000);
  return { kind: 'cot', requestId, part: 1, revision: 1, text, final: true, first: at, last: at };
}

/** Order does not count, and a dictionary's prototype is not kept by JSON. */
function sorted({ facts, texts }: StoredState): { readonly facts: string[]; readonly texts: string[] } {
  const lines = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).sort();
  return { facts: lines(facts), texts: lines(texts) };
}

/** What every GraphStore keeps to. */
export function graphStoreContract(name: string, place: (t: TestContext) => Promise<StorePlace>): void {
  void test(`[ST1] ${name}: an empty store gives nothing`, async (t) => {
    const store = await (await place(t)).open();
    assert.deepEqual(await store.load(), { facts: [], texts: [] });
    await store.close();
  });

  void test(`[ST2] ${name}: what was saved is there after a restart, whatever the texts are`, async (t) => {
    const where = await place(t);
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { maxLength: 10 }),
        fc.array(textEntry, { maxLength: 5 }),
        async (facts, texts) => {
          const first = await where.open();
          const { bytes } = await first.save(source(facts, texts));
          assert(bytes >= 0);
          await first.close();
          const second = await where.open();
          const found = await second.load();
          await second.close();
          assert.deepEqual(sorted(found), sorted({ facts, texts }));
        },
      ),
      { numRuns: 100 },
    );
  });

  void test(`[ST3] ${name}: each save replaces the one before as a whole`, async (t) => {
    const store = await (await place(t)).open();
    await store.save(source([cot('a'), cot('b')], [['a', { texts: { prompt: 'p' } }]]));
    await store.save(source([cot('c')]));
    assert.deepEqual(await store.load(), { facts: [cot('c')], texts: [] });
    await store.close();
  });

  void test(`[ST4] ${name}: saves do not overlap, the last one wins, and close waits for it`, async (t) => {
    const where = await place(t);
    const store = await where.open();
    let running = 0;
    const watched = (id: string): SnapshotSource => ({
      ...source([cot(id)]),
      *facts() {
        assert.equal(running++, 0, 'two saves at once');
        for (let index = 0; index < 1000; index++) yield cot(`${id}${index}`);
        running--;
      },
    });
    const saves = ['a', 'b', 'c'].map((id) => store.save(watched(id)));
    await store.close();
    await Promise.all(saves);
    const again = await where.open();
    const { facts } = await again.load();
    assert.equal(facts.length, 1000);
    assert(facts.every((fact) => fact.kind === 'cot' && fact.requestId.startsWith('c')));
    await again.close();
  });

  void test(`[ST5] ${name}: a save whose source fails leaves the state before it`, async (t) => {
    const store = await (await place(t)).open();
    await store.save(source([cot('a')]));
    const failing: SnapshotSource = {
      ...source([]),
      *texts(): Generator<TextEntry> {
        yield ['a', {}];
        throw new Error('source failed');
      },
    };
    await assert.rejects(store.save(failing), /source failed/);
    assert.deepEqual((await store.load()).facts, [cot('a')]);
    await store.save(source([cot('b')]));
    assert.deepEqual((await store.load()).facts, [cot('b')]);
    await store.close();
  });
}
