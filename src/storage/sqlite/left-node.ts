import type { ExplanationNode } from '../../model/node.ts';
import type { Database } from './database.ts';

/** The records behind a node that left memory, as JSON, in the order in which they came. */
export function recordsOf<Column extends 'facts' | 'texts'>(
  database: Database,
  node: number,
  columns: readonly Column[],
): readonly { readonly [Name in Column]: string }[] {
  return database
    .sql(
      `SELECT ${columns.join(', ')} FROM record JOIN body ON body.id = record.id
       WHERE holder = ? AND holder <> 0 ORDER BY record.id`,
    )
    .all(node) as unknown as readonly { readonly [Name in Column]: string }[];
}

/** A node that was kept before nodes had titles has its name for one. */
export function withTitle(
  kept: Omit<ExplanationNode, 'title'> & Partial<Pick<ExplanationNode, 'title'>>,
): ExplanationNode {
  return { ...kept, title: kept.title ?? kept.name };
}
