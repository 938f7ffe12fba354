import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemClock } from '../../src/base/clock.ts';
import { readStoreFile } from '../../src/storage/exported/store-file.ts';
import type { StoredItem } from '../../src/storage/exported/stored-items.ts';
import { openDatabase, STORE_FILE } from '../../src/storage/sqlite/open-store.ts';
import { TakeIn } from '../../src/storage/sqlite/take-in.ts';
import { run } from '../cli/run-command.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const MAIL = 'jo.doe@example.net';
const MARKER = /\[EMAIL:[a-z2-7]+\]/g;
const FIRST = 1_750_000_000_000;

interface Cells {
  readonly from: string;
  readonly into: string;
  readonly file: string;
}

async function folders(t: TestContext): Promise<Cells> {
  const base = await temporaryFolder(t);
  return { from: join(base, 'from'), into: join(base, 'into'), file: join(base, 'moved.store.gz') };
}

/** A run with a call that names somebody, and a tool that fails. */
async function send(cell: RealService, task: string, trace: string): Promise<void> {
  const span = (n: number, name: string, attributes: Record<string, string>, more: object = {}): object => ({
    traceId: trace.repeat(16),
    spanId: `${n}`.padStart(16, '0'),
    ...(n > 1 && { parentSpanId: '1'.padStart(16, '0') }),
    name,
    startTimeUnixNano: `${FIRST + n * 10}000000`,
    endTimeUnixNano: `${FIRST + n * 10 + 500}000000`,
    attributes: Object.entries({ taskID: task, ...attributes }).map(([key, stringValue]) => ({
      key,
      value: { stringValue },
    })),
    ...more,
  });
  const spans = [
    span(1, 'run', {}),
    span(2, 'chat', {
      'model.name': 'm',
      requestID: `req-${task}`,
      prompt: `write to ${MAIL}`,
      completion: `${MAIL} is told`,
    }),
    span(3, 'send', { 'tool.name': 'send', 'tool.result': MAIL }, { status: { code: 2, message: 'failed' } }),
  ];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  assert.equal((await postOtlp(cell, '/v1/traces', body)).status, 200);
  const thought = { requestId: `req-${task}`, timestamp: FIRST + 25, text: `1. ask ${MAIL}`, final: true };
  const told = await fetch(`${cell.readers}/api/cot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(thought),
  });
  assert.equal(told.status, 202);
  await cell.flush();
}

async function prune(cell: RealService): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ olderThanMinutes: 0 });
  assert.equal((await fetch(`${cell.readers}/api/prune`, { method: 'POST', headers, body })).status, 200);
}

interface Shown {
  readonly graph: unknown;
  readonly tasks: unknown;
  readonly nodes: readonly unknown[];
}

/** All that a reader is shown of these tasks. */
async function shown(cell: RealService, tasks: string): Promise<Shown> {
  const graph = await cell.graph(`collapse=none&taskIds=${tasks}`);
  const list = (await cell.json(`/api/tasks?limit=50&sort=oldest`)) as {
    readonly tasks: readonly { readonly taskId: string }[];
  };
  const ids = graph.nodes.map(({ id }) => id).sort();
  return {
    graph: {
      nodes: graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      edges: graph.edges.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    },
    tasks: list.tasks.filter(({ taskId }) => tasks.split(',').includes(taskId)),
    nodes: await Promise.all(ids.map((id) => cell.json(`/api/nodes/${encodeURIComponent(id)}`))),
  };
}

/** A stopped cell with a task that left memory and one that did not. @returns what it showed */
async function filled(t: TestContext, dataDir: string): Promise<Shown> {
  const cell = await RealService.start({ dataDir });
  t.after(() => cell.stop());
  await send(cell, 'T-left', 'ab');
  await prune(cell);
  await send(cell, 'T-live', 'cd');
  const before = await shown(cell, 'T-left,T-live');
  assert.equal(before.nodes.length, 8);
  await cell.stop();
  return before;
}

/** A stopped cell with a task of its own. */
async function other(dataDir: string): Promise<void> {
  const cell = await RealService.start({ dataDir });
  await send(cell, 'T-own', 'ef');
  await cell.stop();
}

async function shownBy(t: TestContext, dataDir: string): Promise<Shown & { readonly own: Shown }> {
  const cell = await RealService.start({ dataDir });
  t.after(() => cell.stop());
  const now = { ...(await shown(cell, 'T-left,T-live')), own: await shown(cell, 'T-own') };
  await cell.stop();
  return now;
}

async function moved({ from, into, file }: Cells): Promise<string> {
  const exported = await run(['store', 'export', '--data-dir', from, '--out', file]);
  assert.equal(exported.code, 0, exported.stderr);
  const imported = await run(['store', 'import', '--data-dir', into, file]);
  assert.equal(imported.code, 0, imported.stderr);
  return imported.stdout;
}

/** What the store has, whatever the numbers of rows are. */
function rowsIn(dataDir: string): readonly string[] {
  const database = new DatabaseSync(join(dataDir, STORE_FILE));
  const all = (sql: string): readonly string[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row));
  const rows = [
    ...all(`SELECT source, part, CAST(rank AS TEXT), node.name, facts, texts FROM record
      JOIN body ON body.id = record.id LEFT JOIN node ON node.id = record.holder WHERE holder >= 0`),
    ...all('SELECT node.name, json, task.name FROM node JOIN task ON task.id = node.task'),
    ...all('SELECT tie, node.name FROM tie JOIN node ON node.id = tie.node'),
  ];
  database.close();
  return rows.toSorted();
}

/** What had left memory is made anew from its records, and leaves again when it is its turn. */
function withoutMarkers(json: string): unknown {
  return JSON.parse(json.replace(MARKER, 'x').replace(/,"archived":true|"archived":true,/g, ''));
}

async function sameKey({ from, into }: Cells): Promise<void> {
  await mkdir(into, { recursive: true });
  await copyFile(join(from, 'redaction.key'), join(into, 'redaction.key'));
}

test('[DG1] what one cell has stored is moved to another, which shows all of it as it was, beside its own', async (t) => {
  const cells = await folders(t);
  const before = await filled(t, cells.from);
  await sameKey(cells);
  await other(cells.into);
  assert.doesNotMatch(await moved(cells), /note/);
  const { own, ...after } = await shownBy(t, cells.into);
  assert.deepEqual(after, before);
  assert.equal(own.nodes.length, 4);

  const rows = rowsIn(cells.into);
  assert.equal((await run(['store', 'import', '--data-dir', cells.into, cells.file])).code, 0);
  assert.deepEqual(rowsIn(cells.into), rows, 'once more changes nothing');
});

test('[DG2] under another redaction key values that were equal in a task have equal markers, and nothing else differs', async (t) => {
  const cells = await folders(t);
  const before = await filled(t, cells.from);
  await other(cells.into);
  assert.match(await moved(cells), /note: redaction.key is another here/);
  const { own, ...after } = await shownBy(t, cells.into);
  assert.equal(own.nodes.length, 4);
  const text = JSON.stringify(after);
  assert.deepEqual(withoutMarkers(text), withoutMarkers(JSON.stringify(before)));
  assert.ok(!text.includes(MAIL));
  for (const task of ['T-left', 'T-live']) {
    const nodes = JSON.stringify(after.nodes.filter((node) => JSON.stringify(node).includes(`"${task}"`)));
    assert.equal(new Set(nodes.match(MARKER)).size, 1, task);
  }
  const rows = rowsIn(cells.into);
  assert.equal((await run(['store', 'import', '--data-dir', cells.into, cells.file])).code, 0);
  assert.deepEqual(rowsIn(cells.into), rows);
});

test('[DG1] projects are moved as well', async (t) => {
  const cells = await folders(t);
  await filled(t, cells.from);
  const project = join(cells.from, 'projects', 'team-a');
  await mkdir(project, { recursive: true });
  for (const name of [STORE_FILE, 'redaction.key'])
    await copyFile(join(cells.from, name), join(project, name));
  assert.match(await moved(cells), /team-a/);
  assert.equal(rowsIn(join(cells.into, 'projects', 'team-a')).length, rowsIn(cells.into).length);
});

test('[DG3] an import that is interrupted leaves what was there and whole batches, and is gone on with by another one', async (t) => {
  const cells = await folders(t);
  await filled(t, cells.from);
  await sameKey(cells);
  await other(cells.into);
  const before = rowsIn(cells.into);
  assert.equal((await run(['store', 'export', '--data-dir', cells.from, '--out', cells.file])).code, 0);
  const items: StoredItem[] = [];
  for await (const item of readStoreFile(cells.file)) if (item.kind !== 'project') items.push(item);

  const interrupted = (upTo: number, failing: boolean): void => {
    const database = openDatabase({ dataDir: cells.into, durable: true, maxBytes: 1e9 }, STORE_FILE);
    const batch = items.slice(0, upTo);
    const broken = { kind: 'live', facts: '{', texts: '' } as const;
    try {
      new TakeIn(database, true).put(failing ? [...batch, broken] : batch, systemClock.now());
    } catch (error) {
      assert.ok(error instanceof SyntaxError);
    } finally {
      database.close();
    }
  };
  interrupted(items.length, true);
  assert.deepEqual(rowsIn(cells.into), before, 'a batch that did not come to its end left nothing');
  for (const upTo of [1, 3, items.length - 1]) {
    interrupted(upTo, false);
    const now = new Set(rowsIn(cells.into));
    assert.ok(before.every((row) => now.has(row)));
  }
  assert.equal((await run(['store', 'import', '--data-dir', cells.into, cells.file])).code, 0);
  const all = new Set(rowsIn(cells.into));
  assert.equal(all.size, new Set([...before, ...rowsIn(cells.from)]).size);
  assert.ok(rowsIn(cells.from).every((row) => all.has(row)));
});

test('[DG4] a file that cannot be used, a folder in use and a file that is there are refused in a line, and nothing is changed', async (t) => {
  const cells = await folders(t);
  await filled(t, cells.from);
  await other(cells.into);
  assert.equal((await run(['store', 'export', '--data-dir', cells.from, '--out', cells.file])).code, 0);
  const before = rowsIn(cells.into);
  const bytes = await readFile(cells.file);
  const text = gunzipSync(bytes).toString();
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(flipped.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
  const lines = text.split('\n');
  const bad: readonly (readonly [Buffer, RegExp])[] = [
    [flipped, /damaged or not whole/],
    [bytes.subarray(0, bytes.length - 9), /damaged or not whole/],
    [gzipSync(lines.toSpliced(-2, 1).join('\n')), /damaged or not whole/],
    [gzipSync(lines.toSpliced(2, 1).join('\n')), /damaged or not whole/],
    [gzipSync(lines.with(2, '{"live":["{\\"kind\\":\\"none\\"}",""]}').join('\n')), /damaged .*line 3/],
    [gzipSync(text.replace('"version":1', '"version":2')), /newer version \(format 2, this one reads 1\)/],
    [gzipSync('hello\n'), /is no file that "store export" wrote/],
    [Buffer.from('hello'), /is no file that "store export" wrote/],
    [Buffer.alloc(0), /is no file that "store export" wrote|damaged/],
  ];
  for (const [content, message] of bad) {
    const path = `${cells.file}.bad`;
    await writeFile(path, content);
    const refused = await run(['store', 'import', '--data-dir', cells.into, path]);
    assert.equal(refused.code, 1, String(message));
    assert.match(refused.stderr, message);
    assert.equal(refused.stderr.trim().split('\n').length, 1, refused.stderr);
    assert.deepEqual(rowsIn(cells.into), before);
  }
  const there = await run(['store', 'export', '--data-dir', cells.from, '--out', cells.file]);
  assert.match(there.stderr, /is there already/);
  const empty = await run([
    'store',
    'export',
    '--data-dir',
    join(cells.from, 'none'),
    '--out',
    `${cells.file}2`,
  ]);
  assert.match(empty.stderr, /there is no store in/);
  // The folder of all cells is that of none.
  const all = join(cells.from, 'all');
  await mkdir(join(all, 'cells', '0'), { recursive: true });
  for (const args of [
    ['store', 'export', '--out', `${cells.file}2`],
    ['store', 'import', cells.file],
    ['erase', '--offline', '--task', 't'],
    ['erase', '--offline', '--task', 't', '--project', 'a'],
  ]) {
    const { code, stderr } = await run([...args, '--data-dir', all]);
    assert.notEqual(code, 0);
    assert.match(stderr, /holds the history of cells: do it for each, with --data-dir \S+\/cells\/0$/m);
  }
  assert.deepEqual(await readdir(all), ['cells']);
  const running = await RealService.start({ dataDir: cells.into });
  t.after(() => running.stop());
  const inUse = await run(['store', 'import', '--data-dir', cells.into, cells.file]);
  assert.match(inUse.stderr, /is in use by another service/);
});
