import { MARKER } from '../../model/marker.ts';
import type { PromptPart } from '../../model/prompt-provenance.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { FlowItem } from './flow-item.ts';

/** Longer prompts are written in their parts alone, in characters. */
const MAX_FINAL_CHARS = 256 * 1024;

/**
 * What a prompt was made of, in the words of the format. Where the sender gave no whole prompt its parts are put together,
 * each on a line of its own, but for the definitions of tools, which are no text of it.
 */
export function provenanceItem({ promptProvenance }: NodeDetail): FlowItem | undefined {
  if (!promptProvenance) return undefined;
  const { parts, finalPrompt, assembly } = promptProvenance;
  const written = parts.map(({ type, value, source }) => ({ type, value, source }));
  if (finalPrompt !== undefined)
    return { parts: written, final_prompt: finalPrompt, ...(assembly && { assembly }) };
  return { parts: written, ...putTogether(parts) };
}

function putTogether(parts: readonly PromptPart[]): FlowItem {
  let text = '';
  const assembly: FlowItem[] = [];
  for (const [part, { type, value }] of parts.entries()) {
    if (type === 'tools') continue;
    const start = text === '' ? 0 : text.length + 1;
    if (start + value.length > MAX_FINAL_CHARS) return {};
    text += text === '' ? value : `\n${value}`;
    assembly.push({ part, start, end: start + value.length });
  }
  return assembly.length === 0 ? {} : { final_prompt: text, assembly };
}

/** Places in a prompt that was redacted count what is there now. */
export function withPlaces(item: FlowItem, { promptProvenance }: NodeDetail): FlowItem {
  const started = item['payload_started'] as FlowItem | undefined;
  const provenance = started?.['prompt_provenance'] as FlowItem | undefined;
  const isRedacted = (promptProvenance?.finalPrompt ?? '').search(MARKER) >= 0;
  if (!isRedacted || provenance?.['assembly'] === undefined) return item;
  const assembly = promptProvenance?.assembly ?? [];
  return { ...item, payload_started: { ...started, prompt_provenance: { ...provenance, assembly } } };
}
