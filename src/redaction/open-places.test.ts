import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import { isSpace, isWordStart } from './characters.ts';
import { LiveText } from './live-text.ts';
import { openPattern } from './open-pattern.ts';
import { createRedactor } from './redactor.ts';
import { fake, hitsOf, type Rule } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });
const examples = BUILTIN_RULES.flatMap((rule) => [
  ...hitsOf(rule).map(({ text }) => text),
  ...rule.examples.misses,
]);

/** Where the rule is asked. */
function placesOf(rule: Rule, text: string): readonly number[] {
  const lower = text.toLowerCase();
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const isHint = rule.hints?.some((hint) => lower.startsWith(hint, at)) ?? false;
    if (isHint && (rule.wordStart !== true || isWordStart(text, at))) places.push(at);
    if (rule.trigger === 'at' && text[at] === '@') places.push(at);
    if (rule.trigger === 'hex-colon' && text[at] === ':') places.push(at);
    if (rule.trigger === 'number' && /\d/.test(text.charAt(at))) places.push(at);
  }
  return places;
}

/** @throws where the rule says that it has decided, and finds something else when the text goes on */
function holdsToItsWord(rule: Rule, text: string): void {
  for (const at of placesOf(rule, text)) {
    const whole = rule.find(text, at);
    if (whole) startsWhereItSays(rule, text, at, whole.start);
    if (!rule.find.isOpen) continue;
    const hint = rule.hints?.find((literal) => text.toLowerCase().startsWith(literal, at))?.length ?? 1;
    for (let end = at + hint; end < text.length; end++) {
      const begun = text.slice(0, end);
      if (rule.find.isOpen(begun, at)) continue;
      assert.deepEqual(rule.find(begun, at), whole, `${rule.id} at ${at}: ${begun} | ${text.slice(end)}`);
      break;
    }
  }
}

function startsWhereItSays({ id, before }: Rule, text: string, at: number, start: number): void {
  if (start >= at) return;
  const said = before?.(text.slice(0, at)) ?? -1;
  let least = said >= 0 ? said : at;
  while (least > 0 && !isSpace(text.charCodeAt(least - 1))) least--;
  assert.ok(start >= least, `${id} begins before its hint: ${text}`);
}

test('[RD6] what a rule says it has decided stays so, whatever follows, and its matches begin where it says', () => {
  for (const rule of BUILTIN_RULES) {
    for (const { text } of hitsOf(rule)) holdsToItsWord(rule, `It says ${text}, and on.`);
    for (const text of rule.examples.misses) holdsToItsWord(rule, `${text} and on`);
  }
  const mixed = fc.tuple(fc.constantFrom(...BUILTIN_RULES), fc.constantFrom(...examples), fc.nat(60));
  fc.assert(
    fc.property(mixed, fc.constantFrom(...examples), ([rule, first, cut], second) => {
      const hits = hitsOf(rule);
      const own = hits[cut % hits.length]?.text ?? '';
      holdsToItsWord(rule, `${own.slice(0, cut)}${second} ${first}`);
      holdsToItsWord(rule, `${own} ${second}`);
    }),
    { numRuns: 1000 },
  );
});

test('[RD6] a rule that does not say when it has decided is one of those that read far', () => {
  const silent = BUILTIN_RULES.filter((rule) => !rule.find.isOpen).map((rule) => rule.id);
  assert.deepEqual(silent, ['private_key', 'kubernetes_secret', 'card', 'phone']);
});

/** Texts in which blanks may belong to more than one part of what a rule looks for. */
const BLANK: Readonly<Record<string, string>> = {
  inserted_secret: `insert into a (b, password) values (${'   x   ,'.repeat(20)}~)`,
  encoded_private_key: `LS0tLS1CRUdJTi${fake(30)}${`        \n${fake(16)}`.repeat(150)} ~`,
};

test('[RD6] [RD4] whether a rule has decided is told in bounded time', () => {
  for (const rule of BUILTIN_RULES) {
    const text = BLANK[rule.id];
    if (text !== undefined) assertCpuTime(50, () => rule.find.isOpen?.(text, 0), rule.id);
  }
});

const DECORATION = [
  '**',
  '`',
  '_',
  '| a |',
  ' | ',
  '<td>',
  '</td><td class="x y">',
  '<b',
  '\n```\n',
  '\u001b[1m',
  '":',
  '" value="',
  '<',
  '\\n`',
];

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...examples),
      fc.tuple(fc.constantFrom(...examples), fc.nat(40)).map(([text, cut]) => text.slice(0, cut)),
      fc.constantFrom(...BUILTIN_RULES.flatMap((rule) => rule.hints ?? [])),
      fc.constantFrom(
        'at',
        'mail',
        'Jane',
        '12',
        '4111',
        'Street',
        '<a',
        'is',
        ':',
        '—',
        '“so”',
        '&#64;',
        '%4',
        ...DECORATION,
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .chain((parts) => fc.constantFrom(' ', '', '\n', ', ').map((joint) => parts.join(joint)));

/** Of a text that comes in such pieces: what is shown in all, and how many pieces later than it came each was shown. */
function grow(pieces: readonly string[]): { readonly shown: string; readonly late: readonly number[] } {
  const live = new LiveText(redactor, { hidden() {} });
  const late: number[] = [];
  const waiting: { readonly end: number; readonly due: number }[] = [];
  let [length, shown] = [0, ''];
  for (const [i, piece] of pieces.entries()) {
    live.append(piece);
    length += piece.length;
    let due = i + 1;
    while (due < pieces.length && !/^\s/.test(pieces[due] ?? '')) due++;
    waiting.push({ end: length, due });
    shown += live.settle();
    for (let next = waiting[0]; next && next.end <= shown.length; next = waiting[0]) {
      late.push(Math.max(0, i - next.due));
      waiting.shift();
    }
  }
  return { shown: shown + live.ended(true), late };
}

test('[RD6] text that is shown as soon as nothing in it can begin anything reads as the whole text redacted', () => {
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }),
      (text, sizes) => {
        const pieces: string[] = [];
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        assert.equal(grow(pieces).shown, redactor.redactText(text));
      },
    ),
    { numRuns: 1000 },
  );
});

test('[RD6] every example that comes in single characters reads as the whole redacted', () => {
  for (const example of examples) {
    const text = `${example} at`;
    assert.equal(grow(text.split('')).shown, redactor.redactText(text));
  }
});

const PROSE = `The user wants to know why the deploy failed, so let me look at the log first. The password check is the first
step, and the name of the stage is "build"; the token that it needs comes from the vault — which was closed. I'll place a
note at the top of the file, then close the ticket. Dear me: what a strange way to drive a test! From there the author of
the change (a colleague) took another road. The secret key is missing, I think; the session was born in another place, so
the cookie is stale. It's worth asking who wrote to the address at the end. Hi there, said the auth service, and the
basic plan is clear: keep the key in mind, pass the salt, and don’t call the court. Then we row on, mail the answer, and
wait. My name is not needed here. The strategy: reuse the re-user, drop the dot in the path, and log in once more.`;

test('[RD6] prose without digits is shown as it comes: all but one token in a hundred with the word that follows', () => {
  const { shown, late } = grow(PROSE.match(/\s*\S{1,5}/g) ?? []);
  assert.equal(shown, PROSE);
  const slow = late.filter((tokens) => tokens > 3).length;
  assert.ok(slow <= late.length / 100, `${slow} of ${late.length} tokens wait for more than three others`);
});

test('[RD6] a pattern is open as long as more text may change what it matches', () => {
  const opens = (pattern: RegExp, text: string): boolean => {
    const open = openPattern(pattern);
    if (open) open.lastIndex = 0;
    return open?.test(text) ?? true;
  };
  for (const [pattern, open, decided] of [
    [
      /key: (?<v>\w{3,5})/,
      ['k', 'key: ', 'key: ab', 'key: abcd'],
      ['kex', 'key: ab ', 'key: abcd.', 'key: abcdef'],
    ],
    [/a(?=b|cd)./, ['a', 'ac'], ['abx', 'acdx', 'ax']],
    [/a(?!bc)/, ['a', 'ab'], ['ax', 'abcx', 'abd']],
    [/(['"])x\1/, ["'x"], ["'y"]],
    [/a{2}b?$/, ['a', 'aa', 'aab'], ['b', 'aac']],
  ] as const) {
    for (const text of open) assert.ok(opens(pattern, text), `${pattern} is decided on ${text}`);
    for (const text of decided) assert.ok(!opens(pattern, text), `${pattern} waits after ${text}`);
  }
});
