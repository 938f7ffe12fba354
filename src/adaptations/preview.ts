import { z } from 'zod';
import { BoundaryError, invalid } from '../base/boundary-error.ts';
import {
  adaptationRef,
  isInScope,
  SCOPE_FIELDS,
  type AdaptationFields,
  type AdaptationPreview,
  type Known,
  type PreviewPart,
} from '../model/adaptations.ts';
import type { HeldAdaptation } from './adaptation-store.ts';
import { editsSchema, problemOf, type AdaptationEdits } from './fields.ts';

/** Redaction looks at a text in one turn of the event loop: at so much for some fifty milliseconds. */
const MAX_BASE_CHARS = 50_000;
const MAX_KNOWN_CHARS = 1_000;
/** Between the parts of a prompt. */
const BETWEEN = '\n';

const known = z.string('must be a text').max(MAX_KNOWN_CHARS, `has more than ${MAX_KNOWN_CHARS} characters`);
const requestSchema = z.strictObject({
  scope: z
    .strictObject(
      Object.fromEntries(SCOPE_FIELDS.map((field) => [field, known.optional()])) as Record<
        (typeof SCOPE_FIELDS)[number],
        z.ZodOptional<z.ZodString>
      >,
    )
    .default({}),
  basePrompt: z
    .string('must be a text')
    .max(MAX_BASE_CHARS, `has more than ${MAX_BASE_CHARS} characters`)
    .default(''),
  edits: z.record(z.string(), editsSchema).default({}),
});

export interface PreviewRequest {
  /** What the prompt is for. */
  readonly scope: Known;
  readonly basePrompt: string;
  /** By id: edits that are not made yet. */
  readonly edits: { readonly [id: string]: AdaptationEdits };
}

/** @throws BoundaryError INVALID_ARGUMENT naming the field */
export function parsePreview(input: unknown): PreviewRequest {
  const { data, error } = requestSchema.safeParse(input);
  if (data) return data;
  throw invalid(problemOf(error));
}

/**
 * The parts of a prompt: the base, then every enabled adaptation whose scope fits, in the order of the file.
 * @throws BoundaryError NOT_FOUND for edits of an id that is not there
 */
export function partsOf(
  adaptations: readonly HeldAdaptation[],
  { scope, basePrompt, edits }: PreviewRequest,
): readonly PreviewPart[] {
  const ids = new Set(adaptations.map(({ id }) => id));
  if (Object.keys(edits).some((id) => !ids.has(id)))
    throw new BoundaryError('NOT_FOUND', 'edits: one is for an id that no adaptation has');
  const parts: PreviewPart[] = basePrompt === '' ? [] : [{ type: 'base_prompt', value: basePrompt }];
  for (const { id, version } of adaptations) {
    const edit = Object.hasOwn(edits, id) ? edits[id] : undefined;
    const { enabled, scope: where, content } = { ...version, ...edit } as AdaptationFields;
    if (!enabled || content === '' || !isInScope(where, scope)) continue;
    parts.push({
      type: 'prompt_adaptations',
      value: content,
      adaptation: edit ? id : adaptationRef(id, version.version),
    });
  }
  return parts;
}

/** One prompt of them, and where each stands in it. */
export function assembled(parts: readonly PreviewPart[]): AdaptationPreview {
  const assembly: { part: number; start: number; end: number }[] = [];
  let at = 0;
  for (const [part, { value }] of parts.entries()) {
    assembly.push({ part, start: at, end: at + value.length });
    at += value.length + BETWEEN.length;
  }
  return {
    included: parts.flatMap(({ adaptation }) => adaptation ?? []),
    parts,
    finalPrompt: parts.map(({ value }) => value).join(BETWEEN),
    assembly,
  };
}
