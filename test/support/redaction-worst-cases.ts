import { hitsOf } from '../../src/redaction/rule.ts';
import { BUILTIN_RULES } from '../../src/redaction/rules/builtin.ts';

/** Texts that make a careless rule slow. Each maker fills `length` characters, about. */
const MAKERS: Readonly<Record<string, (length: number) => string>> = {
  mail: (n) => `${'a.'.repeat(n / 2)}@`,
  ats: (n) => '@a.'.repeat(n / 3),
  locals: (n) => `${'a'.repeat(60)}@`.repeat(n / 61),
  'spelled mails': (n) => 'a at a dot '.repeat(n / 11),
  dots: (n) => 'dot '.repeat(n / 4),
  assignments: (n) => 'token=token=secret='.repeat(n / 19),
  digits: (n) => '1'.repeat(n),
  'spaced digits': (n) => '1 '.repeat(n / 2),
  'double percent': (n) => '%2540'.repeat(n / 5),
  'many percent': (n) => `%${'25'.repeat(n / 2)}40`,
  percents: (n) => '%'.repeat(n),
  'character references': (n) => '&#x40;a.b'.repeat(n / 9),
  ampersands: (n) => '&#'.repeat(n / 2),
  backslashes: (n) => '\\'.repeat(n),
  'unicode escapes': (n) => String.raw`\u0040a.bc`.repeat(n / 10),
  'base64 of mails': (n) => Buffer.from('ann@example.com '.repeat(n / 22)).toString('base64'),
  'base64 of base64': (n) =>
    Buffer.from(Buffer.from('password=hunter2x '.repeat(n / 32)).toString('base64')).toString('base64'),
  'base64 words': (n) => `${Buffer.from('mail ann@example.com').toString('base64')} `.repeat(n / 29),
  'base64 parts': (n) => 'aGVsbG8gd29ybGQgaGVsbG8-'.repeat(n / 24),
  'hex of text': (n) => Buffer.from('x'.repeat(n / 2)).toString('hex'),
  letters: (n) => 'a'.repeat(n),
  slashes: (n) => '/'.repeat(n),
  'look-alikes': (n) => 'а'.repeat(n),
  invisible: (n) => '\u200b'.repeat(n),
  'invisible in mails': (n) => 'a\u200b@b\u200b.co '.repeat(n / 9),
  capitals: (n) => '12 Baker Street '.repeat(n / 16),
  names: (n) => 'Dear Ms Ada Ada Ada Ada '.repeat(n / 24),
  'glued values': (n) => 'a@b.co-'.repeat(n / 7),
  markers: (n) => '[EMAIL:aaaaaaaaaa] a@b.co '.repeat(n / 26),
  braces: (n) => '{"a":'.repeat(n / 5),
  'json of escapes': (n) => JSON.stringify(Array.from({ length: n / 12 }, () => 'a\u200b%40b.co')),
};

/** The named ones, and for each rule its hints and its examples over and over. */
export function* worstCases(length: number): Generator<readonly [string, string]> {
  for (const [name, make] of Object.entries(MAKERS)) yield [name, make(length)];
  for (const rule of BUILTIN_RULES) {
    const pieces = [
      ...(rule.hints ?? []).slice(0, 2),
      ...hitsOf(rule)
        .slice(0, 1)
        .map(({ text }) => text),
    ];
    for (const piece of pieces) {
      yield [`${rule.id}: a hint or example repeated`, piece.repeat(Math.ceil(length / piece.length))];
      yield [`${rule.id}: the same in words`, `${piece} a=`.repeat(Math.ceil(length / (piece.length + 3)))];
    }
  }
}
