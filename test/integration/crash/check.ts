import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import { within } from '../steps/child.ts';

/** A span as it was found somewhere: its key, and what is shown of it when something is wrong. */
interface Found {
  readonly key: string;
  readonly state: string;
}

/** Records that somebody can still see. */
const RECORDS = `
  SELECT source, facts, texts, holder FROM record JOIN body ON body.id = record.id
  WHERE holder = 0 OR holder IN (SELECT node.id FROM node JOIN task ON task.id = node.task WHERE task.name IS NOT NULL)`;

const TOLD_BY_STATES = /"convention":"(?:ag-ui|thoughtflow)"/;

/**
 * Every acknowledged span stands in the database as the crash left it, and counts once. What left memory and was told again
 * stands there twice until its node is back: then the record of the archive says the same as the one in memory, which the next
 * start finds.
 * @param folder a copy of the store: opening it empties its write-ahead log
 */
export function checkStore(folder: string, acknowledged: ReadonlySet<string>): void {
  const database = new DatabaseSync(join(folder, 'explain.db'));
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  const inMemory: Found[] = [];
  const archived: Found[] = [];
  for (const { source, facts, texts, holder } of database.prepare(RECORDS).iterate()) {
    // A chain of thought, or a step of a session, has a record for each state of it that nodes in memory or in the archive
    // stand on; what they say is checked where readers get it.
    if (String(facts).startsWith('{"kind":"cot"') || TOLD_BY_STATES.test(String(facts))) continue;
    const found = { key: String(source), state: `${String(facts)} with texts ${hashOf(String(texts))}` };
    (holder === 0 ? inMemory : archived).push(found);
  }
  database.close();
  const states = new Map(inMemory.map(({ key, state }) => [key, state]));
  const only = archived.filter(({ key, state }) => states.get(key) !== state);
  checkOnce('the store', [...inMemory, ...only], acknowledged);
}

/** Every acknowledged span is a node of the graph that readers get, once. */
export async function checkApi(readers: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const answer = await fetch(`http://${readers}/api/graph?collapse=none`);
  assert.equal(answer.status, 200);
  const { nodes, edges } = (await answer.json()) as ExplanationGraph;
  const ids = new Set(nodes.map(({ id }) => id));
  assert.equal(ids.size, nodes.length, 'no node twice');
  for (const { from, to } of edges) assert.ok(ids.has(from) && ids.has(to), 'no edge without its nodes');
  const found = nodes.flatMap((node) => {
    const folded = node.details?.['spanIds'];
    const trace = String(node.details?.['traceId']);
    const keys = Array.isArray(folded) ? folded.map((span) => `${trace}:${String(span)}`) : [node.id];
    return keys.map((key) => ({ key, state: JSON.stringify(node) }));
  });
  checkOnce('the API', found, acknowledged);
}

/** Nodes that are looked at one by one. */
const SAMPLE = 50;
/** Nodes leave in turns; the machine may be busy. */
const LEAVE_MS = 20_000;

/** Memory holds its bound, however many nodes there are; what is behind those that left it comes from the store. */
export async function checkLeft(
  readers: string,
  maxBytes: number,
  {
    acknowledged,
    notes,
  }: { readonly acknowledged: ReadonlySet<string>; readonly notes: ReadonlyMap<string, string> },
): Promise<void> {
  await within(LEAVE_MS, 'memory holds its bound', async () => {
    const text = await (await fetch(`http://${readers}/metrics`)).text();
    const held = Number(/^explain_memory_estimated (\d+)/m.exec(text)?.[1]);
    return held <= maxBytes ? true : undefined;
  });
  const all = [...notes].filter(([key]) => acknowledged.has(key));
  const every = Math.ceil(all.length / SAMPLE);
  for (const [key, note] of all.filter((_, position) => position % every === 0)) {
    const answer = await fetch(`http://${readers}/api/nodes/${encodeURIComponent(key)}`);
    assert.equal(answer.status, 200, `${key} cannot be read`);
    const { attributes } = (await answer.json()) as NodeDetail;
    const said = attributes?.[key.slice(key.indexOf(':') + 1)]?.['note'];
    assert.ok(String(said).startsWith(note), `${key} has other attributes than were sent`);
  }
}

function checkOnce(where: string, found: readonly Found[], acknowledged: ReadonlySet<string>): void {
  const states = new Map<string, string[]>();
  for (const { key, state } of found) {
    const known = states.get(key);
    if (known) known.push(state);
    else states.set(key, [state]);
  }
  const twice = [...states].filter(([, of]) => of.length > 1);
  assert.deepEqual(twice.slice(0, 3), [], `${twice.length} spans that ${where} has twice`);
  const missing = [...acknowledged].filter((key) => !states.has(key));
  assert.deepEqual(
    missing.slice(0, 3),
    [],
    `${missing.length} of ${acknowledged.size} acknowledged spans are not in ${where}`,
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
