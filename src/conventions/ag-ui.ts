import type { Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { asText, firstCost, firstCount, firstId, firstText, wordsOf } from './read.ts';
import { ownTask } from './task.ts';

/** Attributes that `receivers/ag-ui` makes of the events of AG-UI, one span for each step of a run. */
export const agUi: Convention = {
  name: 'ag-ui',
  signs: { keys: ['agui.kind'] },
  interpret,
};

function interpret({ attributes: a }: SafeSpan): PartialStep {
  const kind = firstText(a, ['agui.kind']);
  const said: PartialStep = {
    task: ownTask(firstId(a, ['agui.task'])),
    agent: firstText(a, ['agui.agent']),
    details: { sessionId: firstId(a, ['agui.thread']) },
  };
  switch (kind) {
    case 'run':
      return {
        ...said,
        ...aroundOthers(a),
        joinsTask: true,
        usage: usageOf(a),
        costUsd: firstCost(a, ['agui.cost_usd']),
      };
    case 'subagent':
      return { ...said, ...aroundOthers(a) };
    case 'step':
      return { ...said, type: 'OTHER', container: true };
    case 'message':
      return { ...said, type: typeOfRole(firstText(a, ['agui.role'])) };
    case 'reasoning':
      return { ...said, type: 'REASONING' };
    case 'tool':
      return { ...said, ...toolCall(a) };
    case 'note':
      return note(a);
    case undefined:
    default:
      return { ...said, type: 'OTHER' };
  }
}

/** What a run or a sub-agent was asked, how it ended, and what it gave. */
function aroundOthers(a: Attributes): PartialStep {
  const error = firstText(a, ['agui.error']);
  const outcome = firstText(a, ['agui.outcome']);
  const prompt = firstText(a, ['agui.prompt']);
  return {
    type: 'OTHER',
    container: true,
    responseModel: firstText(a, ['agui.model']),
    status:
      error !== undefined
        ? 'ERROR'
        : outcome === 'interrupt' || outcome === 'cancelled'
          ? 'WARNING'
          : undefined,
    details: {
      sessionId: firstId(a, ['agui.thread']),
      runId: firstId(a, ['agui.run']),
      parentRunId: firstId(a, ['agui.parent_run']),
      outcome,
      reason: firstText(a, ['agui.reason']),
      errorMessage: error,
      errorType: firstText(a, ['agui.error_code']),
    },
    heard: prompt === undefined ? undefined : { prompt, byUser: true },
    texts: { completion: asText(a.get('agui.result')), error },
  };
}

function usageOf(a: Attributes): Usage {
  return {
    tokensIn: firstCount(a, ['agui.tokens_in']),
    tokensOut: firstCount(a, ['agui.tokens_out']),
    reasoningTokens: firstCount(a, ['agui.reasoning_tokens']),
    cacheReadTokens: firstCount(a, ['agui.cache_read_tokens']),
    cacheWriteTokens: firstCount(a, ['agui.cache_write_tokens']),
  };
}

/** What an assistant says is a turn of its model; instructions are neither. */
function typeOfRole(role: string | undefined): NodeType {
  if (role === 'user') return 'USER_QUERY';
  return role === 'system' || role === 'developer' ? 'OTHER' : 'LLM_CALL';
}

function toolCall(a: Attributes): PartialStep {
  const error = firstText(a, ['agui.error']);
  return {
    type: 'TOOL_CALL',
    status: error === undefined ? undefined : 'ERROR',
    details: {
      sessionId: firstId(a, ['agui.thread']),
      toolName: firstText(a, ['agui.tool']),
      toolCallId: firstId(a, ['agui.call']),
      errorMessage: error,
    },
    texts: {
      toolArguments: asText(a.get('agui.arguments')),
      toolResult: asText(a.get('agui.result')),
      error,
    },
  };
}

/** Adds to what is known of the step that it is below. */
function note(a: Attributes): PartialStep {
  return {
    type: 'OTHER',
    wrapper: true,
    task: ownTask(firstId(a, ['agui.task'])),
    details: {
      requestedToolCallIds: wordsOf(a.get('agui.asked')),
      answeredToolCallIds: wordsOf(a.get('agui.answered')),
      encrypted: wordsOf(a.get('agui.encrypted')),
      agUiEvents: firstCount(a, ['agui.count']),
      agUiDropped: firstCount(a, ['agui.dropped']),
    },
  };
}
