import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeDoor } from '../../test/support/make-door.ts';
import { makeSpan } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import { CleanTexts } from './clean-texts.ts';
import type { RedactionDoor } from './door.ts';
import { createRedactor } from './redactor.ts';
import type { Rule } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';

function setUp(dropThoughts: boolean) {
  let asked = 0;
  const counting: Rule = {
    id: 'counting',
    kind: 'SECRET',
    hints: ['model'],
    find: () => void asked++,
    examples: { hits: [], misses: [] },
  };
  const redactor = createRedactor({
    key: new Uint8Array(32),
    maxCodeSnippetChars: 2000,
    rules: [...BUILTIN_RULES, counting],
  });
  const shown: unknown[] = [];
  const door = makeDoor(
    redactor,
    new ManualClock(),
    (records) => {
      for (const record of records) if (record.kind === 'span') shown.push(...record.attributes.values());
    },
    { dropThoughts },
  );
  return { door, shown, asked: () => asked };
}

function send(door: RedactionDoor, name: string, value: string): Promise<void> {
  return door.consume({
    receivedAt: 0,
    source: 'bus',
    records: [makeSpan({ name: 'chat', attrs: { [name]: value } })],
  });
}

test('[RD39] a short text that was clean is not searched again, until something is erased', async () => {
  const { door, asked } = setUp(false);
  await send(door, 'a', 'model-7');
  const once = asked();
  assert.ok(once > 0);
  await send(door, 'b', 'model-7');
  assert.equal(asked(), once);
  await send(door, 'a', `model-7 ${'x'.repeat(64)}`);
  await send(door, 'a', `model-7 ${'x'.repeat(64)}`);
  assert.equal(asked(), 3 * once);
  await door.forget(() => false);
  await send(door, 'a', 'model-7');
  assert.equal(asked(), 4 * once);
});

test('[RD39] with zeroDataRetention no text is known', async () => {
  const { door, asked } = setUp(true);
  await send(door, 'a', 'model-7');
  const once = asked();
  await send(door, 'a', 'model-7');
  assert.equal(asked(), 2 * once);
});

test('[RD39] what was clean under one name is hidden under a name that gives it away, and the other way round', async () => {
  const { door, shown } = setUp(false);
  for (const name of ['note', 'password', 'pass', 'note', 'db.password']) await send(door, name, 'Hunter2x9');
  assert.deepEqual(
    shown.map((value) => value === 'Hunter2x9'),
    [true, false, false, true, false],
  );
});

test('[RD39] nothing is known of a text but what was said of it, however many take its place', () => {
  const clean = new CleanTexts();
  const texts = Array.from({ length: 20_000 }, (_, i) => `text-${i}-${'y'.repeat(i % 50)}`);
  for (const [i, text] of texts.entries()) {
    assert.equal(clean.has(text), false);
    clean.add(text);
    assert.equal(clean.has(text), true);
    assert.equal(clean.has(`${text}z`), false);
    assert.equal(clean.has(`z${text.slice(1)}`), false, String(i));
  }
  assert.ok(texts.filter((text) => clean.has(text)).length <= 4096);
});

test('[RD39] a part of a long text holds nothing of the rest', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const clean = new CleanTexts();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 40; i++) clean.add(`${i}-${'y'.repeat(1_000_000)}`.slice(0, 40 + (i % 8)));
  collect();
  assert.ok(process.memoryUsage().heapUsed - before < 10_000_000);
  assert.ok(clean.has(`39-${'y'.repeat(44)}`));
});
