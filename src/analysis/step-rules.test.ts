import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, idOf, tool, why, workflow, type Asked, type Told } from './asked.test-support.ts';

const ASKED = 'How many kilometres of track does the depot have?';
const run = (answered: string): Told => ({
  n: 1,
  at: 0,
  ms: 10_000,
  attrs: workflow(ASKED, answered),
  failed: 'not accepted',
});

/** A run that asks a tool, misreads what it gave, and answers with that. */
const MISREAD: readonly Told[] = [
  run('FINAL ANSWER: the depot: 4812'),
  { n: 2, parent: 1, at: 10, attrs: call('Planner', 'Look the depot up in the register of works.') },
  {
    n: 3,
    parent: 1,
    at: 20,
    attrs: call('Clerk', 'I look it up.', [{ id: 'c1', tool: 'look_up', args: { place: 'depot' } }]),
  },
  { n: 4, parent: 1, at: 40, attrs: tool('c1', 'look_up', 'length 4,182 metres, built by Torsten Almkvist') },
  { n: 5, parent: 1, at: 60, attrs: call('Clerk', 'The register says that it is 4,812 long.') },
  { n: 6, parent: 1, at: 80, attrs: call('Editor', 'So the depot has 4812 of them, that is the answer.') },
];

test('[AN4] valueOrigin: where a value of the final answer is said first, whether a tool gave it, and who says it again', async () => {
  const answer = await why('task', MISREAD);
  const reason = answer.reason(5, 'valueOrigin');
  assert.equal(reason?.strength, 'evidence');
  assert.match(reason?.statement ?? '', /no tool result holds it/);
  assert.deepEqual(reason?.evidence.values, [
    { value: '4812', firstSeen: idOf(5), support: [idOf(6)], inToolResult: false },
  ]);
  const [quote] = reason?.evidence.quotes ?? [];
  assert.ok(quote);
  assert.match(quote.text, /4,812 long/);
  assert.equal(answer.textOf(quote.nodeId, quote.field)?.slice(quote.start, quote.end), quote.text);
});

test('[AN4] valueOrigin of what a tool gave is the call that asked for it, and its result is said', async () => {
  const steps = MISREAD.map((step) => (step.n === 1 ? run('FINAL ANSWER: Torsten Almkvist') : step));
  const reason = (await why('task', steps)).reason(3, 'valueOrigin');
  assert.match(reason?.statement ?? '', /a tool result holds it/);
  assert.deepEqual(
    reason?.evidence.values.map(({ value, firstSeen, inToolResult }) => [value, firstSeen, inToolResult]),
    [
      ['torsten', idOf(4), true],
      ['almkvist', idOf(4), true],
    ],
  );
});

test('[AN4] of an answer of which tools gave a part it is said what no result holds: figures first, as they are written', async () => {
  const answered = 'The Depot has 4,812 Metres, says Torsten Almkvist';
  const steps = MISREAD.map((step) =>
    step.n === 1
      ? run(`FINAL ANSWER: ${answered}`)
      : step.n === 4
        ? { ...step, attrs: tool('c1', 'look_up', 'by Torsten Almkvist', '{"metres":4812}') }
        : step.n === 5
          ? { ...step, attrs: call('Clerk', answered) }
          : step,
  );
  const reason = (await why('task', steps)).reason(5, 'valueOrigin');
  assert.match(reason?.statement ?? '', /; no tool result holds “4,812”, “Metres”$/);
});

test('[AN4] a call that only thought, or went on to call a tool, gave no final answer', async () => {
  const ended = (last: Told['attrs']): Promise<Asked> =>
    why('task', [
      { n: 1, at: 0, ms: 10_000, failed: 'stopped', attrs: { component: 'Flow' } },
      { n: 2, parent: 1, at: 10, attrs: call('Clerk', 'The depot has 4812 of them.') },
      { n: 3, parent: 1, at: 20, attrs: last ?? {} },
    ]);
  const wordsOf = async (last: Told['attrs']): Promise<string | undefined> =>
    (await ended(last)).reason(2, 'valueOrigin')?.statement;
  const parts = [{ type: 'reasoning', content: 'The depot has 4812 of them, I think.' }];
  const thought = {
    ...call('Clerk', ''),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
  };
  assert.equal(await wordsOf(thought), undefined);
  assert.equal((await ended(thought)).outcome.finalAnswerNode, undefined);
  assert.match((await wordsOf(call('Clerk', 'So 4812 of them.'))) ?? '', /^What the final answer says/);
  const toTool = await why('task', [
    { n: 1, at: 0, ms: 10_000, failed: 'stopped', attrs: { component: 'Flow' } },
    { n: 2, parent: 1, at: 10, attrs: call('Clerk', 'I look.', [{ id: 'c1', tool: 'look_up' }]) },
    { n: 3, parent: 1, at: 20, failed: 'gone', attrs: tool('c1', 'look_up', '') },
  ]);
  assert.equal(toTool.outcome.finalAnswerNode, undefined);
});

test('[AN10] failedAction: what failed by its status or by its text alone, and whether a later call went well', async () => {
  const asks = (id: string, name: string) => [{ id, tool: name }];
  const steps = (later: string, page = '{}'): Told[] => [
    run('FINAL ANSWER: none'),
    { n: 2, parent: 1, at: 10, attrs: call('Clerk', 'I fetch the page.', asks('c1', 'fetch_page')) },
    { n: 3, parent: 1, at: 20, attrs: tool('c1', 'fetch_page', 'HTTP 404: there is nothing here') },
    { n: 4, parent: 1, at: 30, attrs: call('Clerk', 'Once more, then.', asks('c2', 'fetch_page')) },
    { n: 5, parent: 1, at: 40, attrs: tool('c2', 'fetch_page', later, page) },
    { n: 6, parent: 1, at: 50, attrs: call('Coder', 'I run a script.', asks('c3', 'run_shell')) },
    { n: 7, parent: 1, at: 60, failed: 'exit 3', attrs: tool('c3', 'run_shell', 'no output') },
    { n: 8, parent: 1, at: 70, attrs: call('Coder', 'I look around.', asks('c4', 'list_files')) },
    { n: 9, parent: 1, at: 80, attrs: tool('c4', 'list_files', 'a.txt, b.txt') },
  ];
  const recovered = await why('task', steps('Here is the page.'));
  const first = recovered.reason(2, 'failedAction');
  assert.equal(first?.recovered, true);
  assert.match(
    first?.statement ?? '',
    /fetch_page failed, though its status is OK; a later call of that tool went well/,
  );
  assert.deepEqual(
    first?.evidence.quotes.map(({ nodeId, field, text }) => [nodeId, field, /404/.test(text)]),
    [[idOf(3), 'toolResult', true]],
  );
  assert.equal(recovered.reason(4, 'failedAction'), undefined);
  assert.equal(recovered.reason(6, 'failedAction')?.recovered, false);
  const never = (await why('task', steps('access denied'))).reason(2, 'failedAction');
  assert.equal(never?.recovered, false);
  assert.match(never.statement, /; so did the next$/);
  const other = (await why('task', steps('Here is the page.', '{"page":2}'))).reason(2, 'failedAction');
  assert.equal(other?.recovered, false);
  assert.match(other.statement, /though its status is OK$/, 'it was another page');
});

test('[AN10] a program that prints the word error has not failed, one that ends with an exit code has', async () => {
  const steps = (result: string): Told[] => [
    run('FINAL ANSWER: none'),
    { n: 2, parent: 1, at: 10, attrs: call('Coder', 'I run a script.', [{ id: 'c1', tool: 'shell' }]) },
    { n: 3, parent: 1, at: 20, attrs: tool('c1', 'shell', result) },
  ];
  assert.equal(
    (await why('task', steps('error rate: 0.3, not found in: 2'))).reason(2, 'failedAction'),
    undefined,
  );
  assert.ok((await why('task', steps('exitcode: 2 (execution failed)'))).reason(2, 'failedAction'));
  assert.ok((await why('task', steps('x\nValueError: no digits'))).reason(2, 'failedAction'));
  assert.equal(
    (await why('task', steps('exitcode: 0 (execution succeeded)'))).reason(2, 'failedAction'),
    undefined,
  );
});

test('[AN10] of a failure the line is quoted that says what went wrong, also below a trace of Python', async () => {
  const trace =
    'Traceback (most recent call last):\n  File "run.py", line 3, in run\nValueError: no digits\n';
  const quotes = async (failed: string | undefined, more: Told['attrs']): Promise<unknown> => {
    const attrs = { ...tool('c1', 'shell', ''), ...more };
    const answer = await why('task', [
      run('FINAL ANSWER: none'),
      { n: 2, parent: 1, at: 10, attrs: call('Coder', 'I run a script.', [{ id: 'c1', tool: 'shell' }]) },
      { n: 3, parent: 1, at: 20, ...(failed !== undefined && { failed }), attrs },
    ]);
    return answer.reason(2, 'failedAction')?.evidence.quotes.map(({ text }) => text);
  };
  const raised = { 'exception.stacktrace': trace };
  assert.deepEqual(await quotes('ValueError: no digits', raised), ['ValueError: no digits']);
  assert.deepEqual(await quotes('no digits', raised), ['ValueError: no digits']);
  assert.deepEqual(await quotes(undefined, tool('c1', 'shell', trace)), ['ValueError: no digits']);
});

test('[AN11] stateChange: the call that asked for a tool whose name begins with a changing word, the last one first', async () => {
  const answer = await why('task', [
    run('FINAL ANSWER: done'),
    { n: 2, parent: 1, at: 10, attrs: call('Agent', 'I look.', [{ id: 'c1', tool: 'get_order' }]) },
    { n: 3, parent: 1, at: 20, attrs: tool('c1', 'get_order', 'one lamp') },
    {
      n: 4,
      parent: 1,
      at: 30,
      attrs: call('Agent', 'I cancel.', [{ id: 'c2', tool: 'cancelOrder', args: { id: 7 } }]),
    },
    { n: 5, parent: 1, at: 40, attrs: tool('c2', 'cancelOrder', 'gone', '{"id":7}') },
    { n: 6, parent: 1, at: 50, attrs: call('Agent', 'It is done, as you said.') },
  ]);
  assert.equal(answer.reason(2, 'stateChange'), undefined);
  const reason = answer.reason(4, 'stateChange');
  assert.equal(reason?.strength, 'evidence');
  assert.deepEqual(
    reason?.evidence.quotes.map(({ nodeId, field, text }) => [nodeId, field, text]),
    [[idOf(5), 'toolArguments', '{"id":7}']],
  );
});

test('[AN11] stateChange: what failed changed nothing', async () => {
  const answer = await why('task', [
    run('FINAL ANSWER: done'),
    { n: 2, parent: 1, at: 10, attrs: call('Agent', 'I cancel.', [{ id: 'c1', tool: 'cancelOrder' }]) },
    { n: 3, parent: 1, at: 20, failed: 'no such order', attrs: tool('c1', 'cancelOrder', 'none') },
    { n: 4, parent: 1, at: 30, attrs: call('Agent', 'It is done, as you said.') },
  ]);
  assert.equal(answer.reason(2, 'stateChange'), undefined);
});

test('[AN12] firstAct and lastAct go by order alone and say so; the agent that hands out turns does not act', async () => {
  const turn = (n: number, agent: string, said: string): Told => ({
    n,
    parent: 1,
    at: n * 10,
    attrs: call(agent, said),
  });
  const answer = await why('task', [
    run('FINAL ANSWER: 12'),
    turn(2, 'Chief', 'Surveyor, measure the northern wall now.'),
    turn(3, 'Surveyor', 'The northern wall is good enough for me.'),
    turn(4, 'Chief', 'Mason, what do you make of that wall?'),
    turn(5, 'Mason', 'Bricks of that sort last for a long while.'),
    turn(6, 'Chief', 'Painter, which paint would hold on that?'),
    turn(7, 'Painter', 'Any that is made for walls out of doors.'),
    turn(8, 'Chief', 'Then it is settled: we take all of it.'),
  ]);
  for (const [n, rule] of [
    [3, 'firstAct'],
    [7, 'lastAct'],
  ] as const) {
    const reason = answer.reason(n, rule);
    assert.equal(reason?.strength, 'order');
    assert.match(reason?.statement ?? '', /place in the run alone/);
  }
  assert.deepEqual(
    answer.candidates
      .slice(0, 3)
      .map(({ agent }) => agent)
      .sort(),
    ['Mason', 'Painter', 'Surveyor'],
  );
});

test('[AN13] unsupported: what stands in nothing before it, and what is assumed, with the values', async () => {
  const answer = await why('task', [
    run('FINAL ANSWER: nothing'),
    { n: 2, parent: 1, at: 10, attrs: call('Scout', 'I have no idea where to begin with this.') },
    { n: 3, parent: 1, at: 20, attrs: call('Clerk', 'Let us assume that Gotthard built 7731 of them.') },
    { n: 4, parent: 1, at: 30, attrs: call('Clerk', 'As Gotthard built 7731, we are done here now.') },
  ]);
  const reason = answer.reason(3, 'unsupported');
  assert.match(reason?.statement ?? '', /nothing before it.*new figures.*assumes/);
  const value = reason?.evidence.values.find(({ value: held }) => held === '7731');
  assert.deepEqual([value?.firstSeen, value?.support, value?.inToolResult], [idOf(3), [idOf(4)], false]);
  assert.equal(answer.reason(4, 'unsupported'), undefined);
});

test('[AN13] what a call was given last is nothing new in its answer', async () => {
  const given = (text: string) => ({
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]),
  });
  const answer = await why('task', [
    run('FINAL ANSWER: nothing'),
    { n: 2, parent: 1, at: 10, attrs: { ...call('Scout', 'I begin.'), ...given('Begin, Scout.') } },
    {
      n: 3,
      parent: 1,
      at: 20,
      attrs: { ...call('Clerk', 'Gotthard built 7731.'), ...given('Note: Gotthard built 7731.') },
    },
    { n: 4, parent: 1, at: 30, attrs: call('Clerk', 'that was no good at all, or so it seems') },
  ]);
  assert.equal(answer.reason(3, 'unsupported'), undefined);
});

test('[AN13] what its tools answered is no claim of a step, and no later one is unfounded by repeating it', async () => {
  const answer = await why('task', [
    run('FINAL ANSWER: nothing'),
    { n: 2, parent: 1, at: 10, attrs: call('Scout', 'somebody knows it, perhaps in Zurich') },
    {
      n: 3,
      parent: 1,
      at: 20,
      attrs: call('Clerk', 'let me look that up in Zurich', [{ id: 'c1', tool: 'search' }]),
    },
    {
      n: 4,
      parent: 1,
      at: 30,
      attrs: tool('c1', 'search', 'Gotthard, Lucia and Ambrose built 7731 of 8842'),
    },
    { n: 5, parent: 1, at: 50, attrs: call('Clerk', 'Gotthard, Lucia and Ambrose built 7731 of 8842.') },
    { n: 6, parent: 1, at: 70, attrs: call('Scout', 'that was no good at all, or so it seems') },
  ]);
  assert.deepEqual(
    [3, 5].map((n) => answer.reason(n, 'unsupported')),
    [undefined, undefined],
  );
});

test('[AN13] what stands at the beginning of a long prompt, or in its middle, is nothing new', async () => {
  const filler = 'there is nothing of note in these lines; '.repeat(200);
  const prompt = `${filler}Note: Gotthard built 7731.${filler}`;
  const messages = [{ role: 'user', parts: [{ type: 'text', content: prompt }] }];
  const given = { 'gen_ai.input.messages': JSON.stringify(messages) };
  const answer = await why('task', [
    run('FINAL ANSWER: nothing'),
    { n: 2, parent: 1, at: 10, attrs: call('Scout', 'I begin.') },
    { n: 3, parent: 1, at: 20, attrs: { ...call('Clerk', 'Gotthard built 7731.'), ...given } },
    { n: 4, parent: 1, at: 30, attrs: call('Clerk', 'that was no good at all, or so it seems') },
  ]);
  assert.equal(answer.reason(3, 'unsupported'), undefined);
});

test('[AN13] the marker of a private value is one name, and what is in it no figure', async () => {
  const answer = await why('task', [
    run('FINAL ANSWER: nothing'),
    { n: 2, parent: 1, at: 10, attrs: call('Scout', 'I have no idea where to begin with this.') },
    { n: 3, parent: 1, at: 20, attrs: call('Clerk', 'ask [EMAIL:a2b3c4d5e6] for it, if there is time') },
    { n: 4, parent: 1, at: 30, attrs: call('Clerk', 'that was no good at all, or so it seems') },
  ]);
  const reason = answer.reason(3, 'unsupported');
  assert.equal(reason?.statement, '100 % of its figures and names stand in nothing before it');
  assert.deepEqual(
    reason?.evidence.values.map(({ value }) => value),
    ['[EMAIL:a2b3c4d5e6]'],
  );
});

test('[AN14] progressLost: the last step before the coordinator saw no progress, and what was done again and again', async () => {
  const turn = (n: number, agent: string, said: string): Told => ({
    n,
    parent: 1,
    at: n * 10,
    attrs: call(agent, said),
  });
  const again = 'I press the green button on the left panel';
  const answer = await why('task', [
    run('FINAL ANSWER: nothing'),
    turn(2, 'Chief', 'Go and look at the panel.'),
    turn(3, 'Hand', again),
    turn(4, 'Chief', 'And now once more, please.'),
    turn(5, 'Hand', again),
    turn(6, 'Chief', 'One more time, if you would.'),
    turn(7, 'Hand', again),
    turn(8, 'Chief', '{"is_progress_being_made": {"reason": "the same again", "answer": false}}'),
    turn(9, 'Guard', 'Nothing moves here, it seems to me.'),
    turn(10, 'Chief', 'That will do.'),
  ]);
  assert.match(answer.reason(3, 'progressLost')?.statement ?? '', /2 times more/);
  assert.match(answer.reason(7, 'progressLost')?.statement ?? '', /before the coordinator saw no progress/);
  assert.equal(answer.reason(5, 'progressLost'), undefined);
});

test('[AN8] one candidate has all its reasons; at most five, ranked, none of them the outcome; agents are counted', async () => {
  const steps: Told[] = [
    run('FINAL ANSWER: 99'),
    ...Array.from({ length: 12 }, (_, i) => ({
      n: i + 2,
      parent: 1,
      at: 10 * i,
      attrs: call(`Agent${i % 3}`, `Thing number ${100 + i} of Berlin${'x'.repeat(i)} was seen and noted.`),
    })),
    { n: 20, parent: 1, at: 500, attrs: { 'test.name': 'answer', 'tests.failed': 1 }, failed: 'wrong' },
  ];
  const answer = await why('task', steps);
  assert.deepEqual(answer.outcome.failedNodes, [idOf(1), idOf(20)]);
  assert.equal(answer.candidates.length, 5);
  assert.deepEqual(
    answer.candidates.map(({ rank }) => rank),
    [1, 2, 3, 4, 5],
  );
  assert.equal(new Set(answer.candidates.map(({ nodeId }) => nodeId)).size, 5);
  for (const { nodeId, reasons } of answer.candidates) {
    assert.ok(!answer.outcome.failedNodes.includes(nodeId));
    assert.ok(reasons.length > 0 && new Set(reasons.map(({ rule }) => rule)).size === reasons.length);
  }
  const sum = (of: (agent: (typeof answer.agents)[number]) => number): number =>
    answer.agents.reduce((all, agent) => all + of(agent), 0);
  assert.equal(
    sum(({ candidates }) => candidates),
    5,
  );
  assert.equal(
    sum(({ reasons }) => reasons),
    answer.named.length,
  );
  assert.deepEqual([answer.considered.steps, answer.considered.withText], [12, 12]);
});

test('[AN8] where a check of the answer failed last, what failed before it and was done otherwise is not named for that first', async () => {
  const asks = (id: string, city: string) => [{ id, tool: 'get_weather', args: { city } }];
  const answer = await why('task', [
    {
      n: 1,
      at: 0,
      ms: 900,
      failed: 'expected 22, got 4812',
      attrs: workflow('What is it?', 'It costs 4812 euro.'),
    },
    { n: 2, parent: 1, at: 10, attrs: call('Clerk', '', asks('c1', 'Pariss')) },
    {
      n: 3,
      parent: 1,
      at: 30,
      failed: 'no such city',
      attrs: tool('c1', 'get_weather', '', '{"city":"Pariss"}'),
    },
    { n: 4, parent: 1, at: 50, attrs: call('Clerk', '', asks('c2', 'Paris')) },
    { n: 5, parent: 1, at: 70, attrs: tool('c2', 'get_weather', '22', '{"city":"Paris"}') },
    { n: 6, parent: 1, at: 90, attrs: call('Clerk', 'It costs 4812 euro.') },
    { n: 7, parent: 1, at: 110, failed: 'expected 22, got 4812', attrs: { 'test.name': 'answer' } },
  ]);
  assert.deepEqual(answer.outcome.failedNodes, [idOf(1), idOf(7)]);
  assert.deepEqual(
    answer.candidates.slice(0, 1).map(({ nodeId }) => nodeId),
    [idOf(6)],
  );
  assert.ok(answer.candidate(3), 'it is named all the same');
});

test('[AN15] a run that passed names nobody; one of which nothing is known is unexplained', async () => {
  const passed = await why('task', [
    { n: 1, at: 0, attrs: workflow(ASKED, 'FINAL ANSWER: 4812') },
    ...MISREAD.slice(1),
  ]);
  assert.deepEqual([passed.candidates, passed.outcome.failedNodes, passed.unexplained], [[], [], undefined]);
  assert.match(passed.notice, /^Nothing in this task failed/);
  assert.match((await why(6, MISREAD)).notice, /^It did not fail/);
  const bare = await why('task', [{ n: 1, at: 0, failed: '' }]);
  assert.deepEqual([bare.candidates, bare.outcome, bare.unexplained], [[], { failedNodes: [idOf(1)] }, true]);
});

test('[AN15] of a task in which nothing failed that is said of what contains its steps, though one of them began in the same millisecond', async () => {
  const answer = await why('task', [
    { n: 1, parent: 2, at: 0, attrs: call('Clerk', 'I look.') },
    { n: 2, at: 0, ms: 90, attrs: workflow(ASKED, '4812') },
  ]);
  assert.equal(answer.nodeId, idOf(2));
  assert.deepEqual(answer.candidates, []);
  assert.match(answer.notice, /^Nothing in this task failed/);
});

test('[AN15] what a failure says of itself is in the answer, and then it is not unexplained', async () => {
  const answer = await why('task', [{ n: 1, at: 0, failed: 'the provider is down' }]);
  const error = { nodeId: idOf(1), text: 'the provider is down' };
  assert.deepEqual(
    [answer.candidates, answer.outcome, answer.unexplained],
    [[], { failedNodes: [idOf(1)], error }, undefined],
  );
  assert.match(answer.notice, /says itself what went wrong/);
});

test('[AN16] [AN26] a step less than a millisecond after the failure is not before it, whatever clocks are cut to', async () => {
  const pay = (n: number, at: number, failed?: string): Told => ({
    n,
    parent: 1,
    at,
    ms: 0.2,
    ...(failed !== undefined && { failed }),
    attrs: tool(`call-${n}`, 'pay', failed ?? 'paid', `{"invoice":${n}}`),
  });
  const root: Told = { n: 1, at: 0, ms: 60, attrs: workflow('Pay the invoices', 'Done.') };
  const inMicroseconds = await why(3, [root, pay(2, 20.1), pay(3, 20.35, 'card declined'), pay(4, 20.6)]);
  assert.ok(inMicroseconds.candidate(2));
  assert.equal(inMicroseconds.candidate(4), undefined);
  const inOneMillisecond = await why(3, [root, pay(2, 19), pay(3, 20, 'card declined'), pay(4, 20)]);
  assert.ok(inOneMillisecond.candidate(2));
  assert.equal(inOneMillisecond.candidate(4), undefined, 'nothing says that it came first');
  const byTwoClocks = await why(3, [root, pay(2, 19), pay(3, 20.2, 'card declined'), pay(4, 20)]);
  assert.ok(byTwoClocks.candidate(2));
  assert.equal(byTwoClocks.candidate(4), undefined, 'the clock of one was cut');
  const linked = await why(3, [root, pay(4, 20), { ...pay(3, 20, 'card declined'), links: [4] }]);
  assert.ok(linked.candidate(4), 'what led there came first');
});

test('[AN12] [AN26] of two in one millisecond what led to the other is the first, also where the clock of that was cut', async () => {
  const step = (n: number, at: number, links: readonly number[] = []): Told => ({
    n,
    parent: 1,
    at,
    ms: 0.2,
    links,
    attrs: tool(`c${n}`, `tool_${n}`, 'done'),
  });
  const answer = await why('task', [
    { n: 1, at: 0, ms: 60, failed: 'no report', attrs: { component: 'clerk' } },
    step(2, 10.2),
    step(3, 10, [2]),
  ]);
  assert.ok(answer.reason(2, 'firstAct') && answer.reason(3, 'lastAct'));
});

test('[AN16] steps that began when it had failed, or came of it, are no candidates; without texts order and status remain', async () => {
  const bare = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm1', 'gen_ai.agent.name': 'A' };
  const answer = await why(4, [
    { n: 1, at: 0, ms: 1000 },
    { n: 2, parent: 1, at: 10, attrs: bare },
    { n: 3, parent: 1, at: 30, attrs: bare },
    { n: 4, parent: 1, at: 50, failed: 'wrong', attrs: { 'test.name': 'answer', 'tests.failed': 1 } },
    { n: 5, parent: 1, at: 55, links: [4], attrs: bare },
    { n: 6, parent: 1, at: 100, attrs: bare },
  ]);
  assert.deepEqual(answer.named.toSorted(), ['firstAct 2', 'lastAct 3']);
  assert.deepEqual(answer.considered, { steps: 2, withText: 0, cut: 0 });
});

test('[AN17] of long texts the beginning is read, of many steps the last, and how much was cut is said', async () => {
  const long = await why('task', [
    run('FINAL ANSWER: 5'),
    { n: 2, parent: 1, at: 10, attrs: call('Writer', `It is ${'so '.repeat(40_000)}`) },
  ]);
  assert.deepEqual(long.considered, { steps: 1, withText: 1, cut: 1 });
  const many = await why('task', [
    run('FINAL ANSWER: 5'),
    ...Array.from({ length: 520 }, (_, i) => ({
      n: i + 2,
      parent: 1,
      at: i,
      attrs: call('W', `Line ${i} it is.`),
    })),
  ]);
  assert.deepEqual(many.considered, { steps: 500, withText: 500, cut: 20 });
});
