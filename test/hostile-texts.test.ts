import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CotText } from '../src/model/facts.ts';
import type { SafeRecord } from '../src/model/pipeline.ts';
import type { EventRecord } from '../src/model/records.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { epochMs } from '../src/model/time.ts';
import { makeEngine } from './support/make-engine.ts';
import { batchOf, makeSpan, safe } from './support/world.ts';

/**
 * Of processor time, in seconds, for a text repeated up to the longest that is taken, in each field of a few steps: they
 * take a tenth of it, and where a pattern looks for its end from every place in the text, minutes.
 */
const MAX_CPU_S = 3;
const START = 1_750_000_000_000;
/** What patterns begin or end with: words, white space, figures, markup, quotes, brackets, paths, ids. */
const PIECES = [
  'a',
  ' ',
  '\n',
  '1',
  '1,',
  '.',
  '- ',
  '\\',
  '"',
  "'",
  '/',
  '{',
  '[',
  '(',
  '[EMAIL:',
  '<code>',
  '<think>',
  '**',
  '#',
  '```',
  '```\n',
  'answer ',
  'answer is ',
  'Thought: ',
  'Action: ',
  'a.',
  'at f (',
  'é',
  '{"a":',
  "{'a': ",
  'x=1;',
];

function textsOf(text: string): { readonly [name: string]: string } {
  const inJson = JSON.stringify(text).slice(1, -1);
  return {
    'gen_ai.prompt': text,
    'gen_ai.completion': text,
    'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"${inJson}"}]}]`,
    'gen_ai.output.messages': `[{"role":"assistant","parts":[{"type":"text","content":"${inJson}"}]}]`,
    'gen_ai.tool.call.arguments': text,
    'gen_ai.tool.call.result': text,
    'input.value': text,
    'output.value': text,
    'exception.message': text,
    'tool.name': text.slice(0, 1000),
  };
}

/** Two runs alike: a span with a call and a tool's run below it, a thought, and an event. */
function recordsWith(text: string): SafeRecord[] {
  const spans = ['a', 'b'].flatMap((trace) =>
    ['', 'chat', 'execute_tool'].map((operation, i) => {
      const span = {
        traceId: trace.repeat(32),
        spanId: `${i + 1}`.repeat(16),
        ...(i > 0 && { parentSpanId: '1'.repeat(16) }),
        start: epochMs(START + i),
        end: epochMs(START + 10),
      };
      const failed = { name: text, status: 'ERROR', statusMessage: text } as const;
      const attrs = { ...(operation && { 'gen_ai.operation.name': operation }), ...textsOf(text) };
      return makeSpan({ ...span, ...failed, attrs });
    }),
  );
  const others = ['a', 'b'].flatMap((trace): (CotText | EventRecord)[] => {
    const traceId = trace.repeat(32);
    const [first, last] = [epochMs(START + 1), epochMs(START + 2)];
    const thought = {
      part: 1,
      revision: 1,
      text,
      final: true,
      first,
      last,
      agent: text,
      model: text,
      summary: text,
    };
    const event = {
      eventType: text,
      component: text,
      time: first,
      payload: { why: text },
      spanId: undefined,
    };
    return [
      { kind: 'cot', requestId: trace, traceId, ...thought },
      { kind: 'event', eventId: trace, traceId, ...event },
    ];
  });
  return [...spans, ...others].map((record) => safe(record) as SafeRecord);
}

test('[GR8] what is taken in and asked about costs about the same whatever is repeated in its texts', async () => {
  for (const piece of PIECES) {
    const { engine } = makeEngine();
    const records = recordsWith(piece.repeat(DEFAULT_RECEIVER_LIMITS.maxStringChars / piece.length));
    const started = process.cpuUsage();
    await engine.correlator.consume(batchOf(records));
    engine.flush();
    const { reader } = engine;
    const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
    await reader.why({ taskId: a });
    await reader.spikes(a);
    await reader.compare({ a, b });
    await reader.summary(a);
    await reader.patterns({});
    engine.stop();
    const { user, system } = process.cpuUsage(started);
    const seconds = (user + system) / 1e6;
    assert.ok(seconds < MAX_CPU_S, `${JSON.stringify(piece)} over and over: ${seconds} s of processor time`);
  }
});
