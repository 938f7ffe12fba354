import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { reportRecording } from './integration/recordings/conventions-report.ts';
import { expectationOf, loadExpectations, type Expectation } from './integration/recordings/expectation.ts';
import { loadRecordings, type Recording } from './integration/recordings/load-recordings.ts';
import { isBeginning, isBornOut, markOf } from './integration/recordings/text-mark.ts';

const FILES = [
  'ai-sdk-6.otlp.json',
  'ai-sdk-7-genai.otlp.json',
  'openinference-langchain.otlp.json',
  'openinference-openai.otlp.json',
  'traceloop-openai.otlp.json',
  'traceloop-workflow.otlp.json',
];
let recordings: readonly Recording[];
let expectations: ReadonlyMap<string, Expectation>;

before(async () => {
  recordings = await loadRecordings(join(import.meta.dirname, 'fixtures', 'telemetry'));
  expectations = await loadExpectations();
});

function given(file: string): { readonly recording: Recording; readonly expectation: Expectation } {
  const recording = recordings.find(({ name }) => name === file);
  const expectation = expectationOf(expectations, file);
  assert.ok(recording && expectation, `${file} and its expectation are there`);
  return { recording, expectation };
}

for (const file of FILES) {
  test(`[CR1] all that ${file} contains is shown, and nothing that it does not contain`, async () => {
    const { recording, expectation } = given(file);
    assert.deepEqual((await reportRecording(recording, expectation)).mismatches, []);
  });
}

test('[CR1] every recording among the fixtures is checked', () => {
  assert.deepEqual(recordings.map(({ name }) => name).toSorted(), FILES);
});

test('[CR2] whatever an expectation says otherwise is reported, with its span', async () => {
  const { recording, expectation } = given('ai-sdk-6.otlp.json');
  const call = '9d92b436649933fa';
  const tool = '2d4af5a8b0c34df2';
  const told = expectation.calls[call];
  const ran = expectation.tools[tool];
  assert.ok(told && ran);
  const doctored: Expectation = {
    ...expectation,
    spans: 9,
    merges: [{ spans: ['2ac8d66979736ecd', call], because: 'wrong on purpose' }],
    modelSwitches: 1,
    calls: {
      [call]: {
        ...told,
        agent: 'somebody else',
        model: ['gpt-1', 'gpt-2'],
        tokensIn: 200,
        cacheWrite: 7,
        costUsd: 0.1,
        prompt: 'Review src/others.ts',
        completion: { calls: ['jest'] },
        reasoningChars: null,
        finish: 'stop',
        asks: [],
        answers: ['call_1'],
        status: 'ERROR',
      },
    },
    tools: {
      [tool]: { ...ran, name: 'jest', callId: 'call_2', result: false, type: 'TEST_RUN', status: 'ERROR' },
    },
    containers: { '2ac8d66979736ecd': { tokensIn: 2500, tokensOut: 120, usageBelow: false } },
    errors: {},
    tasks: [
      { id: 'sess-1', traces: expectation.tasks[0]?.traces ?? [], tokensIn: 1, tokensOut: 2, costUsd: 3 },
    ],
    agents: [{ agent: 'summariser', tokensIn: 51, tokensOut: null }],
    edges: [{ from: tool, to: call, by: 'toolCallId' }],
  };
  const { mismatches } = await reportRecording(recording, doctored);
  const reported = new Set(mismatches.map((line) => line.replace(/: expected .*/s, '')));
  for (const line of [
    'merges of 2ac8d66979736ecd, nodes',
    'details of all, model switches',
    'details of all, spans in the raw file',
    `agent of ${call}, agent`,
    `model of ${call}, model`,
    `tokens of ${call}, tokens in`,
    `tokens of ${call}, cache write tokens`,
    `cost of ${call}, reported cost`,
    `prompt of ${call}, prompt`,
    `completion of ${call}, completion`,
    `reasoning of ${call}, length`,
    `details of ${call}, finish reason`,
    `details of ${call}, asks`,
    `details of ${call}, answers`,
    `details of ${call}, status`,
    'details of 8ba7522c02487072, LLM call',
    `tools of ${tool}, type`,
    `tools of ${tool}, tool name`,
    `tools of ${tool}, call id`,
    `tools of ${tool}, result`,
    `tools of ${tool}, status`,
    'tasks of 2ac8d66979736ecd, own tokens in',
    'errors of 9d46b5f3aff559ff, status',
    'tasks of sess-1, spans in other tasks',
    'tasks of sess-1, tokens in',
    'tasks of sess-1, tokens out',
    'tasks of sess-1, reported cost',
    'agents of summariser, tokens in',
    'agents of summariser, tokens out',
    `edges of ${call} edge by toolCallId from ${tool}`,
  ])
    assert.ok(reported.has(line), `${line} is reported`);
});

test('[CR2] a recording without an expectation is not passed over', async () => {
  const { recording } = given('traceloop-workflow.otlp.json');
  assert.equal((await reportRecording(recording, undefined)).mismatches.length, 1);
});

test('[CR2] the sums of each expectation are those of its calls, and of containers with no usage below them', () => {
  const total = (figures: readonly (number | null)[]): number =>
    figures.reduce<number>((sum, figure) => sum + (figure ?? 0), 0);
  assert.equal(expectations.size, 25);
  for (const { recording, calls, containers, tasks, agents } of expectations.values()) {
    const alone = Object.values(containers).filter(({ usageBelow }) => !usageBelow);
    const counted = [...Object.values(calls), ...alone];
    for (const field of ['tokensIn', 'tokensOut'] as const) {
      const sum = total(counted.map((step) => step[field]));
      assert.equal(total(tasks.map((task) => task[field])), sum, `${recording}: tasks, ${field}`);
      assert.equal(total(agents.map((agent) => agent[field])), sum, `${recording}: agents, ${field}`);
    }
    const cost = total(Object.values(calls).map(({ costUsd }) => costUsd));
    assert.ok(Math.abs(total(tasks.map(({ costUsd }) => costUsd)) - cost) < 1e-12, `${recording}: cost`);
  }
});

test('[CR3] a text is known by its beginning or by a mark of it, whatever white space is in it', () => {
  const text =
    '{"query": "the latest",\n "topic": "general", "more": "than sixty characters, so that the end is cut"}';
  assert.ok(isBeginning('{"query":"the la', text));
  assert.ok(isBeginning(markOf(text), JSON.stringify(JSON.parse(text))));
  assert.ok(isBeginning(markOf(text), `${text} and so on`));
  assert.ok(!isBeginning(markOf(text), `so ${text}`));
  assert.ok(!isBeginning('{"query":"the end', text));
  assert.match(markOf(text), /^sha256:[0-9a-f]{16}$/);
});

test('[CR3] a hidden name has the same mark in every task', () => {
  assert.ok(isBeginning(markOf('Bye my dear [PERSON]!'), 'Bye my dear [PERSON:k3f9x]!'));
  assert.ok(!isBeginning(markOf('Bye my dear [PERSON]!'), 'Bye my dear Bob!'));
});

test('[CR3] a mark is borne out by the place in the raw span that it names', () => {
  const attributes = new Map<string, unknown>([
    ['a', 'plain'],
    ['b', '[{"content":[{"text":"deep"}]}]'],
  ]);
  assert.ok(isBornOut(`${markOf('plain')} of a`, attributes));
  assert.ok(isBornOut(`${markOf('deep')} of b#0.content.0.text`, attributes));
  assert.ok(isBornOut(`${markOf('[{"text":"deep"}]')} of b#0.content`, attributes));
  assert.ok(isBornOut('a text of our own', attributes));
  assert.ok(!isBornOut(`${markOf('other')} of a`, attributes));
  assert.ok(!isBornOut(`${markOf('deep')} of b#1.content.0.text`, attributes));
  assert.ok(!isBornOut(`${markOf('deep')} of c`, attributes));
});
