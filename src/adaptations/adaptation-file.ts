import { applyEdits, modify, parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import type { z } from 'zod';
import { fileSchema, problemOf, type AdaptationEdits, type FileItem } from './fields.ts';

/** With all its texts; what is larger is the wrong file. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** What a text of the file says, or what is wrong with it. */
export type ReadFile =
  | { readonly items: readonly FileItem[]; readonly problem?: undefined }
  | { readonly items?: undefined; readonly problem: string };

/** JSON with comments and trailing commas: `{"adaptations": [{"id", "title", "content", …}]}`. Never throws. */
export function readAdaptations(given: string): ReadFile {
  const text = withoutMark(given);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    return { problem: `has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB` };
  const errors: ParseError[] = [];
  const value = parsed(text, errors);
  const [error] = errors;
  if (error) {
    const before = text.slice(0, error.offset);
    const line = before.split('\n').length;
    const column = error.offset - before.lastIndexOf('\n');
    return {
      problem: `line ${line}, column ${column}: not valid JSON (${printParseErrorCode(error.error)})`,
    };
  }
  const { data, error: wrong } = fileSchema.safeParse(value);
  if (!data) return { problem: problemOf(wrong) };
  const twice = data.adaptations.findIndex(
    ({ id }, at) => data.adaptations.findIndex((other) => other.id === id) < at,
  );
  if (twice >= 0) return { problem: `adaptations[${twice}].id: stands there already` };
  return { items: data.adaptations.map(plain) };
}

type GivenItem = z.output<typeof fileSchema>['adaptations'][number];

/** Half of a surrogate pair, which an escape can bring into a text, becomes U+FFFD; an empty description is none. */
function plain({ description = '', ...item }: GivenItem): FileItem {
  const given = { ...item, ...(description !== '' && { description }) };
  return JSON.parse(JSON.stringify(given, (_, value: unknown) => wellFormed(value))) as FileItem;
}

function wellFormed(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Some editors begin a file with a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The parser calls itself for each bracket: a text of brackets alone ends it. */
function parsed(text: string, errors: ParseError[]): unknown {
  try {
    return parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The text of the file after edits of one item; comments, order and layout of everything else stay. @param text is a good one */
export function edited(text: string, at: number, edits: AdaptationEdits): string {
  let result = withoutMark(text);
  for (const [field, value] of Object.entries(edits)) {
    const given: unknown = field === 'description' && value === '' ? undefined : value;
    const changes = modify(result, ['adaptations', at, field], given, {
      formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' },
    });
    result = applyEdits(result, changes);
  }
  return result;
}
