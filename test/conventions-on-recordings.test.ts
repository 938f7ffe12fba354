import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { StepFacts, StepTexts } from '../src/model/facts.ts';
import { interpretSpan } from '../src/conventions/interpret-span.ts';
import { decodeRecording } from './integration/recordings/decode-recording.ts';
import { loadRecordings } from './integration/recordings/load-recordings.ts';
import { asSafe } from './integration/recordings/as-safe.ts';

/** Spans that real SDKs exported; the expectations were read from the raw files by eye. */

interface Expected {
  readonly step: Partial<StepFacts>;
  readonly details?: Record<string, unknown>;
  readonly texts?: StepTexts;
}

const EXPECTED: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  'ai-sdk-6.otlp.json': {
    '9d92b436649933fa': {
      step: {
        type: 'LLM_CALL',
        convention: 'ai-sdk',
        agent: 'code-reviewer',
        serviceName: 'ai-sdk-6-demo',
        model: 'claude-sonnet-4-5-20250929',
        task: { id: 'task-7', rank: 0 },
        tokensIn: 1200,
        tokensOut: 80,
        status: 'OK',
        promptSummary: 'Review src/utils.ts',
      },
      details: {
        provider: 'anthropic.messages',
        responseId: 'msg_01',
        cacheReadTokens: 1000,
        reasoningTokens: 30,
        finishReasons: ['tool-calls'],
        requestedToolCallIds: ['call_1'],
      },
      texts: {
        prompt: 'Review src/utils.ts',
        completion: 'eslint({"path":"src/utils.ts"})',
        reasoning: 'I should run the linter first to find issues in utils.ts.',
      },
    },
    '2d4af5a8b0c34df2': {
      step: { type: 'STATIC_ANALYSIS', agent: 'code-reviewer' },
      details: { toolName: 'eslint', toolCallId: 'call_1' },
      texts: {
        toolArguments: '{"path":"src/utils.ts"}',
        toolResult: '{"path":"src/utils.ts","issues":[{"rule":"no-unused-vars","line":3}]}',
      },
    },
    '2ac8d66979736ecd': {
      step: {
        type: 'OTHER',
        container: true,
        task: { id: 'task-7', rank: 0 },
        tokensIn: 2500,
        tokensOut: 120,
      },
    },
    '699d8d139504bc0c': {
      step: { type: 'LLM_CALL', status: 'ERROR', model: 'gpt-4o' },
      details: { errorType: 'AI_APICallError', errorMessage: '429 rate limit exceeded' },
    },
  },
  'ai-sdk-7-genai.otlp.json': {
    '94b3c8d63a368849': {
      step: {
        type: 'LLM_CALL',
        convention: 'gen_ai',
        model: 'claude-sonnet-4-5-20250929',
        tokensIn: 1200,
        tokensOut: 80,
      },
      details: { provider: 'anthropic', requestedToolCallIds: ['call_1'] },
    },
    '268eb0d2dc3b35d1': {
      step: { type: 'OTHER', container: true, agent: 'code-reviewer', tokensIn: 2500, tokensOut: 120 },
      texts: {
        prompt: 'Review src/utils.ts',
        completion: 'Remove the unused variable `x` on line 3.\neslint({"path":"src/utils.ts"})',
        reasoning: 'The linter reports one unused variable; simple fix.',
      },
    },
    '969a416c6179abc6': {
      step: { type: 'TOOL_CALL', status: 'ERROR' },
      details: { toolName: 'run', toolCallId: 'call_9', errorType: 'Error', errorMessage: '2 tests failed' },
    },
    '745228f313c33bdc': {
      step: { type: 'LLM_CALL', status: 'ERROR', model: 'gpt-5-mini' },
      details: { answeredToolCallIds: ['call_9'] },
    },
    '348919c7118e0f74': {
      step: { type: 'LLM_CALL', promptSummary: 'Summarise the review' },
      texts: { prompt: 'Summarise the review', completion: 'All good.', reasoning: 'Summarise briefly.' },
    },
  },
  'openinference-openai.otlp.json': {
    '32f411fc01491cd2': {
      step: {
        type: 'LLM_CALL',
        convention: 'openinference',
        model: 'gpt-4o-2024-08-06',
        tokensIn: 2006,
        tokensOut: 300,
        promptSummary: 'Run the tests',
      },
      details: { cacheReadTokens: 1920, reasoningTokens: 128, requestedToolCallIds: ['call_abc'] },
    },
    '03b5bc6537e0ad40': {
      step: { promptSummary: '12 passed' },
      details: { answeredToolCallIds: ['call_abc'], finishReasons: ['stop'] },
      texts: {
        prompt: '12 passed',
        completion: 'Tests pass: 12/12.',
        reasoning: 'The tool output says all 12 passed.',
      },
    },
    '87946650ef2e1756': {
      step: { model: 'gpt-4o-mini' },
      texts: { prompt: 'hi', completion: 'Hello there' },
    },
    '42dec48e867d8e00': {
      step: { tokensIn: 75, tokensOut: 1186 },
      details: { reasoningTokens: 1024 },
      texts: {
        prompt: 'Make a plan',
        completion: 'Plan: 1) lint 2) test',
        reasoning: 'User wants a plan. I will list steps.',
      },
    },
  },
  'openinference-langchain.otlp.json': {
    '56e033b3ebfca386': {
      step: { type: 'OTHER', agent: 'ReviewerAgent', task: { id: 'sess-9', rank: 1 }, status: 'OK' },
    },
    '3904ab9fee8e9c0b': {
      step: { type: 'STATIC_ANALYSIS' },
      details: { toolName: 'eslint' },
      texts: { toolArguments: 'src/a.ts', toolResult: '{"path":"src/a.ts","issues":1}' },
    },
    '9ecf48920449d4e8': { step: { type: 'OTHER', status: 'ERROR' } },
  },
  'traceloop-openai.otlp.json': {
    fb2cc0d36f1354f7: {
      step: { type: 'LLM_CALL', model: 'gpt-4o-2024-08-06', tokensIn: 2006, tokensOut: 300 },
      details: { finishReasons: ['tool_call'], requestedToolCallIds: ['call_abc'] },
    },
    '52e9951c58d1af2a': { step: { model: 'gpt-4o-mini-2024-07-18', promptSummary: 'hi' } },
  },
  'traceloop-workflow.otlp.json': {
    '59e6faf0fd3a0fcb': {
      step: { type: 'STATIC_ANALYSIS', agent: 'reviewer', task: { id: 'sess-1', rank: 1 } },
      details: { toolName: 'eslint' },
    },
    '60d956ca414db440': { step: { type: 'OTHER', agent: 'reviewer' } },
    '69992f451960003b': { step: { type: 'OTHER', convention: 'traceloop' } },
  },
};

const FOLDER = join(import.meta.dirname, 'fixtures', 'telemetry');
let recordings: Awaited<ReturnType<typeof loadRecordings>>;

before(async () => {
  recordings = await loadRecordings(FOLDER);
});

for (const [file, spans] of Object.entries(EXPECTED)) {
  test(`[CV1] ${file} is read as its raw spans say`, () => {
    const read = decodeRecording(requestsOf(file)).spans.map((span) => interpretSpan(asSafe(span)));
    for (const [spanId, expected] of Object.entries(spans)) {
      const found = read.find(({ facts }) => facts.spanId === spanId);
      assert.ok(found, `span ${spanId} is there`);
      assert.partialDeepStrictEqual(found.facts.step, expected.step, spanId);
      assert.partialDeepStrictEqual(found.facts.step.details, expected.details ?? {}, spanId);
      if (expected.texts !== undefined) assert.deepEqual(found.texts.texts, expected.texts, spanId);
    }
  });
}

test('[CV8] a streaming call without usage has no token counts, not zero', () => {
  const spans = decodeRecording(requestsOf('openinference-openai.otlp.json')).spans;
  const streaming = spans.find(({ spanId }) => spanId === '87946650ef2e1756');
  assert.ok(streaming);
  const { step } = interpretSpan(asSafe(streaming)).facts;
  assert.ok(!('tokensIn' in step) && !('tokensOut' in step) && !('costUsd' in step));
});

test('[CV10] tokens summed over all spans but containers are those of the calls', () => {
  const sum = (file: string): number =>
    decodeRecording(requestsOf(file)).spans.reduce((total, span) => {
      const { step } = interpretSpan(asSafe(span)).facts;
      return step.container === true ? total : total + (step.tokensIn ?? 0);
    }, 0);
  assert.equal(sum('ai-sdk-6.otlp.json'), 1200 + 1300 + 50);
  assert.equal(sum('ai-sdk-7-genai.otlp.json'), 2 * (1200 + 1300) + 10 + 50);
});

test('[CV19] every span of a recording is read, with its id', () => {
  for (const { name, requests, spanIds } of recordings) {
    const { spans, refused } = decodeRecording(requests);
    assert.equal(refused, 0, name);
    assert.deepEqual(spans.map(({ spanId }) => spanId).sort(), [...spanIds].sort(), name);
  }
});

function requestsOf(file: string): readonly object[] {
  const recording = recordings.find(({ name }) => name === file);
  assert.ok(recording, `${file} is among the fixtures`);
  return recording.requests;
}
