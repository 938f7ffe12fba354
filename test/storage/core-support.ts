import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from '../../src/model/facts.ts';
import { epochMs } from '../../src/model/time.ts';
import { recordKey } from '../../src/storage/record-key.ts';
import { openStore, type StoreFolder } from '../../src/storage/sqlite/open-store.ts';
import type { Row } from '../../src/storage/sqlite/rows.ts';
import type { StoreCore } from '../../src/storage/sqlite/store-core.ts';

export interface Opened {
  readonly core: StoreCore;
  readonly said: string[];
  readonly dropped: { readonly reason: string; readonly tasks: number; readonly records: number }[];
}

/** The store as its thread has it, in this thread. */
export function openCore(dataDir: string, options: Partial<StoreFolder> = {}, isDamaged = false): Opened {
  const said: string[] = [];
  const dropped: Opened['dropped'] = [];
  const folder: StoreFolder = {
    dataDir,
    durable: false,
    maxBytes: 1e9,
    retentionMs: 1e12,
    withoutTexts: false,
    say: (_level, _fields, message) => void said.push(message),
    onDropped: (reason, tasks, records) => void dropped.push({ reason, tasks, records }),
    ...options,
  };
  const core = openStore(folder, isDamaged);
  return { core, said, dropped };
}

export const NOW = 1_750_000_000_000;

/** A span of a trace and span number. */
export function spanFacts(trace: number, span: number, end = 10, name = 'step'): Facts {
  return {
    kind: 'span',
    traceId: trace.toString(16).padStart(32, '0'),
    spanId: span.toString(16).padStart(16, '0'),
    name,
    start: epochMs(NOW),
    end: epochMs(NOW + end),
    step: { status: 'OK', details: {} },
  };
}

export function sourceOf(facts: Facts): string {
  return recordKey(facts).source;
}

export function recordRows(records: readonly { readonly facts: Facts; readonly text?: string }[]): Row[] {
  return records.map(({ facts, text }) => {
    const { source, rank, part } = recordKey(facts);
    return [source, part, rank, JSON.stringify(facts), text === undefined ? '' : JSON.stringify(text)];
  });
}

/** Each source is a node of its own. */
export function leftRows(task: string, sources: readonly string[]): Row[] {
  return sources.map((source) => [
    task,
    source,
    [source],
    JSON.stringify({ node: { id: source }, edges: [], sources: [source] }),
  ]);
}

/** Facts of nodes in memory. */
export function restored(core: StoreCore): string[] {
  const all: string[] = [];
  const upTo = core.lastId();
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: ReturnType<StoreCore['restore']> = core.restore(after, upTo);
    all.push(...page.facts);
    after = page.next;
  }
  return all.sort();
}

/** Nodes of a task that left. */
export function leftOf(core: StoreCore, task: string): string[] {
  const ids: string[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: ReturnType<StoreCore['leftPage']> = core.leftPage(task, after);
    ids.push(...page.nodes.map((json) => (JSON.parse(json) as { node: { id: string } }).node.id));
    after = page.next;
  }
  return ids.sort();
}

/** Upkeep comes to an end. */
export function settle(core: StoreCore, now = NOW): void {
  for (let steps = 0; core.maintain(now); steps++) if (steps > 10_000) throw new Error('upkeep does not end');
}

/** All bytes of the folder's files. */
export function bytesIn(dataDir: string): string {
  return readdirSync(dataDir)
    .map((name) => readFileSync(join(dataDir, name), 'latin1'))
    .join('\n');
}
