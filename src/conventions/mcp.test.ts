import { testSpans } from './cases-for-test.ts';

testSpans('CV49', [
  {
    title: 'a tool call',
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'get_weather', 'mcp.session.id': 'm' },
    step: { type: 'TOOL_CALL', task: undefined },
    details: { toolName: 'get_weather', operation: 'tools/call' },
  },
  {
    title: 'a tool that only the span names; its arguments and result in older keys',
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.request.argument': '{"a":1}',
      'mcp.response.value': 'sun',
    },
    span: { name: 'tools/call get_weather' },
    step: { type: 'TOOL_CALL' },
    details: { toolName: 'get_weather' },
    texts: { toolArguments: '{"a":1}', toolResult: 'sun' },
  },
  {
    title: 'a tool call that the framework names too',
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.id': 'c1',
      'error.type': 'tool_error',
    },
    step: { type: 'TOOL_CALL', status: 'ERROR' },
    details: { toolCallId: 'c1', errorType: 'tool_error' },
  },
  {
    title: 'anything else',
    attributes: { 'mcp.method.name': 'tools/list' },
    step: { type: 'OTHER', convention: 'mcp' },
  },
  {
    title: 'a message on its way over the connection is part of what it is sent for',
    attributes: {},
    span: { name: 'ResponseStreamWriter', scope: 'opentelemetry.instrumentation.mcp' },
    step: { type: 'OTHER', wrapper: true },
  },
]);
