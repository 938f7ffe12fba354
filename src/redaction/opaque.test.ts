import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDoor, makeEntry } from '../../test/support/make-door.ts';
import { makeSpan } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { CotText } from '../model/facts.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { thoughtOf } from '../model/thought-text.ts';
import { createRedactor } from './redactor.ts';
import { fake } from './rule.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(3), maxCodeSnippetChars: 2000 });
const CIPHER = `gAAAAAB${fake(1500)}==`;
const SHOWN = /\[OPAQUE:[a-z2-7]{10}\] of 1509 characters/g;

/** As model vendors and the SDKs write them. */
const PARTS: Readonly<Record<string, { readonly [key: string]: AttributeValue }>> = {
  'OpenAI, reasoning': { type: 'reasoning', summary: [], encrypted_content: CIPHER },
  'Anthropic, signature': { type: 'thinking', thinking: 'hm', signature: CIPHER },
  'Anthropic, a piece of a stream': { type: 'signature_delta', signature: CIPHER },
  'Anthropic, redacted': { type: 'redacted_thinking', data: CIPHER },
  'the same, data first': { data: CIPHER, type: 'redacted_thinking' },
  'Bedrock, signature': { reasoningContent: { reasoningText: { text: 'hm', signature: CIPHER } } },
  'Bedrock, redacted': { reasoningContent: { redactedContent: CIPHER } },
  Gemini: { text: '42', thoughtSignature: CIPHER },
  'Gemini, in Python': { text: '42', thought_signature: CIPHER },
  'AI SDK': { type: 'redacted-reasoning', data: CIPHER },
  'AI SDK, metadata': { providerMetadata: { openai: { reasoningEncryptedContent: CIPHER } } },
  OpenRouter: { type: 'reasoning.encrypted', id: 'rs_1', format: 'v1', index: 0, data: CIPHER },
  'AG-UI': { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', encryptedValue: CIPHER },
};

async function throughDoor(
  attributes: Readonly<Record<string, AttributeValue>>,
  thoughts: readonly string[] = [],
): Promise<readonly SafeRecord[]> {
  const passed: SafeRecord[] = [];
  const clock = new ManualClock();
  const door = makeDoor(redactor, clock, (records) => void passed.push(...records));
  const entries = thoughts.map((text, i) =>
    makeEntry({ tokens: [text], sequence: i, final: i === thoughts.length - 1 }),
  );
  await door.consume({
    receivedAt: 0,
    source: 'bus',
    records: [makeSpan({ attrs: attributes }), ...entries],
  });
  clock.advance(2000);
  await door.settled();
  return passed;
}

function flat(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (item instanceof Map ? [...item] : item));
}

for (const [shape, part] of Object.entries(PARTS)) {
  test(`[RD36] opaque parts are shown as kind, length and hash: ${shape}`, async () => {
    const messages = [{ role: 'assistant', content: [{ type: 'text', text: 'the answer' }, part] }];
    const json = JSON.stringify(messages);
    const ways: readonly AttributeValue[] = [
      messages,
      json,
      JSON.stringify(messages, null, 2),
      JSON.stringify({ body: json }),
      `the model said ${json.slice(0, -2)}`,
    ];
    for (const way of ways) {
      const out = flat(await throughDoor({ 'output.value': way }));
      assert.equal(out.match(SHOWN)?.length, 1, out);
      assert.ok(!out.includes(CIPHER.slice(20, 40)), out);
      assert.ok(out.includes('the answer'), out);
    }
    const redacted = redactor.redactText(json);
    assert.equal(redactor.redactText(redacted), redacted, 'twice changes nothing');
  });
}

test('[RD36] opaque parts are known in attributes that hold one member each', async () => {
  const head = 'llm.output_messages.0.message.contents.0.message_content';
  const out = flat(
    await throughDoor({
      [`${head}.type`]: 'redacted_thinking',
      [`${head}.data`]: CIPHER,
      [`${head}.signature`]: CIPHER,
      [`${head}.encrypted_content`]: [CIPHER],
      'image.data': CIPHER,
    }),
  );
  assert.equal(out.match(SHOWN)?.length, 3, out);
  assert.equal(out.split(CIPHER).length, 2, 'only the picture is left');
});

test('[RD36] equal opaque values have equal hashes, others differ, and no key tells a guess', () => {
  const shownUnder = (key: number, value: string): string =>
    createRedactor({ key: new Uint8Array(32).fill(key), maxCodeSnippetChars: 2000 }).redactText(
      JSON.stringify({ encrypted_content: value }),
    );
  assert.equal(shownUnder(1, CIPHER), shownUnder(1, CIPHER));
  assert.notEqual(shownUnder(1, CIPHER), shownUnder(1, CIPHER.replace('gAAAAAB', 'gAAAAAC')));
  assert.notEqual(shownUnder(1, CIPHER), shownUnder(2, CIPHER));
});

test('[RD36] an opaque part of a thought is shown the same however it is cut', async () => {
  const text = `I got {"type":"reasoning","encrypted_content": "${CIPHER}"} and went on to the next step.`;
  const whole = redactor.redactText(text);
  assert.equal(whole.match(SHOWN)?.length, 1);
  for (const size of [3, 7, 40, 400]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const passed = await throughDoor({}, pieces);
    const states = passed.filter((record) => record.kind === 'cot') as unknown as CotText[];
    const newest = new Map(states.map((state) => [state.part, state]));
    assert.equal(thoughtOf([...newest.values()].toSorted((a, b) => a.part - b.part)), whole);
    for (const state of states) assert.ok(!flat(state).includes(CIPHER.slice(0, 12)));
  }
});

test('[RD36] of an opaque part of any length nothing is shown, in a thought neither', async () => {
  const long = fake(300_000);
  const text = `I got {"encrypted_content": "${long}"} and went on.`;
  const passed = await throughDoor(
    { a: text, b: { encrypted_content: long } },
    text.match(/[^]{1,5000}/g) ?? [],
  );
  const out = flat(passed);
  assert.ok(!out.includes(long.slice(0, 16)) && !out.includes(long.slice(-16)));
  assert.ok((out.match(/of 300000 characters/g)?.length ?? 0) >= 2);
  assert.ok(out.includes('and went on.'));
});

test('[RD36] words about opaque parts stay', () => {
  const texts = [
    '{"include":["reasoning.encrypted_content"],"encrypted_content":null}',
    '{"encrypted_content":{"type":"string","description":"reasoning in cipher"}}',
    '{"name":"signature","signature":"(value: int, other: str) -> Sequence[Mapping[str, int]]"}',
    '{"type":"redacted_thinking","data":""}',
    '{"type":"image","data":"a picture of a cat on a mat"}',
  ];
  for (const text of texts) assert.equal(redactor.redactText(text), text);
});
