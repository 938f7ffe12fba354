import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { firstId, firstText, text } from './read.ts';
import { conversation } from './task.ts';

/** Model Context Protocol, client or server side. https://github.com/open-telemetry/semantic-conventions-genai */
export const mcp: Convention = {
  name: 'mcp',
  signs: { keyPrefixes: ['mcp.'] },
  interpret,
};

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const method = text(a, 'mcp.method.name');
  const isTool = method === 'tools/call';
  return {
    type: method === undefined ? undefined : isTool ? 'TOOL_CALL' : 'OTHER',
    task: conversation(firstId(a, ['mcp.session.id'])),
    details: {
      operation: method,
      toolName: isTool ? firstText(a, ['gen_ai.tool.name', 'mcp.tool.name']) : undefined,
    },
  };
}
