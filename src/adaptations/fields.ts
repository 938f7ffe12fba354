import { z } from 'zod';
import { ADAPTATION_ID, SCOPE_FIELDS, type AdaptationFields } from '../model/adaptations.ts';

/** Guidance of more is a prompt of its own; a list of all has to fit into one answer. */
const MAX_CONTENT_CHARS = 20_000;
const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_TAGS = 20;
const MAX_TAG_CHARS = 50;
const MAX_PATTERN_CHARS = 200;
/** An operator's own prompts, read by people: more is a mistake. */
export const MAX_ADAPTATIONS = 500;

const text = (max: number): z.ZodString =>
  z.string('must be a text').max(max, `has more than ${max} characters`);
const title = text(MAX_TITLE_CHARS).regex(/\S/, 'must not be empty');
const pattern = text(MAX_PATTERN_CHARS).min(1, 'must not be empty');
const scope = z.strictObject(
  Object.fromEntries(SCOPE_FIELDS.map((field) => [field, pattern.optional()])) as Record<
    (typeof SCOPE_FIELDS)[number],
    z.ZodOptional<z.ZodString>
  >,
);
const fields = {
  title,
  description: text(MAX_DESCRIPTION_CHARS).optional(),
  scope,
  tags: z.array(text(MAX_TAG_CHARS).min(1, 'must not be empty'), 'must be a list of words').max(MAX_TAGS),
  enabled: z.boolean('must be true or false'),
  content: text(MAX_CONTENT_CHARS),
};

/** In a file that is written by hand a long text is easier to read as a list of its lines. */
const lines = z.array(z.string()).transform((all) => all.join('\n'));

export const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  adaptations: z
    .array(
      z.strictObject({
        ...fields,
        id: z
          .string('must be a text')
          .regex(ADAPTATION_ID, 'must be 1 to 100 letters, digits and . _ : / -, a letter or digit first'),
        scope: scope.default({}),
        tags: fields.tags.default([]),
        enabled: fields.enabled.default(true),
        content: z.union([fields.content, lines.pipe(fields.content)]),
      }),
      'must be a list',
    )
    .max(MAX_ADAPTATIONS, `has more than ${MAX_ADAPTATIONS} adaptations`),
});

/** Some of the fields; those that are absent stay as they are. */
export const editsSchema = z.strictObject(fields).partial();
export type AdaptationEdits = z.output<typeof editsSchema>;

/** What the file says of one. */
export type FileItem = AdaptationFields & { readonly id: string };

/** What is wrong first, by its place and never by its value. */
export function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  const place = (issue?.path ?? []).reduce<string>(
    (path, part) =>
      typeof part === 'number' ? `${path}[${part}]` : path === '' ? String(part) : `${path}.${String(part)}`,
    '',
  );
  const at = place === '' ? '' : `${place}: `;
  // The name of what is unknown may be a text that stands in the wrong place.
  if (issue?.code === 'unrecognized_keys') return `${at}has a field that is not known`;
  if (issue?.code === 'invalid_union') return `${at}must be a text, or a list of lines`;
  return `${at}${issue?.message ?? 'is wrong'}`;
}

/** The same as an earlier version of itself? */
export function isSame(a: AdaptationFields, b: AdaptationFields): boolean {
  return asText(a) === asText(b);
}

function asText({
  title: name,
  description,
  scope: where,
  tags,
  enabled,
  content,
}: AdaptationFields): string {
  const ordered = SCOPE_FIELDS.map((field) => where[field] ?? null);
  return JSON.stringify([name, description ?? '', ordered, tags, enabled, content]);
}
