/**
 * Words that ask to prune. Pruning is the one question that changes something, so the whole sentence has to be one
 * strict form: whatever else stands in it may say that it is not meant, or that another age is.
 */

/** Groups of three digits may stand apart. "1,5", "1.000" and "2.30 hours" mean different things to different people. */
const DIGITS = String.raw`\d{1,9}(?:\.\d)?|[1-9]\d{0,2}(?:,\d{3}){1,2}|[1-9]\d{0,2}(?: \d{3}){1,2}`;
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  'half a': 0.5,
  'half an': 0.5,
};
const MINUTES: readonly (readonly [unit: RegExp, minutes: number])[] = [
  [/^s/, 1 / 60],
  [/^m/, 1],
  [/^h/, 60],
  [/^d/, 60 * 24],
  [/^w/, 60 * 24 * 7],
];
const UNIT = 's|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?';
const AGE = `(?:(?<digits>${DIGITS}) ?|(?<word>${Object.keys(NUMBERS).join('|')}) )(?<unit>${UNIT})`;

const TAKE_OUT =
  'prune|forget|drop|evict|discard|clear(?: out| away)?|clean(?: up| out)?|remove|get rid of|throw (?:away|out)|purge|delete';
const ALL = 'all of the|all the|all|any|every|the';
const NODES = `(?:(?:${ALL}) )?(?:old |stale )?(?:nodes?|steps?)|everything|anything|all`;
const OVER = 'more than|longer than|over|at least';
const NOT_CHANGED =
  '(?:have not|has not|havent|hasnt|did not|didnt) changed?|(?:are |is )?(?:unchanged|untouched)';
const OLDER = [
  `(?:(?:that|which) (?:are|is) )?older than ${AGE}`,
  `(?:(?:that|which) (?:are|is) )?(?:${OVER}) ${AGE} old`,
  `(?:(?:that|which) )?(?:(?:last )?changed )?(?:from )?(?:more than|over|before) ${AGE} ago`,
  `(?:from )?before the last ${AGE}`,
  `(?:that |which )?(?:${NOT_CHANGED}) (?:for|in) (?:(?:${OVER}) )?${AGE}`,
  `(?:that|which) (?:have|has) been around (?:for )?(?:${OVER}) ${AGE}`,
];
/** Only one of the forms is matched, so each may call its parts by the same names. */
const FORMS = [
  ...OLDER.map((older) => `(?:${TAKE_OUT}) (?:(?:${NODES}) )?${older}`),
  `(?:keep|retain) only (?:${NODES} )?(?:(?:of|from) )?the last ${AGE}`,
  `trim the graph to the last ${AGE}`,
].map((form) => new RegExp(`^${form}$`));

const POLITE = /^(?:please,? |kindly |(?:can|could|will) you |would you (?=please|kindly))+/;
const ORDERED = new RegExp(`^(?:${TAKE_OUT}|trim|keep|retain)\\b(?! up)`);

/**
 * What a sentence orders to be taken out of memory.
 * @returns the age in minutes; `unclear` when it orders something of the kind but not in a form that leaves no doubt;
 *   undefined when it is about something else
 */
export function parsePruneWords(text: string): number | 'unclear' | undefined {
  const sentence = text
    .toLowerCase()
    .replaceAll(/(?<=[a-z])['’](?=[a-z])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const order = sentence.replace(POLITE, '');
  // Only who asks for it politely orders with a question mark.
  const end = order === sentence ? /[ .!]+$/ : /[ .!?]+$/;
  const words = order.replace(end, '').replace(/,? please$/, '');
  for (const form of FORMS) {
    const { digits, word, unit } = form.exec(words)?.groups ?? {};
    const factor = MINUTES.find(([pattern]) => unit !== undefined && pattern.test(unit))?.[1];
    if (factor === undefined) continue;
    return (
      (digits === undefined ? (NUMBERS[word ?? ''] ?? Number.NaN) : Number(digits.replaceAll(/[, ]/g, ''))) *
      factor
    );
  }
  return ORDERED.test(words) ? 'unclear' : undefined;
}
