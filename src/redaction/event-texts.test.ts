import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import type { AttributeValue } from '../model/attributes.ts';
import { createRedactor } from './redactor.ts';
import { redactEventTexts } from './event-texts.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 });
const report = { hidden: () => undefined };
const HEAD = 'key sk-proj-cnry0001kQ7xN2mV9bL4tR8w';
const TAIL = 'J5hF3dG6sK1pZ0001tail0yC7uA2';

type Event = { readonly [field: string]: AttributeValue };

function redacted(events: readonly Event[]): AttributeValue {
  return redactEventTexts(
    redactor,
    events.map((event) => ({ event })),
    report,
  );
}

const KINDS: { readonly [name: string]: (text: string) => Event } = {
  'RAW chunks': (content) => ({
    type: 'RAW',
    event: { event: 'on_chat_model_stream', run_id: '7c1f', data: { chunk: { content } } },
  }),
  'RAW deltas': (delta) => ({ type: 'RAW', event: { delta } }),
  'values of CUSTOM': (value) => ({ type: 'CUSTOM', name: 'part', value }),
  'patches of a state': (value) => ({
    type: 'STATE_DELTA',
    delta: [{ op: 'add', path: '/text/-', value }],
  }),
  'metadata of contents': (raw) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', metadata: { raw } }),
};

for (const [name, event] of Object.entries(KINDS))
  test(`[AG8] a secret that is cut in two over several events is hidden in ${name}`, () => {
    const others: Event = { type: 'TEXT_MESSAGE_END', messageId: 'm' };
    for (const events of [
      [event(HEAD), event(`${TAIL} ok`)],
      [event('my '), event(HEAD), others, event(TAIL), event(' ok')],
    ]) {
      const text = JSON.stringify(redacted(events));
      assert.doesNotMatch(text, /cnry0001|tail0yC7uA2/);
      assert.match(text, / ok/);
      assert.equal((redacted(events) as readonly unknown[]).length, events.length);
    }
  });

test('[AG8] what lies across the events of two groups is hidden in each, and the other group is left out', () => {
  const raw = (content: string): Event => ({ event: { type: 'RAW', event: { content } } });
  const beside = (content: string): Event => ({ ...raw(content), beside: true });
  for (const [items, left] of [
    [[raw('my'), raw(HEAD), beside(`${TAIL} ok`)], 2],
    [[beside('my'), beside(HEAD), raw(`${TAIL} ok`)], 1],
  ] as const) {
    const safe = redactEventTexts(redactor, items, report) as readonly unknown[];
    assert.equal(safe.length, left);
    assert.doesNotMatch(JSON.stringify(safe), /cnry0001|tail0yC7uA2|beside/);
  }
});

test('[AG8] ids, equal words and texts that give nothing away together stay as they are', () => {
  const events = Array.from({ length: 8 }, (_, i) => ({
    event: {
      type: 'RAW',
      event: { run_id: `4111111${i}`, model: 'm', metadata: { node: '41111111' }, delta: ' a word' },
    },
  }));
  assert.equal(redactEventTexts(redactor, events, report), events);
  assert.equal(redactEventTexts(redactor, 'text', report), 'text');
});

test('[AG8] to look across the texts of many events takes time in proportion', () => {
  const events = Array.from({ length: 2_000 }, (_, i) => ({
    type: 'RAW',
    event: { delta: i % 100 === 0 ? HEAD : i % 100 === 1 ? `${TAIL} ` : `word ${i}` },
  }));
  assertCpuTime(2_000, () => redacted(events));
});
