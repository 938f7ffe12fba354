import type { NodeType } from '../model/node.ts';
import { callOf, queryId, TOOL_ARGUMENTS, toolOf, whoAndWhere } from './claude-code-fields.ts';
import type { Convention, PartialStep, SafeSpan, Texts } from './convention.ts';
import { asText, firstPresent, firstText, text } from './read.ts';

/**
 * Claude Code's spans, `claude_code.*`. It never sends the model's thinking.
 * https://code.claude.com/docs/en/monitoring-usage
 */
export const claudeCode: Convention = {
  name: 'claude-code',
  signs: { namePrefixes: ['claude_code.'], scopePrefixes: ['com.anthropic.claude_code'] },
  interpret,
};

interface Kind {
  readonly type: NodeType;
  readonly container?: true;
  readonly wrapper?: true;
}

const PHASE: Kind = { type: 'OTHER', wrapper: true };
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['claude_code.interaction', { type: 'USER_QUERY', container: true }],
  ['claude_code.llm_request', { type: 'LLM_CALL' }],
  ['claude_code.tool', { type: 'TOOL_CALL' }],
  ['claude_code.tool.execution', PHASE],
  ['claude_code.tool.blocked_on_user', PHASE],
  ['claude_code.hook', PHASE],
]);
const UNKNOWN: Kind = { type: 'OTHER', container: true };

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const { type, container, wrapper } = KINDS.get(span.name) ?? UNKNOWN;
  const common = { type, container, wrapper, ...whoAndWhere(a) };
  if (type === 'LLM_CALL') return { ...common, ...callOf(a) };
  if (type === 'TOOL_CALL') return { ...common, ...toolOf(a), texts: toolTexts(span) };
  return {
    ...common,
    stepId: type === 'USER_QUERY' ? queryId(a) : undefined,
    details: { decision: text(a, 'decision'), errorMessage: text(a, 'error') },
    texts: { prompt: firstText(a, ['user_prompt', 'prompt']) },
  };
}

/** The output comes as a span event, when content is switched on. */
function toolTexts(span: SafeSpan): Texts {
  const output = span.events.find((event) => event.name === 'tool.output');
  return {
    toolArguments:
      asText(firstPresent(span.attributes, TOOL_ARGUMENTS)) ??
      (output === undefined ? undefined : asText(firstPresent(output.attributes, ['input']))),
    toolResult:
      output === undefined ? undefined : asText(firstPresent(output.attributes, ['output', 'content'])),
  };
}
