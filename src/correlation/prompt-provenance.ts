import type { FoundPart } from '../conventions/found-prompt.ts';
import { promptOf } from '../conventions/prompt-parts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStartAndId } from '../model/node-order.ts';
import type { PromptPart, PromptProvenance } from '../model/prompt-provenance.ts';
import type { NodeDetail } from '../model/reader-messages.ts';

/**
 * What the prompt of a node was made of. Of several records of one call that which tells of most parts counts.
 * @param before the nodes that lead to it, in any order: of a part that some of them said, the first by start is named
 */
export function promptProvenance(
  { attributes = {} }: NodeDetail,
  before: readonly ExplanationNode[],
): PromptProvenance | undefined {
  const found = Object.values(attributes).flatMap((own) => promptOf(own) ?? []);
  const [first, ...others] = found;
  if (!first) return undefined;
  // The innermost comes last, and goes first where both tell as much.
  const most = others.reduce((best, one) => (one.parts.length >= best.parts.length ? one : best), first);
  const inOrder = before.toSorted(byStartAndId);
  return { ...most, parts: most.parts.map((part) => withNode(part, inOrder)) };
}

function withNode({ toolCallId, ...part }: FoundPart, before: readonly ExplanationNode[]): PromptPart {
  const node = before.find((cause) => said(cause, part, toolCallId));
  return node ? { ...part, source: { ...part.source, nodeId: node.id } } : part;
}

/** Words for one thing: of a part of a prompt, and of a step of ThoughtFlow. */
const LABELS: ReadonlyMap<string, readonly string[]> = new Map([
  ['user_instruction', ['user_message']],
  ['user', ['user_message']],
  ['channel_preamble', ['channel.preamble', 'context.preamble']],
  ['personality', ['policy.snapshot']],
  ['policy', ['policy.snapshot']],
]);

function said(
  { type, details = {}, promptSummary }: ExplanationNode,
  part: PromptPart,
  toolCallId: string | undefined,
): boolean {
  if (toolCallId !== undefined) return details['toolCallId'] === toolCallId;
  const label = details['flowLabel'];
  if (typeof label === 'string')
    return plain(label) === plain(part.type) || (LABELS.get(part.type)?.includes(label) ?? false);
  return type === 'USER_QUERY' && part.type === 'user' && isBeginningOf(promptSummary, part.value);
}

/** `tool.schemas.snapshot` and `tool_schemas_snapshot` are one word. */
function plain(word: string): string {
  return word.replace(/[._-]/g, ' ').toLowerCase();
}

function isBeginningOf(summary: string | undefined, text: string): boolean {
  if (summary === undefined) return false;
  return text.replace(/\s+/g, ' ').trim().startsWith(summary.replace(/ ?…$/, ''));
}
