import type { Attributes } from '../model/attributes.ts';
import type { Usage } from './convention.ts';
import { firstCount, type Keys } from './read.ts';

/** Under which keys a convention counts tokens; of several the first that is there. */
export type UsageKeys = { readonly [Field in keyof Usage]-?: Keys };

/** Undefined when neither input nor output was counted: parts alone say nothing. */
export function readUsage(a: Attributes, keys: UsageKeys): Usage | undefined {
  const tokensIn = firstCount(a, keys.tokensIn);
  const tokensOut = firstCount(a, keys.tokensOut);
  if (tokensIn === undefined && tokensOut === undefined) return undefined;
  return {
    tokensIn,
    tokensOut,
    cacheReadTokens: firstCount(a, keys.cacheReadTokens),
    cacheWriteTokens: firstCount(a, keys.cacheWriteTokens),
    reasoningTokens: firstCount(a, keys.reasoningTokens),
  };
}
