import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { StepFacts } from '../model/facts.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf, type SpanSketch } from './span-for-test.ts';

function stepOf(attributes: Record<string, AttributeValue>, sketch?: SpanSketch): StepFacts {
  return interpretSpan(spanOf(attributes, sketch)).facts.step;
}

const ASKED = { id: 'c1', name: 'get_weather', arguments: '{"city": "Oslo"}' };
const TOOLS = {
  Genkit: [
    {
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'model',
      'genkit:output':
        '{"message":{"role":"model","content":[{"toolRequest":{"ref":"c1","name":"get_weather","input":{"city":"Oslo"}}}]}}',
    },
    {
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'tool',
      'genkit:name': 'get_weather',
      'genkit:input': '{"city":"Oslo"}',
    },
  ],
  Langfuse: [
    {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.output': JSON.stringify({
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: ASKED }],
      }),
    },
    { 'langfuse.observation.type': 'tool', 'langfuse.observation.input': '{"city":"Oslo"}' },
  ],
};

for (const [sender, [call = {}, tool = {}]] of Object.entries(TOOLS)) {
  test(`[CV59] ${sender}: a tool without the id of its call has the hash of what was asked for`, () => {
    const asked = stepOf(call).askedHashes;
    assert.equal(asked?.length, 1);
    assert.equal(stepOf(tool, { name: 'get_weather' }).ranHash, asked[0]);
  });
}
