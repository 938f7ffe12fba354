import { isSameModel } from '../model/model-name.ts';
import type { PartialStep, Usage } from './convention.ts';
import type { Draft } from './draft.ts';

/** Where one span says two things of itself. */
const MAX_CONTRADICTIONS = 8;

/**
 * Notes where a weaker convention says otherwise than a stronger one did. Ways of counting that are known to differ
 * (the cache or the reasoning in the total or beside it), dated names of one model and closer types of a tool call
 * are no contradictions.
 */
export function noteContradictions(draft: Draft, name: string, said: PartialStep): void {
  if (draft.type !== undefined && said.type !== undefined && areOther(draft, said))
    note(draft, 'type', draft.typeBy ?? '', name);
  if (differ(draft.requestModel, said.requestModel) || differ(draft.responseModel, said.responseModel))
    note(draft, 'model', draft.modelBy ?? '', name);
  if (draft.usageBy === undefined || said.usage === undefined) return;
  if (!isAlike(draft.usage, said.usage, 'tokensIn', cacheOf)) note(draft, 'tokensIn', draft.usageBy, name);
  if (!isAlike(draft.usage, said.usage, 'tokensOut', reasoningOf))
    note(draft, 'tokensOut', draft.usageBy, name);
}

function note(draft: Draft, field: string, stronger: string, weaker: string): void {
  const list = (draft.contradictions ??= []);
  if (list.length < MAX_CONTRADICTIONS) list.push(`${field}: ${stronger}≠${weaker}`);
}

type Kind = Pick<PartialStep, 'type' | 'container'>;

/** Two kinds of work. What is a tool call to one is often a closer type to another, and what is just OTHER anything. */
function areOther(a: Kind, b: Kind): boolean {
  const kinds = [kindOf(a), kindOf(b)];
  return kinds[0] !== kinds[1] && !kinds.includes(undefined);
}

function kindOf({ type, container }: Kind): string | undefined {
  if (type === 'LLM_CALL' || type === 'TOOL_CALL') return type;
  return type === 'OTHER' && container === true ? 'container' : undefined;
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && !isSameModel(a, b);
}

function isAlike(
  a: Usage,
  b: Usage,
  field: 'tokensIn' | 'tokensOut',
  partsOf: (usage: Usage) => readonly number[],
): boolean {
  const x = a[field];
  const y = b[field];
  if (x === undefined || y === undefined || x === y) return true;
  const apart = Math.abs(x - y);
  return [...partsOf(a), ...partsOf(b)].includes(apart);
}

function cacheOf({ cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): readonly number[] {
  return [cacheReadTokens, cacheWriteTokens, cacheReadTokens + cacheWriteTokens];
}

function reasoningOf({ reasoningTokens = 0 }: Usage): readonly number[] {
  return [reasoningTokens];
}
