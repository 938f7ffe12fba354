import { isObject } from '../base/json.ts';
import { MARKER } from '../model/marker.ts';
import type { PromptSpan } from '../model/prompt-provenance.ts';
import { THOUGHTFLOW } from '../model/thoughtflow.ts';
import type { FoundPart, FoundPrompt } from './found-prompt.ts';
import { asText, textOf } from './read.ts';

const PLACE = `${THOUGHTFLOW.item}.payload_started.prompt_provenance.parts`;

/** What a step of ThoughtFlow says of its prompt; undefined for every other span. */
export function flowPrompt(attributes: { readonly [key: string]: unknown }): FoundPrompt | undefined {
  const item = attributes[THOUGHTFLOW.item];
  if (!isObject(item)) return undefined;
  const { payload_started: started } = item;
  const provenance = isObject(started) ? started['prompt_provenance'] : undefined;
  if (!isObject(provenance)) return { parts: [] };
  const said: readonly unknown[] = Array.isArray(provenance['parts']) ? provenance['parts'] : [];
  const parts = said.map((part, index): FoundPart => {
    const fields = isObject(part) ? part : { value: part };
    const source = { attribute: PLACE, index };
    return { type: textOf(fields['type']) ?? 'part', source, value: asText(fields['value']) ?? '' };
  });
  const finalPrompt = textOf(provenance['final_prompt']);
  if (finalPrompt === undefined) return { parts };
  const assembly = assemblyOf(parts, finalPrompt, provenance['assembly']);
  return { parts, finalPrompt, ...(assembly.length > 0 && { assembly }) };
}

/**
 * Where the parts stand in the redacted prompt. Places that were sent count the text before it was redacted: where a part
 * does not stand there any more it is looked for, behind the one before it; one that is not found has no place.
 */
export function assemblyOf(
  parts: readonly { readonly value: string }[],
  finalPrompt: string,
  said: unknown,
): readonly PromptSpan[] {
  if (!Array.isArray(said)) return [];
  const isRedacted = finalPrompt.search(MARKER) >= 0;
  let from = 0;
  return (said as readonly unknown[]).flatMap((entry) => {
    const span = spanOf(entry, parts.length);
    if (!span) return [];
    const value = parts[span.part]?.value ?? '';
    const isThere = finalPrompt.slice(span.start, span.end) === value;
    if (isThere || !isRedacted) {
      from = span.end;
      return span.end <= finalPrompt.length ? [span] : [];
    }
    const start = value === '' ? -1 : finalPrompt.indexOf(value, from);
    if (start < 0) return [];
    from = start + value.length;
    return [{ part: span.part, start, end: from }];
  });
}

function spanOf(entry: unknown, parts: number): PromptSpan | undefined {
  if (!isObject(entry)) return undefined;
  const [part, start, end] = [entry['part'], entry['start'], entry['end']].map(Number);
  if (part === undefined || start === undefined || end === undefined) return undefined;
  const isSound = [part, start, end].every((place) => Number.isSafeInteger(place) && place >= 0);
  return isSound && part < parts && start <= end ? { part, start, end } : undefined;
}
