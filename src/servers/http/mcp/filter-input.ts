import { z } from 'zod';
import type { Filter } from '../../../model/filter-kinds.ts';
import { FILTERS, type Filters } from '../../../model/filters.ts';

type FilterInput = { readonly [Name in keyof Filters]-?: z.ZodOptional<z.ZodType<Filters[Name]>> };

const time = z.string().meta({ format: 'date-time' });

/** Every filter as a model gives it, told in the words of the command line; what its values may be else, the reader checks. */
export const FILTER_INPUT = Object.fromEntries(
  Object.entries(FILTERS).map(([name, filter]) => [name, given(filter as Filter).optional()]),
) as FilterInput;

function given({ schema, parameters: [first, last] }: Filter): z.ZodType {
  const { help = '', words, many } = first?.option ?? {};
  if (last !== undefined)
    return z.strictObject({ start: time.describe(help), end: time.describe(last.option.help) });
  const one = words ? z.enum(words) : schema instanceof z.ZodNumber ? z.number() : z.string();
  return (many ? z.array(one) : one).describe(help);
}
