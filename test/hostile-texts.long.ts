import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { MAX_NAME_CHARS } from '../src/model/one-line.ts';
import type { SafeRecord } from '../src/model/pipeline.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { acceptsGzip } from '../src/servers/http/send-answer.ts';
import { makeEngine } from './support/make-engine.ts';
import { cot, event, span } from './support/records.ts';
import { batchOf } from './support/world.ts';
import { cpuTimer } from './support/cpu-time.ts';

/**
 * Of processor time, in seconds, for a text repeated up to the longest that is taken, in each field of a few steps: they
 * take a tenth of it, and where a pattern looks for its end from every place in the text, minutes.
 */
const MAX_CPU_S = 3;
const TRACES = ['a'.repeat(32), 'b'.repeat(32)] as const;
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
  // The door leaves no more of it.
  const name = text.slice(0, MAX_NAME_CHARS);
  return TRACES.flatMap((traceId, run) => {
    const failed = { traceId, name: text, status: 'ERROR' } as const;
    const step = (operation: string) => ({ ...textsOf(text), 'gen_ai.operation.name': operation });
    return [
      span(1, { ...failed, attrs: textsOf(text) }),
      span(2, { ...failed, parent: 1, attrs: step('chat') }),
      span(3, { ...failed, parent: 1, attrs: step('execute_tool') }),
      cot(`r${run}`, { traceId, text, agent: name, model: name, summary: name }),
      event(text, { why: text }, { eventId: `e${run}`, component: text, traceId }),
    ];
  });
}

test('[GR8] what is taken in and asked about costs about the same whatever is repeated in its texts', async () => {
  for (const piece of PIECES) {
    const { engine } = makeEngine();
    const records = recordsWith(piece.repeat(DEFAULT_RECEIVER_LIMITS.maxStringChars / piece.length));
    const seconds = cpuTimer();
    await engine.correlator.consume(batchOf(records));
    engine.flush();
    const { reader } = engine;
    const [a, b] = TRACES;
    await reader.why({ taskId: a });
    await reader.spikes(a);
    await reader.compare({ a, b });
    await reader.summary(a);
    await reader.patterns({});
    engine.stop();
    const took = seconds();
    assert.ok(took < MAX_CPU_S, `${JSON.stringify(piece)} over and over: ${took} s of processor time`);
  }
});

test('[GR8] names of events are as short as those of spans', async () => {
  const { engine } = makeEngine();
  const sent = 'a'.repeat(1000);
  await engine.correlator.consume(batchOf([event(sent, {}, { component: sent })]));
  engine.flush();
  const names = engine.graph.everything().nodes.flatMap(({ name, agent }) => [name, agent]);
  const long = names.map((name) => name.length).filter((length) => length > 100);
  assert.deepEqual(new Set(long), new Set([256]));
});

test('[GR8] a header of blanks is read in no time', () => {
  const seconds = cpuTimer();
  const headers = { 'accept-encoding': `gzip${' '.repeat(16_000)}x` };
  for (let i = 0; i < 100; i++) assert.equal(acceptsGzip({ headers } as IncomingMessage), false);
  assert.ok(seconds() < MAX_CPU_S, `${seconds()} s of processor time`);
});
