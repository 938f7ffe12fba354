import type { LeavingNode } from '../record-store.ts';
import type { StoredItem } from '../exported/stored-items.ts';
import type { Database } from './database.ts';
import { recordsOf } from './left-node.ts';

/** What an administrator had shown is sealed by keys that stay where they are. */
const OVERRIDE = '{"kind":"override"';

/** Everything that a store has and readers can see: first the nodes that left memory, so that what came later finds them. */
export function* readAll(database: Database): Generator<StoredItem> {
  const nodes = database
    .sql(
      `SELECT node.id AS id, json, task.name AS task FROM node JOIN task ON task.id = node.task
       WHERE node.name IS NOT NULL AND task.name IS NOT NULL ORDER BY node.id`,
    )
    .iterate();
  for (const row of nodes) {
    const id = Number(row['id']);
    yield {
      kind: 'left',
      task: String(row['task']),
      json: withoutOverride(String(row['json'])),
      ties: database
        .sql('SELECT tie FROM tie WHERE node = ?')
        .all(id)
        .map(({ tie }) => Number(tie)),
      records: recordsOf(database, id, ['facts', 'texts']).filter(isMoved),
    };
  }
  const records = database
    .sql(
      'SELECT facts, texts FROM record JOIN body ON body.id = record.id WHERE holder = 0 ORDER BY record.id',
    )
    .iterate();
  for (const row of records) {
    const record = { facts: String(row['facts']), texts: String(row['texts']) };
    if (isMoved(record)) yield { kind: 'live', ...record };
  }
}

function isMoved({ facts }: { readonly facts: string }): boolean {
  return !facts.startsWith(OVERRIDE);
}

function withoutOverride(json: string): string {
  const { override, ...left } = JSON.parse(json) as LeavingNode;
  return override === undefined ? json : JSON.stringify(left);
}
