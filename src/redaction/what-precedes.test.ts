import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILTIN_RULES } from './rules/builtin.ts';
import { hitsOf } from './rule.ts';
import { createRedactor } from './redactor.ts';

const ESCAPES = ['\\n', '\\r\\n\\t', '\u001b[32m', '\\u001b[1;32m'];

/** What a sentence, a list, a quotation, Markdown, JSON, HTML, a shell, a log or a terminal has in front of a value. */
const PRECEDING = [
  ['. ', '- ', '，', '。', '(', '[', '“', '«', '"', '`'],
  ['**', '<b>', '&quot;', '{"text":"', 'x=', '$ ', '[INFO] '],
  ['\n', ...ESCAPES],
].flat();

/** An address goes on over escaped line breaks. */
const NOT_YET: { readonly [rule: string]: readonly string[] } = { address_unit: ESCAPES };

const redactor = createRedactor({ key: new Uint8Array(32).fill(1), maxCodeSnippetChars: 1000 });
const isHidden = (text: string, value: string): boolean => !redactor.redactText(text).includes(value);

for (const rule of BUILTIN_RULES) {
  test(`[RD43] what ${rule.id} hides it hides behind what may precede`, () => {
    const known = NOT_YET[rule.id] ?? [];
    const shown = hitsOf(rule).flatMap(({ text, hidden }) => {
      const beginnings = [text, text.slice(text.indexOf(hidden))].filter((beginning) =>
        isHidden(beginning, hidden),
      );
      return PRECEDING.filter((lead) => !known.includes(lead))
        .flatMap((lead) => [...new Set(beginnings)].map((beginning) => lead + beginning))
        .filter((whole) => !isHidden(whole, hidden));
    });
    assert.deepEqual(shown, []);
  });
}
