import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { asText, firstPresent, firstText, text, textOf } from './read.ts';

/**
 * Model Context Protocol, client or server side. A tool called through it may have up to three spans: that of the
 * framework, the client's and the server's. `mcp.session.id` is the connection of a process, which it keeps over many
 * conversations, so it is no task. https://github.com/open-telemetry/semantic-conventions-genai
 */
export const mcp: Convention = {
  name: 'mcp',
  signs: { keyPrefixes: ['mcp.'], scopePrefixes: ['opentelemetry.instrumentation.mcp'] },
  interpret,
};

/** Each message on its way over a connection has a span of OpenLLMetry. */
const TRANSPORT = /^(?:Request|Response)Stream(?:Reader|Writer)$/;
const CALL_NAME = /^tools\/call (\S+)$/;
const ARGUMENTS = ['mcp.request.argument', 'mcp.request.arguments', 'mcp.tool.arguments'];
const RESULT = ['mcp.response.value', 'mcp.tool.result'];

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const method = firstText(a, ['mcp.method.name', 'mcp.method']);
  const isTool = method === 'tools/call';
  if (TRANSPORT.test(span.name)) return { type: 'OTHER', wrapper: true };
  return {
    type: method === undefined ? undefined : isTool ? 'TOOL_CALL' : 'OTHER',
    details: {
      operation: method,
      toolName: isTool
        ? (firstText(a, ['gen_ai.tool.name', 'mcp.tool.name']) ?? textOf(CALL_NAME.exec(span.name)?.[1]))
        : undefined,
      errorMessage: text(a, 'error.message'),
    },
    texts: isTool
      ? {
          toolArguments: asText(firstPresent(a, ARGUMENTS)),
          toolResult: asText(firstPresent(a, RESULT)),
        }
      : undefined,
  };
}
