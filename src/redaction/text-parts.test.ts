import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { createRedactor } from './redactor.ts';
import { redactItems, redactParts } from './text-parts.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 });
const report = { hidden: () => undefined };
const HEAD = 'key sk-proj-cnry0001kQ7xN2mV9bL4tR8w';
const TAIL = 'J5hF3dG6sK1pZ0001tail0yC7uA2';

const chunk = (text: string) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] });
const part = (type: string, content: string) => ({ type, content });
const shapes: Readonly<Record<string, AttributeValue>> = {
  'the chunks of an answer': [chunk(HEAD), chunk(`${TAIL} ok`)],
  'the parts of a message': [{ role: 'assistant', parts: [part('text', HEAD), part('text', `${TAIL} ok`)] }],
  'parts of reasoning': [{ parts: [part('reasoning', HEAD), part('reasoning', TAIL)] }],
};

for (const [name, value] of Object.entries(shapes)) {
  test(`[RD21] a secret that is cut in two is hidden in ${name}`, () => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
      assert.doesNotMatch(redactor.redactText(text), /tail0yC7uA2/);
    assert.doesNotMatch(JSON.stringify(redactParts(redactor, value, report)), /tail0yC7uA2/);
  });
}

test('[RD21] a secret that is cut in two is hidden in a list of texts and around a think block', () => {
  assert.doesNotMatch(redactItems(redactor, [HEAD, TAIL], report).join('\n'), /tail0yC7uA2/);
  assert.doesNotMatch(redactor.redactText(`${HEAD}<think>hm</think>${TAIL} ok`), /tail0yC7uA2/);
});

test('[RD21] what another role says is not read as the rest of a word', () => {
  const text = JSON.stringify([
    { role: 'user', content: 'I am jane@example.com' },
    { role: 'assistant', content: 'Thanks' },
  ]);
  assert.match(redactor.redactText(text), /"Thanks"/);
});
