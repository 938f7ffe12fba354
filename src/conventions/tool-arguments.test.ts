import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePython } from './python-literal.ts';
import { askedHash, callHash, codeHash, codeHashes, handoffTo, unwrapArguments } from './tool-arguments.ts';

const LANGCHAIN =
  '{"input_str": "{\'city\': \'Paris\'}", "tags": ["seq:step:1"], "metadata": {"langgraph_node": "tools"}, "inputs": {"city": "Paris"}, "kwargs": {"color": "green", "name": null, "tool_call_id": "call_1d4e"}}';

test('[CV60] arguments are the same however they are wrapped, quoted, spaced and ordered', () => {
  const asked = askedHash('get_weather({"city": "Paris"})');
  const wrapped = [
    '{"city":"Paris"}',
    '{"args": [], "kwargs": {"city": "Paris"}}',
    '{"args": ["Paris"], "kwargs": {}}',
    '{"kwargs": {"city": "Paris"}}',
    LANGCHAIN,
    "{'city': 'Paris'}",
    'Paris',
    '"Paris"',
    '{"name": "get_weather", "args": {"city": "Paris"}, "id": "c1", "type": "tool_call"}',
    "ToolCall(tool_name='get_weather', tool_kwargs={'city': 'Paris'}, tool_id='c1')",
  ];
  for (const args of wrapped) assert.equal(callHash('get_weather', args), asked, args);
  for (const other of ['{"city":"Atlantis"}', 'Oslo', '{"args":[1],"kwargs":{}}', undefined])
    assert.notEqual(callHash('get_weather', other), asked, other);
  assert.notEqual(callHash('get_time', '{"city":"Paris"}'), asked);
});

test('[CV60] what was around arguments is taken away, and gives the id of the call', () => {
  assert.deepEqual(unwrapArguments(LANGCHAIN), { text: '{"city":"Paris"}', callId: 'call_1d4e' });
  assert.deepEqual(unwrapArguments('{"kwargs": {"city": "Paris"}}'), {
    text: '{"city":"Paris"}',
    callId: undefined,
  });
  // A tool's own arguments may have such names.
  for (const own of ['{"name":"x","args":["a"],"cwd":"/"}', '{"kwargs":{"a":1},"mode":"x"}', 'plain'])
    assert.equal(unwrapArguments(own).text, own);
});

test('[CV60] Python literals are read, and nothing else', () => {
  assert.deepEqual(parsePython("{'a': [1, -2.5], 'b': (True, None), \"c\": 'it\\'s'}"), {
    a: [1, -2.5],
    b: [true, null],
    c: "it's",
  });
  assert.deepEqual(parsePython("Call(id='c1', args={})"), { id: 'c1', args: {} });
  for (const text of ['', '{', "{'a': ", 'Paris', 'f(1', '<object at 0x7f>', "{'a': <object>}", "['a' 'b']"])
    assert.equal(parsePython(text), undefined, text);
  assert.equal(parsePython(`${'['.repeat(10_000)}1`), undefined);
});

test('[CO34] a tool hands over to the agent that its name, arguments or result names', () => {
  assert.equal(handoffTo('handoff to writer', undefined, undefined), 'writer');
  assert.equal(handoffTo('transfer_to_writer', '{}', undefined), 'writer');
  assert.equal(handoffTo('transfer_to_agent', '{"agent_name": "writer"}', '{"result": null}'), 'writer');
  assert.equal(
    handoffTo('delegate_work_to_coworker', '{"coworker":"writer","task":"x"}', undefined),
    'writer',
  );
  assert.equal(handoffTo('ask_billing', '{}', '{"assistant": "Billing Agent"}'), 'Billing Agent');
  assert.equal(handoffTo('next', '{}', 'Successfully transferred to writer'), 'writer');
  assert.equal(handoffTo('transfer_to_bank', undefined, undefined), 'bank');
  for (const result of ['sunny', '{"assistant": 7}', '{"a":1}', 'transferred 7 files'])
    assert.equal(handoffTo('get_weather', '{"to":"Paris"}', result), undefined);
  assert.equal(
    askedHash('transfer_to_agent({"agent_name":"writer"})'),
    callHash('handoff to writer', 'forecaster'),
  );
});

test('[CV61] code in an answer is the code that a tool is given to run', () => {
  const code = 'import csv\nprint(sum(1 for _ in csv.reader(open("a.csv"))))';
  const inAnswer = codeHashes(`Thought: count.\n\`\`\`python\n${code}\n\`\`\`\nThen:\n<code>${code}</code>`);
  assert.equal(inAnswer.length, 2);
  for (const args of [
    JSON.stringify({ code }),
    JSON.stringify(code),
    code,
    JSON.stringify({ kwargs: { code } }),
  ])
    assert.equal(codeHash(args), inAnswer[0], args);
  assert.deepEqual(codeHashes('no code'), []);
  assert.equal(codeHash('{"city":"Paris"}'), undefined);
});
