import type { NodeType } from '../../../src/model/node.ts';
import { anyOf, type Expectation, type ExpectedTool } from './expectation.ts';
import { compare, unwanted, type Findings } from './finding.ts';
import { spanIdsOf, type ShownRecording } from './shown-recording.ts';

/** Each tool call that a recording contains against the node that shows it; each failure likewise. */
export function checkTools(expectation: Expectation, shown: ShownRecording): Findings {
  const tools = Object.entries(expectation.tools);
  return [
    ...tools.flatMap(([spanId, tool]) => checkTool(spanId, tool, shown)),
    ...toolsTooMany(expectation, shown),
  ];
}

function checkTool(spanId: string, tool: ExpectedTool, shown: ShownRecording): Findings {
  const node = shown.nodeOf(spanId);
  const texts = node ? shown.textsOf(node) : {};
  const types = anyOf(tool.type);
  const { toolName, toolCallId } = node?.details ?? {};
  return [
    compare(
      'tools',
      spanId,
      'type',
      tool.type,
      node?.type,
      () => node !== undefined && types.includes(node.type),
    ),
    compare('tools', spanId, 'tool name', tool.name, toolName),
    ...(tool.callId === null ? [] : [compare('tools', spanId, 'call id', tool.callId, toolCallId)]),
    ...presence(spanId, 'arguments', tool.arguments, texts.toolArguments),
    ...presence(spanId, 'result', tool.result, texts.toolResult),
    compare('tools', spanId, 'status', tool.status, node?.status),
  ];
}

function presence(
  spanId: string,
  field: string,
  expected: boolean | undefined,
  text: string | undefined,
): Findings {
  if (expected === undefined) return [];
  const inWords = (isThere: boolean) => (isThere ? 'a text' : 'no text');
  return [compare('tools', spanId, field, inWords(expected), inWords(text !== undefined && text !== ''))];
}

/** A search in a store of documents may be shown as a tool call. */
const MAY_BE_A_TOOL = /retriev|query/i;
const TOOL_TYPES: ReadonlySet<NodeType> = new Set(['TOOL_CALL', 'TEST_RUN', 'STATIC_ANALYSIS']);

function toolsTooMany({ tools }: Expectation, shown: ShownRecording): Findings {
  return shown.graph.nodes
    .filter(({ type, name }) => TOOL_TYPES.has(type) && !MAY_BE_A_TOOL.test(name))
    .map((node) => ({ node, spans: spanIdsOf(node) }))
    .filter(({ spans }) => !spans.some((id) => id in tools))
    .map(({ node, spans }) => unwanted('tools', spans[0] ?? node.id, node.type, node.name));
}

export function checkErrors({ errors, merges }: Expectation, shown: ShownRecording): Findings {
  const found = Object.entries(errors).flatMap(([spanId, message]) => {
    const node = shown.nodeOf(spanId);
    const said = node && (node.details?.['errorMessage'] ?? shown.textsOf(node).error);
    return [
      compare('errors', spanId, 'status', 'ERROR', node?.status),
      compare('errors', spanId, 'error message', message, said, (text) => String(text).includes(message)),
    ];
  });
  const failed = new Set(Object.keys(errors));
  for (const { spans } of merges)
    if (spans.some((id) => failed.has(id))) for (const id of spans) failed.add(id);
  const others = shown.graph.nodes
    .filter(({ status }) => status === 'ERROR')
    .filter((node) => spanIdsOf(node).length > 0 && !spanIdsOf(node).some((id) => failed.has(id)))
    .map((node) => unwanted('errors', spanIdsOf(node)[0] ?? node.id, 'status', 'ERROR'));
  return [...found, ...others];
}
