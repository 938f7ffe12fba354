import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRedactor } from '../redactor.ts';
import { hitsOf } from '../rule.ts';
import { Scanner } from '../scanner.ts';
import { BUILTIN_RULES } from './builtin.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(7), maxCodeSnippetChars: 2000 });

test('[RD4] [RD30] every rule hides its examples, alone and among all rules, and leaves its counter-examples', async (t) => {
  for (const rule of BUILTIN_RULES) {
    await t.test(rule.id, () => {
      const alone = new Scanner([rule]);
      for (const { text, hidden } of hitsOf(rule)) {
        assert.ok(hidden !== '', 'the example says what is to be hidden');
        const from = text.indexOf(hidden);
        const found = alone.scan(text).some((f) => f.start <= from && f.end >= from + hidden.length);
        assert.ok(found, `not found in ${text}`);
        assert.ok(!redactor.redactText(text).includes(hidden), `not hidden: ${redactor.redactText(text)}`);
      }
      for (const text of rule.examples.misses) {
        assert.deepEqual(
          alone.scan(text).map((f) => text.slice(f.start, f.end)),
          [],
          text,
        );
      }
    });
  }
});

test('[RD3] what a rule finds behind a line break, a tab or a quote it finds in JSON as well', () => {
  const behind = ` ${'and so the clean text goes on. '.repeat(8)}`;
  const texts = BUILTIN_RULES.flatMap(hitsOf)
    .flatMap(({ text, hidden }) =>
      ['so it is:\n', 'so it is:\t', 'so it "'].map((before) => ({ text: before + text + behind, hidden })),
    )
    .filter(({ text, hidden }) => !redactor.redactText(text).includes(hidden));
  const isLeft = (value: string, hidden: string): boolean => {
    const { content } = JSON.parse(redactor.redactText(JSON.stringify({ content: value }))) as {
      content: string;
    };
    return content.includes(hidden);
  };
  assert.ok(texts.length > BUILTIN_RULES.length);
  assert.deepEqual(
    texts.filter(({ text, hidden }) => isLeft(text, hidden)),
    [],
  );
});

test('[RD4] no rule compiles a pattern at each place that it looks at', (t) => {
  const scanner = new Scanner(BUILTIN_RULES);
  const scanAll = (): void => {
    for (const rule of BUILTIN_RULES) {
      for (const { text } of hitsOf(rule)) scanner.scan(text);
      for (const text of rule.examples.misses) scanner.scan(text);
    }
  };
  // Some are compiled when they are needed for the first time, and kept.
  scanAll();
  const compiled = t.mock.method(globalThis, 'RegExp');
  scanAll();
  assert.deepEqual(
    compiled.mock.calls.map((call) => String(call.arguments[0]).slice(0, 80)),
    [],
  );
});

test('[RD4] ids are unique, so that one can be switched off', () => {
  assert.equal(new Set(BUILTIN_RULES.map((rule) => rule.id)).size, BUILTIN_RULES.length);
});

test('[RD35] postal addresses are hidden as the countries write them, on one line or on several', () => {
  assert.deepEqual(leftOf(labelledTexts('addresses')), []);
});

test('[RD30] ids of people are hidden behind their names and in answers, in the languages of forty countries', () => {
  assert.deepEqual(leftOf(labelledTexts('ids')), []);
});

/** Written before the rules: `⟦hidden⟧` among what stays, `↵` for a line break. */
function labelledTexts(name: string): readonly string[] {
  const url = new URL(`../../../test/fixtures/pii/${name}.txt`, import.meta.url);
  return readFileSync(url, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('↵', '\n'));
}

test('[RD32] what is assigned to a sensitive name is hidden whatever it looks like and whatever assigns it', () => {
  assert.deepEqual(leftOf(labelledTexts('announced-code')), []);
});

test('[RD32] a secret is hidden that only its place gives away: in a line of a file, a command, a call or a row', () => {
  assert.deepEqual(leftOf(labelledTexts('announced-place')), []);
});

test('[RD33] a secret is hidden that a sentence announces in one of twelve languages', () => {
  assert.deepEqual(leftOf(labelledTexts('announced-words')), []);
});

test('[RD33] a secret is hidden that is said beside a name, in a pair, in a dialogue, or when the talk is of one', () => {
  assert.deepEqual(leftOf(labelledTexts('spoken-words')), []);
});

test('[RD33] what only speaks of passwords, codes, PINs and logins stays, as do other numbers', () => {
  const texts = labelledTexts('spoken-nothing');
  assert.deepEqual(
    texts.map((text) => redactor.redactText(text)),
    texts,
  );
});

test('[RD32] placeholders, types, variables, calls, sentences about passwords and everyday lines stay', () => {
  const texts = [...labelledTexts('announced-nothing'), ...labelledTexts('everyday-lines')];
  assert.deepEqual(
    texts.map((text) => redactor.redactText(text)),
    texts,
  );
});

test('[RD41] what only looks private stays, beside the like of it that is hidden', () => {
  const texts = labelledTexts('harmless-beside');
  assert.deepEqual(
    texts.map((text) => redactor.redactText(text.replace(/[⟦⟧]/g, '')).replace(/\[[A-Z]+:\w+\]/g, '⟦⟧')),
    texts.map((text) => text.replace(/⟦.*?⟧/g, '⟦⟧')),
  );
});

/** The texts of which something in brackets was left: a word of it that stands nowhere else in the text. */
function leftOf(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => {
    const redacted = redactor.redactText(text.replace(/[⟦⟧]/g, ''));
    const outside = text.replace(/⟦.*?⟧/g, '');
    return Array.from(text.matchAll(/⟦(.*?)⟧/g))
      .flatMap(([, hidden = '']) => [hidden, ...hidden.split(/[\s,]+/).filter((word) => word.length > 3)])
      .some((part) => redacted.includes(part) && !outside.includes(part));
  });
}
