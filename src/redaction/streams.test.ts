import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeDoor, makeEntry } from '../../test/support/make-door.ts';
import { ManualClock } from '../base/clock.ts';
import type { CotText } from '../model/facts.ts';
import type { CotRecord } from '../model/records.ts';
import { thoughtOf } from '../model/thought-text.ts';
import { epochMs } from '../model/time.ts';
import { createRedactor } from './redactor.ts';
import { hitsOf } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';
import { Joiner } from './stream-entries.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });
const examples = BUILTIN_RULES.flatMap(hitsOf);

function entry(
  time: number,
  tokens: readonly string[],
  sequence: number | undefined,
  final = false,
): CotRecord {
  const agent = sequence === undefined ? `agent-${time}` : undefined;
  return makeEntry({ time: epochMs(time), tokens, final, agent, sequence });
}

/** Sends batches and returns every state that was shown. */
async function shown(batches: readonly (readonly CotRecord[])[]): Promise<readonly CotText[]> {
  const states: CotText[] = [];
  const clock = new ManualClock();
  const door = makeDoor(redactor, clock, (records) => void states.push(...(records as unknown as CotText[])));
  for (const records of batches) await door.consume({ receivedAt: 0, source: 'bus', records });
  clock.advance(2000);
  await door.settled();
  return states;
}

/** The text of the newest states of all parts. */
function textOf(states: readonly CotText[]): string {
  const newest = new Map(states.map((state) => [state.part, state]));
  return thoughtOf([...newest.values()].toSorted((a, b) => a.part - b.part));
}

const text = fc
  .array(fc.oneof(fc.constantFrom(...examples.map((e) => e.text)), fc.lorem({ maxCount: 60 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(' '));

/** A text cut at any places, in any order, in any batches. */
const delivery = fc
  .tuple(
    text,
    fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
    fc.boolean(),
    fc.boolean(),
    fc.infiniteStream(fc.nat()),
  )
  .map(([whole, cuts, sequenced, shuffled, random]) => {
    const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((a, b) => a - b);
    const pieces = [0, ...places].map((from, i) => whole.slice(from, places[i]));
    const entries = pieces.map((piece, i) =>
      entry(1000 + i, [piece], sequenced ? i : undefined, i === pieces.length - 1),
    );
    // Without a sequence the order of arrival is the order.
    const keyed = entries.map((item, i) => ({
      item,
      key: shuffled && sequenced ? (random.next().value ?? 0) : i,
    }));
    const ordered = keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
    const batches: CotRecord[][] = [[]];
    for (const item of ordered) {
      batches.at(-1)?.push(item);
      if ((random.next().value ?? 0) % 2 === 0) batches.push([]);
    }
    return { whole, entries, batches };
  });

test('[RD6] any split, any order and any batches give exactly the redaction of the whole text', async () => {
  await fc.assert(
    fc.asyncProperty(delivery, async ({ whole, entries, batches }) => {
      const states = await shown(batches);
      const last = states.at(-1);
      assert.equal(textOf(states), redactor.redactText(whole));
      assert.equal(last?.agent, entries[0]?.agent);
      assert.equal(last?.first, 1000);
      assert.equal(last?.last, 999 + entries.length);
      assert.equal(last?.final, true);
    }),
    { numRuns: 700 },
  );
});

const secretive = fc
  .tuple(
    fc.lorem({ maxCount: 80 }),
    fc.constantFrom(...examples),
    fc.lorem({ maxCount: 120 }),
    fc.integer({ min: 1, max: 40 }),
  )
  .map(([before, example, after, size]) => ({ example, whole: `${before} ${example.text} ${after}`, size }));

test('[RD6] no state on the way shows six characters of a value that the whole text hides', async () => {
  await fc.assert(
    fc.asyncProperty(secretive, async ({ example, whole, size }) => {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
        whole.slice(i * size, (i + 1) * size),
      );
      const states = await shown(pieces.map((piece, i) => [entry(i, [piece], i)]));
      const around = whole.replace(example.hidden, ' ');
      for (const state of states.slice(0, -1)) {
        const visible = state.text.replace(/\[[A-Z]+:\w{10}\]/g, '\0');
        for (let i = 0; i + 6 <= example.hidden.length; i++) {
          const piece = example.hidden.slice(i, i + 6);
          assert.ok(around.includes(piece) || !visible.includes(piece), `${piece} in ${visible}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('[RD6] long streams are shown while they grow, and each state continues the one before', async () => {
  const words = 'The planner reads the failing test again and mails jane@example.com about it. '.repeat(200);
  const pieces = words.match(/.{1,7}/gs) ?? [];
  const states = await shown(pieces.map((piece, i) => [entry(i, [piece], i)]));
  let before = '';
  for (let i = 1; i < states.length; i += 7) {
    const now = textOf(states.slice(0, i));
    assert.ok(now.startsWith(before));
    before = now;
  }
  assert.ok(textOf(states.slice(0, -1)).length > words.length - 600);
  assert.equal(textOf(states), redactor.redactText(words));
});

test('[RD6] deltas join as they are, whole texts on lines, a text that extends its deltas replaces them', () => {
  const step = (whole: string): CotRecord => ({ ...entry(1, [], 1), tokens: undefined, text: whole });
  const join = (...entries: CotRecord[]): string => {
    const joiner = new Joiner();
    const pieces = entries.flatMap((one) => joiner.add(one));
    return pieces.map(({ text, onNewLine }) => (onNewLine ? `\n${text}` : text)).join('');
  };
  const a = entry(1, ['Let', ' me'], 1);
  assert.equal(join(a, entry(2, [' see'], 2)), 'Let me see');
  assert.equal(join(step('one'), step('two')), 'one\ntwo');
  assert.equal(join(a, step('Let me')), 'Let me');
  assert.equal(join(a, step('Let me see.'), step('two')), 'Let me see.\ntwo');
  assert.equal(join(a, step('Other')), 'Let me\nOther');
  assert.equal(join(step('one'), a, entry(3, ['!'], 3), step('two')), 'one\nLet me!\ntwo');
});
