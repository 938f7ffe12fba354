import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_THOUGHTS, thoughtSteps } from './thoughts.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

const TEXTS: readonly [title: string, text: string, steps: readonly string[]][] = [
  ['one thought', 'The loop ends early.', ['The loop ends early.']],
  ['paragraphs', 'First I look.\nThen I fix.\n\nIt works.', ['First I look. Then I fix.', 'It works.']],
  [
    'a numbered list with its sentence',
    'I will:\n1. lint\n2. test\n   all of it\n10) ship',
    ['I will: 1. lint', '2. test all of it', '10) ship'],
  ],
  [
    'a ReAct transcript',
    'Thought: I need the tests.\nAction: run_tests\nAction Input: {"path":"t"}\nObservation: 2 failed\nThought: fix them\nFinal Answer: done',
    [
      'Thought: I need the tests.',
      'Action: run_tests Action Input: {"path":"t"}',
      'Observation: 2 failed',
      'Thought: fix them',
      'Final Answer: done',
    ],
  ],
  [
    'summaries with headings, as OpenAI writes them',
    '**Checking the loop**\n\nIt ends early.\n\n**Fixing it**\n\nOne more.',
    ['**Checking the loop** It ends early.', '**Fixing it** One more.'],
  ],
  ['code in one piece', 'So:\n\n```js\n- a\n\n1. b\n```\n\nDone.', ['So: ```js - a 1. b ```', 'Done.']],
  ['rules are no steps', 'a\n---\nb\n\n***\n\nc', ['a', 'b', 'c']],
  ['blank', ' \n \t\n', []],
  ['empty', '', []],
];

for (const [title, text, steps] of TEXTS) {
  test(`[CV22] steps of a thought: ${title}`, () => assert.deepEqual(thoughtSteps(text), steps));
}

test('[CV22] at most 64 steps, of one line of at most 200 characters each', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('\n', '\n\n', '- ', '1. ', 'x'.repeat(300)),
        ),
      ),
      (parts) => {
        const text = parts.join('');
        const steps = thoughtSteps(text);
        assert.ok(steps.length <= MAX_THOUGHTS);
        for (const step of steps) assert.ok(step !== '' && step.length <= 200 && !step.includes('\n'));
        if (/[^\s*_=~-]/.test(text)) assert.notEqual(steps.length, 0);
      },
    ),
    { numRuns: 500 },
  );
  assert.equal(thoughtSteps('- a\n'.repeat(1000)).length, MAX_THOUGHTS);
});

/** Quadratic work on them takes minutes, linear work some milliseconds. */
const MAX_MS = 1500;

test('[CV22] hostile texts are split in time linear in their length', () => {
  for (const piece of ['- ', '**', '\n', '```\n', 'Thought', '- - ', ' \t', '= '])
    assertCpuTime(MAX_MS, () => thoughtSteps(piece.repeat(500_000)), piece);
});
