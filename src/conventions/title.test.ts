import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeType } from '../model/node.ts';
import { newDraft, type Draft } from './draft.ts';
import { stepTitle } from './title.ts';

function titleOf(type: NodeType | undefined, fields: Partial<Draft>): string | undefined {
  const draft = { ...newDraft(), ...fields };
  if (type !== undefined) draft.type = type;
  return stepTitle(draft);
}

function call(toolArguments?: string): string | undefined {
  return titleOf('TOOL_CALL', { details: { toolName: 'get_weather' }, texts: { toolArguments } });
}

test('[TL1] a tool call is told by the values that it was given', () => {
  assert.equal(call('{"city":"Paris"}'), 'get_weather(Paris)');
  assert.equal(
    call('{"city":"Paris","days":[1,2],"opts":{"unit":"C","x":null}}'),
    'get_weather(Paris, 1, 2, C)',
  );
  assert.equal(call('"Paris"'), 'get_weather(Paris)');
  assert.equal(call("{'city': 'Paris'}"), 'get_weather(Paris)');
  assert.equal(call('Paris\nand Rome'), 'get_weather(Paris and Rome)');
  assert.equal(call('{}'), 'get_weather()');
  assert.equal(call(), undefined);
});

test('[TL1] a model call is told by its answer, else by what it asked for, else by its thought', () => {
  const asked = ['get_weather({"city":"Paris"})', 'get_weather({"city":"Rome"})'];
  assert.equal(
    titleOf('LLM_CALL', { texts: { completion: 'It rains.\nTake a coat.' } }),
    'It rains. Take a coat.',
  );
  assert.equal(
    titleOf('LLM_CALL', { texts: { completion: asked.join('\n') }, asked }),
    'get_weather(Paris), get_weather(Rome)',
  );
  assert.equal(
    titleOf('LLM_CALL', { texts: { completion: `Let me look.\n${asked[0]}` }, asked })?.slice(0, 12),
    'Let me look.',
  );
  assert.equal(titleOf('LLM_CALL', { asked: ['stop'] }), 'stop');
  assert.equal(titleOf('LLM_CALL', { texts: { reasoning: 'Hm.' } }), 'Hm.');
  assert.equal(titleOf('LLM_CALL', { texts: { prompt: 'Why?' } }), undefined);
});

test('[TL1] what a program was given as JSON is told by its first sentence', () => {
  const state = '{"id":["a",1],"input":"What is the weather?","user":"u 7"}';
  assert.equal(titleOf('OTHER', { texts: { prompt: state } }), 'What is the weather?');
  assert.equal(titleOf('OTHER', { texts: { prompt: '{"args":[]}' } }), undefined);
  assert.equal(titleOf('OTHER', { texts: { prompt: 'What?', completion: 'That.' } }), undefined);
  assert.equal(titleOf('OTHER', { texts: { completion: 'That.' } }), 'That.');
  assert.equal(titleOf(undefined, {}), undefined);
});

test('[TL2] a title is one line of at most 120 characters, and cuts no marker', () => {
  const marker = '[EMAIL:abcdefghij]';
  for (let before = 0; before < 130; before++) {
    const title =
      call(JSON.stringify({ text: `${'x'.repeat(before)}${marker} and so on ${'y'.repeat(200)}` })) ?? '';
    assert.ok(title.length <= 120);
    assert.equal(title.replace(marker, '').includes('['), false, title);
  }
  assert.ok((call(JSON.stringify({ text: 'z'.repeat(9000) })) ?? '').length <= 120);
});
