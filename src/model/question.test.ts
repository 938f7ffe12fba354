import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { exampleQuestions, parseQuestion, type Question } from './question.ts';

const TRACE = 'ab'.repeat(16);
const NODE = `${TRACE}:${'12'.repeat(8)}`;

const UNDERSTOOD: readonly (readonly [text: string, question: Question])[] = [
  ['Show me why this test failed', { ask: 'why', about: 'test' }],
  ['why did the last test fail?', { ask: 'why', about: 'test' }],
  ['Why is this test red?', { ask: 'why', about: 'test' }],
  ['What made the unit tests break', { ask: 'why', about: 'test' }],
  ["what's the reason the test suite fails", { ask: 'why', about: 'test' }],
  ['explain the failed check', { ask: 'why', about: 'test' }],
  ['Why did the test “parses dates” fail?', { ask: 'why', about: 'test', name: 'parses dates' }],
  ["why did test 'parses dates' fail", { ask: 'why', about: 'test', name: 'parses dates' }],
  ['Why did the tests of task T012 fail?', { ask: 'why', about: 'test', taskId: 'T012' }],
  ['Why did task T012 fail?', { ask: 'why', about: 'failure', taskId: 'T012' }],
  ['why did it fail', { ask: 'why', about: 'failure' }],
  ['What went wrong in run nightly-7?', { ask: 'why', about: 'failure', taskId: 'nightly-7' }],
  [
    'root cause of the error in task "my long task"',
    { ask: 'why', about: 'failure', taskId: 'my long task' },
  ],
  ['tell me what broke', { ask: 'why', about: 'failure' }],
  [`why ${NODE}`, { ask: 'why', about: 'failure', nodeId: NODE }],
  ['Why did step req:r1 fail?', { ask: 'why', about: 'failure', nodeId: 'req:r1' }],
  [`why did ${TRACE} fail`, { ask: 'why', about: 'failure', taskId: TRACE }],
  ['Highlight cost spikes', { ask: 'spikes' }],
  ['show me spikes in cost', { ask: 'spikes' }],
  ['Which steps cost the most?', { ask: 'spikes' }],
  ['Where did the money go in task T012?', { ask: 'spikes', taskId: 'T012' }],
  ['why is this so expensive', { ask: 'spikes' }],
  ['what was slow?', { ask: 'spikes' }],
  ['any outliers in T012', { ask: 'spikes', taskId: 'T012' }],
  ['Which tools fail most?', { ask: 'patterns', of: 'tool' }],
  ['which agents fail most often', { ask: 'patterns', of: 'agent' }],
  ['What tool has the most errors in T012?', { ask: 'patterns', of: 'tool', taskId: 'T012' }],
  ['What do failed runs have in common?', { ask: 'patterns' }],
  ['How often does the search fail?', { ask: 'patterns' }],
  ['Show me patterns of failures', { ask: 'patterns' }],
  ['Which test failed most recently?', { ask: 'why', about: 'test' }],
  ['What is the most likely cause of the error?', { ask: 'why', about: 'failure' }],
  ['Why does this test fail so often?', { ask: 'why', about: 'test' }],
  ['Prune nodes older than 5 minutes', { ask: 'prune', olderThanMinutes: 5 }],
  ['T012: expand reasoning', { ask: 'expand', taskId: 'T012' }],
  ['Show me the chain of thought for task T012', { ask: 'expand', taskId: 'T012' }],
  ['Drill into T012', { ask: 'expand', taskId: 'T012' }],
  ['Can you clear up why the test failed 5 minutes ago?', { ask: 'why', about: 'test' }],
  ["Why's the test red?", { ask: 'why', about: 'test' }],
  ["Why doesn't this test pass?", { ask: 'why', about: 'test' }],
  ['Walk me through why the tests are failing', { ask: 'why', about: 'test' }],
  ["What's driving the cost?", { ask: 'spikes' }],
  ['Where did we overspend?', { ask: 'spikes' }],
  ['Show me steps with abnormally high cost', { ask: 'spikes' }],
  ['Walk me through the reasoning for task T012', { ask: 'expand', taskId: 'T012' }],
  ['How did the agent reason in task T012?', { ask: 'expand', taskId: 'T012' }],
  ['I want to read the thoughts of T012', { ask: 'expand', taskId: 'T012' }],
  ['which test failed?', { ask: 'why', about: 'test' }],
  ['why?', { ask: 'why', about: 'failure' }],
  ['Why is T012 slow?', { ask: 'spikes', taskId: 'T012' }],
  ['Show me the costliest nodes', { ask: 'spikes' }],
  ['How much did it cost?', { ask: 'summary' }],
  ['Explain T012', { ask: 'summary', taskId: 'T012' }],
  ['Expand reasoning for task T012', { ask: 'expand', taskId: 'T012' }],
  ['unfold the thoughts of T012', { ask: 'expand', taskId: 'T012' }],
  ['show me the full reasoning of task T012', { ask: 'expand', taskId: 'T012' }],
  ['Show all steps of task T012.', { ask: 'expand', taskId: 'T012' }],
  ['open task T012', { ask: 'expand', taskId: 'T012' }],
  ['what was it thinking?', { ask: 'expand' }],
  ['What happened in task T012?', { ask: 'summary', taskId: 'T012' }],
  ['summarise the run', { ask: 'summary' }],
  ['tl;dr of T012', { ask: 'summary', taskId: 'T012' }],
];

test('[QU1] the questions, word by word and in other words, mean what they say', () => {
  for (const [text, question] of UNDERSTOOD) {
    assert.deepEqual(parseQuestion(text), question, text);
    const shouted = parseQuestion(
      `  ${text.replaceAll(/\b(?:why|show|prune|expand|highlight)\b/gi, (word) => word.toUpperCase())} !`,
    );
    assert.deepEqual(shouted, question, `${text}, shouted`);
  }
});

test('[QU1] each example is understood, and of the kind that it shows', () => {
  for (const run of ['task T012', 'this run', 'the latest run'])
    assert.deepEqual(
      exampleQuestions(run).map((text) => parseQuestion(text)?.ask),
      ['why', 'why', 'patterns', 'spikes', 'prune', 'expand', 'summary'],
      run,
    );
  const named = exampleQuestions('this run').filter((text) =>
    JSON.stringify(parseQuestion(text)).includes('Id'),
  );
  assert.deepEqual(named, [], 'nobody has a task of that name');
});

test('[QU2] what is something else is not understood: nothing is guessed', () => {
  for (const text of [
    '',
    '   ',
    '?',
    'hello',
    'make me a sandwich',
    'do not expand reasoning for task T012',
    'how old is a minute',
    'open the window',
    'Why did the agent choose this model?',
    'slowest path',
    'prune the steps that cost most',
    'Remove all failed steps of task T012 and tell me why they failed',
    'x'.repeat(10_000),
  ])
    assert.equal(parseQuestion(text), undefined, text.slice(0, 60));
});

test('[QU2] any text is read in little time, and gives a question that can be asked or none', () => {
  const word = fc.constantFrom(
    ...UNDERSTOOD.flatMap(([text]) => text.split(' ')),
    '"',
    "'",
    '“',
    '\n',
    'T012',
    '5',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(word).map((words) => words.join(' ')),
      ),
      (text) => {
        const question = parseQuestion(text);
        if (question?.ask === 'prune')
          assert.ok(question.olderThanMinutes >= 0 && Number.isFinite(question.olderThanMinutes));
        else if (question?.taskId !== undefined)
          assert.ok(text.includes(question.taskId) && question.taskId !== '');
      },
    ),
    propertyRuns(),
  );
  for (const worst of ['show ', 'what did ', 'did a ', "'", '“', 'task ', 'T0', ' '])
    assertCpuTime(50, () => void parseQuestion(worst.repeat(500 / worst.length)), worst);
});
