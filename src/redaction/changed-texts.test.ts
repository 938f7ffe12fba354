import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOriginal } from './detector.ts';
import { fake, MAX_BEHIND } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';
import { Scanner, type Finding } from './scanner.ts';
import { rewritten } from './view.ts';

const scanner = new Scanner(BUILTIN_RULES);
/** What reads otherwise than it is written: as nothing, as a dash. */
const REWRITTEN = new Map([
  ['\u200b', ''],
  ['\u2014', '-'],
]);
const CHANGED = new RegExp([...REWRITTEN.keys()].join('|'), 'g');
/** Of the length of an example: where something is changed in it. */
const SHARES = [0, 0.2, 0.5, 0.8, 0.95];
const FAR = ' so'.repeat(MAX_BEHIND / 2);

function keysOf(found: readonly Finding[]): readonly string[] {
  return found.map(({ rule, start, end }) => `${rule.id} ${start}-${end}`);
}

/** What a scan of the whole text as it reads finds, and neither one as it is written nor one of what changed does. */
function missedIn(text: string): readonly string[] {
  const view = rewritten(text, CHANGED, (sign) => REWRITTEN.get(sign) ?? sign);
  if (!view) return [];
  const before = scanner.scan(text);
  const again = scanner.scan(view.text, scanner.hasPassedOver ? undefined : view.changes);
  const known = new Set([...keysOf(before), ...keysOf(inOriginal(view, again))]);
  const whole = inOriginal(view, scanner.scan(view.text));
  return keysOf(whole).filter((key) => !known.has(key));
}

test('[RD4] where a text reads otherwise only what that may change is looked for again, and nothing is missed', () => {
  for (const { examples } of BUILTIN_RULES) {
    for (const { text } of examples.hits) {
      for (const share of SHARES) {
        const at = Math.floor(text.length * share);
        const [head, tail] = [text.slice(0, at), text.slice(at)];
        for (const sign of REWRITTEN.keys()) {
          const changed = `${text}${FAR} ${head}${sign}${tail}${FAR} ${text}`;
          assert.deepEqual(missedIn(changed), [], changed);
        }
        assert.deepEqual(missedIn(`${head}\u200b${tail} ${text}`), [], text);
      }
    }
  }
});

test('[RD4] a manifest whose lines read otherwise far below its first one is hidden whole', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `  key${i}: ${fake(32)}`).join('\n');
  for (const at of [100, 400, 800]) {
    const cut = `${lines.slice(0, at)}\u200b${lines.slice(at)}`;
    assert.deepEqual(missedIn(`kind: Secret\ntype: Opaque\ndata:\n${cut}\n`), []);
  }
});
