import assert from 'node:assert/strict';
import { test } from 'node:test';
import { responseIdOf } from './response-id.ts';

const BODIES: readonly [title: string, body: unknown, id: string | undefined][] = [
  ['OpenAI chat', '{"id":"chatcmpl-Bou_1","choices":[]}', 'chatcmpl-Bou_1'],
  ['Responses', '{"output":[{"id":"msg_2","type":"message"}],"id": "resp_4"}', 'resp_4'],
  ['Anthropic', '{"id":"msg_01","content":[{"type":"tool_use","id":"toolu_1"}]}', 'msg_01'],
  ['wrapped', `{"text":"${'x'.repeat(9000)}","response_metadata":{"id":"chatcmpl-7"}}`, 'chatcmpl-7'],
  ['a class and a run', '{"id":["langchain","AIMessage"],"kwargs":{"id":"run-1"}}', undefined],
  ['in the text', '{"content":"\\"id\\":\\"msg_1\\""}', undefined],
  ['no text', 7, undefined],
  ['plain text', 'id msg_1', undefined],
];

for (const [title, body, id] of BODIES) {
  test(`[CV27] the id of a response: ${title}`, () => assert.equal(responseIdOf(body), id));
}
