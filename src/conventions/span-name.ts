import type { NodeType } from '../model/node.ts';

/**
 * The last resort for a span that speaks a known convention and still doesn't say what it is: the names that
 * instrumentations give their spans.
 */
const NAMES: readonly (readonly [pattern: RegExp, type: NodeType, container: boolean])[] = [
  [/^(?:chat|text_completion|generate_content) \S/, 'LLM_CALL', false],
  [/^(?:ChatCompletion|ChatOpenAI|ChatAnthropic)$/, 'LLM_CALL', false],
  [/^(?:execute_tool \S|running tool(?:: | )\S)|\.tool$/, 'TOOL_CALL', false],
  [/^(?:invoke_agent|create_agent|invoke_workflow) \S|\.(?:agent|workflow|task)$/, 'OTHER', true],
];

export function typeOfSpanName(
  name: string,
): { readonly type: NodeType; readonly container: boolean } | undefined {
  for (const [pattern, type, container] of NAMES) if (pattern.test(name)) return { type, container };
  return undefined;
}

/** `execute_tool eslint`, `running tool: eslint` and `eslint.tool` name the tool. */
export function toolOfSpanName(name: string): string | undefined {
  return /^(?:execute_tool|running tool:?) (\S+)$/.exec(name)?.[1] ?? /^(\S+)\.tool$/.exec(name)?.[1];
}
