import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { cot, event } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import { eventNodeId } from '../model/ids.ts';
import type { TaskSummary } from '../model/summary.ts';
import { epochMs } from '../model/time.ts';
import {
  CALL,
  call,
  explainAtOnce,
  idOf,
  spanOf,
  tool,
  why,
  workflow,
  type Told,
} from './asked.test-support.ts';
import { failureOfTask } from './outcome.ts';
import { summarise } from './summary.ts';

const TASK = 'a'.repeat(32);
const CHECK = { 'test.name': 'unit tests', 'gen_ai.agent.name': 'Critic' };

async function summaryOf(steps: readonly Told[]): Promise<TaskSummary> {
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(steps.map(spanOf)));
  return engine.reader.summary(TASK);
}

function textOf({ sentences }: TaskSummary): string {
  return sentences.map(({ text }) => text).join('\n');
}

/** The sentence that matches, and the steps that it is about. */
function about({ sentences }: TaskSummary, wanted: RegExp): readonly number[] {
  const found = sentences.filter(({ text }) => wanted.test(text));
  assert.equal(found.length, 1, `${wanted.source} in: ${sentences.map(({ text }) => text).join('\n')}`);
  return (found[0]?.nodeIds ?? []).map((id) => parseInt(id.slice(-16), 16));
}

/** A check that fails twice and then goes well, with a switch of model in between. */
const MENDED: readonly Told[] = [
  { n: 1, at: 0, ms: 900, attrs: workflow('Write a parser', 'It is written.') },
  { n: 2, parent: 1, at: 10, attrs: { ...call('Coder', 'Here is the first try.'), 'cost.usd': 0.01 } },
  { n: 3, parent: 1, links: [2], at: 30, name: 'unit tests', failed: '2 tests failed', attrs: CHECK },
  { n: 4, parent: 1, at: 50, name: 'unit tests', failed: '1 test failed', attrs: CHECK },
  { n: 5, parent: 1, at: 70, name: 'reasoning.plan', attrs: { component: 'reflexion-adapter' } },
  { n: 6, parent: 1, at: 90, name: 'unit tests', attrs: CHECK },
  // What went well before the failure, and what began later elsewhere.
  { n: 7, parent: 1, at: 5, name: 'reasoning.vote', attrs: { component: 'reflexion-adapter' } },
  { n: 8, parent: 1, at: 8, name: 'unit tests', attrs: CHECK },
  { n: 9, at: 120, name: 'report' },
];

test('[SM1] every sentence names what it is about, and equals itself whatever the order of arrival', async () => {
  const expected = await summaryOf(MENDED);
  assert.ok(expected.sentences.length >= 6);
  for (const { nodeIds, by, text } of expected.sentences) {
    assert.equal(by, 'rules');
    assert.ok(nodeIds.length > 0, text);
    assert.ok(nodeIds.every((id) => id.includes(TASK)));
  }
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...MENDED], { minLength: MENDED.length }), async (steps) => {
      assert.deepEqual(await summaryOf(steps), expected);
    }),
    propertyRuns(),
  );
});

test('[SM1] a sentence about many steps names twenty of them, and counts all', async () => {
  const many = Array.from({ length: 60 }, (_, i) => ({ n: i + 2, parent: 1, at: i, failed: 'no' }));
  const summary = await summaryOf([{ n: 1, at: 0, ms: 100, failed: 'the run failed' }, ...many]);
  assert.equal(
    about(summary, /^“step 1” of .* failed: the run failed; 61 errors in all, those of/).length,
    20,
  );
  assert.ok(textOf(summary).length < 2_000);
});

test('[SM2] what was asked: the words of the user, else what the first root was given, else that nobody knows', async () => {
  const user = await summaryOf([{ n: 1, at: 0, attrs: call('Coder', 'Well, here it is.') }, ...MENDED]);
  assert.match(textOf(user), /^The user asked “Write a parser”\./);
  const prompt = await summaryOf([{ n: 1, at: 0, attrs: { ...CALL, prompt: 'Review a.ts' } }]);
  assert.deepEqual(about(prompt, /asked “Review a\.ts”\.$/).length, 1);
  const silent = await summaryOf([{ n: 1, at: 0, name: 'job' }]);
  assert.deepEqual(about(silent, /^What was asked is not recorded; it began with “job” of /), [1]);
});

test('[SM2] what a model thought is nobody’s question', async () => {
  const { engine } = makeEngine();
  const call = { requestId: 'r', component: 'coder-agent' };
  await engine.correlator.consume(
    batchOf([...[{ n: 1, at: 0, attrs: call }].map(spanOf), cot('r', { text: 'Is this the last one?' })]),
  );
  assert.match(textOf(await engine.reader.summary(TASK)), /^What was asked is not recorded; it began with /);
});

test('[SM3] what failed and why are what `why` says of the task', async () => {
  const steps: readonly Told[] = [
    { n: 1, at: 0, ms: 100, failed: 'the run failed', attrs: workflow('Sum up', 'It is 4711.') },
    { n: 2, parent: 1, at: 10, attrs: call('Coder', 'I look it up.', [{ id: 'c1', tool: 'search' }]) },
    { n: 3, parent: 1, at: 30, failed: 'no network', attrs: tool('c1', 'search', 'nothing') },
  ];
  const summary = await summaryOf(steps);
  assert.deepEqual(
    about(
      summary,
      /^“step 1” of .* failed: the run failed; 2 errors in all, those of steps around others included\./,
    ),
    [1, 3],
  );
  assert.match(
    textOf(await summaryOf(MENDED)),
    /^Why is not known: steps are named by their place in the run alone\.$/m,
  );
  const answer = await why('task', steps);
  const [first] = answer.candidates;
  assert.equal(first?.nodeId, idOf(about(summary, /^Where to look first: /)[0] ?? 0));
  assert.match(textOf(summary), /Its call of search failed/);
});

test('[SM3] the errors and warnings of a run are those that the list of tasks counts', async () => {
  const { engine } = makeEngine();
  const steps: readonly Told[] = [
    { n: 1, at: 0, ms: 100, failed: 'the run failed' },
    { n: 2, parent: 1, at: 10, ms: 80, failed: 'the agent failed' },
    { n: 3, parent: 2, at: 20, ms: 60, failed: 'the call failed' },
    { n: 4, parent: 2, at: 15, failed: 'no network' },
  ];
  await engine.correlator.consume(batchOf(steps.map(spanOf)));
  const [task] = (await engine.reader.listTasks({})).tasks;
  const told = textOf(await engine.reader.summary(TASK));
  assert.match(told, /; (\d+) errors in all, those of steps around others included\./);
  assert.equal(Number(/(\d+) errors in all/.exec(told)?.[1]), task?.errors);
});

test('[SM3] of what went well nothing is said to have failed; what nobody knows is said to be unknown', async () => {
  const well = await summaryOf([{ n: 1, at: 0, attrs: CALL }]);
  assert.match(textOf(well), /^Nothing failed\.$/m);
  assert.doesNotMatch(textOf(well), /Where to look|done about it/);
  const running = await summaryOf([{ n: 1, at: 0, ms: 'running', attrs: CALL }]);
  assert.match(textOf(running), /it is still running\.\nNothing failed so far\./);
  const alone = await summaryOf([{ n: 1, at: 0, failed: '' }]);
  assert.match(textOf(alone), /nothing that is known of the run says why/);
  assert.match(textOf(alone), /^No retry of it is recorded\.$/m);
  const told = await summaryOf([{ n: 1, at: 0, failed: '429 rate limit' }]);
  assert.match(textOf(told), /failed: 429 rate limit\.\nNo retry/, 'its error text says something of why');
});

test('[SM2] [SM3] a run may go on when what a step is inside of is not there yet, as spans are told when they end', async () => {
  const steps: readonly Told[] = [{ n: 2, parent: 1, at: 10, attrs: CALL }];
  assert.match(
    textOf(await summaryOf(steps)),
    /made 1 LLM call; it may still be running, as what a step is inside of has not come\.\nNothing failed so far\./,
  );
  const whole = textOf(await summaryOf([...steps, { n: 1, at: 0, ms: 100 }]));
  assert.match(whole, /^Nothing failed\.$/m);
  assert.doesNotMatch(whole, /still/);
});

test('[SM4] what was done: what reacted to the failure, and that the step went well when it was tried again', async () => {
  const summary = await summaryOf(MENDED);
  assert.deepEqual(
    about(summary, /^After the first failure came “reasoning\.plan” of ReflexionAdapter\./),
    [5],
  );
  assert.deepEqual(
    about(summary, /^“unit tests” of Critic failed 2 times; a later attempt went well\.$/),
    [3, 4, 6],
  );
  const given = await summaryOf(MENDED.filter(({ n }) => n !== 5 && n !== 6));
  assert.deepEqual(about(given, /^“unit tests” of Critic failed 2 times\.$/), [3, 4]);
});

/** A call of a tool in a span that is named as those of all tools are. */
function toolRun(n: number, name: string, args: string | undefined, failed?: string): Told {
  const { 'gen_ai.tool.call.arguments': given = '', ...rest } = tool(`c${n}`, name, 'done', args);
  return {
    n,
    parent: 1,
    at: n * 10,
    ms: 5,
    name: 'running tool',
    ...(failed !== undefined && { failed }),
    attrs: { ...rest, ...(args !== undefined && { 'gen_ai.tool.call.arguments': given }) },
  };
}

test('[SM4] a later attempt is the same tool with the same arguments, or the same prompt; else no retry is recorded', async () => {
  const run: Told = { n: 1, at: 0, ms: 900, attrs: workflow('What is the weather?', 'Sunny.') };
  const after = async (...steps: readonly Told[]): Promise<string> =>
    textOf(await summaryOf([run, ...steps]));
  const atlantis = toolRun(2, 'get_weather', '{"city":"Atlantis"}', 'no such city');
  const none = /^No retry of it is recorded\.$/m;
  for (const other of [
    toolRun(3, 'get_weather', '{"city":"Paris"}'),
    toolRun(3, 'get_time', '{"city":"Atlantis"}'),
  ]) {
    const told = await after(atlantis, other);
    assert.match(told, none);
    assert.doesNotMatch(told, /attempt/);
  }
  assert.match(
    await after(toolRun(2, 'search', '{"q":1}', '503'), toolRun(3, 'search_backup', '{"q":1}')),
    none,
  );
  assert.match(
    await after(atlantis, toolRun(3, 'get_weather', '{"city":"Oz"}'), {
      ...toolRun(4, 'get_weather', '{"city":"Atlantis"}'),
    }),
    /^“running tool” of .* failed once; a later attempt went well\.$/m,
  );
  assert.match(
    await after(
      atlantis,
      toolRun(3, 'get_weather', '{"city":"Atlantis"}'),
      toolRun(4, 'get_weather', '{"city":"Atlantis"}', 'no such city'),
    ),
    /failed 2 times\.$/m,
  );
  assert.match(
    await after(toolRun(2, 'search', undefined, '503'), toolRun(3, 'search', undefined)),
    /failed once; a later one went well, whether with the same request is not known\.$/m,
  );
  const prompted = (n: number, model: string, prompt: string | undefined, failed?: string): Told => ({
    n,
    parent: 1,
    at: n * 10,
    ms: 5,
    name: `chat ${model}`,
    ...(failed !== undefined && { failed }),
    attrs: { component: 'coder-agent', 'model.name': model, ...(prompt !== undefined && { prompt }) },
  });
  assert.match(
    await after(prompted(2, 'gpt-4o', 'Do it', '429'), prompted(3, 'gpt-4o', 'Do it')),
    /failed once; a later attempt went well\.$/m,
  );
  assert.match(await after(prompted(2, 'gpt-4o', 'Do it', '429'), prompted(3, 'gpt-4o', 'Sum up')), none);
  assert.match(
    await after(prompted(2, 'gpt-4o', undefined, '429'), prompted(3, 'gpt-4o-mini', undefined)),
    none,
  );
});

test('[SM4] what is said of a cause does not deny an attempt that came after the failure', async () => {
  const steps: readonly Told[] = [
    { n: 1, at: 0, ms: 900, attrs: workflow('Sum up', 'It is 4711.') },
    { n: 2, parent: 1, at: 10, attrs: call('Coder', 'I look it up.', [{ id: 'c3', tool: 'search' }]) },
    toolRun(3, 'search', '{}', 'no network'),
    { n: 4, parent: 1, at: 36, name: 'report', failed: 'nothing to report' },
    toolRun(5, 'search', '{}'),
  ];
  const text = textOf(await summaryOf(steps));
  assert.match(text, /Its call of search failed/);
  assert.match(text, /a later attempt went well/);
  assert.doesNotMatch(text, /no other followed/);
});

test('[SM5] what it cost is the sum, with the dearest step; what is not known is not 0', async () => {
  const priced = await summaryOf([
    { n: 1, at: 0, ms: 100 },
    { n: 2, parent: 1, at: 10, attrs: { ...CALL, 'cost.usd': 0.01, 'tokens.in': 1200, 'tokens.out': 30 } },
    { n: 3, parent: 1, at: 30, attrs: { ...CALL, 'cost.usd': 0.03, 'tokens.in': 1200, 'tokens.out': 30 } },
    { n: 4, parent: 1, at: 50, attrs: { ...CALL, 'model.name': 'of nobody knows whom' } },
  ]);
  const cost =
    /^It cost \$0\.040; 2,400 tokens in and 60 out; 75 % of it in “.*” of .*; what 1 LLM call cost is not known\.$/;
  assert.deepEqual(about(priced, cost), [3]);
  assert.match(
    textOf(await summaryOf([{ n: 1, at: 0, attrs: { ...CALL, 'model.name': 'of nobody knows whom' } }])),
    /^What 1 LLM call cost is not known; /m,
  );
  for (const [other, share] of [
    [0.000_01, 'over 99 %'],
    [1, '50 %'],
  ] as const) {
    const shared = await summaryOf([
      { n: 1, at: 0, ms: 100 },
      { n: 2, parent: 1, at: 10, attrs: { ...CALL, 'cost.usd': 1 } },
      { n: 3, parent: 1, at: 30, attrs: { ...CALL, 'cost.usd': other } },
    ]);
    assert.match(textOf(shared), new RegExp(`; ${share} of it in “`));
  }
  const many = Array.from({ length: 250 }, (_, i) => ({
    n: i + 2,
    parent: 1,
    at: i,
    attrs: { ...CALL, 'cost.usd': 1 },
  }));
  assert.match(textOf(await summaryOf([{ n: 1, at: 0, ms: 900 }, ...many])), /; less than 1 % of it in “/);
  assert.match(
    textOf(await summaryOf([{ n: 1, at: 0 }])),
    /^What it cost is not known; tokens are not recorded\.$/m,
  );
});

test('[SM6] a deep chain of 10,000 failures is told in time in proportion to its length', async () => {
  const { engine } = makeEngine();
  const steps = Array.from({ length: 10_000 }, (_, i) =>
    spanOf({ n: i + 1, ...(i > 0 && { parent: i }), at: i, ms: 20_000 - i, failed: 'down' }),
  );
  await engine.correlator.consume(batchOf(steps));
  const { graph } = engine;
  let looks = 0;
  const treeParent = graph.treeParent.bind(graph);
  graph.treeParent = (id) => {
    assert.ok(looks++ < 100_000, 'every failure looks up to the root');
    return treeParent(id);
  };
  assertCpuTime(1_500, () => {
    looks = 0;
    const failure = atOnce(failureOfTask(graph, TASK, NEVER_OVER));
    assert.equal(failure?.id, idOf(1));
    const { sentences } = atOnce(
      summarise(graph, TASK, explainAtOnce(graph, failure), () => ({}), NEVER_OVER),
    );
    assert.match(sentences.map(({ text }) => text).join('\n'), /^“step 1” of .* failed/m);
  });
});

test('[SM6] an unknown task, and what is no id, are refused by name', async () => {
  const { engine } = makeEngine();
  await assert.rejects(engine.reader.summary('nobody'), { code: 'NOT_FOUND', message: /^taskId/ });
  for (const bad of [undefined, '', 7, {}])
    await assert.rejects(engine.reader.summary(bad), { code: 'INVALID_ARGUMENT', message: /^taskId/ });
});

test('[SM8] a stop is told: who asked, of what, when, what was under way, why, and what the agent answered', async () => {
  const { engine } = makeEngine();
  const start = 1_750_000_000_000;
  const id = `interrupt:${'b'.repeat(32)}`;
  await engine.correlator.consume(
    batchOf([
      spanOf({ n: 1, at: 0, ms: 900, attrs: workflow('Write a parser', 'no more') }),
      spanOf({ n: 2, parent: 1, at: 10, ms: 5, attrs: call('Coder', 'here is the first try') }),
      spanOf({ n: 3, parent: 1, at: 20, ms: 500, attrs: call('Coder', 'here is the second try') }),
      event(
        'UserInterrupt',
        {
          nodeId: idOf(1),
          askedBy: 'ops',
          reason: 'user_request',
          summary: 'user_request: it goes in circles',
        },
        { eventId: id, time: epochMs(start + 400), component: 'User' },
      ),
      event(
        'InterruptAnswered',
        { nodeId: eventNodeId(id), answer: 'stopping', summary: 'stopping: as you wish' },
        { eventId: `${id}:1`, time: epochMs(start + 450), component: 'Coder' },
      ),
    ]),
  );
  const { sentences } = await engine.reader.summary(TASK);
  const [stop, ...more] = sentences.filter(({ text }) => text.includes('to stop'));
  assert.deepEqual(more, []);
  assert.match(
    stop?.text ?? '',
    /^ops asked “.+” of .+ to stop at 2025-06-15T15:06:40\.400Z, while “.*second try.*” of Coder was under way \(user_request: it goes in circles\); Coder answered: stopping: as you wish\.$/,
  );
  assert.deepEqual(stop?.nodeIds, [idOf(1), idOf(3), eventNodeId(id), eventNodeId(`${id}:1`)]);
});
