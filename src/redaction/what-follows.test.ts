import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILTIN_RULES } from './rules/builtin.ts';
import { hitsOf } from './rule.ts';
import { createRedactor } from './redactor.ts';

/** What a sentence, a list, a quotation, Markdown, JSON, HTML, a shell or a terminal goes on with behind a value. */
const FOLLOWING = [
  ['.', '. So', '. 12 more', '! So', '? So', '…', ' and so', ' - so', ' – so', '。'],
  [',', ', so', ', 12', '; so', ' (so)', ')', '), so', ']', ' / 12/27', '，so'],
  ['"', "'", '`', '", so', '\\"', '\\",', '**', '</b>', '&quot;', '&lt;', '\u001b[0m'],
  ['\n', '\\n', '\\nSo it', ' && so', ' | so'],
].flat();

/** What would be of the value: a line of a file is one. */
const OF_VALUE: { readonly [rule: string]: readonly string[] } = {
  answer_of_installer: ['", so', '\\",'],
};

const redactor = createRedactor({ key: new Uint8Array(32).fill(1), maxCodeSnippetChars: 1000 });

for (const rule of BUILTIN_RULES) {
  const ending = hitsOf(rule).filter(({ text, hidden }) => text.endsWith(hidden));
  if (ending.length === 0) continue;
  test(`[RD42] what ${rule.id} hides at the end of a text it hides before what may follow`, () => {
    const shown = ending.flatMap(({ text, hidden }) =>
      FOLLOWING.filter((next) => redactor.redactText(text + next).includes(hidden)).map(
        (next) => text + next,
      ),
    );
    const known = OF_VALUE[rule.id] ?? [];
    assert.deepEqual(
      shown.filter((text) => !known.some((next) => text.endsWith(next))),
      [],
    );
  });
}
