import type { StepTexts } from './facts.ts';

/** Where a text behind a node is. */
export interface SourceKey {
  readonly key: string;
  /** The span that brought it. */
  readonly spanId?: string;
  /** Only this text of it is the node's: the record is behind another node. */
  readonly only?: keyof StepTexts;
  /** That other node. */
  readonly behind?: string;
}

interface Brought {
  readonly texts?: StepTexts;
  readonly attributes?: { readonly [key: string]: unknown };
}

/** What a node shows of its records, in memory or not. @param keys the weakest first */
export function broughtUnder(
  keys: readonly SourceKey[],
  find: (key: string) => Brought | undefined,
): (Brought & Pick<SourceKey, 'spanId'>)[] {
  return keys.map(({ key, spanId, only }) => {
    const found = find(key);
    if (only === undefined) return { ...(spanId !== undefined && { spanId }), ...found };
    const text = found?.texts?.[only];
    return text === undefined ? {} : { texts: { [only]: text } };
  });
}
