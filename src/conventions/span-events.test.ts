import type { AttributeValue } from '../model/attributes.ts';
import { testSpans } from './cases-for-test.ts';

const event = (name: string, attributes: Record<string, AttributeValue>) => ({ name, attributes });

testSpans('CV64', [
  {
    title: 'a call whose messages are events of its span',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o-mini' },
    span: {
      name: 'Model invoke',
      events: [
        event('gen_ai.user.message', { content: '[{"text": "And Atlantis?"}]' }),
        event('gen_ai.assistant.message', {
          content: '[{"toolUse": {"toolUseId": "c1", "name": "get_weather", "input": {"city": "Atlantis"}}}]',
        }),
        event('gen_ai.user.message', {
          content:
            '[{"toolResult": {"toolUseId": "c1", "status": "error", "content": [{"text": "no such city"}]}}]',
        }),
        event('gen_ai.choice', {
          finish_reason: 'tool_use',
          message: '[{"toolUse": {"toolUseId": "c2", "name": "ask_writer", "input": {"text": "w"}}}]',
        }),
      ],
    },
    step: { type: 'LLM_CALL' },
    details: { answeredToolCallIds: ['c1'], requestedToolCallIds: ['c2'], finishReasons: ['tool_use'] },
    texts: { prompt: 'no such city', completion: 'ask_writer({"text":"w"})' },
  },
  {
    title: 'a tool, and that it failed',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'tool.status': 'error',
    },
    span: {
      name: 'Tool: get_weather',
      status: 'OK',
      events: [
        event('gen_ai.tool.message', { role: 'tool', content: '{"city": "Atlantis"}', id: 'c1' }),
        event('gen_ai.choice', { message: '[{"text": "Error: no such city"}]', id: 'c1' }),
      ],
    },
    step: { type: 'TOOL_CALL', status: 'ERROR' },
    details: { toolName: 'get_weather', toolCallId: 'c1' },
    texts: { toolArguments: '{"city":"Atlantis"}', toolResult: 'Error: no such city' },
  },
  {
    title: 'the whole call as one event',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o-mini' },
    span: {
      name: 'chat',
      events: [
        event('gen_ai.client.inference.operation.details', {
          'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
          'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"hello"}]}]',
        }),
      ],
    },
    step: { type: 'LLM_CALL' },
    texts: { prompt: 'hi', completion: 'hello' },
  },
  {
    title: 'a turn of the loop is a phase of its agent',
    attributes: { 'event_loop.cycle_id': 'x', 'gen_ai.event.start_time': 'y' },
    span: { name: 'Cycle x' },
    step: { type: 'OTHER', container: true, wrapper: true },
  },
  {
    title: 'a call that names a tool stays a call',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
    },
    span: { name: 'chat gpt-4o-mini' },
    step: { type: 'LLM_CALL' },
    texts: { prompt: 'hi' },
  },
]);
