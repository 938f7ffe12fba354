import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { parsePruneWords } from './prune-words.ts';
import { parseQuestion } from './question.ts';

const PRUNES: readonly (readonly [text: string, minutes: number])[] = [
  ['Prune nodes older than 5 minutes', 5],
  ['PRUNE  NODES older than 5 minutes!', 5],
  ['please prune everything older than five minutes.', 5],
  ['Could you please drop all the old nodes that are older than 2 days?', 2880],
  ['Prune nodes older than 1,000 minutes', 1000],
  ['Prune nodes older than 10 000 minutes', 10_000],
  ['Prune nodes older than 1,000,000 minutes', 1_000_000],
  ['drop nodes that have not changed for 2 hours', 120],
  ["drop nodes that haven't changed in 2 hours", 120],
  ['delete steps unchanged for more than one week', 10_080],
  ['forget everything more than 90 s old', 1.5],
  ['remove steps older than half an hour', 30],
  ['forget all nodes older than an hour, please', 60],
  ['clear anything from before 1.5h ago', 90],
  ['clear out nodes from more than 5 minutes ago', 5],
  ['keep only the last 10 minutes', 10],
  ['prune everything before the last 5 minutes', 5],
  ['Trim the graph to the last 5 minutes', 5],
  ['get rid of nodes that have been around longer than 5 minutes', 5],
  ['drop nodes older than 0 seconds', 0],
];

/** What orders to prune, but leaves in doubt what. */
const UNCLEAR = [
  'prune',
  'prune nodes',
  'delete task T012',
  'Prune nodes newer than 5 minutes',
  'drop the last 5 minutes',
  'keep nothing of the last 5 minutes',
  'drop nodes that changed less than 5 minutes ago',
  'prune nodes that are not older than 5 minutes',
  'Prune nodes older than twenty-five minutes',
  'Prune nodes older than forty five minutes',
  'Prune nodes older than one hundred minutes',
  'Prune nodes older than five hundred minutes',
  'Prune nodes older than a few minutes',
  'Prune nodes older than 1 hour 30 minutes',
  'Prune nodes older than 1h30m',
  'Prune nodes older than 1:30 hours',
  'Prune nodes older than an hour and a half',
  'Prune nodes older than two and a half hours',
  'Prune nodes older than 3 and a half days',
  'Prune nodes older than 1½ hours',
  'Prune nodes older than 1,5 hours',
  'Prune nodes older than 1.000 minutes',
  'Prune nodes older than 2.30 hours',
  'Prune nodes older than 0,500 hours',
  'Prune nodes older than 1,0000 minutes',
  'Prune nodes older than .5 hours',
  'Prune nodes older than -5 minutes',
  'Prune nodes older than 5-10 minutes',
  'Prune nodes older than 5 or 10 minutes',
  'Prune nodes older than 1e3 minutes',
  'Prune nodes older than 5k minutes',
  'Prune nodes older than 5 months',
  'Prune nodes older than 5',
  'Prune nodes older than 5 minutes?',
  'Prune nodes older than 5 minutes in task T012',
  'Prune nodes older than 5 minutes, but not errors',
  'Prune nodes older than 5 minutes "parses dates"',
  'Prune nothing older than 5 minutes',
  'Prune no nodes older than 5 minutes',
  'forget what is more than 90 s old',
  'Forget it: I pruned nodes older than 5 minutes',
];

/** What is about pruning or about the past, and orders nothing. */
const NO_ORDERS = [
  'Why were nodes older than 5 minutes pruned?',
  'Is it safe to prune nodes older than 5 minutes?',
  'How many nodes older than 5 minutes would you remove?',
  'Would you remove nodes older than 5 minutes?',
  'Which nodes would be pruned that are older than 5 minutes?',
  'Can you clear up why the test failed 5 minutes ago?',
  'Why did the agent remove the file over 5 minutes ago',
  'What did the agent delete more than 5 minutes ago?',
  'Undo: I pruned nodes older than 5 minutes by mistake',
  'Stop pruning nodes older than 5 minutes',
  'no prune nodes older than 5 minutes',
  "don't prune nodes older than 5 minutes",
  'never prune nodes older than 5 minutes',
  'The agent said: prune nodes older than 5 minutes',
  'T012: prune nodes older than 5 minutes',
];

test('[QU2] an order to prune with one age is understood, with that age', () => {
  for (const [text, minutes] of PRUNES)
    assert.deepEqual(parseQuestion(text), { ask: 'prune', olderThanMinutes: minutes }, text);
});

test('[QU2] an order in any other form is not understood, not even as another question', () => {
  for (const text of UNCLEAR) {
    assert.equal(parsePruneWords(text), 'unclear', text);
    assert.equal(parseQuestion(text), undefined, text);
  }
});

test('[QU2] who asks about pruning, or what was removed, or says no, orders nothing', () => {
  for (const text of NO_ORDERS) {
    assert.equal(parsePruneWords(text), undefined, text);
    assert.notEqual(parseQuestion(text)?.ask, 'prune', text);
  }
});

const ORDER = fc.constantFrom(...PRUNES.map(([text]) => text.replace(/[?!.]$/, '')));
const JOINT = fc.constantFrom(' ', ', ', ' and ', '\n', '. ', ' or ', '-');

/** Text with something put between two of its words, or at an end. */
function withInside(inside: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(ORDER, inside, fc.nat(), JOINT, JOINT).map(([text, put, at, before, after]) => {
    const words = text.split(/\s+/);
    const place = at % (words.length + 1);
    const [left, right] = [words.slice(0, place).join(' '), words.slice(place).join(' ')];
    return `${left}${left && before}${put}${right && after}${right}`;
  });
}

test('[QU2] no sentence with a question word, a no, or a second quantity is an order to prune', () => {
  const other = fc.constantFrom(
    ...'why|how|how many|what|which nodes|when|who|where|is it|did|should I'.split('|'),
    ...'not|no|nothing|dont|never|stop|undo|without|less|newer|except'.split('|'),
    ...'30 seconds|2 hours|two days|a half|an hour'.split('|'),
  );
  fc.assert(
    fc.property(withInside(other), (text) => {
      assert.ok(typeof parsePruneWords(text) !== 'number', text);
    }),
    propertyRuns(),
  );
});

test('[QU2] the age is never below the number that was written, however its digits are set apart', () => {
  const digits = fc.constantFrom(..."0 1 5 9 , . ' _ ½ -".split(' '), ' ', '\u{a0}', '\u{202f}');
  fc.assert(
    fc.property(fc.array(digits, { minLength: 1, maxLength: 10 }), (signs) => {
      const number = signs.join('');
      const minutes = parsePruneWords(`Prune nodes older than ${number} minutes`);
      if (typeof minutes !== 'number') return;
      // The most that it may mean: a sign between groups sets thousands apart.
      const most = /\d\.\d$/.test(number.trim()) ? Number(number) : Number(number.replaceAll(/\D/g, ''));
      assert.equal(minutes, most, number);
    }),
    propertyRuns(),
  );
});

test('[QU2] an order is read in little time', () => {
  for (const worst of ['prune ', 'please ', 'all the ', '1 000 ', 'prune nodes older than ', '! '])
    assertCpuTime(50, () => void parsePruneWords(worst.repeat(500 / worst.length)), worst);
});
