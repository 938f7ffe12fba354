import type { ExplanationNode } from '../../model/node.ts';
import { MAX_READ_CHARS } from '../../model/thought-text.ts';
import type { Database } from './database.ts';

/** A node that left memory and the records behind it, all as JSON; texts are empty where there are none. */
export interface StoredNode {
  readonly json: string;
  readonly records: readonly { readonly facts: string; readonly texts: string }[];
}

/** The records behind a node that left memory, as JSON, in the order in which they came. */
export function recordsOf<Column extends 'facts' | 'texts'>(
  database: Database,
  node: number,
  columns: readonly Column[],
): readonly { readonly [Name in Column]: string }[] {
  return rowsOf(database, columns).all(node) as unknown as readonly { readonly [Name in Column]: string }[];
}

function rowsOf(database: Database, columns: readonly string[]) {
  return database.sql(
    `SELECT ${columns.join(', ')} FROM record JOIN body ON body.id = record.id
     WHERE holder = ? AND holder <> 0 ORDER BY record.id`,
  );
}

/** Of a thought's records so many characters are read: what readers are given of one, with all that they hold besides. */
const MAX_THOUGHT_CHARS = 8 * MAX_READ_CHARS;
const OF_A_THOUGHT = '{"kind":"cot"';

/** The records behind a node, in their order; of those of a long thought the first ones. */
export function recordsToRead(database: Database, node: number): StoredNode['records'] {
  const records: StoredNode['records'][number][] = [];
  let chars = 0;
  for (const row of rowsOf(database, ['facts', 'texts']).iterate(node)) {
    const record = { facts: String(row['facts']), texts: String(row['texts']) };
    if (record.facts.startsWith(OF_A_THOUGHT) && (chars += record.facts.length) > MAX_THOUGHT_CHARS) continue;
    records.push(record);
  }
  return records;
}

/** A node that was kept before nodes had titles has its name for one. */
export function withTitle(
  kept: Omit<ExplanationNode, 'title'> & Partial<Pick<ExplanationNode, 'title'>>,
): ExplanationNode {
  return { ...kept, title: kept.title ?? kept.name };
}
