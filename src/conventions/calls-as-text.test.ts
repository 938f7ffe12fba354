import type { AttributeValue } from '../model/attributes.ts';
import { textHash } from '../model/text-hash.ts';
import { testSpans } from './cases-for-test.ts';

const call = (name: string, id: string) =>
  `[{"function":{"name":"${name}","arguments":{"name":"Bob"}},"id":"${id}","type":"function"}]`;

function indexed(prefix: string, messages: readonly (readonly [role: string, content: string])[]) {
  const entries = messages.flatMap(([role, content], i) => [
    [`${prefix}${i}.role`, role],
    [`${prefix}${i}.content`, content],
  ]);
  return Object.fromEntries(entries) as Record<string, AttributeValue>;
}

testSpans('CV17', [
  {
    title: 'calls that stand as JSON in the text of several answers',
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...indexed('gen_ai.completion.', [
        ['assistant', call('HelloTool', 'c1')],
        ['assistant', call('ByeTool', 'c2')],
      ]),
    },
    step: { type: 'LLM_CALL', saidHash: textHash('HelloTool({"name":"Bob"})ByeTool({"name":"Bob"})') },
    details: { requestedToolCallIds: ['c1', 'c2'] },
    texts: { completion: 'HelloTool({"name":"Bob"})\nByeTool({"name":"Bob"})' },
  },
  {
    title: 'a history in which each call stands before its result',
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...indexed('gen_ai.prompt.', [
        ['user', 'Greet Bob'],
        ['tool', call('HelloTool', 'c1')],
        ['tool', 'Hello my darling Bob!'],
        ['tool', call('ByeTool', 'c2')],
        ['tool', 'Bye my dear Bob!'],
      ]),
    },
    step: {
      promptSummary: 'Bye my dear Bob!',
      byUser: undefined,
      heardHashes: [textHash('Bye my dear Bob!') ?? '', textHash('Hello my darling Bob!') ?? ''],
    },
    details: { answeredToolCallIds: ['c1', 'c2'] },
    texts: { prompt: 'Bye my dear Bob!' },
  },
  {
    title: 'rows of data that a tool gave are no calls',
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...indexed('gen_ai.prompt.', [
        ['user', 'List'],
        ['tool', '[{"function":"f","id":3}]'],
      ]),
    },
    step: { promptSummary: '[{"function":"f","id":3}]' },
    details: { answeredToolCallIds: undefined },
  },
]);
