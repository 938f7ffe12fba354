import { z } from 'zod';
import { decimal } from '../base/decimal.ts';
import type { ExplanationNode } from './node.ts';
import { parseTime, toIso } from './time.ts';

/** One thing that a reader may ask of nodes, in every form in which it may come. */
export interface Filter<Wanted = unknown, Given = unknown> {
  /** Checks what a reader gives as JSON, and makes of it what `matches` takes. */
  readonly schema: z.ZodType<Wanted, Given>;
  readonly matches: (wanted: Wanted, node: ExplanationNode) => boolean;
  /** As text. */
  readonly parameters: readonly Parameter[];
}

/** A parameter in the query of HTTP, and an option of the command line. */
export interface Parameter {
  /** In the query, where it is not that of the filter. */
  readonly query?: string;
  readonly option: FilterOption;
  /** What the filter is by these texts and what other parameters of it gave; for its schema to check. */
  readonly read: (texts: readonly string[], before: unknown) => unknown;
}

export interface FilterOption {
  readonly name: string;
  /** What stands for the value in the help. */
  readonly value: string;
  readonly help: string;
  readonly many?: true;
  /** All the values that it may have. */
  readonly words?: readonly string[];
}

/** Most values in one list of a filter, and characters in one value: more is a mistake, and would cost every update. */
const MAX_LIST = 1000;
export const MAX_CHARS = 1024;

const anyName = z.string('must be a string').max(MAX_CHARS, `is longer than ${MAX_CHARS} characters`);

/** One of several names. @param same gives the same for two spellings of one name */
export function names(
  of: (node: ExplanationNode) => unknown,
  option: FilterOption,
  same: (name: string) => string = String,
): Filter<ReadonlySet<string>, readonly string[]> {
  return list(anyName, of, option, same);
}

/** One of several paths, or what is nested in one of them: `a/b` has `a/b/c`, and not `a/bc`. */
export function paths(
  of: (node: ExplanationNode) => unknown,
  option: FilterOption,
): Filter<ReadonlySet<string>, readonly string[]> {
  return {
    ...list(anyName, of, option, (path) => segmentsOf(path).join('/')),
    matches(wanted, node) {
      const own = of(node);
      if (typeof own !== 'string') return false;
      let path = '';
      return segmentsOf(own).some((segment, place) => {
        path += place === 0 ? segment : `/${segment}`;
        return wanted.has(path);
      });
    },
  };
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** One of several words, of which all are known. */
export function words<const Words extends readonly string[]>(
  known: Words,
  of: (node: ExplanationNode) => Words[number],
  option: Omit<FilterOption, 'help'>,
): Filter<ReadonlySet<string>, readonly Words[number][]> {
  const help = `one of ${known.join(', ')}`;
  const wordFilter = list(z.enum(known, `must be ${help}`), of, { ...option, help, words: known }, String);
  // As text they may be in lower case, with dashes: `llm-call` is LLM_CALL.
  const read = (texts: readonly string[]): readonly string[] =>
    texts.map((text) => text.toUpperCase().replaceAll('-', '_'));
  return { ...wordFilter, parameters: wordFilter.parameters.map((parameter) => ({ ...parameter, read })) };
}

function list<Word extends string>(
  item: z.ZodType<Word, Word>,
  of: (node: ExplanationNode) => unknown,
  option: FilterOption,
  same: (name: string) => string,
): Filter<ReadonlySet<string>, readonly Word[]> {
  return {
    // Its length is looked at before its values are.
    schema: z
      .custom<readonly Word[]>(Array.isArray, { error: 'must be a list of strings', abort: true })
      .refine((items) => items.length <= MAX_LIST, `has more than ${MAX_LIST} values`)
      .pipe(z.array(item).transform((items): ReadonlySet<string> => new Set(items.map(same)))),
    matches(wanted, node) {
      const own = of(node);
      return typeof own === 'string' && wanted.has(same(own));
    },
    parameters: [{ option: { ...option, many: true }, read: (texts) => texts }],
  };
}

/** A figure of at least so much; one that is not known never is. @param what such as `a number of US dollars` */
export function atLeast(
  of: (node: ExplanationNode) => number | undefined,
  what: string,
  option: FilterOption,
): Filter<number, number> {
  return {
    schema: z.number(`must be ${what}`).min(0, `must be ${what}`),
    matches: (least, node) => (of(node) ?? -1) >= least,
    parameters: [{ option, read: ([text = '']) => decimal(text) ?? NaN }],
  };
}

/** Characters in any of these, in upper or lower case; no characters are no filter. */
export function textIn(
  of: (node: ExplanationNode) => readonly unknown[],
  option: FilterOption,
): Filter<string | undefined, string> {
  const wrong = `must be a string of at most ${MAX_CHARS} characters`;
  const schema = z.string(wrong).max(MAX_CHARS, wrong);
  return {
    schema: schema.transform((text) => text.toLowerCase() || undefined),
    matches: (text, node) =>
      of(node).some((field) => typeof field === 'string' && field.toLowerCase().includes(text ?? '')),
    parameters: [{ option, read: ([text]) => text }],
  };
}

export interface TimeRange<Time> {
  readonly start: Time;
  readonly end: Time;
}

const time = z
  .custom<string>((value) => parseTime(value) !== undefined, 'must be an ISO 8601 time')
  .transform((value) => Math.floor(parseTime(value) ?? NaN));
/** The ends of the years of four digits: what stands for an end that is not given. */
const ALL_TIME = { start: '0000-01-01T00:00:00.000Z', end: '9999-12-31T23:59:59.999Z' };

/** A time between two, both included. */
export function between(
  of: (node: ExplanationNode) => number,
  ends: TimeRange<Pick<Parameter, 'query' | 'option'>>,
): Filter<TimeRange<number>, TimeRange<string>> {
  const parameter = (end: keyof TimeRange<string>): Parameter => ({
    ...ends[end],
    read: ([text = ''], before) => {
      const read = parseTime(/^\d{5,}$/.test(text) ? Number(text) : text);
      return { ...ALL_TIME, ...(before as object), [end]: read === undefined ? text : toIso(read) };
    },
  });
  return {
    schema: fields({ start: time, end: time }).refine(({ start, end }) => start <= end, {
      path: ['end'],
      error: 'must not be before the start',
    }),
    matches: ({ start, end }, node) => start <= of(node) && of(node) <= end,
    parameters: [parameter('start'), parameter('end')],
  };
}

/** An object with these fields and no others. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const unknown = `has an unknown field; known are ${Object.keys(shape).join(', ')}`;
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknown : 'must be an object'),
  });
}
