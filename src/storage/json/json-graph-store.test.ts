import assert from 'node:assert/strict';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Facts } from '../../model/facts.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { cot, graphStoreContract, node, source } from '../graph-store.contract.ts';
import { type JsonGraphStoreOptions, openJsonGraphStore } from './json-graph-store.ts';

const FILE = 'explain_graph.json';

function place(t: TestContext, more: Partial<JsonGraphStoreOptions> = {}) {
  const parent = mkdtempSync(join(tmpdir(), 'json-store-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const dataDir = join(parent, 'nested', 'data');
  const log: string[] = [];
  const keep = (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const options = { dataDir, maxStoreBytes: 1e9, persistRetentionDays: 7, logger, ...more };
  const open = (change: Partial<JsonGraphStoreOptions> = {}) => openJsonGraphStore({ ...options, ...change });
  return { open, dataDir, file: join(dataDir, FILE), log };
}

graphStoreContract('json', (t) => Promise.resolve(place(t)));

test('[ST6] the file is one JSON object that other programs can read, for its owner alone', async (t) => {
  const { open, file, dataDir } = place(t);
  const store = await open();
  const edge = { id: 'e', from: 'a', to: 'b', relation: 'NEXT_STEP', evidence: 'parentSpanId' } as const;
  const lastUpdated = '2025-06-20T14:23:45.123Z';
  const facts = [cot('old'), cot('new')];
  const { bytes } = await store.save({
    graph: () => ({ nodes: [node('a'), node('b')], edges: [edge], lastUpdated }),
    facts: () => facts,
    texts: () => [['span', { attributes: { a: 1 } }]],
  });
  await store.close();
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
    format: 1,
    nodes: [node('a'), node('b')],
    edges: [edge],
    lastUpdated,
    facts: [cot('new'), cot('old')],
    texts: [['span', { attributes: { a: 1 } }]],
  });
  assert.equal(statSync(file).size, bytes);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(dataDir), [FILE]);
});

test('[ST6] a file that another program has laid out anew is read as well', async (t) => {
  const { open, file } = place(t);
  const first = await open();
  await first.save(source([cot('a'), cot('b')], [['a', { texts: { prompt: 'p' } }]]));
  await first.close();
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), null, 4));
  const second = await open();
  assert.deepEqual(await second.load(), {
    facts: [cot('a'), cot('b')],
    texts: [['a', { texts: { prompt: 'p' } }]],
  });
  await second.close();
});

test('[ST7] a crash between writing and renaming leaves the old state whole', async (t) => {
  const { open, dataDir } = place(t);
  const first = await open();
  await first.save(source([cot('old')]));
  await first.close();

  let reached = (): void => {};
  const atRename = new Promise<void>((resolve) => (reached = resolve));
  const never = new Promise<void>(() => {});
  const dying = await open({
    rename: () => {
      reached();
      return never;
    },
  });
  void dying.save(source([cot('new')]));
  await atRename;
  assert(readdirSync(dataDir).includes(`${FILE}.tmp`), 'the new state is written');
  // The process would be gone: its lock is dead, its file is left behind.
  rmSync(join(dataDir, 'explain.lock'));

  const next = await open();
  assert.deepEqual((await next.load()).facts, [cot('old')]);
  assert(!readdirSync(dataDir).includes(`${FILE}.tmp`));
  await next.close();
});

test('[ST7] when the disk refuses, the save fails, the old state stays, and the next save works', async (t) => {
  const { open, dataDir } = place(t);
  let full = false;
  const store = await open({
    rename: (from, to) => (full ? Promise.reject(new Error('no space')) : rename(from, to)),
  });
  await store.save(source([cot('old')]));
  full = true;
  await assert.rejects(store.save(source([cot('new')])), /no space/);
  assert.deepEqual((await store.load()).facts, [cot('old')]);
  assert.deepEqual(readdirSync(dataDir).sort(), ['explain.lock', FILE]);
  full = false;
  await store.save(source([cot('new')]));
  assert.deepEqual((await store.load()).facts, [cot('new')]);
  await store.close();
});

test('[ST8] a truncated file gives nothing, is said in the log, and is kept as it was', async (t) => {
  const { open, file, dataDir, log } = place(t);
  const whole = await open();
  await whole.save(source([cot('a'), cot('b'), cot('c')], [['a', { texts: { prompt: 'p' } }]]));
  await whole.close();
  const text = readFileSync(file);
  // The very end is a line break, without which the object is still whole.
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: text.length - 2 }), async (length) => {
      writeFileSync(file, text);
      truncateSync(file, length);
      log.length = 0;
      const store = await open();
      assert.deepEqual(await store.load(), { facts: [], texts: [] });
      await store.close();
      const aside = readdirSync(dataDir).find((name) => name.includes('.damaged-'));
      assert(aside !== undefined && log.some((line) => line.includes(aside)));
      assert.deepEqual(readFileSync(join(dataDir, aside)), text.subarray(0, length));
      rmSync(join(dataDir, aside));
    }),
    { numRuns: 60 },
  );
});

test('[ST8] entries that are no facts are left out, and the file is kept', async (t) => {
  const { open, file, dataDir, log } = place(t);
  await (await open()).close();
  const bad = [
    { kind: 'span', traceId: 7 },
    null,
    [],
    'text',
    { ...cot('x'), first: 'yesterday' },
    { kind: 'other' },
  ];
  const texts = [['k', { texts: { prompt: 1 } }], ['k', { texts: { prompt: 'p' } }], { k: 1 }];
  writeFileSync(file, JSON.stringify({ format: 1, facts: [cot('a'), ...bad], texts }));
  const store = await open();
  assert.deepEqual(await store.load(), { facts: [cot('a')], texts: [['k', { texts: { prompt: 'p' } }]] });
  await store.close();
  assert.equal(readdirSync(dataDir).filter((name) => name.includes('.damaged-')).length, 1);
  assert(log.some((line) => line.includes('"entries":8')));
});

test('[ST9] a file of a newer version is refused and left alone', async (t) => {
  const { open, file } = place(t);
  await (await open()).close();
  for (const text of ['{ "format": 2, "facts": {} }', '{"format":2,\n"new":[\n']) {
    writeFileSync(file, text);
    const store = await open();
    await assert.rejects(store.load(), (error) => {
      assert(error instanceof BoundaryError);
      assert.equal(error.code, 'FAILED_PRECONDITION');
      assert.match(error.message, /format 2, and this version reads 1/);
      return true;
    });
    await store.close();
    assert.equal(readFileSync(file, 'utf8'), text);
  }
});

test('[ST10] the file stays within maxStoreBytes: oldest texts go first, then the readable graph, then oldest facts', async (t) => {
  const facts = Array.from({ length: 50 }, (_, index) => cot(`r${index}`));
  const texts = Array.from(
    { length: 50 },
    (_, index) => [`r${index}`, { texts: { prompt: 'ä'.repeat(500) } }] as const,
  );
  const { open, file, log } = place(t);
  for (const maxStoreBytes of [2000, 10_000, 20_000, 40_000, 100_000]) {
    log.length = 0;
    const store = await open({ maxStoreBytes });
    const { bytes } = await store.save(source(facts, texts));
    const state = await store.load();
    await store.close();
    assert(bytes <= maxStoreBytes && statSync(file).size === bytes, `${bytes} bytes`);
    assert.deepEqual(state.facts, facts.slice(facts.length - state.facts.length), 'the newest facts');
    assert.deepEqual(state.texts, texts.slice(texts.length - state.texts.length), 'the newest texts');
    const whole = state.facts.length === 50 && state.texts.length === 50;
    assert.equal(whole, maxStoreBytes === 100_000);
    assert.equal(log.length, whole ? 0 : 1);
    if (state.texts.length > 0) assert.equal(state.facts.length, 50);
    const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as { nodes: unknown[] };
    assert(nodes.length === 0 || nodes.length === 50);
    if (maxStoreBytes === 40_000) assert(nodes.length === 50 && state.texts.length > 10);
    if (maxStoreBytes === 2000) assert(nodes.length === 0 && state.facts.length > 5);
  }
});

test('[ST11] other work goes on while a large state is written and read', async (t) => {
  const { open } = place(t);
  const store = await open();
  let turns = 0;
  const perTurn = new Map<number, number>();
  const counted = (fact: Facts) => ({
    ...fact,
    toJSON() {
      perTurn.set(turns, (perTurn.get(turns) ?? 0) + 1);
      return fact;
    },
  });
  const facts = Array.from({ length: 20_000 }, (_, index) => counted(cot(`r${index}`, 'x'.repeat(300))));
  let running = true;
  const turn = () => {
    turns++;
    if (running) setImmediate(turn);
  };
  turn();
  await store.save(source(facts));
  const most = Math.max(...perTurn.values());
  assert(most < 1000, `${most} entries in one turn`);
  turns = 0;
  assert.equal((await store.load()).facts.length, facts.length);
  assert(turns > 30, `${turns} turns while reading`);
  running = false;
  await store.close();
});

test('[ST12] snapshots past their retention are deleted at start, other files are not', async (t) => {
  const { open, dataDir, file, log } = place(t);
  const first = await open();
  await first.save(source([cot('a')]));
  await first.close();
  const days = (count: number) => new Date(Date.now() - count * 86_400_000);
  const write = (name: string, ageDays: number) => {
    writeFileSync(join(dataDir, name), 'x');
    utimesSync(join(dataDir, name), days(ageDays), days(ageDays));
  };
  write(`${FILE}.damaged-old`, 8);
  write(`${FILE}.damaged-new`, 6);
  write('other.json', 100);
  utimesSync(file, days(6), days(6));
  const second = await open();
  assert.equal((await second.load()).facts.length, 1);
  await second.close();
  assert.deepEqual(readdirSync(dataDir).sort(), [FILE, `${FILE}.damaged-new`, 'other.json'].sort());
  utimesSync(file, days(8), days(8));
  const third = await open();
  assert.deepEqual((await third.load()).facts, []);
  await third.close();
  assert.equal(log.length, 2);
});

test('[ST13] a second service on the same folder is refused, and the folder is free after close', async (t) => {
  const { open } = place(t);
  const first = await open();
  await assert.rejects(open(), /dataDir is in use by another service \(process \d+ on .+\): stop it/);
  await first.close();
  await (await open()).close();
});
