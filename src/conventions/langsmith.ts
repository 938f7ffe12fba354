import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { objectOf } from './json.ts';
import { costOf, countOf, firstId, firstText, text } from './read.ts';
import { conversation } from './task.ts';

/** LangSmith's OpenTelemetry mode: `langsmith.*` beside gen_ai. https://docs.langchain.com/langsmith/trace-with-opentelemetry */
export const langsmith: Convention = {
  name: 'langsmith',
  signs: { keyPrefixes: ['langsmith.'] },
  interpret,
};

const KINDS: ReadonlyMap<string, NodeType> = new Map([
  ['llm', 'LLM_CALL'],
  ['tool', 'TOOL_CALL'],
  ['chain', 'OTHER'],
  ['retriever', 'OTHER'],
  ['embedding', 'OTHER'],
  ['prompt', 'OTHER'],
  ['parser', 'OTHER'],
]);

const SESSION = [
  'langsmith.trace.session_id',
  'langsmith.metadata.session_id',
  'langsmith.metadata.thread_id',
];

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'langsmith.span.kind')?.toLowerCase();
  const type = kind === undefined ? undefined : KINDS.get(kind);
  const usage = objectOf(a.get('langsmith.usage_metadata'));
  return {
    type,
    container: kind === 'chain' ? true : undefined,
    agent: firstText(a, ['langsmith.metadata.langgraph_node']),
    requestModel: firstText(a, ['langsmith.metadata.ls_model_name']),
    task: conversation(firstId(a, SESSION)),
    usage:
      usage === undefined
        ? undefined
        : { tokensIn: countOf(usage['input_tokens']), tokensOut: countOf(usage['output_tokens']) },
    costUsd: costOf(usage?.['total_cost']),
    details: {
      provider: firstText(a, ['langsmith.metadata.ls_provider']),
      toolName: type === 'TOOL_CALL' ? span.name : undefined,
    },
  };
}
