import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveText } from './live-text.ts';
import { createRedactor } from './redactor.ts';
import { hitsOf } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });

/** A reader makes nothing of fewer. */
const TELLING = 6;
/** Says what is behind it, and nothing of it. */
const PEM_LABEL = /^-----BEGIN [A-Z ]+-----\n/;

/** What is shown of a text that falls silent, or that a process ended in: the same stands on the disk. */
function inSilence(text: string): string {
  const live = new LiveText(redactor, { hidden() {} });
  live.append(text);
  return live.settle() + live.ended(false);
}

/** Where the secret is known to have begun: behind the sign by which its rule knows it, if that is part of it. */
function knownFrom(text: string, start: number, hidden: string, hints: readonly string[]): number {
  const lower = text.toLowerCase();
  const ends = hints.map((hint) => lower.indexOf(hint, start) + hint.length);
  const inside = ends.filter(
    (end, i) => end >= start + (hints[i]?.length ?? 0) && end <= start + hidden.length,
  );
  const label = PEM_LABEL.exec(hidden)?.[0].length ?? 0;
  return Math.max(start + label, Math.min(...(inside.length > 0 ? inside : [start])));
}

function piecesOf(secret: string): readonly string[] {
  return Array.from({ length: secret.length - TELLING + 1 }, (_, at) => secret.slice(at, at + TELLING));
}

test('[RD6] a secret in whose middle a thought falls silent is hidden from its beginning, whatever rule knows it', () => {
  const shown: string[] = [];
  let count = 0;
  for (const rule of BUILTIN_RULES) {
    const { id, kind, hints = [] } = rule;
    if (kind !== 'SECRET') continue;
    for (const { text: example, hidden } of hitsOf(rule)) {
      const text = `So ${example} and on.`;
      const start = text.indexOf(hidden);
      const from = knownFrom(text, start, hidden, hints);
      const end = start + hidden.length;
      // What tells that it is secret stands behind it, or is its whole form: three groups of hex of their lengths.
      if (id === 'mailgun_new_key' || redactor.redactText(text.slice(0, end + 1)).includes(hidden)) continue;
      count++;
      // Soon after it has begun, shortly before it ends, and in between.
      for (const cut of new Set([from + TELLING, (from + end) >> 1, end - 1])) {
        if (cut < from + TELLING || cut >= end) continue;
        const silent = inSilence(text.slice(0, cut));
        if (piecesOf(text.slice(from, cut)).some((piece) => silent.includes(piece)))
          shown.push(`${id}: ${silent}`);
      }
    }
  }
  assert.deepEqual(shown, []);
  assert.ok(count > 400, `${count} secrets`);
});

test('[RD6] in a silence prose is shown to its end, and code, URLs and JSON as far as they announce nothing', () => {
  for (const text of [
    'I will look at the password reset pag',
    'see https://www.example.com/docs/intr',
    'def run(name, value=defau',
    '"role": "assistant", "parts": "tex',
    'std::operator<<((basic_',
    'It took 12.5',
    'exitcode: 0 (execution succe',
    'call git clone and run scri',
  ])
    assert.equal(inSilence(text), text);
});

test('[RD6] a secret in half JSON is hidden from its beginning, whatever its escapes and those of its JSON are', () => {
  for (const name of ['db_pw', 'pw', 'mfaCode', 'secret_bytes']) {
    for (const secret of ['ab"cdefgh1', 'ab\ncdefgh1', 'q/wErt9/zz8']) {
      const json = JSON.stringify({ [name]: secret }).replaceAll('/', String.raw`\/`);
      const text = JSON.stringify({ a: json });
      for (let cut = 1; cut < text.length; cut++)
        assert.doesNotMatch(inSilence(text.slice(0, cut)), /cde|wErt/, `${name} ${cut}`);
    }
  }
});

test('[RD6] what is announced within a value and stands behind it is hidden, in a silence as in the whole', () => {
  const text =
    'Cookie: sid=8f3k2l1m9; theme=dark passphrase: "correct horse battery staple", it says\nSo be it.\n';
  const whole = redactor.redactText(text);
  assert.match(whole, /^Cookie: \[SECRET:\w+\]"\[SECRET:\w+\]", it says\nSo be it\.\n$/);
  assert.equal(inSilence(text), whole);
});

test('[RD6] a value of thousands of characters is one, wherever the pieces of its text end', () => {
  const cookie = `Cookie: sid=8f3k2l1m9; theme=dark ${'It reads the table again ; then writes. '.repeat(80)}`;
  for (const text of [`${cookie}and on\nDone.`, `${cookie}${cookie}${cookie}and on\nDone.`]) {
    const whole = redactor.redactText(text);
    // Behind a semicolon that stands alone no rule begins: what was found is all that holds the piece back.
    const cut = text.indexOf(' then', 2_000) + 1;
    assert.equal(redactor.openFrom(text.slice(0, cut), cut - 400, []), cut);
    for (const size of [cut, 37, 400, 1000]) {
      const live = new LiveText(redactor, { hidden() {} });
      let shown = '';
      for (let from = 0; from < text.length; from += size) {
        live.append(text.slice(from, from + size));
        shown += live.settle();
      }
      assert.equal(shown + live.ended(true), whole, `pieces of ${size}`);
    }
  }
});
