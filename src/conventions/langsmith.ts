import { isObject, type JsonObject } from '../base/json.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { objectOf } from './json.ts';
import { graphAgent } from './langgraph.ts';
import { isPlumbing } from './plumbing.ts';
import { asText, costOf, countOf, firstId, firstText, idOf, text, textOf, wordsOf } from './read.ts';
import { responseIdOf } from './response-id.ts';
import { conversation, task } from './task.ts';
import { calledWith, toolOutput } from './tool-message.ts';

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

const METADATA = 'langsmith.metadata.';
const GRAPH_KEYS = ['lc_agent_name', 'langgraph_node', 'langgraph_checkpoint_ns', 'checkpoint_ns'];
const TASK_ID = ['langsmith.metadata.taskID', 'langsmith.metadata.task_id'];

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'langsmith.span.kind')?.toLowerCase();
  const type = kind === undefined ? undefined : KINDS.get(kind);
  const isTool = type === 'TOOL_CALL';
  const outputs = a.get('gen_ai.completion');
  const answer = type === 'LLM_CALL' ? answerOf(objectOf(outputs)) : {};
  const result = isTool ? toolOutput(outputs) : undefined;
  const graph = Object.fromEntries(GRAPH_KEYS.map((key) => [key, a.get(`${METADATA}${key}`)]));
  return {
    type,
    container: kind === 'chain' ? true : undefined,
    wrapper: type === 'OTHER' && isPlumbing(span.name) ? true : undefined,
    agent: graphAgent(graph),
    requestModel: firstText(a, ['langsmith.metadata.ls_model_name']),
    responseModel: textOf(answer.response?.['model_name'] ?? answer.response?.['model']),
    task: task(firstId(a, TASK_ID)) ?? conversation(firstId(a, SESSION)),
    usage: usageOf(objectOf(a.get('langsmith.usage_metadata')) ?? answer.usage),
    costUsd: costOf(objectOf(a.get('langsmith.usage_metadata'))?.['total_cost']),
    details: {
      sessionId: firstId(a, SESSION),
      provider: firstText(a, ['langsmith.metadata.ls_provider']),
      responseId: type === 'LLM_CALL' ? (idOf(answer.response?.['id']) ?? responseIdOf(outputs)) : undefined,
      finishReasons: wordsOf(answer.response?.['finish_reason'] ?? answer.response?.['stop_reason']),
      toolName: isTool ? span.name : undefined,
      toolCallId: isTool ? (result?.callId ?? calledWith(a.get('gen_ai.prompt'))) : undefined,
    },
    texts: isTool
      ? { toolArguments: asText(a.get('gen_ai.prompt')), toolResult: result?.content ?? asText(outputs) }
      : undefined,
  };
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const tokensIn = countOf(usage['input_tokens']);
  const tokensOut = countOf(usage['output_tokens']);
  if (tokensIn === undefined && tokensOut === undefined) return undefined;
  const input = usage['input_token_details'];
  const output = usage['output_token_details'];
  return {
    tokensIn,
    tokensOut,
    cacheReadTokens: isObject(input) ? countOf(input['cache_read']) : undefined,
    cacheWriteTokens: isObject(input) ? countOf(input['cache_creation']) : undefined,
    reasoningTokens: isObject(output) ? countOf(output['reasoning']) : undefined,
  };
}

interface Answer {
  usage?: JsonObject;
  response?: JsonObject;
}

/** Values that are looked through for the message: LangChain nests it in generations, batches and constructors. */
const MAX_VALUES = 256;

/** The metadata of LangChain's message, wherever it stands in the outputs. */
function answerOf(outputs: JsonObject | undefined): Answer {
  const answer: Answer = {};
  const queue: unknown[] = [outputs];
  for (let i = 0; i < queue.length && i < MAX_VALUES; i++) {
    const value = queue[i];
    if (Array.isArray(value)) queue.push(...value.slice(0, MAX_VALUES));
    if (!isObject(value)) continue;
    const { usage_metadata: usage, response_metadata: response } = value;
    if (isObject(usage)) answer.usage ??= usage;
    if (isObject(response)) answer.response ??= response;
    queue.push(
      ...Object.values(value)
        .filter((inner) => typeof inner === 'object')
        .slice(0, MAX_VALUES),
    );
  }
  return answer;
}
