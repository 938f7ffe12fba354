import { isObject, type JsonObject } from '../../base/json.ts';

/** What a sender of entries is answered, as JSON. */
export interface EntryAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** A cell's answer for its part. */
export interface PartAnswer extends EntryAnswer {
  /** The place of each of its entries in what was sent; undefined when it had all of it. */
  readonly indexes: readonly number[] | undefined;
}

interface Remark {
  readonly index: number;
  readonly message: unknown;
}

/**
 * One answer of those of all cells: counts are summed up, and what is said of an entry names its place in what was sent.
 * @param unreadable places that were sent to no cell
 * @param most errors, and warnings, that are listed
 */
export function mergeEntries(
  answers: readonly PartAnswer[],
  unreadable: readonly number[],
  most: number,
): EntryAnswer {
  const [first] = answers;
  if (first && answers.length === 1 && !first.indexes) return { status: first.status, body: first.body };
  const sum = (field: string): number =>
    answers.reduce((total, { body }) => total + (typeof body[field] === 'number' ? body[field] : 0), 0);
  const remarks = (field: string, own: readonly Remark[] = []): readonly Remark[] =>
    [...own, ...answers.flatMap((answer) => remarksOf(answer, field))]
      .sort((a, b) => a.index - b.index)
      .slice(0, most);
  const noJson = unreadable.map((index) => ({ index, message: 'not valid JSON' }));
  const truncated = sum('truncated');
  return {
    status: 202,
    body: {
      accepted: sum('accepted'),
      rejected: sum('rejected') + unreadable.length,
      errors: remarks('errors', noJson),
      ...(truncated > 0 && { truncated, warnings: remarks('warnings') }),
    },
  };
}

function remarksOf({ body, indexes }: PartAnswer, field: string): readonly Remark[] {
  const list = Array.isArray(body[field]) ? (body[field] as readonly unknown[]) : [];
  return list.flatMap((remark) => {
    if (!isObject(remark) || typeof remark['index'] !== 'number') return [];
    return [{ index: indexes?.[remark['index']] ?? remark['index'], message: remark['message'] }];
  });
}
