import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILTIN_RULES } from './rules/builtin.ts';
import { hitsOf } from './rule.ts';
import { createRedactor } from './redactor.ts';

/** What a sentence, a list, a quotation, Markdown, JSON, HTML, a shell, a log or a terminal has in front of a value. */
const PRECEDING = [
  ['. ', '- ', '，', '。', '(', '[', '“', '«', '"', '`'],
  ['**', '<b>', '&quot;', '{"text":"', 'x=', '$ ', '[INFO] '],
  ['\n', '\\n', '\\r\\n\\t', '\u001b[32m', '\\u001b[1;32m'],
].flat();

/** Of a number with a country's code the digits are read on their own. */
const NOT_YET: { readonly [rule: string]: readonly string[] } = {
  phone: ['\\n', '\\r\\n\\t', '\u001b[32m', '\\u001b[1;32m'],
};

const redactor = createRedactor({ key: new Uint8Array(32).fill(1), maxCodeSnippetChars: 1000 });

for (const rule of BUILTIN_RULES) {
  test(`[RD43] what ${rule.id} hides it hides behind what may precede`, () => {
    const known = NOT_YET[rule.id] ?? [];
    const shown = hitsOf(rule).flatMap(({ text, hidden }) =>
      PRECEDING.filter((lead) => !known.includes(lead))
        .map((lead) => lead + text)
        .filter((whole) => redactor.redactText(whole).includes(hidden)),
    );
    assert.deepEqual(shown, []);
  });
}
